package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.StoreInspection;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of all lengths, allocated and freed by several threads, each thread also those of others,
 * around a steady total. The lengths change their range from one phase to the next, which is what
 * leaves an allocator with room that it cannot use.
 */
public final class Churn {

  private static final int SHELVES = 64;
  private static final int BATCH = 100;

  /** Lengths of one phase, in powers of two; every power is as likely as the others. */
  public enum Phase {
    /** 16 bytes to 1 KiB. */
    SMALL(4, 10),
    /** 512 bytes to 16 KiB. */
    MEDIUM(9, 14),
    /** 16 to 256 KiB, in whole pages. */
    LARGE(14, 18),
    /** 16 bytes to 64 KiB. */
    MIXED(4, 16);

    private final int least;
    private final int most;

    Phase(int least, int most) {
      this.least = least;
      this.most = most;
    }

    int length(SplittableRandom random) {
      int low = 1 << (least + random.nextInt(most - least));
      return low + random.nextInt(low);
    }
  }

  /**
   * What stands after a phase.
   *
   * @param askedBytes of the blocks in use, as they were asked for
   * @param blockBytes of them, as they are
   * @param freeBytes between them
   * @param reachBytes how far up blocks have ever reached
   */
  public record Figures(
      double operationsPerSec,
      long blocks,
      long askedBytes,
      long blockBytes,
      long freeBytes,
      long reachBytes) {}

  /** Blocks that whoever holds the lock may use. */
  private static final class Shelf {
    final ReentrantLock lock = new ReentrantLock();
    long[] addresses = new long[16];
    int[] lengths = new int[16];
    int count;
    long bytes;

    /** What to go back to if a transaction runs again. */
    long[] addressesBefore = new long[16];

    int[] lengthsBefore = new int[16];
    int countBefore;
    long bytesBefore;

    void save() {
      addressesBefore = addresses.clone();
      lengthsBefore = lengths.clone();
      countBefore = count;
      bytesBefore = bytes;
    }

    void restore() {
      addresses = addressesBefore.clone();
      lengths = lengthsBefore.clone();
      count = countBefore;
      bytes = bytesBefore;
    }

    void add(long address, int length) {
      if (count == addresses.length) {
        addresses = Arrays.copyOf(addresses, 2 * count);
        lengths = Arrays.copyOf(lengths, 2 * count);
      }
      addresses[count] = address;
      lengths[count++] = length;
      bytes += length;
    }

    long take(int at) {
      long address = addresses[at];
      bytes -= lengths[at];
      addresses[at] = addresses[--count];
      lengths[at] = lengths[count];
      return address;
    }
  }

  private final Store store;
  private final long liveBytes;
  private final Shelf[] shelves = new Shelf[SHELVES];

  /**
   * Creates one that has allocated nothing yet.
   *
   * @param liveBytes what blocks in use hold together, about
   */
  public Churn(Store store, long liveBytes) {
    this.store = store;
    this.liveBytes = liveBytes;
    for (int i = 0; i < SHELVES; i++) {
      shelves[i] = new Shelf();
    }
  }

  /**
   * Runs a phase.
   *
   * @param operations allocations and frees
   * @param progress told how many were done, of all threads together
   */
  public Figures run(Phase phase, long operations, int threads, LongConsumer progress)
      throws InterruptedException {
    AtomicLong done = new AtomicLong();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    long started = System.nanoTime();
    Thread[] workers = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      SplittableRandom random = new SplittableRandom(31L * phase.most + phase.least + 1000L * t);
      workers[t] =
          new Thread(
              () -> {
                try {
                  while (done.get() < operations) {
                    batch(phase, random);
                    done.addAndGet(BATCH);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                  done.set(operations);
                }
              },
              "churn-" + t);
      workers[t].start();
    }
    for (Thread worker : workers) {
      while (worker.isAlive()) {
        worker.join(200);
        progress.accept(Math.min(operations, done.get()));
      }
    }
    if (failure.get() != null) {
      throw new IllegalStateException("a thread failed: " + failure.get(), failure.get());
    }
    return figures(done.get() * 1e9 / (System.nanoTime() - started));
  }

  private void batch(Phase phase, SplittableRandom random) {
    Shelf shelf = shelves[random.nextInt(SHELVES)];
    while (!shelf.lock.tryLock()) {
      shelf = shelves[random.nextInt(SHELVES)];
    }
    try {
      Shelf own = shelf;
      own.save();
      store.run(
          TxOptions.async(),
          tx -> {
            own.restore();
            for (int i = 0; i < BATCH; i++) {
              step(tx, own, phase, random);
            }
          });
    } finally {
      shelf.lock.unlock();
    }
  }

  private void step(Tx tx, Shelf shelf, Phase phase, SplittableRandom random) {
    // Above the steady total only less: a long block weighs more than many short ones.
    int weight = shelf.bytes > liveBytes / SHELVES ? 0 : 3;
    if (shelf.count == 0 || random.nextInt(4) < weight) {
      int length = phase.length(random);
      shelf.add(tx.allocate(length), length);
    } else {
      tx.free(shelf.take(random.nextInt(shelf.count)));
    }
  }

  /** Frees everything, and returns what is left. */
  public Figures freeAll() {
    long started = System.nanoTime();
    long count = 0;
    for (Shelf shelf : shelves) {
      while (shelf.count > 0) {
        shelf.save();
        count += Math.min(shelf.count, BATCH);
        store.run(
            TxOptions.async(),
            tx -> {
              shelf.restore();
              for (int i = 0; i < BATCH && shelf.count > 0; i++) {
                tx.free(shelf.take(shelf.count - 1));
              }
            });
      }
    }
    return figures(count * 1e9 / (System.nanoTime() - started));
  }

  private Figures figures(double operationsPerSec) {
    StoreInspection found = store.admin().inspect();
    long asked = 0;
    for (Shelf shelf : shelves) {
      asked += shelf.bytes;
    }
    return new Figures(
        operationsPerSec,
        found.blocks(),
        asked,
        found.blockBytes(),
        found.freeBytes(),
        store.admin().stats().allocatedBytes());
  }

  /** Returns how many blocks there should be. */
  public long blocks() {
    long count = 0;
    for (Shelf shelf : shelves) {
      count += shelf.count;
    }
    return count;
  }
}
