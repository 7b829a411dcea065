package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.txn.Tx;

/**
 * Words that one transaction writes together, more than go into one redo record.
 *
 * @param base address of the first
 * @param count how many
 * @param distance from one to the next, in bytes
 */
record LargeWords(long base, int count, int distance) {

  /**
   * Returns those of a store, allocated if need be; none of their transactions is found in parts.
   */
  static LargeWords of(Store store, int count, int distance) {
    return store.call(
        tx -> {
          if (tx.root(1) == 0) {
            tx.root(1, tx.allocate((long) count * distance));
          }
          LargeWords words = new LargeWords(tx.root(1), count, distance);
          words.requireWhole(tx);
          return words;
        });
  }

  private void requireWhole(Tx tx) {
    long first = tx.getLong(base);
    for (int word = 1; word < count; word++) {
      long value = tx.getLong(base + (long) distance * word);
      if (value != first) {
        throw new Violation("word 0 is of T" + first + ", word " + word + " of T" + value);
      }
    }
  }

  void write(Tx tx, Attempt attempt) {
    for (int word = 0; word < count; word++) {
      tx.putLong(base + (long) distance * word, attempt.id());
    }
  }
}
