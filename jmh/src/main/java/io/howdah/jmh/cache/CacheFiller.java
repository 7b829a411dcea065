package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.util.SplittableRandom;

/**
 * A program that fills a cache, uses it, says its hit ratio behind {@value #DONE}, and waits to be
 * killed. Ends by itself when its standard input ends.
 */
public final class CacheFiller {

  /** What it prints before the ratio of hits. */
  static final String DONE = "[result ";

  /** What it prints behind it. */
  static final String END = " result]";

  private static final double EXPONENT = 0.9;
  private static final int POPULATION = 2;
  private static final int BATCH = 256;
  private static final long STORE_BYTES_PER_ENTRY = 512;

  private CacheFiller() {}

  static StoreOptions options(CacheAfterKill.Plan plan) {
    return StoreOptions.defaults()
        .withMaxSize(maxBytes(plan.entries(), plan.valueBytes()))
        .withBacking(plan.backing())
        .withRecoveryGoal(plan.recoveryGoal())
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

  /** Asks for keys, and puts those that are missing; returns how many there were. */
  static int use(
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
    return hits;
  }

  /** Runs the program. */
  public static void main(String[] args) throws IOException {
    CacheAfterKill.Plan plan = CacheAfterKill.Plan.of(args);
    int entries = plan.entries();
    // Not closed: whatever started this kills it.
    Store store = Store.open(plan.folder(), options(plan));
    PersistentCache<Long, byte[]> cache = open(store, entries);
    byte[] value = new byte[plan.valueBytes()];
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
    int _ = use(cache, keys, random, entries, value);
    System.out.println(DONE + (double) use(cache, keys, random, entries, value) / entries + END);
    awaitKill();
    store.close();
  }

  /** Returns when standard input ends, which means that the process that kills this one is gone. */
  static void awaitKill() throws IOException {
    while (System.in.read() >= 0) {
      // Nothing is ever sent.
    }
  }
}
