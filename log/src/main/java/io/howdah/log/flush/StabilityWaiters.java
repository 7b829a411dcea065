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
 * Threads and listeners that wait for a force, and the methods by which the flusher releases them.
 *
 * <p>No wake-up is lost (docs/protocol.md, R3). A waiter enqueues itself, then reads, volatile,
 * whether the flusher sleeps and whether its own condition is true. The flusher stores the state of
 * these conditions, the stable LSN last and volatile, then polls the queue. It polls in every
 * round, also without a force, and at its end, so no waiter sleeps for ever. While the queue is not
 * empty the flusher does not rest, so an entry in the queue is a request for a force. A commit thus
 * needs one read-modify-write of a shared word instead of three.
 *
 * <p>The queue has at most {@value #QUEUE_CAPACITY} waiters. Further waiters raise {@code
 * requested} and poll.
 *
 * <p>With a timeout of at least {@value #COARSE_NANOS} ns, a wait that succeeds does not read the
 * clock, and a virtual thread sets no timer. Such a timeout starts when the stall detector finds no
 * progress, or when a platform thread wakes up without being released. It is therefore up to half a
 * second late.
 */
public final class StabilityWaiters {

  private static final int QUEUE_CAPACITY = 1 << 14;
  private static final long LONGEST_PARK_NANOS = 100_000_000;
  private static final long POLL_NANOS = 100_000;
  private static final long COARSE_NANOS = 5_000_000_000L;
  private static final long FOREVER = Long.MAX_VALUE / 2;

  private final Region commitWords;
  private final Execution execution;
  private final Doorbell doorbell;
  private final long spinNanos;
  private final int processors;
  private final MpscVarHandleArrayQueue<Waiter> arrivals =
      new MpscVarHandleArrayQueue<>(QUEUE_CAPACITY);

  /** Lock of the fields below, for the flusher and the stall detector. */
  private final AtomicBoolean locked = new AtomicBoolean();

  /** Waiters that no force has covered yet, in no order. Guarded by {@link #locked}. */
  private @Nullable Waiter[] waiting = new Waiter[64];

  private int waitingCount;

  /** Whether the last round could not fetch or release a waiter because of an OutOfMemoryError. */
  private boolean isShortOfMemory;

  /** Used by the flusher only: virtual threads to wake at the end of a round, by their group. */
  private final Thread[][] woken;

  private final int[] wokenCounts;

  /** Number of waiters in the last round with waiters. If it is more than one, no waiter spins. */
  private volatile int waitersOfLastRound;

  private volatile boolean stopped;

  public StabilityWaiters(
      Region commitWords, Execution execution, Doorbell doorbell, long spinNanos) {
    this.commitWords = commitWords;
    this.execution = execution;
    this.doorbell = doorbell;
    this.spinNanos = spinNanos;
    this.processors = execution.availableProcessors();
    this.woken = new Thread[processors][64];
    this.wokenCounts = new int[processors];
  }

  /**
   * Requests a force that covers {@code lsn} and waits until {@link #isForced}.
   *
   * @param lsn what the force must cover; the flusher continues until it is stable
   * @param ring whose records must be forced up to {@code position}; null for none
   * @param neededStable what must be stable, at most {@code lsn}
   * @param timeoutNanos 0 to test without waiting, {@link Long#MAX_VALUE} for no limit
   * @return whether that is so; false after the timeout, or once the log has stopped
   */
  public boolean awaitForced(
      long lsn, @Nullable Ring ring, long position, long neededStable, long timeoutNanos) {
    if (isForced(ring, position, neededStable)) {
      return true;
    }
    Waiter waiter;
    try {
      waiter = waiter(ring, position, neededStable);
    } catch (OutOfMemoryError e) {
      return poll(lsn, ring, position, neededStable, timeoutNanos);
    }
    return await(lsn, waiter, timeoutNanos);
  }

  /**
   * Returns whether all LSNs up to one are stable, and a ring is forced up to a position. This is
   * the condition of every wait. A wait for {@code PARTITION} depends on the position, which the
   * flusher publishes by {@link Ring#publishForced}.
   *
   * @param ring null if the stable LSN is enough
   * @param position in the ring, in bytes
   * @param neededStable dense; 0 for none
   */
  public boolean isForced(@Nullable Ring ring, long position, long neededStable) {
    return isForced(ring, position, neededStable, commitWords.getLongVolatile(CommitWords.STABLE));
  }

  private static boolean isForced(
      @Nullable Ring ring, long position, long neededStable, long stable) {
    return stable >= neededStable && (ring == null || ring.forcedPosition() >= position);
  }

  /**
   * Waits without an allocation, after an OutOfMemoryError: the transaction has committed, so the
   * caller still needs to know when it is durable.
   */
  private boolean poll(
      long lsn, @Nullable Ring ring, long position, long neededStable, long timeoutNanos) {
    long started = execution.nanoTime();
    while (!isForced(ring, position, neededStable)) {
      if (stopped
          || (timeoutNanos != Long.MAX_VALUE && execution.nanoTime() - started >= timeoutNanos)) {
        return false;
      }
      request(lsn);
      execution.yieldNow();
    }
    return true;
  }

  private Waiter waiter(@Nullable Ring ring, long position, long neededStable) {
    Thread thread = Thread.currentThread();
    int group = thread.isVirtual() ? execution.threadGroup(processors) : 0;
    return new Waiter(ring, position, neededStable, thread, group, null);
  }

  private boolean await(long lsn, Waiter waiter, long timeoutNanos) {
    if (timeoutNanos <= 0) {
      return false;
    }
    // A read of the clock costs as much as the rest of this method.
    boolean isTimed = timeoutNanos < COARSE_NANOS;
    long deadline = isTimed ? execution.nanoTime() + timeoutNanos : 0;
    // A virtual thread does not spin, since its carrier can run other virtual threads.
    if (spinNanos > 0
        && !waiter.isVirtual
        && waitersOfLastRound <= 1
        && arrivals.isEmpty()
        && spin(lsn, waiter, Math.min(spinNanos, timeoutNanos))) {
      return true;
    }
    return park(lsn, waiter, deadline, isTimed, timeoutNanos);
  }

  /**
   * Requests a force. Calls the listener, at least once, when {@link #isForced}, or when the log
   * has stopped; on the flusher's thread or on the caller's.
   *
   * @return whether the listener will be called; false if the queue is full
   */
  public boolean whenForced(
      @Nullable Ring ring, long position, long neededStable, StabilityListener listener) {
    Waiter waiter = new Waiter(ring, position, neededStable, null, 0, listener);
    if (!arrivals.offer(waiter)) {
      return false;
    }
    wakeFlusher();
    // The round that covers this waiter may have ended, or the log may have stopped, before the
    // waiter was in the queue.
    boolean done = isDone(waiter);
    if (done || stopped) {
      listener.released(done);
    }
    return true;
  }

  /**
   * Requests a force without an entry in the queue: raises {@code requested} and wakes the flusher.
   */
  private void request(long lsn) {
    for (long requested = commitWords.getLongVolatile(CommitWords.REQUESTED);
        requested < lsn;
        requested = commitWords.getLongVolatile(CommitWords.REQUESTED)) {
      if (commitWords.compareAndSetLong(CommitWords.REQUESTED, requested, lsn)) {
        break;
      }
    }
    doorbell.ring(arrivals.size() + 1L);
  }

  /** Wakes the flusher for an entry. The stall detector may have moved it out of the queue. */
  void wakeFlusher() {
    doorbell.ring(Math.max(1, arrivals.size()));
  }

  private boolean isDone(Waiter waiter) {
    return waiter.isDone(commitWords.getLongVolatile(CommitWords.STABLE));
  }

  /**
   * Requests a force and spins while processors are idle, which costs less than a park and an
   * unpark. One thread spins at a time. With two processors, which this thread and the flusher
   * occupy, it stops as soon as another thread commits.
   */
  private boolean spin(long lsn, Waiter waiter, long nanos) {
    if (processors == 1 || !commitWords.compareAndSetLong(CommitWords.SPINNER, 0, 1)) {
      return false;
    }
    try {
      request(lsn);
      long deadline = execution.nanoTime() + nanos;
      long clock = commitWords.getLongOpaque(CommitWords.CLOCK);
      while (!stopped && execution.nanoTime() - deadline < 0) {
        for (int i = 0; i < 32; i++) {
          execution.spinWait();
          if (isDone(waiter)) {
            return true;
          }
        }
        if (processors <= 2 && commitWords.getLongOpaque(CommitWords.CLOCK) != clock) {
          return false;
        }
      }
    } finally {
      commitWords.setLongVolatile(CommitWords.SPINNER, 0);
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
        wakeFlusher();
      } else {
        request(lsn);
      }
      while (!isDone(waiter)) {
        long left = isTimed ? deadline - execution.nanoTime() : LONGEST_PARK_NANOS;
        if (left <= 0 || stopped) {
          return false;
        }
        if (queued && !isTimed) {
          execution.park(this); // the flusher polls the queue in every round and at its end
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
   * Called by the flusher: stores the stable LSN for all threads, and wakes every waiter whose
   * condition is true.
   *
   * @return the number of waiters that were released
   */
  int publishStable(long stable) {
    // Dekker: a volatile store of the stable LSN, then a poll of the queue in fetch(). A waiter in
    // park() enqueues itself, then loads the stable LSN, volatile.
    commitWords.setLongVolatile(CommitWords.STABLE, stable);
    while (!locked.compareAndSet(false, true)) {
      execution.yieldNow(); // to the stall detector, which holds the lock for a short time
    }
    try {
      isShortOfMemory = false;
      return release(stable);
    } finally {
      locked.set(false);
    }
  }

  /**
   * Called by the flusher: whether its last round could not release a waiter because of an
   * OutOfMemoryError.
   */
  boolean hasUnreleased() {
    return isShortOfMemory;
  }

  private int release(long stable) {
    // All waiters are fetched before the first is examined, so that their cache misses overlap;
    // the fences in an unpark would prevent that.
    fetch();
    if (waitingCount != 0) {
      waitersOfLastRound = waitingCount; // before the first released waiter can wait again
    }
    int kept = 0;
    for (int i = 0; i < waitingCount; i++) {
      Waiter waiter = waiting[i];
      if (waiter != null && !tryRelease(waiter, stable)) {
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

  /** Moves the entries of the queue to the array, until memory is exhausted. */
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
   * Called by the stall detector: makes all waiting threads check their timeouts from now on. The
   * flusher may be in a force that does not return.
   */
  void alert() {
    if (!locked.compareAndSet(false, true)) {
      return; // the flusher has the lock; the detector tries again later
    }
    try {
      fetch();
      int kept = 0;
      for (int i = 0; i < waitingCount; i++) {
        Waiter waiter = waiting[i];
        if (waiter == null || waiter.gone) {
          continue; // otherwise expired waiters would accumulate until the force returns
        }
        waiting[kept++] = waiter;
        if (waiter.thread != null && !waiter.isAlerted) {
          waiter.isAlerted = true;
          execution.unpark(waiter.thread);
        }
      }
      Arrays.fill(waiting, kept, waitingCount, null);
      waitingCount = kept;
    } finally {
      locked.set(false);
    }
  }

  /**
   * Returns whether the array has space for one more waiter. If memory is exhausted, the waiter
   * stays in the queue, which causes another round.
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

  /**
   * Releases a waiter if its condition is true or it no longer waits; returns whether it did. If
   * memory is exhausted, the next round repeats it.
   */
  private boolean tryRelease(Waiter waiter, long stable) {
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

  /** Called by the flusher: the number of waiters, including a spinning one. */
  long count() {
    return waitingCount + arrivals.size() + commitWords.getLongOpaque(CommitWords.SPINNER);
  }

  /** Returns the number of waiters that were enqueued since the flusher last emptied the queue. */
  int arrived() {
    return arrivals.size();
  }

  /** Called by the flusher: whether a waiter is parked. */
  boolean isAnyoneParked() {
    // In this order: while it holds the lock, the stall detector moves waiters from the queue to
    // the array.
    return !arrivals.isEmpty() || locked.get() || waitingCount != 0;
  }

  /**
   * Ends all waits whose condition is not true, also later ones, with the result false. Listeners
   * are called in the flusher's next round.
   */
  public void stop() {
    stopped = true;
  }

  public boolean isStopped() {
    return stopped;
  }

  /** The condition for which a thread or a listener waits. */
  private static final class Waiter {
    private final @Nullable Ring ring;
    private final long position;
    private final long neededStable;
    private final @Nullable Thread thread;
    private final boolean isVirtual;
    private final @Nullable StabilityListener listener;
    private final int group;
    private volatile boolean gone;
    private volatile boolean isAlerted;

    Waiter(
        @Nullable Ring ring,
        long position,
        long neededStable,
        @Nullable Thread thread,
        int group,
        @Nullable StabilityListener listener) {
      this.ring = ring;
      this.position = position;
      this.neededStable = neededStable;
      this.thread = thread;
      this.isVirtual = thread != null && thread.isVirtual();
      this.listener = listener;
      this.group = group;
    }

    boolean isDone(long stable) {
      return isForced(ring, position, neededStable, stable);
    }
  }
}
