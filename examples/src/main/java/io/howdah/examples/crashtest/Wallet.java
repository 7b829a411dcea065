package io.howdah.examples.crashtest;

import io.howdah.Store;
import io.howdah.txn.Tx;

/** The program under test: two purses. Coins move between them, and are never made or lost. */
class Wallet {

  static final long COINS = 100;
  static final int LEFT = 0;
  static final int RIGHT = 8;

  final Store store;

  Wallet(Store store) {
    this.store = store;
    store.run(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(16));
            add(tx, LEFT, COINS);
          }
        });
  }

  /** Moves coins from left to right; durable when it returns. */
  void move(long coins) {
    store.run(
        tx -> {
          add(tx, LEFT, -coins);
          add(tx, RIGHT, coins);
        });
  }

  static void add(Tx tx, int purse, long coins) {
    long address = tx.root(0) + purse;
    tx.putLong(address, tx.getLong(address) + coins);
  }

  /** Returns what is in both, as of one moment. */
  long[] coins() {
    return store.read(
        tx -> new long[] {tx.getLong(tx.root(0) + LEFT), tx.getLong(tx.root(0) + RIGHT)});
  }
}
