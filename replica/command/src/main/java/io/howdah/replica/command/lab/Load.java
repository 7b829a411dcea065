package io.howdah.replica.command.lab;

import com.sun.management.OperatingSystemMXBean;
import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.txn.TxOptions;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that commit to a store, each transaction overwriting one of many values. The values lie
 * in one block, which the first load makes.
 */
final class Load {

  private static final int ROOT = 1;
  private static final int SLOTS = 1024;
  private static final int FILL_BYTES = 1 << 16;

  /** Values of a slot, of which a transaction may write fewer. */
  static final int MAX_WORDS = 256;

  private Load() {}

  /**
   * What a load did.
   *
   * @param p50Nanos of a commit, from the call to the return
   * @param cpuNanos processor time of this process
   */
  record Result(long commits, long nanos, long p50Nanos, long p99Nanos, long cpuNanos) {

    double perSecond() {
      return commits * 1e9 / nanos;
    }

    @Override
    public String toString() {
      return commits + " " + nanos + " " + p50Nanos + " " + p99Nanos + " " + cpuNanos;
    }

    static Result parse(List<String> words, int from) {
      return new Result(
          Long.parseLong(words.get(from)),
          Long.parseLong(words.get(from + 1)),
          Long.parseLong(words.get(from + 2)),
          Long.parseLong(words.get(from + 3)),
          Long.parseLong(words.get(from + 4)));
    }
  }

  /**
   * Runs a load.
   *
   * @param words that a transaction writes
   * @param isHalf whether each thread rests after a commit as long as the commit took
   */
  static Result run(
      Store store, TxOptions how, int threads, long nanos, int words, boolean isHalf) {
    long block =
        store.call(
            tx -> {
              long address = tx.root(ROOT);
              if (address == 0) {
                address = tx.allocate((long) SLOTS * MAX_WORDS * Long.BYTES);
                tx.root(ROOT, address);
              }
              return address;
            });
    long[][] latencies = new long[threads][];
    HowdahException[] failures = new HowdahException[threads];
    long cpu = cpuNanos();
    long began = System.nanoTime();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      all.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      latencies[number] =
                          commit(store, how, block, number, began + nanos, words, isHalf);
                    } catch (HowdahException e) {
                      failures[number] = e;
                    }
                  }));
    }
    join(all);
    long took = System.nanoTime() - began;
    for (HowdahException failure : failures) {
      if (failure != null) {
        throw failure;
      }
    }
    long[] sorted = Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
    return new Result(
        sorted.length,
        took,
        sorted[sorted.length / 2],
        sorted[(int) (sorted.length * 0.99)],
        cpuNanos() - cpu);
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long[] commit(
      Store store, TxOptions how, long block, int number, long end, int words, boolean isHalf) {
    SplittableRandom random = new SplittableRandom(number);
    long[] latencies = new long[1024];
    int count = 0;
    while (count == 0 || System.nanoTime() - end < 0) {
      long address = block + (long) random.nextInt(SLOTS) * MAX_WORDS * Long.BYTES;
      long value = random.nextLong();
      long began = System.nanoTime();
      store.run(
          how,
          tx -> {
            for (int i = 0; i < words; i++) {
              tx.putLong(address + (long) i * Long.BYTES, value);
            }
          });
      long took = System.nanoTime() - began;
      if (count == latencies.length) {
        latencies = Arrays.copyOf(latencies, 2 * count);
      }
      latencies[count++] = took;
      if (isHalf) {
        LockSupport.parkNanos(took);
      }
    }
    return Arrays.copyOf(latencies, count);
  }

  /** Fills new blocks with words that differ, so that the store has so many bytes more. */
  static void fill(Store store, long bytes) {
    for (long done = 0; done < bytes; done += FILL_BYTES) {
      long first = done;
      store.run(
          tx -> {
            long block = tx.allocate(FILL_BYTES);
            for (int i = 0; i < FILL_BYTES; i += Long.BYTES) {
              tx.putLong(block + i, first + i);
            }
          });
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
