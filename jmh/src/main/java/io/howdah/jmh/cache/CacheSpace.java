package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.txn.Durability;
import java.nio.file.Path;

/** What an entry of a cache takes. */
public final class CacheSpace {

  private static final int BATCH = 256;
  private static final long STORE_BYTES_PER_ENTRY = 512;

  private CacheSpace() {}

  /**
   * Bytes of one of many entries, with a key of 8 bytes.
   *
   * @param weight what the bound counts
   * @param region what blocks in use take, those of the table and the frequencies included
   */
  public record Result(int valueBytes, double weight, double region) {}

  /**
   * Fills a cache, and then puts as many entries again, each of which evicts one.
   *
   * @param folder for the store; absent
   */
  public static Result measure(Path folder, int entries, int valueBytes) {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize((256L << 20) + (STORE_BYTES_PER_ENTRY + 2L * valueBytes) * entries)
            .withDefaultDurability(Durability.ASYNC);
    try (Store store = Store.open(folder, options)) {
      long before = store.admin().space().usedBytes();
      PersistentCache<Long, byte[]> cache =
          store.cache("cache", Codec.int64(), Codec.bytes(), CacheOptions.ofEntries(entries));
      byte[] value = new byte[valueBytes];
      for (long from = 0; from < 2L * entries; from += BATCH) {
        long first = from;
        store.run(
            tx -> {
              for (long key = first; key < Math.min(2L * entries, first + BATCH); key++) {
                cache.put(tx, key, value);
              }
            });
      }
      double after = store.admin().space().usedBytes() - before;
      double weight = store.<Long, RuntimeException>read(cache::bytes);
      return new Result(valueBytes, weight / entries, after / entries);
    }
  }
}
