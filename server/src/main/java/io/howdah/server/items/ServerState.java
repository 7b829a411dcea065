package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;

/**
 * Numbers by name that the server keeps in its store, beside the items. One of them is the version
 * of the layout of all that the server keeps there. Thread-safe.
 */
final class ServerState {

  /** Version of the layout: of {@link StoredItem}, of the names here, and of their meaning. */
  static final long LAYOUT_VERSION = 2;

  /** No number from this one on was given out. */
  static final String RESERVED = "reserved";

  /** Items of a lower birth are gone. */
  static final String FLUSHED = "flushed";

  /** When all items then present go, in seconds since 1970; 0 for no such time. */
  static final String FLUSH_AT = "flush at";

  private static final String LAYOUT = "layout";

  private final Store store;
  private final PersistentMap<String, Long> numbers;

  /**
   * Opens the state of a store, or makes it.
   *
   * @throws ItemLayoutException if another version of the server made it
   */
  ServerState(Store store) {
    this.store = store;
    this.numbers = store.map("server.state", Codec.utf8(), Codec.int64());
    // Every version writes numbers here before it stores items: what is empty was just made.
    boolean isNew = store.read(ItemTransactions.READS, numbers::isEmpty);
    if (isNew) {
      store.run(TxOptions.sync(), tx -> numbers.put(tx, LAYOUT, LAYOUT_VERSION));
    }
    long layout = get(LAYOUT);
    if (layout != LAYOUT_VERSION) {
      throw new ItemLayoutException(
          "the items in this store have layout "
              + (layout == 0 ? "1" : layout)
              + ", and this version of the server reads layout "
              + LAYOUT_VERSION
              + " only; start the server with another directory, or with the version that has"
              + " written the items");
    }
    // Their entries are there before the store is full, so a flush needs no room of its own.
    store.run(
        ItemTransactions.WRITES,
        tx -> {
          put(tx, FLUSHED, get(tx, FLUSHED));
          put(tx, FLUSH_AT, get(tx, FLUSH_AT));
        });
  }

  /** Returns a number; 0 if it was never put. */
  long get(String name) {
    return store.read(ItemTransactions.READS, tx -> get(tx, name));
  }

  long get(Tx tx, String name) {
    return numbers.getOrDefault(tx, name, 0L);
  }

  void put(Tx tx, String name, long number) {
    numbers.put(tx, name, number);
  }
}
