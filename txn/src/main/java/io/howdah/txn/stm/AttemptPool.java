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
 * A pool of attempts, from which {@code Transactor} takes one for each transaction. A thread
 * usually gets the attempt that it used last. Each slot is on its own cache line. The pool is not a
 * ThreadLocal, because a million virtual threads would then keep a million attempts.
 *
 * <p>The pool keeps at most {@value #MAX_SLOTS} idle attempts, in addition to those of running
 * transactions. Thread-safe.
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

  // A monitor, not a Lock: a thread whose stack is nearly exhausted may acquire a Lock and then
  // fail to release it.
  private final Object lock = new Object();
  private final Set<Attempt> live = new HashSet<>(); // guarded by lock
  private final long[] past = new long[Counters.LENGTH]; // guarded by lock
  private final BitSet ids = new BitSet(); // ids of live attempts; guarded by lock

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

  /**
   * Takes an attempt. A volatile read-modify-write precedes the return. The caller then checks that
   * the store is open, in this order; see {@link Lifecycle}.
   */
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

  /**
   * Returns an attempt to the pool, which keeps or drops it. If this fails, the attempt is lost.
   */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  public void give(Attempt attempt) {
    Thread holder = attempt.holder;
    boolean isGiven = false;
    try {
      attempt.reset();
      if (!tryPool(attempt)) {
        drop(attempt);
      }
      isGiven = true;
    } finally {
      if (!isGiven) {
        attempt.holder = null; // first: another thread may reclaim a lost attempt immediately
        attempt.isLost = true;
        hasLost = true;
      }
    }
    // Last, since the attempt can be lost until here. By now another thread may have taken it.
    if (attempt.holder == holder) {
      attempt.holder = null;
    }
  }

  /** Puts an attempt into a free slot; returns false if there is none. */
  private boolean tryPool(Attempt attempt) {
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
    StackReserve.require(); // an overflow in the creation would leave an unregistered attempt
    synchronized (lock) {
      if (hasLost) {
        for (Attempt attempt : live) {
          if (attempt.isLost) {
            attempt.reset();
            attempt.isLost = false; // after the reset: if the reset fails, the attempt stays lost
            return attempt;
          }
        }
        hasLost = false;
      }
      return createLive();
    }
  }

  /**
   * Creates an attempt with the smallest free id. Ids of dropped attempts are reused, so a pool
   * never exhausts its ids.
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

  /** Returns the progress of an attempt's commit, or null if there is no such attempt. */
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

  /** Returns the sums of all counters, those of dropped attempts included. */
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
   * Drops all idle attempts.
   *
   * @return whether no attempt is left, which means that no transaction runs
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
