package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.txn.TxOptions;
import org.jspecify.annotations.Nullable;

/** Scans of a sorted map, and transfers through a queue. */
public final class Structures {

  private static final int BATCH = 500;

  private Structures() {}

  /** Fills a sorted map with numbers. */
  public static PersistentSortedMap<Long, Long> sorted(Store store, long count) {
    PersistentSortedMap<Long, Long> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.int64());
    for (long at = 0; at < count; at += BATCH) {
      long first = at;
      store.run(
          TxOptions.async(),
          tx -> {
            for (long i = first; i < Math.min(count, first + BATCH); i++) {
              sorted.put(tx, i, 1L);
            }
          });
    }
    return sorted;
  }

  /** Goes through all of a sorted map once; returns entries per second. */
  public static double scanPerSecond(Store store, PersistentSortedMap<Long, Long> sorted) {
    long[] sum = new long[1];
    long started = System.nanoTime();
    store.read(
        TxOptions.async(),
        tx -> {
          sorted.scan(
              tx,
              null,
              null,
              (_, value) -> {
                sum[0] += value;
                return true;
              });
          return sum[0];
        });
    return sum[0] * 1e9 / (System.nanoTime() - started);
  }

  /** Sends numbers from one thread to another, each in transactions of its own. */
  public static double transfersPerSecond(Store store, int count) throws Exception {
    PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
    long started = System.nanoTime();
    Thread producer =
        new Thread(
            () -> {
              for (long i = 0; i < count; i++) {
                long number = i;
                store.run(TxOptions.async(), tx -> queue.add(tx, number));
              }
            },
            "producer");
    producer.start();
    for (long expected = 0; expected < count; ) {
      Long taken = store.call(TxOptions.async(), tx -> orMinusOne(queue.poll(tx)));
      if (taken == expected) {
        expected++;
      } else if (taken != -1) {
        throw new IllegalStateException(taken + " came instead of " + expected);
      } else {
        Thread.onSpinWait();
      }
    }
    producer.join();
    return count * 1e9 / (System.nanoTime() - started);
  }

  private static Long orMinusOne(@Nullable Long value) {
    return value == null ? -1L : value;
  }
}
