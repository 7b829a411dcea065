package io.howdah.nvmsim.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/** Times the native queues on this host. */
public final class NativeRun {
  /**
   * A timed run.
   *
   * @param inserts of all threads
   * @param elapsedNs from the start of the first thread to the end of the last
   * @param positions per thread, the positions of its inserts in its order; empty unless asked for
   */
  public record Outcome(long inserts, long elapsedNs, List<long[]> positions) {
    public Outcome {
      positions = List.copyOf(positions);
    }

    /** The time per insert that Table 1's rates are relative to. */
    public double nanosPerInsert() {
      return (double) elapsedNs / inserts;
    }
  }

  private NativeRun() {}

  /** Runs the inserts, shared out evenly; with {@code keepPositions}, at 8 bytes each. */
  public static Outcome run(QueueSpec spec, int threads, long inserts, boolean keepPositions)
      throws InterruptedException {
    try (NativeQueue queue = new NativeQueue(spec, threads)) {
      return run(queue, threads, inserts, keepPositions, Long.MAX_VALUE);
    }
  }

  /**
   * Runs at most these inserts and stops soon after {@code mostNs}: with more threads than
   * processors a lock that is handed over in order of arrival can become a thousand times slower at
   * any moment.
   */
  public static Outcome runFor(QueueSpec spec, int threads, long inserts, long mostNs)
      throws InterruptedException {
    try (NativeQueue queue = new NativeQueue(spec, threads)) {
      return run(queue, threads, inserts, false, mostNs);
    }
  }

  private static Outcome run(
      NativeQueue queue, int threads, long inserts, boolean keepPositions, long mostNs)
      throws InterruptedException {
    LongAdder done = new LongAdder();
    AtomicBoolean stop = new AtomicBoolean();
    long each = inserts / threads;
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> workers = new ArrayList<>();
    List<long[]> positions = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      long[] kept = new long[keepPositions ? Math.toIntExact(each) : 0];
      positions.add(kept);
      workers.add(
          Thread.ofPlatform()
              .daemon()
              .name("native-" + i)
              .start(
                  () -> {
                    try {
                      start.await();
                      long op = 0;
                      for (; op < each && !stop.getOpaque(); op++) {
                        long position = queue.insert(thread, op);
                        if (keepPositions) {
                          kept[(int) op] = position;
                        }
                      }
                      done.add(op);
                    } catch (Throwable e) {
                      failure.compareAndSet(null, e);
                    }
                  }));
    }
    long from = System.nanoTime();
    start.countDown();
    for (Thread worker : workers) {
      long left = mostNs - (System.nanoTime() - from);
      if (left <= 0 || !worker.join(Duration.ofNanos(left))) {
        stop.set(true);
        worker.join();
      }
    }
    long elapsed = System.nanoTime() - from;
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new IllegalStateException("a native thread failed", thrown);
    }
    return new Outcome(Math.max(1, done.sum()), elapsed, positions);
  }
}
