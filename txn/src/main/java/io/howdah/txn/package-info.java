/**
 * Transactions over a region: the word-based STM, the commit path and the store that a program
 * opens.
 */
@NullMarked
package io.howdah.txn;

import org.jspecify.annotations.NullMarked;
