package io.howdah.collections;

import io.howdah.collections.eviction.CachePolicy;
import io.howdah.collections.eviction.FrequencySketch;
import io.howdah.core.Execution;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What all handles of a cache share while its store is open; none of it is durable. Thread-safe.
 */
final class CacheState {

  private static final long PARK_NANOS = 1_000_000_000L;

  /** Threads of a circle that is found. */
  private static final int MAX_WAITING = 1 << 10;

  final ContextCount hits = new ContextCount();
  final ContextCount misses = new ContextCount();
  final LongAdder loads = new LongAdder();
  final LongAdder failedLoads = new LongAdder();
  final LongAdder expiries = new LongAdder();

  /** How many words of the saved frequencies were read; more than there are once all were. */
  final AtomicInteger restoredWords = new AtomicInteger();

  private final CachePolicy policy;
  private final Execution execution;
  private final ConcurrentMap<ByteBuffer, Load> loading = new ConcurrentHashMap<>();

  /** The load that each thread waits for. */
  private final ConcurrentMap<Thread, Load> waiting = new ConcurrentHashMap<>();

  private volatile @Nullable BiConsumer<Object, Object> expiryListener;

  CacheState(FrequencySketch sketch, Execution execution) {
    this.policy = new CachePolicy(sketch);
    this.execution = execution;
  }

  CachePolicy policy() {
    return policy;
  }

  void expiryListener(@Nullable BiConsumer<Object, Object> listener) {
    expiryListener = listener;
  }

  boolean tellsExpired() {
    return expiryListener != null;
  }

  /** Tells of an entry that was removed after it had expired. Throws nothing. */
  @SuppressWarnings("EmptyCatch") // the comment says why
  void tellExpired(Object key, Object value) {
    BiConsumer<Object, Object> listener = expiryListener;
    if (listener != null) {
      try {
        listener.accept(key, value);
      } catch (Throwable t) {
        // The transaction has committed, and its caller must learn that.
      }
    }
  }

  /**
   * Begins to load the value of a key, unless that is being loaded.
   *
   * @param load a new one
   * @return the load that is under way, or null if this one is
   */
  @Nullable Load begin(ByteBuffer key, Load load) {
    return loading.putIfAbsent(key, load);
  }

  /** Ends a load; those who wait for it go on. */
  void end(ByteBuffer key, Load load) {
    loading.remove(key, load);
    load.isDone = true;
    for (Thread waiter = load.waiters.poll(); waiter != null; waiter = load.waiters.poll()) {
      execution.unpark(waiter);
    }
  }

  /** Waits for the load of another thread. An interrupt does not end the wait, and stays set. */
  @SuppressWarnings("ReferenceEquality") // the thread itself
  void await(Load load) {
    Thread own = Thread.currentThread();
    if (load.owner == own) {
      throw new IllegalStateException("the loader of a cache asks for the key that it loads");
    }
    waiting.put(own, load); // before the search: of two threads, the later one finds the other
    try {
      requireNoCircle(own, load);
      while (!load.isDone) {
        load.waiters.add(own);
        if (!load.isDone) {
          execution.parkThroughInterrupt(this, PARK_NANOS);
        }
      }
    } finally {
      waiting.remove(own);
    }
  }

  /** Throws if the owner of a load waits, over any number of others, for a load of this thread. */
  @SuppressWarnings("ReferenceEquality") // the thread itself
  private void requireNoCircle(Thread own, Load load) {
    Load next = waiting.get(load.owner);
    for (int i = 0; i < MAX_WAITING && next != null; i++) {
      if (next.owner == own && !next.isDone) {
        throw new IllegalStateException(
            "loaders of a cache wait for each other: each asks for a key that another one loads");
      }
      next = waiting.get(next.owner);
    }
  }

  /**
   * Returns whether a value is being loaded. If a load begins meanwhile, it reads the store after
   * this call has returned.
   */
  boolean isLoading() {
    return !loading.isEmpty();
  }

  /** Lets a value that is being loaded not be kept: the entry of its key has changed. */
  void changed(ByteBuffer key) {
    Load load = loading.get(key);
    if (load != null) {
      load.isOutdated = true;
    }
  }

  /** Lets no value that is being loaded be kept. */
  void allChanged() {
    loading.values().forEach(load -> load.isOutdated = true);
  }

  /** The load of a value by one thread, for which others wait. */
  static final class Load {
    private final Thread owner = Thread.currentThread();
    private final Queue<Thread> waiters = new ConcurrentLinkedQueue<>();
    private volatile boolean isOutdated;
    private volatile boolean isDone;
    private @Nullable Object value; // written before isDone
    private @Nullable Throwable failure; // written before isDone

    boolean isOutdated() {
      return isOutdated;
    }

    void loaded(@Nullable Object loaded) {
      value = loaded;
    }

    void failed(Throwable thrown) {
      failure = thrown;
    }

    @Nullable Object value() {
      return value;
    }

    @Nullable Throwable failure() {
      return failure;
    }
  }
}
