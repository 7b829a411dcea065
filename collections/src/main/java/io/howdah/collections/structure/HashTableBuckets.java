package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_WORDS;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxContext;
import java.util.function.LongConsumer;

/**
 * The stripes and buckets of a hash table, as {@link HashTableLayout} describes them. Thread-safe.
 */
public final class HashTableBuckets {

  private final long table;
  private final long incarnation;

  HashTableBuckets(long table, long incarnation) {
    this.table = table;
    this.incarnation = incarnation;
  }

  /**
   * Returns the exception for words, read past the orecs, that no table can have: the table was
   * dropped since, or is damaged.
   */
  static RuntimeException damaged(TxContext context, long table) {
    return context.inconsistentRead(table, "the hash table at address " + table);
  }

  /** Writes zeros into a new bucket. */
  static void clearBucket(TxContext context, long bucket) {
    for (int i = 0; i < BUCKET_WORDS; i++) {
      context.putUnchecked(bucket + (long) i * Long.BYTES, 0);
    }
  }

  /** Returns the address of the table. */
  long table() {
    return table;
  }

  /** Returns the address of a stripe. */
  long stripeAddress(int stripe) {
    return table + HashTableLayout.stripeOffset(stripe);
  }

  /** Returns whether the table was dropped. */
  boolean isDropped(TxContext context) {
    return context.getUnchecked(table + CollectionHeaderLayout.INCARNATION_OFFSET) != incarnation;
  }

  /**
   * Returns the address of a bucket.
   *
   * @param bucket below the number of buckets that the stripe has
   */
  public long bucketAddress(TxContext context, int stripe, long bucket) {
    if (bucket < 0 || bucket >= HashTableLayout.MAX_BUCKETS) {
      throw damaged(context, table);
    }
    int segment = HashTableLayout.segment(bucket);
    long at = table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    // A segment is allocated before the stripe gets its buckets, and stays. So this word belongs to
    // every snapshot that has the bucket, unless this transaction itself has allocated the segment.
    long constant = context.getConstant(at);
    long address =
        (constant != 0 ? constant : context.getUnchecked(at))
            + HashTableLayout.offsetInSegment(bucket, stripe);
    if (!context.isLine(address)) {
      throw damaged(context, table);
    }
    return address;
  }

  /** Returns how many buckets a stripe has. */
  public long buckets(TxContext context, int stripe) {
    long buckets = context.getUnchecked(stripeAddress(stripe));
    if (buckets < 1 || buckets > HashTableLayout.MAX_BUCKETS) {
      throw damaged(context, table);
    }
    return buckets;
  }

  /** Returns the address of the bucket that continues one with this last word, or 0. */
  public long nextBucket(TxContext context, long overflow) {
    long next = HashTableLayout.address(overflow);
    if (next != 0 && !context.isLine(next)) {
      throw damaged(context, table);
    }
    return next;
  }

  /**
   * Refuses a chain of buckets that comes back to one of its buckets, by Brent's algorithm: each
   * bucket is compared with the one at the last step that is a power of two. So a walk through a
   * damaged chain ends.
   *
   * @param next the bucket that the walk comes to
   * @param mark what the last call returned; 0 for the first
   * @param step number of the call, 1 for the first
   * @return the mark for the next call
   */
  long marked(TxContext context, long next, long mark, int step) {
    if (next == mark) {
      throw damaged(context, table);
    }
    return Integer.bitCount(step) == 1 ? next : mark;
  }

  /** Loads the first bucket of a hash into a line, and returns its address. */
  long loadFirstBucket(TxContext context, long hash, long[] line) {
    int stripe = HashTableLayout.stripe(hash);
    // If the guess is too low, it leads to a bucket that was split since, and the depth in it says
    // so. It is never too high: a reader that sees the number also sees the locks of the commit
    // that wrote it, or what that commit wrote. Then the number is read again, and is at least the
    // one that was written with the bucket. The depth alone does not say where to look: the bucket
    // may have been split twice, while the one that the hash has moved to was not yet.
    long bucket = HashTableLayout.bucket(hash, context.getGuess(stripeAddress(stripe)));
    while (true) {
      long address = bucketAddress(context, stripe, bucket);
      if (!context.isCurrent(table + CollectionHeaderLayout.INCARNATION_OFFSET)
          && isDropped(context)) {
        // Verified again after the words read past the orecs, which may belong to another block by
        // now.
        throw damaged(context, table);
      }
      context.getLine(address, line);
      long deeper = HashTableLayout.bucketByDepth(hash, line[SLOTS]);
      if (deeper == bucket) {
        return address;
      }
      long again = HashTableLayout.bucket(hash, context.getGuess(stripeAddress(stripe)));
      if (again == bucket) {
        throw damaged(context, table); // no number leads to a bucket of this depth
      }
      bucket = again;
    }
  }

  /**
   * Adds to the table's size. Each context counts in one stripe, so transactions of different
   * contexts do not conflict.
   */
  void count(TxContext context, int change) {
    int stripe = context.id & (HashTableLayout.STRIPES - 1);
    long counter = stripeAddress(stripe) + HashTableLayout.ENTRIES_OFFSET;
    context.putUnchecked(counter, context.getUnchecked(counter) + change);
  }

  /** Counts the entries: reads a word of each stripe. */
  long size(TxContext context) {
    long size = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      size += context.getUnchecked(stripeAddress(stripe) + HashTableLayout.ENTRIES_OFFSET);
    }
    return size;
  }

  /** Frees the buckets without entries that continue a bucket. */
  static void dropEmptyOverflow(TxContext context, long first) {
    long previous = first;
    long word = context.getUnchecked(first + OVERFLOW_OFFSET);
    long bucket = HashTableLayout.address(word);
    while (bucket != 0) {
      long next = context.getUnchecked(bucket + OVERFLOW_OFFSET);
      if (isEmpty(context, bucket)) {
        word += next - bucket; // the depth stays
        context.putUnchecked(previous + OVERFLOW_OFFSET, word);
        context.heap.free(bucket);
      } else {
        previous = bucket;
        word = next;
      }
      bucket = next;
    }
  }

  private static boolean isEmpty(TxContext context, long bucket) {
    for (int i = 0; i < SLOTS; i++) {
      if (context.getUnchecked(bucket + (long) i * Long.BYTES) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Shows every block, the table included; none is read after it was shown. */
  void visitBlocks(TxContext context, LongConsumer blocks) {
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long buckets = buckets(context, stripe);
      for (long bucket = 0; bucket < buckets; bucket++) {
        long at = bucketAddress(context, stripe, bucket);
        long mark = 0;
        for (int step = 1; at != 0; step++) {
          mark = marked(context, at, mark, step);
          for (int i = 0; i < SLOTS; i++) {
            long slot = context.getUnchecked(at + (long) i * Long.BYTES);
            if (slot != 0) {
              blocks.accept(HashTableLayout.address(slot));
            }
          }
          long next = nextBucket(context, context.getUnchecked(at + OVERFLOW_OFFSET));
          if (step > 1) {
            blocks.accept(at);
          }
          at = next;
        }
      }
    }
    for (int segment = 0; segment < HashTableLayout.SEGMENTS; segment++) {
      long address =
          context.getUnchecked(
              table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES);
      if (address != 0) {
        blocks.accept(address);
      }
    }
    blocks.accept(table);
  }
}
