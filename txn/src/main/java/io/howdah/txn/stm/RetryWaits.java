package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.txn.Tx;
import io.howdah.txn.words.OrecLocks;
import io.howdah.txn.words.ReadSet;
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.StackReserve;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Where transactions wait that have called {@link Tx#retry}, until a commit changes something that
 * they have read. Thread-safe.
 *
 * <p>Orecs fall into {@value #BUCKETS} buckets by their numbers. A waiter enters the buckets that
 * it has read from, or one for all changes if these are more than {@value #MAX_BUCKETS}. So the
 * memory is bounded by the number of waiters. A commit wakes the waiters in the buckets of the
 * orecs that it has changed. A waiter that is woken validates its reads, and runs again only if one
 * of them has changed.
 *
 * <p>No wake-up is lost, and a commit pays for it with one volatile load. The commit locks its
 * orecs, each by a compare-and-set, and later reads the number of waiters. A waiter enters its
 * buckets and the number, then validates its reads. So either the commit sees the waiter, or the
 * waiter sees an orec that is locked or changed, and does not park (Dekker).
 *
 * <p>A wake-up may fail, for want of stack or memory. Therefore a waiter also looks by itself,
 * after intervals that grow from 5 ms to 1 s.
 */
public final class RetryWaits {

  private static final int BUCKETS = 1 << 12;
  private static final int MAX_BUCKETS = 1 << 6;
  private static final int ALL_CHANGES = BUCKETS;
  private static final int[] ONLY_ALL_CHANGES = {ALL_CHANGES};
  private static final long MIN_PARK_NANOS = 5_000_000;
  private static final long MAX_PARK_NANOS = 1_000_000_000;

  private final Execution execution;
  private final Lifecycle lifecycle;

  /** The waiters of each bucket; null until there is one. */
  private final AtomicReferenceArray<@Nullable Set<Waiter>> buckets =
      new AtomicReferenceArray<>(BUCKETS + 1);

  private final AtomicInteger numbers = new AtomicInteger();

  /** Number of waiters, each counted after it has entered its buckets. */
  private final AtomicInteger count = new AtomicInteger();

  public RetryWaits(Execution execution, Lifecycle lifecycle) {
    this.execution = execution;
    this.lifecycle = lifecycle;
    lifecycle.onStop(this::wakeAll);
  }

  /**
   * Waits until something that an attempt has read has changed, or is being changed. An interrupt
   * does not end the wait, and stays set, unless the attempt's {@link RetryLimit} says so.
   */
  void await(Attempt attempt) {
    StackReserve.require(); // or the waiter might stay in a bucket
    Waiter waiter =
        new Waiter(
            numbers.getAndIncrement(), Thread.currentThread(), bucketsOf(attempt.words.reads));
    boolean isCounted = false;
    try {
      for (int bucket : waiter.buckets) {
        waitersOf(bucket).add(waiter);
      }
      count.incrementAndGet();
      isCounted = true; // last: a number that is too large does no harm
      long park = MIN_PARK_NANOS;
      while (true) {
        waiter.isWoken = false;
        // Before the validation: what is seen as unchanged here wakes this waiter when it changes.
        VarHandle.fullFence();
        if (!attempt.words.areReadsCurrent()) {
          return;
        }
        lifecycle.requireOpen();
        attempt.failIfExpired();
        RetryLimit limit = attempt.retryLimit();
        if (limit != null && limit.isOver()) {
          return;
        }
        park(waiter, limit, attempt.deadline().park(park));
        park = Math.min(2 * park, MAX_PARK_NANOS);
      }
    } finally {
      if (isCounted) {
        count.decrementAndGet();
      }
      for (int bucket : waiter.buckets) {
        Set<Waiter> waiters = buckets.get(bucket);
        if (waiters != null) {
          waiters.remove(waiter);
        }
      }
    }
  }

  /**
   * Parks, also if the thread is interrupted. The short park that an interrupt needs may take the
   * permit of a wake-up, so the waiter looks whether it was woken before it parks for long.
   */
  private void park(Waiter waiter, @Nullable RetryLimit limit, long parkNanos) {
    long nanos = limit == null ? parkNanos : limit.park(parkNanos);
    if (limit != null && limit.isInterruptible()) {
      execution.parkNanos(this, nanos);
      return;
    }
    if (!Thread.interrupted()) {
      execution.parkThroughInterrupt(this, nanos);
      return;
    }
    try {
      execution.parkNanos(this, 1);
      if (!waiter.isWoken) {
        execution.parkNanos(this, nanos);
      }
    } finally {
      Thread.currentThread().interrupt();
    }
  }

  private static int[] bucketsOf(ReadSet reads) {
    BitSet distinct = new BitSet(BUCKETS);
    for (int i = 0; i < reads.count(); i++) {
      distinct.set(bucket(reads.orec(i)));
    }
    return distinct.cardinality() > MAX_BUCKETS ? ONLY_ALL_CHANGES : distinct.stream().toArray();
  }

  private Set<Waiter> waitersOf(int bucket) {
    Set<Waiter> waiters = buckets.get(bucket);
    if (waiters == null) {
      Set<Waiter> none = ConcurrentHashMap.newKeySet();
      Set<Waiter> others = buckets.compareAndExchange(bucket, null, none);
      waiters = others == null ? none : others;
    }
    return waiters;
  }

  /** Returns whether there are waiters. */
  boolean isAnyone() {
    return count.get() != 0;
  }

  /** Wakes the waiters that have read from one of the orecs that a commit has changed. */
  void changed(OrecLocks locks) {
    wake(ALL_CHANGES);
    int changed = locks.count();
    if (changed >= BUCKETS) {
      wakeAll();
      return;
    }
    for (int i = 0; i < changed; i++) {
      wake(bucket(locks.orec(i)));
    }
  }

  /** Wakes all waiters, for instance to find out that the store has stopped. */
  private void wakeAll() {
    for (int bucket = 0; bucket <= BUCKETS; bucket++) {
      wake(bucket);
    }
  }

  private void wake(int bucket) {
    Set<Waiter> waiters = buckets.get(bucket);
    if (waiters == null) {
      return;
    }
    for (Waiter waiter : waiters) {
      if (!waiter.isWoken) {
        waiter.isWoken = true; // first: the waiter takes it back before it validates
        execution.unpark(waiter.thread);
      }
    }
  }

  private static int bucket(long orec) {
    // The lowest bits are the word's address within a line, the others a hash.
    return (int) (orec & (BUCKETS - 1));
  }

  /** One wait. */
  private static final class Waiter {
    private final int number;
    private final Thread thread;
    private final int[] buckets;

    /** Whether it was woken since it began its last validation. */
    private volatile boolean isWoken;

    Waiter(int number, Thread thread, int[] buckets) {
      this.number = number;
      this.thread = thread;
      this.buckets = buckets;
    }

    /** Not the identity's, so that a simulated run wakes in the same order each time. */
    @Override
    public int hashCode() {
      return number;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }
  }
}
