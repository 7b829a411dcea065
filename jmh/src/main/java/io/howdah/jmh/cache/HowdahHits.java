package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.txn.Durability;
import java.nio.file.Path;

/** How many requests of a trace a cache of a store finds. */
public final class HowdahHits {

  /** What a small entry, its table and the store itself may take. */
  private static final long STORE_BYTES_PER_ENTRY = 512;

  private HowdahHits() {}

  /**
   * Runs a trace: a key that is missing is put.
   *
   * @param folder for the store; absent
   */
  public static long of(Path folder, long[] keys, int entries) {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize((64L << 20) + STORE_BYTES_PER_ENTRY * entries)
            .withDefaultDurability(Durability.ASYNC);
    try (Store store = Store.open(folder, options)) {
      PersistentCache<Long, Long> cache =
          store.cache("trace", Codec.int64(), Codec.int64(), CacheOptions.ofEntries(entries));
      long hits = 0;
      for (long key : keys) {
        if (cache.get(key) != null) {
          hits++;
        } else {
          cache.put(key, key);
        }
      }
      return hits;
    }
  }
}
