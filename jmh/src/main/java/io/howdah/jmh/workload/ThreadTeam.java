package io.howdah.jmh.workload;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Threads that repeat something side by side for a given time. */
public final class ThreadTeam {

  private static final com.sun.management.ThreadMXBean THREADS =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final com.sun.management.OperatingSystemMXBean SYSTEM =
      (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private static final long START_TIMEOUT_SECONDS = 60;

  private ThreadTeam() {}

  /** What one thread does. */
  @FunctionalInterface
  public interface Worker {
    /**
     * Repeats its operation until {@code stop} is set, at least once, so that no rate is 0; returns
     * how often.
     */
    long run(Stop stop) throws Exception;
  }

  /** Makes the worker of a thread, on the calling thread, before time is taken. */
  @FunctionalInterface
  public interface Workers {
    /** Returns the worker of the thread of this number, from 0. */
    Worker create(int thread) throws Exception;
  }

  /** Tells workers to end. */
  public static final class Stop {
    private volatile boolean set;

    private Stop() {}

    /** Returns whether it is time to end; one volatile read. */
    public boolean isSet() {
      return set;
    }
  }

  /**
   * What a team did.
   *
   * @param operations of all threads together
   * @param nanos from the common start to the sign to end
   * @param allocatedBytes on the Java heap, by platform threads of the team
   * @param cpuNanos of the whole process
   * @param teamCpuNanos of platform threads of the team together, while they worked
   */
  public record Outcome(
      long operations, long nanos, long allocatedBytes, long cpuNanos, long teamCpuNanos) {

    /** Returns operations per second. */
    public double perSecond() {
      return operations * 1e9 / nanos;
    }

    /** Returns operations for each second of processor time that the team itself used. */
    public double perCpuSecond() {
      return operations * 1e9 / teamCpuNanos;
    }

    /** Returns how much of so many processors the process had. */
    public double cpuShare(int processors) {
      return (double) cpuNanos / nanos / processors;
    }
  }

  /**
   * Runs an action on each of so many platform threads, with the thread's number, and waits.
   *
   * @throws IllegalStateException if it has failed on one of them
   */
  public static void each(int threads, IntConsumer action) throws InterruptedException {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> team = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      int number = i;
      team.add(
          Thread.ofPlatform()
              .name("team-" + i)
              .start(
                  () -> {
                    try {
                      action.accept(number);
                    } catch (Throwable t) {
                      failure.compareAndSet(null, t);
                    }
                  }));
    }
    for (Thread thread : team) {
      thread.join();
    }
    requireNone(failure.get());
  }

  private static void requireNone(@Nullable Throwable thrown) {
    if (thrown != null) {
      throw new IllegalStateException("a thread of a team failed", thrown);
    }
  }

  /** Runs a team of platform threads. */
  public static Outcome run(int threads, long nanos, Workers workers) throws Exception {
    return run(threads, nanos, false, workers);
  }

  /**
   * Runs a team.
   *
   * @param virtual whether on virtual threads
   */
  public static Outcome run(int threads, long nanos, boolean virtual, Workers workers)
      throws Exception {
    Stop stop = new Stop();
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch start = new CountDownLatch(1);
    LongAdder operations = new LongAdder();
    LongAdder allocated = new LongAdder();
    LongAdder teamCpu = new LongAdder();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<Thread> team = new ArrayList<>(threads);
    for (int i = 0; i < threads; i++) {
      Worker worker = workers.create(i);
      Runnable body =
          () -> {
            try {
              ready.countDown();
              start.await();
              long before = virtual ? 0 : THREADS.getCurrentThreadAllocatedBytes();
              long cpuBefore = virtual ? 0 : THREADS.getCurrentThreadCpuTime();
              operations.add(worker.run(stop));
              teamCpu.add(virtual ? 0 : THREADS.getCurrentThreadCpuTime() - cpuBefore);
              allocated.add(virtual ? 0 : THREADS.getCurrentThreadAllocatedBytes() - before);
            } catch (Throwable t) {
              failure.compareAndSet(null, t);
            }
          };
      Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform();
      team.add(builder.name("team-" + i).start(body));
    }
    if (!ready.await(START_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the threads of a team did not start");
    }
    long cpu = SYSTEM.getProcessCpuTime();
    long begin = System.nanoTime();
    start.countDown();
    Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
    stop.set = true;
    long took = System.nanoTime() - begin;
    long cpuTook = SYSTEM.getProcessCpuTime() - cpu;
    for (Thread thread : team) {
      thread.join();
    }
    requireNone(failure.get());
    return new Outcome(operations.sum(), took, allocated.sum(), cpuTook, teamCpu.sum());
  }
}
