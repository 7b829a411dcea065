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
 * The contexts of transactions. A thread usually finds the context that it used last, on a cache
 * line of its own. There is no ThreadLocal: with a million virtual threads it would hold a million
 * contexts.
 *
 * <p>Keeps at most {@value #MAX_SLOTS} idle contexts, besides those of running transactions.
 * Thread-safe.
 */
public final class ContextPool {

  private static final int MIN_SLOTS = 16;
  private static final int MAX_SLOTS = 256;
  private static final int PROBES = 4;
  private static final int SPACING = 16; // references, at least 64 bytes

  private final Execution execution;
  private final AtomicReferenceArray<@Nullable TxContext> idle;
  private final int mask;
  private final BiFunction<Integer, Counters, TxContext> factory;

  // A monitor, not a Lock: at the end of its stack a thread may acquire a Lock and never release
  // it.
  private final Object lock = new Object();
  private final Set<TxContext> live = new HashSet<>(); // guarded by lock
  private final long[] past = new long[Counters.LENGTH]; // guarded by lock
  private final BitSet ids = new BitSet(); // those of live contexts; guarded by lock

  /** Whether any context may be {@linkplain TxContext#isLost lost}. */
  public volatile boolean hasLost;

  public ContextPool(Execution execution, BiFunction<Integer, Counters, TxContext> factory) {
    this.execution = execution;
    int slots =
        Integer.highestOneBit(
            Math.clamp(8L * execution.availableProcessors(), MIN_SLOTS, MAX_SLOTS));
    this.idle = new AtomicReferenceArray<>((slots + 1) * SPACING);
    this.mask = slots - 1;
    this.factory = factory;
  }

  /** Takes a context; a volatile RMW precedes the return. */
  public TxContext take() {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int slot = slot(home + i);
      TxContext context = idle.getOpaque(slot);
      if (context != null && idle.compareAndSet(slot, context, null)) {
        return context;
      }
    }
    return create();
  }

  /** Takes a context back, to reuse or to drop it. If that fails, the context is lost. */
  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  public void give(TxContext context) {
    Thread holder = context.holder;
    boolean isGiven = false;
    try {
      context.reset();
      if (!isPooled(context)) {
        drop(context);
      }
      isGiven = true;
    } finally {
      if (!isGiven) {
        context.holder = null; // first, since another thread may find a lost context at once
        context.isLost = true;
        hasLost = true;
      }
    }
    // Last, since the context could be lost until here. By now it may have another holder.
    if (context.holder == holder) {
      context.holder = null;
    }
  }

  private boolean isPooled(TxContext context) {
    int home = home();
    for (int i = 0; i < PROBES; i++) {
      int slot = slot(home + i);
      if (idle.getOpaque(slot) == null && idle.compareAndSet(slot, null, context)) {
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

  private TxContext create() {
    StackReserve.require(); // a context that is half created could not be found again
    synchronized (lock) {
      if (hasLost) {
        for (TxContext context : live) {
          if (context.isLost) {
            context.reset();
            context.isLost = false; // now: a reset that fails leaves it lost
            return context;
          }
        }
        hasLost = false;
      }
      return createLive();
    }
  }

  /**
   * Creates a context with the smallest id that no live one has: a pool that creates and drops for
   * years never comes to the end of its ids.
   */
  private TxContext createLive() {
    int id = ids.nextClearBit(0);
    boolean isLive = false;
    ids.set(id);
    try {
      TxContext context = factory.apply(id, new Counters());
      live.add(context);
      isLive = true;
      return context;
    } finally {
      if (!isLive) {
        ids.clear(id);
      }
    }
  }

  private void drop(TxContext context) {
    synchronized (lock) {
      if (live.remove(context)) {
        ids.clear(context.id);
      }
      context.counters.addTo(past);
    }
  }

  /** Returns how far the commit of a context is, or null if there is no such context. */
  @Nullable CommitProgress progress(long contextId) {
    synchronized (lock) {
      for (TxContext context : live) {
        if (context.id == contextId) {
          return context.progress;
        }
      }
      return null;
    }
  }

  /** Returns the sum of all counters, those of dropped contexts included. */
  public long[] counters() {
    synchronized (lock) {
      long[] sum = past.clone();
      for (TxContext context : live) {
        context.counters.addTo(sum);
      }
      return sum;
    }
  }

  /**
   * Takes the idle contexts out of service.
   *
   * @return whether none is left: then no transaction runs
   */
  public boolean drain() {
    for (int i = 0; i <= mask; i++) {
      TxContext context = idle.getAndSet(slot(i), null);
      if (context != null) {
        drop(context);
      }
    }
    synchronized (lock) {
      for (TxContext context : List.copyOf(live)) {
        if (context.isLost) {
          drop(context);
        }
      }
      return live.isEmpty();
    }
  }
}
