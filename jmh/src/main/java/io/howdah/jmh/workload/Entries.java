package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.TxOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Entries with keys of 8 bytes and values of 100, in a persistent map and in the JDK's concurrent
 * map: the same keys, put in the same random order, looked up in the same random order.
 */
public final class Entries {

  /** Bytes of a key and its value. */
  public static final int PAYLOAD_BYTES = 108;

  /** Keys of {@link #putManyNanos} and {@link #putAllNanos}. */
  private static final int MULTI = 8;

  private static final int VALUE_BYTES = 100;
  // Two transactions of some hundred entries often meet in an orec by chance, among a million.
  private static final int BATCH = 50;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final Store store;
  private final PersistentMap<Long, byte[]> map;
  private final ConcurrentHashMap<Long, byte[]> twin = new ConcurrentHashMap<>();
  private final long count;
  private long seed;

  @SuppressWarnings("UnusedVariable") // keeps results alive
  private long blackHole;

  private Entries(Store store, PersistentMap<Long, byte[]> map, long count) {
    this.store = store;
    this.map = map;
    this.count = count;
  }

  /** Returns the capacity of a store that holds so many entries, twice over. */
  public static long maxSize(long count) {
    return (64L << 20) + count * PAYLOAD_BYTES * 3;
  }

  private static PersistentMap<Long, byte[]> map(Store store, String name) {
    return store.map(name, Codec.int64(), Codec.bytes());
  }

  /** Keys spread over all longs; an odd factor makes them distinct. */
  private static long key(long number) {
    return number * MULTIPLIER;
  }

  /** Fills a map of the store, and its twin on the heap. */
  public static Entries fill(Store store, long count) {
    Entries entries = new Entries(store, map(store, "entries"), count);
    load(store, entries.map, 0, count);
    for (long i = 0; i < count; i++) {
      entries.twin.put(key(i), value(i));
    }
    return entries;
  }

  /** Any bytes but zeros: memory never written is zero, and a checkpoint leaves such lines out. */
  private static byte[] value(long seed) {
    byte[] value = new byte[VALUE_BYTES];
    new SplittableRandom(seed).nextBytes(value);
    return value;
  }

  private static void load(Store store, PersistentMap<Long, byte[]> map, long from, long to) {
    byte[] value = value(from);
    for (long at = from; at < to; at += BATCH) {
      long first = at;
      long end = Math.min(to, at + BATCH);
      store.run(
          TxOptions.async(),
          tx -> {
            for (long i = first; i < end; i++) {
              map.put(tx, key(i), value);
            }
          });
    }
  }

  /**
   * Loads entries into a new map, in batches of asynchronous transactions, with one thread or more.
   *
   * @return entries per second
   */
  public static double load(Store store, String name, long count, int threads) throws Exception {
    PersistentMap<Long, byte[]> map = map(store, name);
    long started = System.nanoTime();
    Thread[] loaders = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      long from = count * t / threads;
      long to = count * (t + 1) / threads;
      loaders[t] = new Thread(() -> load(store, map, from, to), "loader-" + t);
      loaders[t].start();
    }
    for (Thread loader : loaders) {
      loader.join();
    }
    long found = store.read(TxOptions.async(), map::size);
    if (found != count) {
      throw new IllegalStateException(found + " entries are there instead of " + count);
    }
    return count * 1e9 / (System.nanoTime() - started);
  }

  private interface Operation {
    long run(long key);
  }

  private double nanosEach(long nanos, Operation operation) {
    SplittableRandom random = new SplittableRandom(seed++);
    long started = System.nanoTime();
    long operations = 0;
    long sum = 0;
    while (true) {
      for (int i = 0; i < 1000; i++) {
        sum += operation.run(key(random.nextLong(count)));
      }
      operations += 1000;
      long took = System.nanoTime() - started;
      if (took >= nanos) {
        blackHole += sum;
        return (double) took / operations;
      }
    }
  }

  /** Gets values by random keys, each in a transaction of its own, for so many nanoseconds. */
  public double getNanos(long nanos) {
    return nanosEach(
        nanos,
        key -> {
          byte[] value = store.read(TxOptions.async(), tx -> map.getOrDefault(tx, key, NONE));
          return value.length;
        });
  }

  private static final byte[] NONE = new byte[0];

  /** Gets values from the twin, and copies them. */
  public double twinGetNanos(long nanos) {
    return nanosEach(nanos, key -> twin.getOrDefault(key, NONE).clone().length);
  }

  /** Puts values by random keys, each in an asynchronous transaction of its own. */
  public double putNanos(long nanos) {
    byte[] value = new byte[VALUE_BYTES];
    return nanosEach(
        nanos,
        key -> {
          value[0]++;
          return store.run(TxOptions.async(), tx -> map.put(tx, key, value));
        });
  }

  /** Puts copies of values into the twin, by random keys. */
  public double twinPutNanos(long nanos) {
    byte[] value = new byte[VALUE_BYTES];
    return nanosEach(
        nanos,
        key -> {
          value[0]++;
          byte[] before = twin.put(key, value.clone());
          return before == null ? 0 : before.length;
        });
  }

  /** Puts values by {@value #MULTI} random keys in one asynchronous transaction. */
  public double putManyNanos(long nanos) {
    byte[] value = new byte[VALUE_BYTES];
    SplittableRandom random = new SplittableRandom(seed++);
    return nanosEach(
        nanos,
        first -> {
          value[0]++;
          store.run(
              TxOptions.async(),
              tx -> {
                map.put(tx, first, value);
                for (int i = 1; i < MULTI; i++) {
                  map.put(tx, key(random.nextLong(count)), value);
                }
              });
          return 1;
        });
  }

  /** Puts values by {@value #MULTI} random keys in one asynchronous transaction and one call. */
  public double putAllNanos(long nanos) {
    byte[] value = new byte[VALUE_BYTES];
    SplittableRandom random = new SplittableRandom(seed++);
    return nanosEach(
        nanos,
        first -> {
          value[0]++;
          Map<Long, byte[]> entries = LinkedHashMap.newLinkedHashMap(MULTI);
          entries.put(first, value);
          while (entries.size() < Math.min(MULTI, count)) {
            entries.put(key(random.nextLong(count)), value);
          }
          store.run(TxOptions.async(), tx -> map.putAll(tx, entries));
          return 1;
        });
  }
}
