package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.txn.stm.Attempts;
import io.howdah.txn.stm.TxContext;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Splits the buckets of a {@link HashTable} as it fills: a few at a time, in small transactions
 * that follow the commit which found a bucket full. Losing one of those costs little, and its
 * buckets are left to whoever comes next. Thread-safe; one transaction at a time.
 */
final class HashTableGrowth {

  /** Entries for each bucket, on average, from which a stripe grows. */
  private static final int LOAD = 5;

  /**
   * Buckets that are split for every {@value #LOAD} entries added, at most: who is late catches up.
   */
  private static final int SPLITS = 2;

  private static final int MIN_SPLITS = 8;

  /** Buckets that one transaction splits, at most: a small one hardly ever loses. */
  private static final int SPLITS_AT_ONCE = 16;

  private final HashTable table;

  /** Whether somebody makes the table grow; of several handles, each lets one do so. */
  private final AtomicBoolean growing = new AtomicBoolean();

  // What whoever makes it grow has seen; racy where a large transaction does so by itself, and then
  // good enough.
  private volatile long entriesSeen;
  private volatile boolean isBigEnough;

  /** There was no room in the region; tried again once there are so many entries. */
  private volatile long restsUntil;

  HashTableGrowth(HashTable table) {
    this.table = table;
  }

  /** Splits a few buckets within a transaction that adds very many entries. */
  void splitWithin(TxContext context) {
    int missing = Math.min(missing(context), SPLITS_AT_ONCE);
    if (entriesSeen >= restsUntil) {
      splitSome(context, missing);
    }
  }

  /**
   * Splits buckets after a commit that has found one full, in transactions of their own. The work
   * is bounded by what that commit has added; what is left over waits for the next one.
   *
   * @param added how many entries
   */
  void grow(TxContext context, int added, Attempts attempts) {
    if (!growing.compareAndSet(false, true)) {
      return;
    }
    MapGrowthEvent event = new MapGrowthEvent();
    event.begin();
    CollectionScratch.of(context).bucketsSplit = 0;
    CollectionScratch.of(context).entriesMoved = 0;
    try {
      for (int left = MIN_SPLITS + added * SPLITS / LOAD; left > 0; left -= SPLITS_AT_ONCE) {
        int few = Math.min(left, SPLITS_AT_ONCE);
        if (!attempts.attempt(() -> splitMissing(context, few)) || isBigEnough) {
          return; // others are in the way, or there is nothing left to do
        }
      }
    } catch (RegionFullException e) {
      rest();
    } finally {
      growing.set(false);
    }
    event.end();
    if (event.shouldCommit()) {
      event.buckets = CollectionScratch.of(context).bucketsSplit;
      event.moved = CollectionScratch.of(context).entriesMoved;
      event.commit();
    }
  }

  /** Splits buckets of which there are too few, so many at most, unless the table was dropped. */
  private void splitMissing(TxContext context, int limit) {
    isBigEnough = true;
    if (table.isDropped(context)) {
      return;
    }
    int missing = Math.min(missing(context), limit);
    if (entriesSeen >= restsUntil) {
      isBigEnough = !splitSome(context, missing) || missing < limit;
    }
  }

  /** There is no room: each search for it looks at the whole region, so the next one waits. */
  private void rest() {
    restsUntil = entriesSeen + entriesSeen / 8;
  }

