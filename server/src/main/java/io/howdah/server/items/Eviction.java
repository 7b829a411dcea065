package io.howdah.server.items;

import io.howdah.core.LogFullException;
import io.howdah.core.RegionFullException;
import io.howdah.core.UnavailablePageException;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.watch.EventKind;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the limit of memory: removes items that were not used since a sweep last came by (the CLOCK
 * algorithm), and those that are gone already, that is expired or flushed. An item that clients
 * could see until then counts as evicted, one that was gone as reclaimed. Thread-safe.
 */
final class Eviction {

  /** How many items in use are passed over before one is evicted nevertheless. */
  private static final int MAX_PASSED = 1 << 10;

  /**
   * How many items a command that may not evict looks at, beside twice those that it may remove.
   */
  private static final int MAX_LOOKS = 1 << 10;

  private final ItemStore items;
  private final Recency recency;
  private final Sweep sweep;
  private final LongAdder evictions = new LongAdder();
  private final LongAdder reclaimed = new LongAdder();
  private final LongAdder sweptAway = new LongAdder();
  private final LongAdder evictedUnfetched = new LongAdder();
  private final LongAdder expiredUnfetched = new LongAdder();
  private final LongAdder checked = new LongAdder();

  /** The last second in which a command that may not evict has looked for what is gone in vain. */
  private volatile long vainSecond;

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

  /** Returns how many items were removed that were gone, by whomever. */
  long reclaimed() {
    return reclaimed.sum();
  }

  /** Returns how many of these {@link #reclaimBatch} has removed. */
  long sweptAway() {
    return sweptAway.sum();
  }

  long checked() {
    return checked.sum();
  }

  /**
   * Evicts items until a limit is kept. Those that are gone go before others that the sweep has
   * read together with them.
   *
   * @param maxBytes the limit
   * @param wanted bytes to free even if the limit is kept
   * @param most how many items are removed
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
      Sweep.Seen victim = items.logRoom().isFull() ? null : victim();
      if (victim == null) {
        return found;
      }
      try {
        freed += remove(victim, true);
        found = true; // also if it was stored again meanwhile, and stays
      } catch (LogFullException e) {
        var _ = items.logRoom().refused(e); // the next victim would wait in vain, too
      } catch (RegionFullException | UnavailablePageException _) {
        // A large value needs a little room before it is gone; the next victim may not.
      }
    }
    return found;
  }

  /**
   * Removes items that are gone until a limit is kept, for a command that may not evict. Looks at
   * 1024 items and twice as many as it may remove, or at 64 if a command of the same second has
   * looked in vain, until it finds one: a full store refuses commands without a long search each.
   *
   * @param maxBytes the limit
   * @param wanted bytes to free even if the limit is kept
   * @param most how many items are removed
   * @return whether it has freed something
   */
  boolean reclaimFor(long maxBytes, long wanted, int most) {
    long now = items.now();
    long mark = items.mark();
    int looks = vainSecond == now ? Sweep.BATCH : MAX_LOOKS + 2 * most;
    long freed = 0;
    boolean found = false;
    int removed = 0;
    for (int i = 0;
        i < looks && removed < most && (freed < wanted || items.bytes() > maxBytes);
        i++) {
      if (items.values().freeWaiting()) {
        found = true;
        continue;
      }
      Sweep.Seen seen = sweep.next(mark, now);
      if (seen == null) {
        break;
      }
      if (seen.header().isGone(mark, now)) {
        looks = MAX_LOOKS + 2 * most;
        long bytes = removeIfRoom(seen); // 0 if it was stored again, so the search goes on
        if (bytes > 0) {
          found = true;
          freed += bytes;
          removed++;
        }
      }
    }
    if (!found) {
      vainSecond = now;
    }
    return found;
  }

  private Sweep.@Nullable Seen victim() {
    long now = items.now();
    long mark = items.mark();
    Sweep.Seen seen = sweep.next(mark, now);
    for (int i = 0; i < MAX_PASSED && seen != null; i++) {
      if (seen.header().isGone(mark, now) || !recency.takeReference(seen.key())) {
        return seen;
      }
      seen = sweep.next(mark, now);
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
      if (seen.header().isGone(mark, now) && removeIfRoom(seen) > 0) {
        sweptAway.increment();
      }
    }
    checked.add(batch.size());
    return batch.size();
  }

  private long removeIfRoom(Sweep.Seen gone) {
    if (items.logRoom().isFull()) {
      return 0;
    }
    try {
      return remove(gone, false);
    } catch (LogFullException e) {
      var _ = items.logRoom().refused(e);
      return 0;
    } catch (RegionFullException | UnavailablePageException _) {
      return 0; // as in evict: others are removed now, and this one when the sweep comes by again
    }
  }

  /**
   * Removes the item under a key if it is gone, or if it may be evicted and has not changed since
   * the sweep saw it, and returns the bytes that it took; 0 if it stays.
   */
  private long remove(Sweep.Seen seen, boolean mayEvict) {
    long now = items.now();
    ItemChange change = items.newChange();
    change.prepare(
        seen.key(), current -> mayEvict && seen.isStill(change.found()) ? null : current, now);
    long _ = items.commit(change, null);
    long freed = -change.addedBytes();
    Item evicted = change.foundLive();
    if (freed != 0) {
      (evicted == null ? reclaimed : evictions).increment();
      if (evicted != null) {
        tellEvicted(seen.key(), evicted, now);
      }
      if (!recency.isFetched(seen.key())) {
        (evicted == null ? expiredUnfetched : evictedUnfetched).increment();
      }
    }
    return freed;
  }

  private void tellEvicted(byte[] key, Item evicted, long now) {
    if (!items.watchers().isWatched(EventKind.EVICTIONS)) {
      return;
    }
    long expiresAt = evicted.expiresAt();
    items
        .watchers()
        .evicted(
            key,
            recency.isFetched(key),
            expiresAt == Expiry.NEVER ? -1 : expiresAt - now,
            Math.max(0, now - recency.lastUse(key)),
            evicted.valueBytes());
  }
}
