package io.howdah.storetest;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;

/** A service as users write them: coins move between two purses, and are never made or lost. */
class Wallet {

  static final long COINS = 100;

  final Store store;
  final PersistentMap<String, Long> purses;

  Wallet(Store store) {
    this.store = store;
    this.purses = store.map("purses", Codec.utf8(), Codec.int64());
    store.run(tx -> purses.putIfAbsent(tx, "left", COINS));
  }

  /** Moves coins from left to right; durable when it returns. */
  void move(long coins) {
    store.run(
        tx -> {
          purses.merge(tx, "left", -coins, Long::sum);
          purses.merge(tx, "right", coins, Long::sum);
        });
  }

  long right() {
    return store.read(tx -> purses.getOrDefault(tx, "right", 0L));
  }

  long both() {
    return store.read(tx -> purses.values(tx).mapToLong(Long::longValue).sum());
  }

  /** The bug that a crash test is to find: two transactions where one is needed. */
  static final class Careless extends Wallet {
    Careless(Store store) {
      super(store);
    }

    @Override
    void move(long coins) {
      store.run(tx -> purses.merge(tx, "left", -coins, Long::sum));
      store.run(tx -> purses.merge(tx, "right", coins, Long::sum));
    }
  }
}
