package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxContext;
import java.util.Arrays;

/**
 * Goes over all entries of a hash table, in no particular order. It shows each key that is in the
 * table all the while exactly once, also if its transaction changes the table meanwhile, splits its
 * buckets, or rolls back; and never an entry that is not in the table.
 *
 * <p>It goes through each stripe by the hashes' low bits, read backwards: in that order a bucket is
 * an interval, and a split halves it. So what has been passed stays passed, whatever buckets there
 * are later. Of the interval that it is in, the cursor keeps the slots; after a change it reads
 * them again, and leaves those out whose keys it has shown. It tells them by their hashes: that two
 * keys of one bucket share all 64 bits does not happen by chance, nor by intent.
 */
public final class HashTableCursor {

  private static final int NONE = -1;

  private final HashTable table;
  private int stripe;

  /** Where the interval begins: the low bits of its hashes, reversed. */
  private long position;

  /** How many bits the hashes of the interval share, or {@link #NONE}: it was not read yet. */
  private int depth = NONE;

  /** The interval's slots, and which one is next. */
  private long[] slots = new long[SLOTS];

  private int count;
  private int next;

  /** Hashes of the keys of the interval that were shown; none if nothing can change. */
  private long[] shown = {};

  private int shownCount;
  private long changes;

  public HashTableCursor(HashTable table) {
    this.table = table;
  }

  /** Loads the next entry into the scratch and returns its address, or 0. */
  public long next(TxContext context) {
    long now = context.operations.changes();
    if (now != changes) {
      changes = now;
      readAgain(context);
    }
    while (next == count) {
      if (!nextInterval(context)) {
        return 0;
      }
    }
    long entry = HashTableLayout.address(slots[next++]);
    table.load(context, entry);
    if (!context.isReadOnly()) {
      remember(table.hashOfLoaded(context, entry));
    }
    return entry;
  }

  private void remember(long hash) {
    if (shownCount == shown.length) {
      shown = Arrays.copyOf(shown, Math.max(SLOTS, 2 * shownCount));
    }
    shown[shownCount++] = hash;
  }

  private boolean nextInterval(TxContext context) {
    if (depth != NONE) {
      position = depth == 0 ? 0 : position + (1L << (Long.SIZE - depth));
      stripe += position == 0 ? 1 : 0;
      depth = NONE;
    }
    if (stripe == HashTableLayout.STRIPES) {
      return false;
    }
    long buckets = table.buckets(context, stripe);
    long bucket = HashTableLayout.bucket(Long.reverse(position), buckets);
    // After a roll-back the bucket may begin before the position.
    int least = position == 0 ? 0 : Long.SIZE - Long.numberOfTrailingZeros(position);
    depth = Math.max(least, HashTableLayout.depth(bucket, buckets));
    shownCount = 0;
    readInterval(context, buckets);
    return true;
  }

  private void readAgain(TxContext context) {
    if (depth == NONE) {
      return;
    }
    readInterval(context, table.buckets(context, stripe));
    if (shownCount == 0) {
      return;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (!wasShown(table.hashOf(context, HashTableLayout.address(slots[i])))) {
        slots[kept++] = slots[i];
      }
    }
    count = kept;
  }

  private boolean wasShown(long hash) {
    for (int i = 0; i < shownCount; i++) {
      if (shown[i] == hash) {
        return true;
      }
    }
    return false;
  }

  /** Reads the interval's slots: those of one bucket, or a part of them, or those of several. */
  private void readInterval(TxContext context, long buckets) {
    next = 0;
    count = 0;
    long low = Long.reverse(position);
    long bucket = HashTableLayout.bucket(low, buckets);
    int bucketDepth = HashTableLayout.depth(bucket, buckets);
    if (bucketDepth <= depth) {
      readBucket(context, bucket);
      if (bucketDepth < depth) {
        keepInterval(context, low);
      }
      return;
    }
    for (long b = low; b < buckets; b += 1L << depth) {
      readBucket(context, b);
    }
  }

  /** Leaves the slots out whose hashes are not of the interval. */
  private void keepInterval(TxContext context, long low) {
    long mask = (1L << depth) - 1;
    int kept = 0;
    for (int i = 0; i < count; i++) {
      long hash = table.hashOf(context, HashTableLayout.address(slots[i]));
      if ((hash & mask) == low) {
        slots[kept++] = slots[i];
      }
    }
    count = kept;
  }

  private void readBucket(TxContext context, long bucket) {
    long[] line = CollectionScratch.of(context).line;
    long at = table.bucketAddress(context, stripe, bucket);
    while (at != 0) {
      if (slots.length < count + SLOTS) {
        slots = Arrays.copyOf(slots, 2 * slots.length);
      }
      context.getLine(at, line);
      for (int i = 0; i < SLOTS; i++) {
        slots[count] = line[i];
        count += line[i] == 0 ? 0 : 1;
      }
      at = table.nextBucket(context, line[SLOTS]);
    }
  }
}
