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
 * The waits of transactions that have called {@link Tx#retry}. A transaction waits until a commit
 * changes a word that it has read. Thread-safe.
 *
 * <p>Orecs are divided into {@value #BUCKETS} buckets by their numbers. A waiter enters the buckets
 * of the orecs that it has read, or, if these are more than {@value #MAX_BUCKETS}, one bucket for
 * all changes. The memory is therefore bounded by the number of waiters. A commit wakes the waiters
 * in the buckets of the orecs that it has changed. A waiter that wakes up validates its reads and
 * runs its body again only if one of them has changed.
 *
 * <p>No wake-up is lost (Dekker). A commit locks its orecs by compare-and-set, then reads the
 * number of waiters. A waiter enters its buckets, increments the number, then validates its reads.
 * So either the commit sees the waiter, or the waiter sees an orec that is locked or changed and
 * does not park. The cost for a commit is one volatile load.
 *
 * <p>A wake-up may fail because stack or memory is exhausted. A waiter therefore also validates its
 * reads periodically, at intervals that grow from 5 ms to 1 s.
 */
public final class RetryWaits implements Runnable {

  private static final int BUCKETS = 1 << 12;
  private static final int MAX_BUCKETS = 1 << 6;
  private static final int ALL_CHANGES = BUCKETS;
  private static final int[] ONLY_ALL_CHANGES = {ALL_CHANGES};
  private static final long MIN_PARK_NANOS = 5_000_000;
  private static final long MAX_PARK_NANOS = 1_000_000_000;

  private final Execution execution;
  private final Lifecycle lifecycle;

  /** The waiters of each bucket; null until the first one. */
  private final AtomicReferenceArray<@Nullable Set<Waiter>> buckets =
      new AtomicReferenceArray<>(BUCKETS + 1);

  private final AtomicInteger numbers = new AtomicInteger();

  /** Number of waiters. Each is counted after it has entered its buckets. */
  private final AtomicInteger count = new AtomicInteger();

  public RetryWaits(Execution execution, Lifecycle lifecycle) {
    this.execution = execution;
    this.lifecycle = lifecycle;
    lifecycle.onStop(this);
  }

  /**
   * Waits until a word that an attempt has read has changed or its orec is locked. An interrupt
   * does not end the wait and stays set, unless the attempt's {@link RetryLimit} is interruptible.
   */
  void await(Attempt attempt) {
    StackReserve.require(); // a later overflow could leave the waiter in a bucket
    Waiter waiter =
        new Waiter(
            numbers.getAndIncrement(), Thread.currentThread(), bucketsOf(attempt.words.reads));
    boolean isCounted = false;
    try {
      for (int bucket : waiter.buckets) {
        waitersOf(bucket).add(waiter);
      }
      count.incrementAndGet();
      isCounted = true; // after the increment: a number that is too large does no harm
      long park = MIN_PARK_NANOS;
      while (true) {
        waiter.isWoken = false;
        // Orders the registration above before the loads of the validation below. Pairs with the
        // compare-and-set of an orec in OrecLocks.lock, before the load in hasWaiters(): a change
        // that the validation does not see wakes this waiter.
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
   * Parks, also if the thread is interrupted. With an interrupt, a short park may consume the
   * permit of a wake-up. The waiter therefore tests whether it was woken before it parks again.
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

  /** Returns whether there are any waiters. */
  boolean hasWaiters() {
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

  /** What happens when the store stops. */
  @Override
  public void run() {
    wakeAll();
  }

  /** Wakes all waiters, for example because the store has stopped. */
  private void wakeAll() {
    if (!hasWaiters()) {
      return; // one that is not counted yet sees the change or the stop before it parks
    }
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
        waiter.isWoken = true; // before unpark: the waiter clears it before it validates
        execution.unpark(waiter.thread);
      }
    }
  }

  private static int bucket(long orec) {
    // The lowest bits are the stripe's position in its stripe group, the others a hash.
    return (int) (orec & (BUCKETS - 1));
  }

  /** One wait. */
  private static final class Waiter {
    private final int number;
    private final Thread thread;
    private final int[] buckets;

    /** Whether it was woken after the beginning of its last validation. */
    private volatile boolean isWoken;

    Waiter(int number, Thread thread, int[] buckets) {
      this.number = number;
      this.thread = thread;
      this.buckets = buckets;
    }

    /** Not the identity hash code, so that a simulated run always wakes in the same order. */
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
