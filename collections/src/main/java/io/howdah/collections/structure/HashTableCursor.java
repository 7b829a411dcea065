package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.Words;
import java.util.Arrays;

/**
 * Iterates over the entries of a hash table, in no particular order. A key that stays in the table
 * is returned exactly once, also if this transaction changes the table, splits its buckets or rolls
 * back during the iteration. An entry that is not in the table is never returned.
 *
 * <p>The cursor visits each stripe in the order of the hashes' low bits in reverse. In this order a
 * bucket is an interval, and a split halves the interval. An interval that the cursor has visited
 * therefore stays visited when the number of buckets grows. The cursor keeps the slots of its
 * current interval. After a change it reads them again and skips those whose keys it has returned.
 * It compares all bytes of a key, since keys may share their hash ({@link KeyedHash}). The memory
 * of a cursor is that of the slots of one bucket. In a transaction that may change the table, it
 * also has the keys of that bucket, each of at most {@link EntryLimits#MAX_KEY_BYTES} bytes.
 */
public final class HashTableCursor {

  private static final int NONE = -1;

  /** How many bits of a hash choose its stripe. */
  private static final int STRIPE_BITS = Long.SIZE - HashTableLayout.STRIPE_SHIFT;

  /** A bucket's hashes never share more low bits than this. */
  private static final int MAX_DEPTH = Long.numberOfTrailingZeros(HashTableLayout.MAX_BUCKETS);

  private final HashTableBuckets buckets;
  private final HashTableEntries entries;
  private int stripe;

  /** Where the interval begins: the low bits of its hashes, reversed. */
  private long position;

  /** How many bits the hashes of the interval share; {@link #NONE} if it was not read yet. */
  private int depth = NONE;

  /** The interval's slots, and the index of the next one to show. */
  private long[] slots = new long[SLOTS];

  /** Where the slots are. */
  private long[] addresses = new long[SLOTS];

  private int count;
  private int next;

  /** The interval's keys that were shown; empty in a read-only transaction. */
  private final ShownKeys shown = new ShownKeys();

  private long changes;

  /** How many intervals were read. */
  private long intervals;

  public HashTableCursor(HashTable table) {
    this.buckets = table.buckets();
    this.entries = table.entries();
  }

  /**
   * Creates a cursor that begins at a position, a result of {@link #resumeAt} in this or an earlier
   * transaction; 0 is the beginning. Every number is a valid position. If it is inside the interval
   * of a bucket, the cursor begins there or shortly before.
   */
  public HashTableCursor(HashTable table, long from) {
    this(table);
    this.stripe = (int) (from >>> HashTableLayout.STRIPE_SHIFT);
    this.position = from << STRIPE_BITS & -(1L << (Long.SIZE - MAX_DEPTH));
  }

  /** Returns whether all entries of the current interval were shown. */
  public boolean isBetweenIntervals() {
    return next == count;
  }

  /**
   * Returns the position after the current interval, or 0 if it is the last one. A split halves
   * intervals and moves no entry from one side of a position to the other.
   */
  public long resumeAt() {
    long after = depth == NONE ? position : endOfInterval();
    int itsStripe = depth != NONE && after == 0 ? stripe + 1 : stripe;
    return itsStripe == HashTableLayout.STRIPES
        ? 0
        : (long) itsStripe << HashTableLayout.STRIPE_SHIFT | after >>> STRIPE_BITS;
  }

  /** Returns where the interval ends: 0 at the end of its stripe. */
  private long endOfInterval() {
    return depth == 0 ? 0 : position + (1L << (Long.SIZE - depth));
  }

  /** Loads the next entry into the scratch and returns its address, or 0. */
  public long next(Words words) {
    return next(words, Long.MAX_VALUE);
  }

  /**
   * Loads the next entry into the scratch and returns its address. Returns 0 if there is none, or
   * if more intervals would have to be read since the beginning than a maximum.
   */
  public long next(Words words, long maxIntervals) {
    long now = words.operations.changes();
    if (now != changes && !words.isReadOnly()) {
      changes = now;
      readAgain(words);
    }
    while (next == count) {
      if (intervals >= maxIntervals || !nextInterval(words)) {
        return 0;
      }
      intervals++;
    }
    long entry = HashTableLayout.address(slots[next]);
    CollectionScratch scratch = CollectionScratch.of(words);
    entries.load(words, scratch, entry, addresses[next]);
    next++;
    if (!words.isReadOnly()) {
      entries.showLoaded(words, scratch, entry, shown);
    }
    return entry;
  }

  private boolean nextInterval(Words words) {
    if (depth != NONE) {
      position = endOfInterval();
      stripe += position == 0 ? 1 : 0;
      depth = NONE;
    }
    if (stripe == HashTableLayout.STRIPES) {
      return false;
    }
    long bucketCount = buckets.buckets(words, stripe);
    long bucket = HashTableLayout.bucket(Long.reverse(position), bucketCount);
    // After a roll-back the bucket may begin before the position.
    int minDepth = position == 0 ? 0 : Long.SIZE - Long.numberOfTrailingZeros(position);
    depth = Math.max(minDepth, HashTableLayout.depth(bucket, bucketCount));
    shown.clear();
    readInterval(words, bucketCount);
    return true;
  }

  private void readAgain(Words words) {
    if (depth == NONE) {
      return;
    }
    readInterval(words, buckets.buckets(words, stripe));
    if (shown.isEmpty()) {
      return;
    }
    CollectionScratch scratch = CollectionScratch.of(words);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long entry = HashTableLayout.address(slots[i]);
      if (!entries.isShown(words, scratch, entry, addresses[i], shown)) {
        keep(i, kept++);
      }
    }
    count = kept;
  }

  /** Reads the interval's slots: all or some of one bucket, or those of several buckets. */
  private void readInterval(Words words, long bucketCount) {
    next = 0;
    count = 0;
    long low = Long.reverse(position);
    long bucket = HashTableLayout.bucket(low, bucketCount);
    int bucketDepth = HashTableLayout.depth(bucket, bucketCount);
    if (bucketDepth <= depth) {
      readBucket(words, bucket);
      if (bucketDepth < depth) {
        keepInterval(words, low);
      }
      return;
    }
    for (long b = low; b < bucketCount; b += 1L << depth) {
      readBucket(words, b);
    }
  }

  /** Removes the slots whose hashes are outside of the interval. */
  private void keepInterval(Words words, long low) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long mask = (1L << depth) - 1;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long entry = HashTableLayout.address(slots[i]);
      long hash = entries.hashOf(words, scratch, entry, addresses[i]);
      if ((hash & mask) == low) {
        keep(i, kept++);
      }
    }
    count = kept;
  }

  private void keep(int from, int to) {
    slots[to] = slots[from];
    addresses[to] = addresses[from];
  }

  private void readBucket(Words words, long bucket) {
    long[] line = CollectionScratch.of(words).line;
    long at = buckets.bucketAddress(words, stripe, bucket);
    long mark = 0;
    for (int step = 1; at != 0; step++) {
      mark = buckets.marked(words, at, mark, step);
      if (slots.length < count + SLOTS) {
        slots = Arrays.copyOf(slots, 2 * slots.length);
        addresses = Arrays.copyOf(addresses, slots.length);
      }
      words.getLine(at, line);
      for (int i = 0; i < SLOTS; i++) {
        slots[count] = line[i];
        addresses[count] = at + (long) i * Long.BYTES;
        count += line[i] == 0 ? 0 : 1;
      }
      at = buckets.nextBucket(words, line[SLOTS]);
    }
  }
}
