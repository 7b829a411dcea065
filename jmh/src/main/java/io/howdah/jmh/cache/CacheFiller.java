package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.core.Backing;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * A program that fills a cache, uses it, says its hit ratio behind {@value #DONE}, and waits to be
 * killed. Ends by itself when its standard input ends.
 */
public final class CacheFiller {

  /** What it prints before the ratio of hits. */
  public static final String DONE = "hits ";

  private static final double EXPONENT = 0.9;
  private static final int POPULATION = 2;
  private static final int BATCH = 256;
  private static final long STORE_BYTES_PER_ENTRY = 512;

  private CacheFiller() {}

  /** Returns what {@link #main} takes. */
  static List<String> arguments(Path store, Backing backing, int entries, int valueBytes) {
    return List.of(
        store.toString(), backing.name(), Integer.toString(entries), Integer.toString(valueBytes));
  }

  static StoreOptions options(Backing backing, int entries, int valueBytes) {
    return StoreOptions.defaults()
        .withMaxSize(maxBytes(entries, valueBytes))
        .withBacking(backing)
        .withDefaultDurability(Durability.ASYNC);
  }

  static long maxBytes(int entries, int valueBytes) {
    return (256L << 20) + (STORE_BYTES_PER_ENTRY + 2L * valueBytes) * entries;
  }

  static PersistentCache<Long, byte[]> open(Store store, int entries) {
    return store.cache("cache", Codec.int64(), Codec.bytes(), CacheOptions.ofEntries(entries));
  }

  /** Returns what draws the keys. */
  static Zipf keys(int entries) {
    return new Zipf(POPULATION * entries, EXPONENT);
  }

  /** Asks for keys, and puts those that are missing; returns the ratio of hits. */
  static double use(
      PersistentCache<Long, byte[]> cache,
      Zipf keys,
      SplittableRandom random,
      int requests,
      byte[] value) {
    int hits = 0;
    for (int i = 0; i < requests; i++) {
      long key = keys.next(random);
      if (cache.get(key) != null) {
        hits++;
      } else {
        cache.put(key, value);
      }
    }
    return (double) hits / requests;
  }

  /** Runs the program. */
  public static void main(String[] args) throws IOException {
    Backing backing = Backing.valueOf(args[1].toUpperCase(Locale.ROOT));
    int entries = Integer.parseInt(args[2]);
    int valueBytes = Integer.parseInt(args[3]);
    // Not closed: whoever started this kills it.
    Store store = Store.open(Path.of(args[0]), options(backing, entries, valueBytes));
    PersistentCache<Long, byte[]> cache = open(store, entries);
    byte[] value = new byte[valueBytes];
    for (long from = 0; from < entries; from += BATCH) {
      long first = from;
      store.run(
          tx -> {
            for (long key = first; key < Math.min(entries, first + BATCH); key++) {
              cache.put(tx, key, value);
            }
          });
    }
    SplittableRandom random = new SplittableRandom(1);
    Zipf keys = keys(entries);
    double _ = use(cache, keys, random, entries, value);
    System.out.println(DONE + use(cache, keys, random, entries, value) + ";");
    while (System.in.read() >= 0) {
      // Nothing is ever sent; the end of it means that the other side is gone.
    }
    store.close();
  }
}
