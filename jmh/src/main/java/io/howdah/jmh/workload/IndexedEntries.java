package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.Pair;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.Index;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.TxOptions;

/** Entries that are found by a part of their values too: by an index, and by two puts. */
public final class IndexedEntries {

  /** How many entries an operation puts, in transactions of 16. */
  public static final int ENTRIES = 1024;

  private static final int TRANSACTION = 16;
  private static final int CUSTOMERS = 100;

  private static final Index<String, String> BY_CUSTOMER =
      Index.of("by customer", IndexedEntries::customer, Codec.utf8());

  private final Store store;
  private final PersistentMap<Long, String> indexed;
  private final PersistentMap<Long, String> byHand;
  private final PersistentSortedMap<Pair<String, Long>, Boolean> customers;
  private long nextIndexed;
  private long nextByHand;

  /** Makes empty maps. */
  public IndexedEntries(Store store) {
    this.store = store;
    this.indexed = store.map("indexed", Codec.int64(), Codec.utf8(), BY_CUSTOMER);
    this.byHand = store.map("by hand", Codec.int64(), Codec.utf8());
    this.customers =
        store.sortedMap("customers", Codecs.pair(Codec.utf8(), Codec.int64()), Codec.bool());
  }

  private static String customer(String order) {
    return order.substring(0, order.indexOf(' '));
  }

  private static String order(long key) {
    return "customer-" + key % CUSTOMERS + " has ordered some things, this is number " + key;
  }

  /** Puts new entries into the map with an index; returns how many it has. */
  public long putIndexed() {
    for (int i = 0; i < ENTRIES; i += TRANSACTION) {
      long from = nextIndexed;
      store.run(
          TxOptions.async(),
          tx -> {
            for (long key = from; key < from + TRANSACTION; key++) {
              indexed.put(tx, key, order(key));
            }
          });
      nextIndexed += TRANSACTION;
    }
    return nextIndexed;
  }

  /** Puts new entries into two maps; returns how many each has. */
  public long putByHand() {
    for (int i = 0; i < ENTRIES; i += TRANSACTION) {
      long from = nextByHand;
      store.run(
          TxOptions.async(),
          tx -> {
            for (long key = from; key < from + TRANSACTION; key++) {
              String order = order(key);
              byHand.put(tx, key, order);
              customers.put(tx, new Pair<>(customer(order), key), true);
            }
          });
      nextByHand += TRANSACTION;
    }
    return nextByHand;
  }
}
