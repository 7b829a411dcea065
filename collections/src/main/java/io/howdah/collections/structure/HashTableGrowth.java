package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.RegionFullException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.report.FlightRecording;
import io.howdah.txn.words.AfterCommit.Attempts;
import io.howdah.txn.words.Words;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Splits the buckets of a {@link HashTable} as it fills: a few at a time, in small transactions
 * that follow the commit which found a bucket full. If such a transaction conflicts, little work is
 * lost, and a later commit splits its buckets. Thread-safe; one transaction at a time.
 */
final class HashTableGrowth {

  /** A stripe grows when it has more than this many entries for each bucket, on average. */
  private static final int LOAD = 5;

  /**
   * Maximum number of buckets split for every {@value #LOAD} entries added. More than one, so that
   * a table that is too small catches up.
   */
  private static final int SPLITS = 2;

  /** Buckets split after a commit, in addition to those for its entries. */
  private static final int MIN_SPLITS = 8;

  /** Maximum number of buckets that one transaction splits: a small one rarely conflicts. */
  private static final int MAX_SPLITS_AT_ONCE = 16;

  private final HashTableBuckets buckets;
  private final HashTableEntries entries;

  /** Whether a thread grows the table. Each handle of a table permits one thread. */
  private final AtomicBoolean growing = new AtomicBoolean();

  // Written by the thread that grows the table, and by a large transaction that splits buckets
  // itself. This race causes at most a few splits too many or too few.
  private volatile long entriesSeen;
  private volatile boolean isBigEnough;

  /** After a full region, the number of entries at which growth is attempted again. */
  private volatile long pausedUntilEntries;

  HashTableGrowth(HashTableBuckets buckets, HashTableEntries entries) {
    this.buckets = buckets;
    this.entries = entries;
  }

  /** Splits a few buckets in a transaction that adds many entries. */
  void splitWithin(Words words) {
    int missing = Math.min(missing(words), MAX_SPLITS_AT_ONCE);
    if (entriesSeen >= pausedUntilEntries) {
      splitSome(words, missing);
    }
  }

