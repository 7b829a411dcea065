package io.howdah.server.items;

import io.howdah.core.RegionFullException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.watch.EventKind;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the limit of memory: removes items that were not used since a sweep last came by (the CLOCK
 * algorithm), and those that are gone already. Thread-safe.
 */
final class Eviction {

  /** How many items in use are passed over before one is evicted nevertheless. */
  private static final int MAX_PASSED = 1 << 10;

  private final ItemStore items;
  private final Recency recency;
  private final Sweep sweep;
  private final LongAdder evictions = new LongAdder();
  private final LongAdder reclaimed = new LongAdder();
  private final LongAdder evictedUnfetched = new LongAdder();
  private final LongAdder expiredUnfetched = new LongAdder();
  private final LongAdder checked = new LongAdder();

  Eviction(ItemStore items, Recency recency) {
    this.items = items;
    this.recency = recency;
    this.sweep = items.sweep();
  }

  long evictions() {
    return evictions.sum();
  }

  long evictedUnfetched() {
    return evictedUnfetched.sum();
  }

  long expiredUnfetched() {
    return expiredUnfetched.sum();
  }

  long reclaimed() {
    return reclaimed.sum();
  }

  long checked() {
    return checked.sum();
  }

  /**
   * Evicts items until a limit is kept.
   *
   * @param maxBytes the limit
   * @param wanted bytes to free even if the limit is kept
   * @param most how many items are evicted
   * @return whether there was something to free
   */
  boolean evict(long maxBytes, long wanted, int most) {
    boolean found = false;
    long freed = 0;
    for (int i = 0; i < most && (freed < wanted || items.bytes() > maxBytes); i++) {
      if (items.values().freeWaiting()) {
        found = true; // what was evicted before has more to give
        continue;
      }
      Sweep.Seen victim = victim();
      if (victim == null) {
        return found;
      }
      try {
        freed += remove(victim, true);
        found = true;
      } catch (RegionFullException _) {
        // A large value needs a little room before it is gone; the next victim may not.
      }
    }
    return found;
  }

  private Sweep.@Nullable Seen victim() {
    long now = items.now();
    long mark = items.mark();
    Sweep.Seen seen = sweep.next();
    for (int i = 0; i < MAX_PASSED && seen != null; i++) {
      if (seen.header().isGone(mark, now) || !recency.takeReference(seen.key())) {
        return seen;
      }
      seen = sweep.next();
    }
    return seen;
  }

  /** Removes items that are gone, among the next ones of a sweep. */
  void reclaim(Sweep sweep, int most) {
    for (int looked = 0; looked < most; looked += Sweep.BATCH) {
      int _ = reclaimBatch(sweep);
    }
  }

  /** Removes items that are gone among the next ones, and returns how many it looked at. */
  int reclaimBatch(Sweep sweep) {
    long now = items.now();
    long mark = items.mark();
    List<Sweep.Seen> batch = sweep.batch();
    for (Sweep.Seen seen : batch) {
      if (seen.header().isGone(mark, now)) {
        removeIfRoom(seen);
      }
    }
    checked.add(batch.size());
    return batch.size();
  }

  private void removeIfRoom(Sweep.Seen gone) {
    try {
      remove(gone, false);
    } catch (RegionFullException _) {
      // As in evict: others are removed now, and this one when the sweep comes by again.
    }
  }

  /** Removes an item, in any case or only if it is gone, and returns the bytes that it took. */
  private long remove(Sweep.Seen seen, boolean always) {
    ItemChange change = items.newChange();
    change.prepare(seen.key(), always ? _ -> null : current -> current, items.now());
    long _ = items.commit(change, null);
    long freed = -change.addedBytes();
    if (freed != 0) {
      (always ? evictions : reclaimed).increment();
      if (always) {
        tellEvicted(seen.key(), change.found());
      }
      if (!recency.isFetched(seen.key())) {
        (always ? evictedUnfetched : expiredUnfetched).increment();
      }
    }
    return freed;
  }

  private void tellEvicted(byte[] key, @Nullable StoredItem evicted) {
    if (evicted == null || !items.watchers().isWatched(EventKind.EVICTIONS)) {
      return;
    }
    long now = items.now();
    long expiresAt = evicted.item().expiresAt();
    items
        .watchers()
        .evicted(
            key,
            recency.isFetched(key),
            expiresAt == Expiry.NEVER ? -1 : expiresAt - now,
            Math.max(0, now - recency.lastUse(key)),
            evicted.item().valueBytes());
  }
}
