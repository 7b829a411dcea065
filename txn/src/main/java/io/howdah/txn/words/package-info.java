/**
 * The words that a running transaction reads and writes.
 *
 * <p>This package has the read set and the write set, the ownership records and their locks, and
 * the history of overwritten words. It does not decide whether an attempt commits or ends; {@code
 * io.howdah.txn.stm} does.
 */
@NullMarked
package io.howdah.txn.words;

import org.jspecify.annotations.NullMarked;