  /**
   * Splits buckets after a commit that found one full, in transactions of their own. The number of
   * splits is bounded by the number of entries that the commit added; later commits do the rest.
   *
   * @param added how many entries the commit added
   */
  void grow(Words words, int added, Attempts attempts) {
    if (!growing.compareAndSet(false, true)) {
      return;
    }
    CollectionScratch scratch = CollectionScratch.of(words);
    MapGrowthEvent event = FlightRecording.isOn() ? new MapGrowthEvent() : null;
    if (event != null) {
      event.begin();
    }
    scratch.bucketsSplit = 0;
    scratch.entriesMoved = 0;
    try {
      for (int left = MIN_SPLITS + added * SPLITS / LOAD; left > 0; left -= MAX_SPLITS_AT_ONCE) {
        int few = Math.min(left, MAX_SPLITS_AT_ONCE);
        if (!attempts.attempt(() -> splitMissing(words, few)) || isBigEnough) {
          return; // it conflicted with other transactions, or there is nothing left to do
        }
      }
    } catch (RegionFullException e) {
      pause();
    } finally {
      growing.set(false);
    }
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.buckets = scratch.bucketsSplit;
        event.moved = scratch.entriesMoved;
        event.commit();
      }
    }
  }

  /** Splits some of the buckets that are missing, unless the table was dropped. */
  private void splitMissing(Words words, int limit) {
    isBigEnough = true;
    if (buckets.isDropped(words)) {
      return;
    }
    int missing = Math.min(missing(words), limit);
    if (entriesSeen >= pausedUntilEntries) {
      isBigEnough = !splitSome(words, missing) || missing < limit;
    }
  }

  /** Stops growing for a while: each attempt in a full region searches all of it for space. */
  private void pause() {
    pausedUntilEntries = entriesSeen + entriesSeen / 8;
  }

  /**
   * Returns how many more buckets there should be, from numbers read past the orecs. Writes how
   * many each stripe has into the scratch.
   */
  private int missing(Words words) {
    long[] counts = CollectionScratch.of(words).buckets;
    long entriesInAll = 0;
    long bucketsInAll = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long at = buckets.stripeAddress(stripe);
      counts[stripe] = words.getGuess(at + HashTableLayout.BUCKETS_OFFSET);
      bucketsInAll += counts[stripe];
      entriesInAll += words.getGuess(at + HashTableLayout.ENTRIES_OFFSET);
    }
    entriesSeen = entriesInAll;
    return Math.clamp(entriesInAll / LOAD - bucketsInAll, 0, Integer.MAX_VALUE);
  }

  /**
   * Splits some buckets, in the stripes that have the fewest. Returns whether the region had space
   * for them. If not, entries go on in longer chains, and are not refused.
   */
  private boolean splitSome(Words words, int count) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long[] counts = scratch.buckets;
    long fewest = Arrays.stream(counts).min().orElseThrow();
    preload(words, counts, fewest, count);
    int left = count;
    for (long each = fewest; left > 0; each++) {
      for (int stripe = 0; stripe < HashTableLayout.STRIPES && left > 0; stripe++) {
        if (counts[stripe] <= each) {
          if (!split(words, scratch, stripe)) {
            pause();
            return false;
          }
          counts[stripe]++;
          left--;
        }
      }
    }
    return true;
  }

  /**
   * Loads the buckets that will be split, then their entries if a split needs them, so that the
   * cache misses of all splits overlap.
   */
  private void preload(Words words, long[] counts, long fewest, int count) {
    if (fewest < 1 || fewest >= HashTableLayout.MAX_BUCKETS) {
      return; // a number that was read past the orecs may be anything
    }
    long bit = Long.highestOneBit(fewest);
    int left = count;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES && left > 0; stripe++) {
      if (counts[stripe] == fewest) {
        words.preload(buckets.bucketAddress(words, stripe, fewest - bit));
        left--;
      }
    }
    if (isInTag(Long.numberOfTrailingZeros(bit))) {
      return;
    }
    left = count;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES && left > 0; stripe++) {
      if (counts[stripe] == fewest) {
        long bucket = buckets.bucketAddress(words, stripe, fewest - bit);
        for (int i = 0; i < SLOTS; i++) {
          long entry = HashTableLayout.address(words.peek(bucket + (long) i * Long.BYTES));
          if (entry != 0 && words.isBlock(entry, Long.BYTES)) {
            words.preload(entry);
          }
        }
        left--;
      }
    }
  }

  /** Returns whether the tag in a slot has a bit of the hash. */
  private static boolean isInTag(int bit) {
    return bit >= HashTableLayout.FIRST_TAG_BIT
        && bit < HashTableLayout.FIRST_TAG_BIT + HashTableLayout.TAG_BITS;
  }

  /**
   * Gives a stripe one more bucket, with the entries of an older bucket whose hashes have one more
   * bit set. The entries that stay move towards the front, so that fewer overflow buckets are
   * needed.
   *
   * @return false if the region has no space for the bucket; nothing has changed then
   */
  private boolean split(Words words, CollectionScratch scratch, int stripe) {
    long countAddress = buckets.stripeAddress(stripe) + HashTableLayout.BUCKETS_OFFSET;
    long count = words.getUnchecked(countAddress);
    if (count >= HashTableLayout.MAX_BUCKETS) {
      return true;
    }
    if (!requireSegment(words, HashTableLayout.segment(count))) {
      return false;
    }
    long bit = Long.highestOneBit(count);
    int depth = Long.numberOfTrailingZeros(bit) + 1;
    long from = buckets.bucketAddress(words, stripe, count - bit);
    long to = buckets.bucketAddress(words, stripe, count);
    if ((to & (PageLayout.PAGE_BYTES - 1)) == 0) {
      words.prepare(to); // those of the next stripes are in the same page
    }
    BucketSplit split = scratch.split;
    split.clear();
    long mark = 0;
    for (long bucket = from; bucket != 0; ) {
      split.addBucket(bucket);
      mark = buckets.marked(words, bucket, mark, split.chainLength());
      bucket = readBucket(words, scratch, bucket, bit);
    }
    for (int i = 1; i < split.movedBuckets(); i++) {
      split.addTarget(words.heap.allocateUncleared(BUCKET_BYTES));
    }
    split.write(words, from, to, depth);
    words.putUnchecked(countAddress, count + 1);
    scratch.entriesMoved += split.moved();
    scratch.bucketsSplit++;
    return true;
  }

  /** Sorts the slots of a bucket by a bit; returns the address of the next bucket, or 0. */
  private long readBucket(Words words, CollectionScratch scratch, long bucket, long bit) {
    long[] line = scratch.line;
    words.getLine(bucket, line);
    for (int i = 0; i < SLOTS; i++) {
      long slot = line[i];
      if (slot != 0) {
        long slotAddress = bucket + (long) i * Long.BYTES;
        scratch.split.addSlot(slot, isBitSet(words, scratch, slot, slotAddress, bit));
      }
    }
    return buckets.nextBucket(words, line[SLOTS]);
  }

  /** Allocates a segment if it is not there; returns false if the region has no space for it. */
  private boolean requireSegment(Words words, int segment) {
    long at = buckets.table() + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    if (words.getUnchecked(at) == 0) {
      long bytes = HashTableLayout.segmentBuckets(segment) * HashTableLayout.STRIPES * BUCKET_BYTES;
      long address = words.heap.allocateUnclearedIfRoom(bytes);
      if (address == 0) {
        return false;
      }
      words.putUnchecked(at, address);
    }
    return true;
  }

  /** Returns whether a bit of an entry's hash is set. The tag in its slot has most of the bits. */
  private boolean isBitSet(
      Words words, CollectionScratch scratch, long slot, long slotAddress, long bit) {
    int number = Long.numberOfTrailingZeros(bit);
    if (isInTag(number)) {
      return ((slot >>> HashTableLayout.TAG_SHIFT) & (bit >>> HashTableLayout.FIRST_TAG_BIT)) != 0;
    }
    long entry = HashTableLayout.address(slot);
    return (entries.hashOfRead(words, scratch, entry, slotAddress) & bit) != 0;
  }
}
