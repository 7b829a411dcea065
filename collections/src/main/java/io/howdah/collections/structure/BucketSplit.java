package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_WORDS;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.Words;
import java.util.Arrays;

/**
 * The slots of a bucket that is split, those of its overflow buckets included: which stay, and
 * which move to the new bucket. Both groups are written as whole buckets. Not thread-safe.
 */
final class BucketSplit {

  private static final int FIRST = 4 * SLOTS;
  private static final int KEPT = 1 << 12;

  private long[] kept = new long[FIRST];
  private long[] moved = new long[FIRST];
  private int keptCount;
  private int movedCount;

  /** Addresses of the buckets that are there, the first one included. */
  private long[] chain = new long[SLOTS];

  private int chainLength;

  /** Addresses of the buckets that continue the new one. */
  private long[] targets = new long[SLOTS];

  private int targetCount;

  private final long[] line = new long[BUCKET_WORDS];

  void clear() {
    keptCount = 0;
    movedCount = 0;
    chainLength = 0;
    targetCount = 0;
    if (kept.length + moved.length + chain.length > KEPT) {
      kept = new long[FIRST];
      moved = new long[FIRST];
      chain = new long[SLOTS];
      targets = new long[SLOTS];
    }
  }

  void addBucket(long address) {
    if (chainLength == chain.length) {
      chain = Arrays.copyOf(chain, 2 * chainLength);
    }
    chain[chainLength++] = address;
  }

  int chainLength() {
    return chainLength;
  }

  void addSlot(long slot, boolean moves) {
    if (moves) {
      if (movedCount == moved.length) {
        moved = Arrays.copyOf(moved, 2 * movedCount);
      }
      moved[movedCount++] = slot;
    } else {
      if (keptCount == kept.length) {
        kept = Arrays.copyOf(kept, 2 * keptCount);
      }
      kept[keptCount++] = slot;
    }
  }

  /** Returns how many slots move. */
  int moved() {
    return movedCount;
  }

  /** Returns how many buckets the slots that move need, at least one. */
  int movedBuckets() {
    return bucketsFor(movedCount);
  }

  private static int bucketsFor(int slots) {
    return Math.max(1, (slots + SLOTS - 1) / SLOTS);
  }

  /** Adds the address of a bucket that continues the new one. */
  void addTarget(long address) {
    if (targetCount == targets.length) {
      targets = Arrays.copyOf(targets, 2 * targetCount);
    }
    targets[targetCount++] = address;
  }

  /**
   * Writes both groups, and frees the buckets that are not needed any more. The slots that stay
   * move to the front.
   *
   * @param depth of both first buckets
   */
  void write(Words words, long from, long to, int depth) {
    int keptBuckets = bucketsFor(keptCount);
    for (int i = 0; i < keptBuckets; i++) {
      long next = i + 1 < keptBuckets ? chain[i + 1] : 0;
      long address = i == 0 ? from : chain[i];
      write(words, address, kept, keptCount, i, next, depth);
    }
    for (int i = 0; i <= targetCount; i++) {
      long next = i < targetCount ? targets[i] : 0;
      long address = i == 0 ? to : targets[i - 1];
      write(words, address, moved, movedCount, i, next, depth);
    }
    for (int i = keptBuckets; i < chainLength; i++) {
      // Emptied first: a reader that still has it finds a slot's entry changed by the slot's orec,
      // and the next writer of the entry locks the orec of another slot.
      write(words, chain[i], kept, keptCount, i, 0, 0);
      words.heap.free(chain[i]);
    }
  }

  /** Writes the bucket with a number in its chain. */
  private void write(
      Words words, long address, long[] slots, int count, int number, long next, int depth) {
    long[] line = this.line;
    int first = number * SLOTS;
    for (int i = 0; i < SLOTS; i++) {
      line[i] = first + i < count ? slots[first + i] : 0;
    }
    line[SLOTS] = HashTableLayout.overflow(number == 0 ? depth : 0, next);
    words.putWords(address, line, BUCKET_WORDS);
  }
}
