package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Loads of new entries with keys of 8 bytes and values of 100, by one thread: into a new persistent
 * map, in asynchronous transactions of {@value #BATCH}, and into a new concurrent map of the JDK.
 * Each persistent map is dropped when it is full, so from the second load on the memory of its
 * store was used before.
 *
 * <p>What is counted is the processor time of the loading thread: a force, or the garbage of a map
 * on the heap, is the work of others.
 */
public final class BatchLoads {

  /** Entries of a transaction. */
  public static final int BATCH = 100;

  private static final String NAME = "batches";
  private static final int VALUE_BYTES = 100;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final Store store;
  private final long count;
  private final byte[] value = new byte[VALUE_BYTES];
  private ConcurrentHashMap<Long, byte[]> twin = new ConcurrentHashMap<>();

  /**
   * Prepares loads.
   *
   * @param count entries of each
   */
  public BatchLoads(Store store, long count) {
    this.store = store;
    this.count = count;
    new SplittableRandom(1).nextBytes(value);
  }

  /** Returns the processor time of an entry in a load of a persistent map, in nanoseconds. */
  public double mapNanos() {
    PersistentMap<Long, byte[]> map = store.map(NAME, Codec.int64(), Codec.bytes());
    long began = THREADS.getCurrentThreadCpuTime();
    for (long at = 0; at < count; at += BATCH) {
      long first = at;
      long end = Math.min(count, at + BATCH);
      store.run(
          TxOptions.async(),
          tx -> {
            for (long i = first; i < end; i++) {
              map.put(tx, i * MULTIPLIER, value);
            }
          });
    }
    double nanos = nanosEach(began);
    require(store.read(TxOptions.async(), map::size));
    store.admin().drop(NAME);
    return nanos;
  }

  /** Returns the same of copies that are put into a concurrent map. */
  public double twinNanos() {
    twin = new ConcurrentHashMap<>();
    ConcurrentHashMap<Long, byte[]> map = twin;
    long began = THREADS.getCurrentThreadCpuTime();
    for (long i = 0; i < count; i++) {
      map.put(i * MULTIPLIER, value.clone());
    }
    double nanos = nanosEach(began);
    require(map.size());
    return nanos;
  }

  private double nanosEach(long began) {
    return (double) (THREADS.getCurrentThreadCpuTime() - began) / count;
  }

  private void require(long found) {
    if (found != count) {
      throw new IllegalStateException(found + " entries are there instead of " + count);
    }
  }
}
