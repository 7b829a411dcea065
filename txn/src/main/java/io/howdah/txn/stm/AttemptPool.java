package io.howdah.txn.stm;

import io.howdah.core.Execution;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.StackReserve;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of transactions. A thread usually finds the attempt that it used last, on a cache
 * line of its own. There is no ThreadLocal: with a million virtual threads it would hold a million
 * attempts.
 *
 * <p>Keeps at most {@value #MAX_SLOTS} idle attempts, besides those of running transactions.
 * Thread-safe.
 */
public final class AttemptPool {

  private static final int MIN_SLOTS = 16;
  private static final int MAX_SLOTS = 256;
  private static final int PROBES = 4;
  private static final int SPACING = 16; // references, at least 64 bytes

  private final Execution execution;
  private final AtomicReferenceArray<@Nullable Attempt> idle;
  private final int mask;
  private final BiFunction<Integer, Counters, Attempt> factory;

  // A monitor, not a Lock: at the end of its stack a thread may acquire a Lock and never release
  // it.
  private final Object lock = new Object();
  private final Set<Attempt> live = new HashSet<>(); // guarded by lock
  private final long[] past = new long[Counters.LENGTH]; // guarded by lock
  private final BitSet ids = new BitSet(); // those of live attempts; guarded by lock

  /** Whether any attempt may be {@linkplain Attempt#isLost lost}. */
  public volatile boolean hasLost;

  public AttemptPool(Execution execution, BiFunction<Integer, Counters, Attempt> factory) {
    this.execution = execution;
    int slots =
        Integer.highestOneBit(
            Math.clamp(8L * execution.availableProcessors(), MIN_SLOTS, MAX_SLOTS));
    this.idle = new AtomicReferenceArray<>((slots + 1) * SPACING);
    this.mask = slots - 1;
    this.factory = factory;
  }

  /** Takes an attempt; a volatile RMW precedes the return. */
  public Attempt take() {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int slot = slot(home + i);
      Attempt attempt = idle.getOpaque(slot);
      if (attempt != null && idle.compareAndSet(slot, attempt, null)) {
        return attempt;
      }
    }
    return create();
  }

  /** Takes an attempt back, to reuse or to drop it. If that fails, the attempt is lost. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  public void give(Attempt attempt) {
    Thread holder = attempt.holder;
    boolean isGiven = false;
    try {
      attempt.reset();
      if (!isPooled(attempt)) {
        drop(attempt);
      }
      isGiven = true;
    } finally {
      if (!isGiven) {
        attempt.holder = null; // first, since another thread may find a lost attempt at once
        attempt.isLost = true;
        hasLost = true;
      }
    }
    // Last, since the attempt could be lost until here. By now it may have another holder.
    if (attempt.holder == holder) {
      attempt.holder = null;
    }
  }

  private boolean isPooled(Attempt attempt) {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int slot = slot(home + i);
      if (idle.getOpaque(slot) == null && idle.compareAndSet(slot, null, attempt)) {
        return true;
      }
    }
    return false;
  }

  private int home() {
    return execution.threadGroup(mask + 1);
  }

  private int slot(int number) {
    return ((number & mask) + 1) * SPACING;
  }

  private Attempt create() {
    StackReserve.require(); // an attempt that is half created could not be found again
    synchronized (lock) {
      if (hasLost) {
        for (Attempt attempt : live) {
          if (attempt.isLost) {
            attempt.reset();
            attempt.isLost = false; // now: a reset that fails leaves it lost
            return attempt;
          }
        }
        hasLost = false;
      }
      return createLive();
    }
  }

  /**
   * Creates an attempt with the smallest id that no live one has: a pool that creates and drops for
   * years never comes to the end of its ids.
   */
  private Attempt createLive() {
    int id = ids.nextClearBit(0);
    boolean isLive = false;
    ids.set(id);
    try {
      Attempt attempt = factory.apply(id, new Counters());
      live.add(attempt);
      isLive = true;
      return attempt;
    } finally {
      if (!isLive) {
        ids.clear(id);
      }
    }
  }

  private void drop(Attempt attempt) {
    synchronized (lock) {
      if (live.remove(attempt)) {
        ids.clear(attempt.id);
      }
      attempt.counters.addTo(past);
    }
  }

  /** Returns how far the commit of an attempt is, or null if there is no such attempt. */
  @Nullable CommitProgress progress(long attemptId) {
    synchronized (lock) {
      for (Attempt attempt : live) {
        if (attempt.id == attemptId) {
          return attempt.progress;
        }
      }
      return null;
    }
  }

  /** Returns the sum of all counters, those of dropped attempts included. */
  public long[] counters() {
    synchronized (lock) {
      long[] sum = past.clone();
      for (Attempt attempt : live) {
        attempt.counters.addTo(sum);
      }
      return sum;
    }
  }

  /**
   * Takes the idle attempts out of service.
   *
   * @return whether none is left: then no transaction runs
   */
  public boolean drain() {
    for (int i = 0; i <= mask; i++) {
      Attempt attempt = idle.getAndSet(slot(i), null);
      if (attempt != null) {
        drop(attempt);
      }
    }
    synchronized (lock) {
      for (Attempt attempt : List.copyOf(live)) {
        if (attempt.isLost) {
          drop(attempt);
        }
      }
      return live.isEmpty();
    }
  }
}
