package io.howdah.jmh.benchmark;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.TxOptions;
import java.io.IOException;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Operations on collections with values of 100 bytes in a store in memory, each in a transaction of
 * its own. Hypotheses: a get costs two cache misses in a map, and one for each level in a sorted
 * map; a put costs less than three times a get, since it replaces the entry in place; a queue's add
 * and poll together cost about two puts. Found on a loaded machine: a scan of 100 costs some 30
 * gets of a sorted map that is in the caches; less than 20 were expected.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
public class CollectionsBenchmark {

  private static final int VALUE_BYTES = 100;
  private static final int BATCH = 100;
  private static final int SCAN = 100;

  /** Entries of each map. */
  @Param({"1000", "1000000"})
  public int entries;

  private BenchmarkStore benchmarkStore;
  private Store store;
  private PersistentMap<Long, byte[]> map;
  private PersistentSortedMap<Long, byte[]> sorted;
  private PersistentQueue<byte[]> queue;

  /** Creates it, for JMH. */
  public CollectionsBenchmark() {}

  /** Creates and fills the collections. */
  @Setup(Level.Trial)
  public void open() {
    benchmarkStore = BenchmarkStore.inMemory(entries * 1024L + (64L << 20));
    store = benchmarkStore.store();
    map = store.map("map", Codec.int64(), Codec.bytes());
    sorted = store.sortedMap("sorted", Codec.int64(), Codec.bytes());
    queue = store.queue("queue", Codec.bytes());
    byte[] value = new byte[VALUE_BYTES];
    for (long from = 0; from < entries; from += BATCH) {
      long first = from;
      store.run(
          TxOptions.async(),
          tx -> {
            for (long key = first; key < Math.min(entries, first + BATCH); key++) {
              map.put(tx, key, value);
              sorted.put(tx, key, value);
            }
          });
    }
    store.run(TxOptions.async(), tx -> queue.add(tx, value));
  }

  /** Removes them. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    benchmarkStore.close();
  }

  /** Keys of a thread. */
  @State(Scope.Thread)
  public static class Keys {
    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[] value = new byte[VALUE_BYTES];

    /** Creates it, for JMH. */
    public Keys() {}

    private long next(int bound) {
      return random.nextInt(bound);
    }

    private byte[] change() {
      value[0]++;
      return value;
    }
  }

  /** Gets of a map. */
  @Benchmark
  public byte[] mapGet(Keys keys) {
    long key = keys.next(entries);
    return store.read(TxOptions.async(), tx -> Objects.requireNonNull(map.get(tx, key)));
  }

  /** Replaces a value of a map. */
  @Benchmark
  public long mapPut(Keys keys) {
    long key = keys.next(entries);
    return store.run(TxOptions.async(), tx -> map.put(tx, key, keys.change()));
  }

  /** Gets of a sorted map. */
  @Benchmark
  public byte[] sortedMapGet(Keys keys) {
    long key = keys.next(entries);
    return store.read(TxOptions.async(), tx -> Objects.requireNonNull(sorted.get(tx, key)));
  }

  /** Replaces a value of a sorted map. */
  @Benchmark
  public long sortedMapPut(Keys keys) {
    long key = keys.next(entries);
    return store.run(TxOptions.async(), tx -> sorted.put(tx, key, keys.change()));
  }

  /** Goes through 100 entries in order. */
  @Benchmark
  public long sortedMapScan(Keys keys) {
    long from = keys.next(Math.max(1, entries - SCAN));
    return store.<Long, RuntimeException>read(
        TxOptions.async(),
        tx -> {
          long[] sum = {0};
          sorted.scan(
              tx,
              from,
              from + SCAN,
              (key, value) -> {
                sum[0] += key + value[0];
                return true;
              });
          return sum[0];
        });
  }

  /** Adds an element and takes one, in one transaction. */
  @Benchmark
  public byte[] queueAddAndPoll(Keys keys) {
    return store.call(
        TxOptions.async(),
        tx -> {
          queue.add(tx, keys.change());
          return Objects.requireNonNull(queue.poll(tx));
        });
  }
}