  /**
   * Returns how many buckets there should be more, as far as one sees past the orecs. How many
   * there are is in the scratch.
   */
  private int missing(TxContext context) {
    long[] buckets = CollectionScratch.of(context).buckets;
    long entries = 0;
    long all = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long at = table.stripeAddress(stripe);
      buckets[stripe] = context.getGuess(at);
      all += buckets[stripe];
      entries += context.getGuess(at + HashTableLayout.ENTRIES_OFFSET);
    }
    entriesSeen = entries;
    return Math.clamp(entries / LOAD - all, 0, Integer.MAX_VALUE);
  }

  /**
   * Splits so many buckets, in the stripes that have the fewest; returns whether there was room for
   * them. Without it, the entries have longer chains, which is no reason to refuse them.
   */
  private boolean splitSome(TxContext context, int count) {
    long[] buckets = CollectionScratch.of(context).buckets;
    long least = Arrays.stream(buckets).min().orElseThrow();
    int left = count;
    for (long each = least; left > 0; each++) {
      for (int stripe = 0; stripe < HashTableLayout.STRIPES && left > 0; stripe++) {
        if (buckets[stripe] <= each) {
          if (!split(context, stripe)) {
            rest();
            return false;
          }
          buckets[stripe]++;
          left--;
        }
      }
    }
    return true;
  }

  /**
   * Gives a stripe one more bucket, with those entries of an older one whose hashes have one more
   * bit set. Those that stay move up, so that fewer buckets have to be continued.
   *
   * @return false if there is no room for the bucket, and nothing has changed
   */
  private boolean split(TxContext context, int stripe) {
    long count = table.stripeAddress(stripe);
    long buckets = context.getUnchecked(count);
    if (buckets >= HashTableLayout.MAX_BUCKETS) {
      return true;
    }
    int segment = HashTableLayout.segment(buckets);
    long at = table.address() + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    if (context.getUnchecked(at) == 0) {
      long bytes = HashTableLayout.segmentBuckets(segment) * HashTableLayout.STRIPES * BUCKET_BYTES;
      long room = context.heap.allocateUnclearedIfRoom(bytes);
      if (room == 0) {
        return false;
      }
      context.putUnchecked(at, room);
    }
    long bit = Long.highestOneBit(buckets);
    int depth = Long.numberOfTrailingZeros(bit) + 1;
    long from = table.bucketAddress(context, stripe, buckets - bit);
    long to = table.bucketAddress(context, stripe, buckets);
    if ((to & (PageLayout.PAGE_BYTES - 1)) == 0) {
      context.prepare(to); // those of the next stripes are in the same page
    }
    long[] line = CollectionScratch.of(context).split;
    long target = to; // where the next entry goes that moves
    int filled = 0;
    long place = from; // and the next that stays
    int placed = 0;
    long lastPlace = from;
    for (long bucket = from; bucket != 0; bucket = HashTableLayout.address(line[SLOTS])) {
      context.getLine(bucket, line);
      for (int i = 0; i < SLOTS; i++) {
        long slot = line[i];
        if (slot == 0) {
          continue;
        }
        if (isBitSet(context, slot, bit)) {
          context.putUnchecked(bucket + (long) i * Long.BYTES, 0);
          if (filled == SLOTS) {
            long more = context.heap.allocateUncleared(BUCKET_BYTES);
            context.putUnchecked(
                target + OVERFLOW_OFFSET, HashTableLayout.overflow(target == to ? depth : 0, more));
            target = more;
            filled = 0;
          }
          context.putUnchecked(target + (long) filled++ * Long.BYTES, slot);
          CollectionScratch.of(context).entriesMoved++;
          continue;
        }
        if (placed == SLOTS) {
          place = HashTableLayout.address(context.getUnchecked(place + OVERFLOW_OFFSET));
          placed = 0;
        }
        if (place != bucket || placed != i) {
          context.putUnchecked(bucket + (long) i * Long.BYTES, 0);
          context.putUnchecked(place + (long) placed * Long.BYTES, slot);
        }
        placed++;
        lastPlace = place;
      }
    }
    for (; filled < SLOTS; filled++) {
      context.putUnchecked(target + (long) filled * Long.BYTES, 0);
    }
    context.putUnchecked(
        target + OVERFLOW_OFFSET, HashTableLayout.overflow(target == to ? depth : 0, 0));
    long rest = HashTableLayout.address(context.getUnchecked(lastPlace + OVERFLOW_OFFSET));
    if (rest != 0 && lastPlace != from) {
      context.putUnchecked(lastPlace + OVERFLOW_OFFSET, 0);
    }
    long next =
        lastPlace == from
            ? 0
            : HashTableLayout.address(context.getUnchecked(from + OVERFLOW_OFFSET));
    context.putUnchecked(from + OVERFLOW_OFFSET, HashTableLayout.overflow(depth, next));
    while (rest != 0) {
      long free = rest;
      rest = HashTableLayout.address(context.getUnchecked(rest + OVERFLOW_OFFSET));
      context.heap.free(free);
    }
    context.putUnchecked(count, buckets + 1);
    CollectionScratch.of(context).bucketsSplit++;
    return true;
  }

  /** Returns a bit of the hash of a slot's entry: mostly the slot itself knows. */
  private boolean isBitSet(TxContext context, long slot, long bit) {
    int number = Long.numberOfTrailingZeros(bit);
    if (number >= HashTableLayout.FIRST_TAG_BIT
        && number < HashTableLayout.FIRST_TAG_BIT + HashTableLayout.TAG_BITS) {
      return ((slot >>> HashTableLayout.TAG_SHIFT) & (bit >>> HashTableLayout.FIRST_TAG_BIT)) != 0;
    }
    return (table.hashOf(context, HashTableLayout.address(slot)) & bit) != 0;
  }
}
