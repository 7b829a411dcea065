package io.howdah.jmh.cache;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.PersistentCache;
import io.howdah.collections.PersistentMap;
import io.howdah.jmh.study.Effort;
import io.howdah.jmh.study.StudyProgress;
import io.howdah.jmh.workload.Rounds;
import io.howdah.txn.Durability;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A cache beside a map of the same entries: processor time of the calling thread, in turns in one
 * JVM. Each operation is a transaction of its own; commits are asynchronous. For one thread.
 */
public final class CacheSpeed {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int WARM_UPS = 6;
  private static final int BATCH = 512;

  /** How many keys a map is given that it did not have, before these are removed again. */
  private static final int MAX_INSERTED = 1 << 17;

  private static final long STORE_BYTES_PER_ENTRY = 1024;

  private CacheSpeed() {}

  /**
   * Nanoseconds of an operation, by round.
   *
   * @param mapGet of a random key that is there
   * @param hit of a random key that is there, in the cache
   * @param hitOverGet ratio
   * @param mapInsert a put of a new key
   * @param mapReplace a put of a random key that is there
   * @param evictingPut a put of a new key into a full cache
   * @param mapExchange a put of a new key and the removal of a random one, in one transaction
   * @param evictionOverInsert ratio
   * @param evictionOverReplace ratio
   * @param evictionOverExchange ratio
   */
  public record Result(
      List<Double> mapGet,
      List<Double> hit,
      List<Double> hitOverGet,
      List<Double> mapInsert,
      List<Double> mapReplace,
      List<Double> evictingPut,
      List<Double> mapExchange,
      List<Double> evictionOverInsert,
      List<Double> evictionOverReplace,
      List<Double> evictionOverExchange) {}

  /** Returns how much room on disk the measurement may take. */
  public static long neededBytes(int entries, int valueBytes) {
    return (1L << 30) + 8 * (STORE_BYTES_PER_ENTRY + valueBytes) * entries;
  }

  /**
   * Measures.
   *
   * @param folder for the store; absent
   */
  public static Result measure(
      Path folder, int entries, int valueBytes, Effort effort, StudyProgress progress)
      throws Exception {
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize((256L << 20) + 4 * (STORE_BYTES_PER_ENTRY + valueBytes) * entries)
            .withDefaultDurability(Durability.ASYNC);
    try (Store store = Store.open(folder, options)) {
      progress.begins("filling a map and a cache of %,d entries".formatted(entries));
      PersistentMap<Long, byte[]> map = store.map("map", Codec.int64(), Codec.bytes());
      PersistentMap<Long, byte[]> exchanged = store.map("exchanged", Codec.int64(), Codec.bytes());
      PersistentCache<Long, byte[]> cache =
          store.cache("cache", Codec.int64(), Codec.bytes(), CacheOptions.ofEntries(entries));
      byte[] value = new byte[valueBytes];
      for (long from = 0; from < entries; from += BATCH) {
        long first = from;
        store.run(
            tx -> {
              for (long key = first; key < Math.min(entries, first + BATCH); key++) {
                map.put(tx, key, value);
                exchanged.put(tx, key, value);
                cache.put(tx, key, value);
              }
            });
      }
      SplittableRandom random = new SplittableRandom(entries);
      Rounds.Samples reads =
          new Rounds()
              .add(
                  "map",
                  () ->
                      nanos(
                          effort,
                          _ -> {
                            long key = random.nextInt(entries);
                            requireThere(
                                store.<byte[], RuntimeException>read(
                                    tx -> Objects.requireNonNull(map.get(tx, key))));
                          }))
              .add(
                  "cache",
                  () -> nanos(effort, _ -> requireThere(cache.get((long) random.nextInt(entries)))))
              .mirrored()
              .run(WARM_UPS, effort.rounds(), progress.rounds("hits"));
      long[] fresh = {1L << 40, 1L << 41};
      long before = store.read(map::size);
      long[] there = LongStream.range(0, entries).toArray(); // the keys of the map below
      Rounds.Samples writes =
          new Rounds()
              .add(
                  "insert",
                  () -> {
                    long first = fresh[0];
                    double nanos =
                        nanos(
                            effort,
                            _ -> {
                              long key = fresh[0]++;
                              store.run(tx -> map.put(tx, key, value));
                            });
                    for (long key = first; key < fresh[0]; key++) {
                      long inserted = key;
                      boolean _ = store.call(tx -> map.remove(tx, inserted));
                    }
                    return nanos;
                  })
              .add(
                  "replace",
                  () ->
                      nanos(
                          effort,
                          _ -> {
                            long key = random.nextInt(entries);
                            store.run(tx -> map.put(tx, key, value));
                          }))
              .add(
                  "exchange",
                  () ->
                      nanos(
                          effort,
                          _ -> {
                            int at = random.nextInt(entries);
                            long removed = there[at];
                            there[at] = fresh[0]++;
                            store.run(
                                tx -> {
                                  boolean _ = exchanged.remove(tx, removed);
                                  exchanged.put(tx, there[at], value);
                                });
                          }))
              .add("evict", () -> nanos(effort, _ -> cache.put(fresh[1]++, value)))
              .mirrored()
              .run(WARM_UPS, effort.rounds(), progress.rounds("puts"));
      if (cache.statistics().evictions() != fresh[1] - (1L << 41)
          || before != store.<Long, RuntimeException>read(map::size)) {
        throw new IllegalStateException("not every put has evicted one entry");
      }
      return new Result(
          reads.of("map"),
          reads.of("cache"),
          reads.ratios("cache", "map"),
          writes.of("insert"),
          writes.of("replace"),
          writes.of("evict"),
          writes.of("exchange"),
          writes.ratios("evict", "insert"),
          writes.ratios("evict", "replace"),
          writes.ratios("evict", "exchange"));
    }
  }

  private static void requireThere(byte @Nullable [] value) {
    if (value == null) {
      throw new IllegalStateException("an entry is missing");
    }
  }

  /** Returns the processor time of an operation, over a time of the processor. */
  private static double nanos(Effort effort, LongConsumer operation) {
    long began = THREADS.getCurrentThreadCpuTime();
    long now;
    long count = 0;
    do {
      for (int i = 0; i < BATCH; i++) {
        operation.accept(count++);
      }
      now = THREADS.getCurrentThreadCpuTime();
    } while (now - began < effort.roundNanos() && count < MAX_INSERTED);
    return (double) (now - began) / count;
  }
}
