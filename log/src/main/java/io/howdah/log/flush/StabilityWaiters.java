package io.howdah.log.flush;

import io.howdah.core.Execution;
import io.howdah.core.Region;
import io.howdah.log.commit.CommitWords;
import io.howdah.log.commit.Ring;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Threads and listeners that wait for a force, and the flusher's side of releasing them.
 *
 * <p>No wake-up is lost (docs/protocol.md, R3): a waiter enqueues itself, then reads volatile
 * whether the flusher sleeps and what it waits for; the flusher stores that, volatile the stable
 * LSN last, then polls the queue. It does so in every round, also in one that forced nothing, and
 * when it ends, so nobody sleeps for ever. While anybody stands in the queue it does not rest, so
 * standing there is a request: it takes one RMW on a shared word for each commit, not three.
 *
 * <p>At most {@value #QUEUE_CAPACITY} waiters stand in the hand-off queue at once; further ones
 * raise {@code wanted} and poll.
 *
 * <p>A wait that goes well does not look at the clock, nor does a virtual thread set a timer,
 * unless its timeout is shorter than {@value #COARSE_NANOS} ns. A longer one begins to count when
 * the watch finds no progress, or when a platform thread wakes up in vain: up to half a second
 * late.
 */
public final class StabilityWaiters {

  private static final int QUEUE_CAPACITY = 1 << 14;
  private static final long LONGEST_PARK_NANOS = 100_000_000;
  private static final long POLL_NANOS = 100_000;
  private static final long COARSE_NANOS = 5_000_000_000L;
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final Region words;
  private final Execution execution;
  private final Doorbell doorbell;
  private final long spinNanos;
  private final int processors;
  private final MpscVarHandleArrayQueue<Waiter> arrivals =
      new MpscVarHandleArrayQueue<>(QUEUE_CAPACITY);

  /** Whether the flusher, or the watch, is at what follows. */
  private final AtomicBoolean taken = new AtomicBoolean();

  /** For who has {@link #taken} this: those that no force has covered yet, in no order. */
  private @Nullable Waiter[] waiting = new Waiter[64];

  private int waitingCount;

  /** Whether there was no memory to fetch or to release somebody in the last round. */
  private boolean isShortOfMemory;

  /** The flusher's alone: virtual threads to wake once all have been looked at, by their group. */
  private final Thread[][] woken;

  private final int[] wokenCounts;

  /** How many stood in the queue when somebody last did: who has company does not spin. */
  private volatile int company;

  private volatile boolean stopped;

  public StabilityWaiters(Region words, Execution execution, Doorbell doorbell, long spinNanos) {
    this.words = words;
    this.execution = execution;
    this.doorbell = doorbell;
    this.spinNanos = spinNanos;
    this.processors = execution.availableProcessors();
    this.woken = new Thread[processors][64];
    this.wokenCounts = new int[processors];
  }

  /**
   * Asks for a force that covers {@code lsn} and waits until it and all before it are stable.
   *
   * @param timeoutNanos 0 to look once, {@link Long#MAX_VALUE} for no limit
   * @return whether it is stable; false after the timeout, or once the log has stopped
   */
  public boolean await(long lsn, long timeoutNanos) {
    if (words.getLongVolatile(CommitWords.STABLE) >= lsn) {
      return true;
    }
    Waiter waiter;
    try {
      waiter = waiter(lsn, null, 0);
    } catch (OutOfMemoryError e) {
      return poll(lsn, null, 0, lsn, timeoutNanos);
    }
    return await(lsn, waiter, timeoutNanos);
  }

  /**
   * Asks for a force that covers {@code lsn} and waits until a ring is forced up to a position, and
   * all up to {@code dep} is stable.
   *
   * @param timeoutNanos 0 to look once
   * @return whether that is so; false after the timeout, or once the log has stopped
   */
  public boolean awaitForced(long lsn, Ring ring, long position, long dep, long timeoutNanos) {
    Waiter waiter;
    try {
      waiter = waiter(dep, ring, position);
    } catch (OutOfMemoryError e) {
      return poll(lsn, ring, position, dep, timeoutNanos);
    }
    return isDone(waiter) || await(lsn, waiter, timeoutNanos);
  }

  /**
   * Waits without memory: the transaction has committed, so its caller is to learn no less than
   * that it is durable.
   */
  private boolean poll(long lsn, @Nullable Ring ring, long position, long dep, long timeoutNanos) {
    long started = execution.nanoTime();
    while (!isDone(dep, ring, position, words.getLongVolatile(CommitWords.STABLE))) {
      if (stopped
          || (timeoutNanos != Long.MAX_VALUE && execution.nanoTime() - started >= timeoutNanos)) {
        return false;
      }
      request(lsn);
      execution.yieldNow();
    }
    return true;
  }

  private static boolean isDone(long dep, @Nullable Ring ring, long position, long stable) {
    return stable >= dep && (ring == null || ring.forcedPosition() >= position);
  }

  private Waiter waiter(long lsn, @Nullable Ring ring, long position) {
    Thread thread = Thread.currentThread();
    int group = thread.isVirtual() ? execution.threadGroup(processors) : 0;
    return new Waiter(lsn, ring, position, thread, group, null);
  }

  private boolean await(long lsn, Waiter waiter, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      return false;
    }
    // A look at the clock costs as much as the rest of this method.
    boolean isTimed = timeoutNanos < COARSE_NANOS;
    long deadline = isTimed ? execution.nanoTime() + timeoutNanos : 0;
    // Nor does a virtual thread spin: its processor has others to run.
    if (spinNanos > 0
        && !waiter.isVirtual
        && company <= 1
        && arrivals.isEmpty()
        && spin(lsn, waiter, Math.min(spinNanos, timeoutNanos))) {
      return true;
    }
    return park(lsn, waiter, deadline, isTimed, timeoutNanos);
  }

  /**
   * Asks for a force that covers {@code lsn} and has a callback told when it and all before it are
   * stable, or that the log has stopped. The callback may be told more than once, from the
   * flusher's thread or from the caller's.
   *
   * @return whether it will be told; false if too many wait to be queued right now
   */
  public boolean tell(long lsn, StabilityListener listener) {
    Waiter waiter = new Waiter(lsn, null, 0, null, 0, listener);
    if (!arrivals.offer(waiter)) {
      return false;
    }
    doorbell.ring(arrivals.size());
    // The round that covers it may have ended, and the log stopped, before it was in the queue.
    boolean done = isDone(waiter);
    if (done || stopped) {
      listener.released(done);
    }
    return true;
  }

  /** Raises what is wanted, and wakes the flusher: asks without standing in the queue. */
  private void request(long lsn) {
    for (long wanted = words.getLongVolatile(CommitWords.WANTED);
        wanted < lsn;
        wanted = words.getLongVolatile(CommitWords.WANTED)) {
      if (words.compareAndSetLong(CommitWords.WANTED, wanted, lsn)) {
        break;
      }
    }
    doorbell.ring(arrivals.size() + 1L);
  }

  private boolean isDone(Waiter waiter) {
    return waiter.isDone(words.getLongVolatile(CommitWords.STABLE));
  }

  /**
   * Asks for a force and spins while processors are idle: the hand-over costs less than a park and
   * an unpark. Only one does at a time, and nobody where the processors are no more than this
   * thread and the flusher take, and others go on committing.
   */
  private boolean spin(long lsn, Waiter waiter, long nanos) {
    if (processors == 1 || !words.compareAndSetLong(CommitWords.SPINNER, 0, 1)) {
      return false;
    }
    try {
      request(lsn);
      long deadline = execution.nanoTime() + nanos;
      long clock = words.getLongOpaque(CommitWords.CLOCK);
      while (!stopped && execution.nanoTime() - deadline < 0) {
        for (int i = 0; i < 32; i++) {
          execution.spinWait();
          if (isDone(waiter)) {
            return true;
          }
        }
        if (processors <= 2 && words.getLongOpaque(CommitWords.CLOCK) != clock) {
          return false;
        }
      }
    } finally {
      words.setLongVolatile(CommitWords.SPINNER, 0);
    }
    return false;
  }

  private boolean park(
      long lsn, Waiter waiter, long givenDeadline, boolean givenIsTimed, long timeoutNanos) {
    long deadline = givenDeadline;
    boolean isTimed = givenIsTimed;
    boolean queued = arrivals.offer(waiter);
    boolean interrupted = false;
    try {
      if (queued) {
        doorbell.ring(arrivals.size());
      } else {
        request(lsn);
      }
      while (!isDone(waiter)) {
        long left = isTimed ? deadline - execution.nanoTime() : LONGEST_PARK_NANOS;
        if (left <= 0 || stopped) {
          return false;
        }
        if (queued && !isTimed) {
          execution.park(this); // the flusher goes through the queue every round, and at its end
        } else {
          execution.parkNanos(this, Math.min(left, queued ? LONGEST_PARK_NANOS : POLL_NANOS));
        }
        interrupted |= Thread.interrupted();
        if (!isTimed
            && timeoutNanos != Long.MAX_VALUE
            && (waiter.isAlerted || !queued || !waiter.isVirtual)) {
          isTimed = true;
          deadline = execution.nanoTime() + Math.min(timeoutNanos, FOREVER);
        }
      }
      return true;
    } finally {
      waiter.gone = true;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The flusher's: tells that all LSNs up to this are stable, and wakes everyone whom that, or the
   * force of a ring before, has released.
   *
   * @return how many
   */
  int publish(long stable) {
    // Volatile, then the queue: pairs with a waiter's enqueue, then volatile load.
    words.setLongVolatile(CommitWords.STABLE, stable);
    while (!taken.compareAndSet(false, true)) {
      execution.yieldNow(); // to the watch, which has it for a moment
    }
    try {
      isShortOfMemory = false;
      return release(stable);
    } finally {
      taken.set(false);
    }
  }

  /** The flusher's: whether its last round kept somebody for want of memory. */
  boolean hasKeptAny() {
    return isShortOfMemory;
  }

  private int release(long stable) {
    // All are fetched before the first is looked at: their cache misses overlap, which the fences
    // in an unpark would prevent.
    fetch();
    if (waitingCount != 0) {
      company = waitingCount; // before the first of them is back
    }
    int kept = 0;
    for (int i = 0; i < waitingCount; i++) {
      Waiter waiter = waiting[i];
      if (waiter != null && !isReleased(waiter, stable)) {
        waiting[kept++] = waiter;
      }
    }
    int released = waitingCount - kept;
    Arrays.fill(waiting, kept, waitingCount, null);
    waitingCount = kept;
    for (int group = 0; group < processors; group++) {
      int count = wokenCounts[group];
      if (count != 0) {
        wakeAll(woken[group], count);
        Arrays.fill(woken[group], 0, count, null);
        wokenCounts[group] = 0;
      }
    }
    return released;
  }

  /** Empties the queue, as far as there is memory. */
  private void fetch() {
    while (hasPlace()) {
      Waiter waiter = arrivals.poll();
      if (waiter == null) {
        return;
      }
      waiting[waitingCount++] = waiter;
    }
  }

  /**
   * The watch's: has all threads that wait look at the clock from now on. The flusher may be in a
   * force that does not return.
   */
  void alert() {
    if (!taken.compareAndSet(false, true)) {
      return; // the flusher is here, and the watch comes again
    }
    try {
      fetch();
      for (int i = 0; i < waitingCount; i++) {
        Waiter waiter = waiting[i];
        if (waiter != null && waiter.thread != null && !waiter.isAlerted) {
          waiter.isAlerted = true;
          execution.unpark(waiter.thread);
        }
      }
    } finally {
      taken.set(false);
    }
  }

  /**
   * Returns whether one more waiter has a place. If there is no memory for it, it stays in the
   * queue, which brings the next round about.
   */
  private boolean hasPlace() {
    if (waitingCount < waiting.length) {
      return true;
    }
    try {
      waiting = Arrays.copyOf(waiting, 2 * waitingCount);
      return true;
    } catch (OutOfMemoryError e) {
      isShortOfMemory = true;
      return false;
    }
  }

  /** Releases a waiter, unless there is no memory for it: then the next round does. */
  private boolean isReleased(Waiter waiter, long stable) {
    try {
      return release(waiter, stable);
    } catch (OutOfMemoryError e) {
      isShortOfMemory = true;
      return false;
    }
  }

  private void wakeAll(Thread[] threads, int count) {
    Thread[] copy;
    try {
      copy = Arrays.copyOf(threads, count);
    } catch (OutOfMemoryError e) {
      for (int i = 0; i < count; i++) {
        execution.unpark(threads[i]);
      }
      return;
    }
    execution.unparkAll(copy);
  }

  private boolean release(Waiter waiter, long stable) {
    boolean done = waiter.isDone(stable);
    if (!done && !waiter.gone && !stopped) {
      return false;
    }
    Thread thread = waiter.thread;
    if (waiter.isVirtual && thread != null) {
      int group = waiter.group;
      int count = wokenCounts[group];
      if (count == woken[group].length) {
        woken[group] = Arrays.copyOf(woken[group], 2 * count);
      }
      woken[group][count] = thread;
      wokenCounts[group] = count + 1;
    } else if (thread != null) {
      execution.unpark(thread);
    }
    if (waiter.listener != null) {
      waiter.listener.released(done);
    }
    return true;
  }

  /** The flusher's: how many wait, those who spin included. */
  long count() {
    return waitingCount + arrivals.size() + words.getLongOpaque(CommitWords.SPINNER);
  }

  /** How many have come to the queue since the flusher last emptied it. */
  int arrived() {
    return arrivals.size();
  }

  /** The flusher's: whether somebody is parked. */
  boolean isAnyoneParked() {
    // In this order: the watch takes what it fetches from the queue, and leaves when it is counted.
    return !arrivals.isEmpty() || taken.get() || waitingCount != 0;
  }

  /** Ends all waits with false, those of listeners at the flusher's next round, and later ones. */
  public void stop() {
    stopped = true;
  }

  public boolean isStopped() {
    return stopped;
  }

  /** What one thread or listener waits for. */
  private static final class Waiter {
    private final long lsn;
    private final @Nullable Ring ring;
    private final long position;
    private final @Nullable Thread thread;
    private final boolean isVirtual;
    private final @Nullable StabilityListener listener;
    private final int group;
    private volatile boolean gone;
    private volatile boolean isAlerted;

    Waiter(
        long lsn,
        @Nullable Ring ring,
        long position,
        @Nullable Thread thread,
        int group,
        @Nullable StabilityListener listener) {
      this.lsn = lsn;
      this.ring = ring;
      this.position = position;
      this.thread = thread;
      this.isVirtual = thread != null && thread.isVirtual();
      this.listener = listener;
      this.group = group;
    }

    boolean isDone(long stable) {
      return StabilityWaiters.isDone(lsn, ring, position, stable);
    }
  }
}
