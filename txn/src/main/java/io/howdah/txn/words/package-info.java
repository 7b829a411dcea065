/**
 * Words: what a running transaction reads and writes.
 *
 * <p>Read set and write set, ownership records and their locks, the history of overwritten words.
 * Nothing here decides whether an attempt commits or ends; {@code io.howdah.txn.stm} does.
 */
@NullMarked
package io.howdah.txn.words;

import org.jspecify.annotations.NullMarked;
