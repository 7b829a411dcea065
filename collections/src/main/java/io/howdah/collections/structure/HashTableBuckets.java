package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_WORDS;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.Words;
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
  static RuntimeException damaged(Words words, long table) {
    return words.inconsistentRead(table, "the hash table at address " + table);
  }

  /** Writes zeros into a new bucket. */
  static void clearBucket(Words words, long bucket) {
    for (int i = 0; i < BUCKET_WORDS; i++) {
      words.putUnchecked(bucket + (long) i * Long.BYTES, 0);
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
  boolean isDropped(Words words) {
    return words.getUnchecked(table + CollectionHeaderLayout.INCARNATION_OFFSET) != incarnation;
  }

  /**
   * Returns the address of a bucket.
   *
   * @param bucket below the number of buckets that the stripe has
   */
  public long bucketAddress(Words words, int stripe, long bucket) {
    if (bucket < 0 || bucket >= HashTableLayout.MAX_BUCKETS) {
      throw damaged(words, table);
    }
    int segment = HashTableLayout.segment(bucket);
    long at = table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    // A segment is allocated before the stripe gets its buckets, and stays. So this word belongs to
    // every snapshot that has the bucket, unless this transaction itself has allocated the segment.
    long constant = words.getConstant(at);
    long address =
        (constant != 0 ? constant : words.getUnchecked(at))
            + HashTableLayout.offsetInSegment(bucket, stripe);
    if (!words.isLine(address)) {
      throw damaged(words, table);
    }
    return address;
  }

  /** Returns how many buckets a stripe has. */
  public long buckets(Words words, int stripe) {
    long buckets = words.getUnchecked(stripeAddress(stripe));
    if (buckets < 1 || buckets > HashTableLayout.MAX_BUCKETS) {
      throw damaged(words, table);
    }
    return buckets;
  }

  /** Returns the address of the bucket that continues one with this last word, or 0. */
  public long nextBucket(Words words, long overflow) {
    long next = HashTableLayout.address(overflow);
    if (next != 0 && !words.isLine(next)) {
      throw damaged(words, table);
    }
    return next;
  }

  /**
   * Detects a cycle in a chain of buckets by Brent's algorithm: each bucket is compared with the
   * one at the last step that is a power of two. A walk through a damaged chain therefore ends.
   *
   * @param next the next bucket of the walk
   * @param mark the result of the last call; 0 for the first
   * @param step number of the call, 1 for the first
   * @return the mark for the next call
   */
  long marked(Words words, long next, long mark, int step) {
    if (next == mark) {
      throw damaged(words, table);
    }
    return Integer.bitCount(step) == 1 ? next : mark;
  }

  /** Loads the first bucket of a hash into a line, and returns its address. */
  long loadFirstBucket(Words words, long hash, long[] line) {
    int stripe = HashTableLayout.stripe(hash);
    // If the guess is too low, the bucket was split since, which its depth shows. The guess is
    // never
    // too high: the acquire load in Words.getGuess pairs with the store-store fence in
    // Committer.commitLocked, so a reader that sees the number also sees the locks or the words of
    // the commit that wrote it. After a split the number is read again and is at least the one that
    // was written with the bucket. The depth alone does not determine the right bucket: this bucket
    // may have been split twice, and the bucket to which the hash has moved not yet.
    long bucket = HashTableLayout.bucket(hash, words.getGuess(stripeAddress(stripe)));
    while (true) {
      long address = bucketAddress(words, stripe, bucket);
      if (!words.isCurrent(table + CollectionHeaderLayout.INCARNATION_OFFSET) && isDropped(words)) {
        // Verified again after the words read past the orecs, which may belong to another block by
        // now.
        throw damaged(words, table);
      }
      words.getLine(address, line);
      long deeper = HashTableLayout.bucketByDepth(hash, line[SLOTS]);
      if (deeper == bucket) {
        return address;
      }
      long again = HashTableLayout.bucket(hash, words.getGuess(stripeAddress(stripe)));
      if (again == bucket) {
        throw damaged(words, table); // no number leads to a bucket of this depth
      }
      bucket = again;
    }
  }

  /**
   * Adds to the table's size. All transactions with the same {@link Words#id} count in one stripe,
   * so transactions that run at the same time do not conflict.
   */
  void count(Words words, int change) {
    int stripe = words.id & (HashTableLayout.STRIPES - 1);
    long counter = stripeAddress(stripe) + HashTableLayout.ENTRIES_OFFSET;
    words.putUnchecked(counter, words.getUnchecked(counter) + change);
  }

  /** Counts the entries: reads a word of each stripe. */
  long size(Words words) {
    long size = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      size += words.getUnchecked(stripeAddress(stripe) + HashTableLayout.ENTRIES_OFFSET);
    }
    return size;
  }

  /** Frees the buckets without entries that continue a bucket. */
  static void dropEmptyOverflow(Words words, long first) {
    long previous = first;
    long word = words.getUnchecked(first + OVERFLOW_OFFSET);
    long bucket = HashTableLayout.address(word);
    while (bucket != 0) {
      long next = words.getUnchecked(bucket + OVERFLOW_OFFSET);
      if (isEmpty(words, bucket)) {
        word += next - bucket; // the depth stays
        words.putUnchecked(previous + OVERFLOW_OFFSET, word);
        words.heap.free(bucket);
      } else {
        previous = bucket;
        word = next;
      }
      bucket = next;
    }
  }

  private static boolean isEmpty(Words words, long bucket) {
    for (int i = 0; i < SLOTS; i++) {
      if (words.getUnchecked(bucket + (long) i * Long.BYTES) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Shows every block, the table included; none is read after it was shown. */
  void visitBlocks(Words words, LongConsumer blocks) {
    visitEntries(words, blocks, blocks);
    for (int segment = 0; segment < HashTableLayout.SEGMENTS; segment++) {
      long address =
          words.getUnchecked(table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES);
      if (address != 0) {
        blocks.accept(address);
      }
    }
    blocks.accept(table);
  }

  /** Shows every entry, and every bucket that continues another one. */
  void visitEntries(Words words, LongConsumer entries, LongConsumer overflow) {
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long buckets = buckets(words, stripe);
      for (long bucket = 0; bucket < buckets; bucket++) {
        long at = bucketAddress(words, stripe, bucket);
        long mark = 0;
        for (int step = 1; at != 0; step++) {
          mark = marked(words, at, mark, step);
          for (int i = 0; i < SLOTS; i++) {
            long slot = words.getUnchecked(at + (long) i * Long.BYTES);
            if (slot != 0) {
              entries.accept(HashTableLayout.address(slot));
            }
          }
          long next = nextBucket(words, words.getUnchecked(at + OVERFLOW_OFFSET));
          if (step > 1) {
            overflow.accept(at);
          }
          at = next;
        }
      }
    }
  }
}
