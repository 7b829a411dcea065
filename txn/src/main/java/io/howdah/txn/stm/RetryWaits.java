package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where transactions wait that have called {@link Tx#retry}, until a commit changes something that
 * they have read. Thread-safe. Holds one entry for each thread that waits.
 *
 * <p>Orecs fall into 64 buckets by hash. A waiter registers the buckets that it has read from, then
 * validates its reads, and does so again whenever it is woken. A commit releases its orecs, then
 * reads the number of waiters. There is no fence between these two steps, since every commit would
 * pay for it. So a commit may miss a waiter that is just arriving; that waiter validates again when
 * its park ends, which is short.
 */
public final class RetryWaits {

  private static final long MAX_PARK_NANOS = 5_000_000;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
  private static final int BUCKET_SHIFT = Long.SIZE - 6;

  private final Execution execution;
  private final Lifecycle lifecycle;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Waiter> waiters = new ArrayList<>(); // guarded by lock

  /** Number of waiters, which commits read without the lock. */
  private volatile int count;

  public RetryWaits(Execution execution, Lifecycle lifecycle) {
    this.execution = execution;
    this.lifecycle = lifecycle;
  }

  /**
   * Waits until something that a context has read has changed, or is being changed. An interrupt
   * does not end the wait, and stays set.
   */
  void await(TxContext context) {
    // At the end of its stack a thread may acquire the lock and never release it. Commits need the
    // lock.
    StackReserve.require();
    ReadSet reads = context.reads;
    long buckets = 0;
    for (int i = 0; i < reads.count(); i++) {
      buckets |= bucket(reads.orec(i));
    }
    Waiter waiter = new Waiter(buckets, Thread.currentThread());
    add(waiter);
    try {
      // Also after a wake-up: most commits of a bucket have changed other words.
      while (context.areReadsCurrent()) {
        lifecycle.requireOpen();
        context.failIfExpired();
        execution.parkThroughInterrupt(this, context.deadline().park(MAX_PARK_NANOS));
      }
    } finally {
      remove(waiter);
    }
  }

  private void add(Waiter waiter) {
    lock.lock();
    try {
      waiters.add(waiter);
      count = waiters.size();
    } finally {
      lock.unlock();
    }
  }

  private void remove(Waiter waiter) {
    lock.lock();
    try {
      waiters.remove(waiter);
      count = waiters.size();
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether there are waiters. */
  boolean isAnyone() {
    return count != 0;
  }

  /** Wakes the waiters that have read from one of the orecs that a commit has changed. */
  void changed(OrecLocks locks) {
    long buckets = 0;
    for (int i = 0; i < locks.count(); i++) {
      buckets |= bucket(locks.orec(i));
    }
    lock.lock();
    try {
      for (Waiter waiter : waiters) {
        if ((waiter.buckets & buckets) != 0) {
          execution.unpark(waiter.thread);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static long bucket(long orec) {
    return 1L << ((orec * MULTIPLIER) >>> BUCKET_SHIFT);
  }

  private static final class Waiter {
    private final long buckets;
    private final Thread thread;

    Waiter(long buckets, Thread thread) {
      this.buckets = buckets;
      this.thread = thread;
    }
  }
}
