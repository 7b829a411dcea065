package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_WORDS;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.Words;

/**
 * Some entries of a hash table, of buckets that are chosen at random: hints, which are read past
 * the orecs. So the transaction does not conflict with one that changes such an entry, and the
 * cache misses of all entries overlap. What is read may belong to no entry by now, and the caller
 * looks an entry up before it does anything with it. Entries that the transaction itself has
 * written are not seen. For one thread.
 */
public final class HashTableSample {

  /** Entries that one sample shows at most. */
  public static final int MAX_ENTRIES = 32;

  /** With so many entries a sample is large enough. */
  private static final int ENOUGH = 14;

  private static final int BUCKETS = 4;

  /** A small table has fewer entries than buckets. */
  private static final int MAX_ROUNDS = 4;

  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private final long[] buckets = new long[BUCKETS];
  private final long[] line = new long[BUCKET_WORDS];
  private final long[] entries = new long[MAX_ENTRIES];
  private final long[] hashes = new long[MAX_ENTRIES];
  private final long[] stamps = new long[MAX_ENTRIES];
  private final long random;
  private long samples;
  private int count;

  /**
   * Creates one.
   *
   * @param random any bits
   */
  HashTableSample(long random) {
    this.random = random;
  }

  /** Returns how many entries were read. */
  public int count() {
    return count;
  }

  /** Returns the hashes of their keys. */
  public long[] hashes() {
    return hashes;
  }

  /** Returns the first 8 bytes of their values, if they were asked for. */
  public long[] stamps() {
    return stamps;
  }

  /**
   * Reads entries.
   *
   * @param hasStamps whether the first 8 bytes of values are read
   */
  void read(Words words, HashTableBuckets table, HashTableEntries format, boolean hasStamps) {
    count = 0;
    for (int round = 0; round < MAX_ROUNDS && count < ENOUGH; round++) {
      readSome(words, table, format, hasStamps);
    }
  }

  private void readSome(
      Words words, HashTableBuckets table, HashTableEntries format, boolean hasStamps) {
    choose(words, table);
    int found = 0;
    for (int i = 0; i < BUCKETS; i++) {
      long bucket = buckets[i];
      words.peek(bucket, line, BUCKET_WORDS);
      found = addSlots(words, found);
      long next = HashTableLayout.address(line[OVERFLOW_OFFSET / Long.BYTES]);
      if (next != 0 && words.isLine(next)) { // few chains are longer
        words.peek(next, line, BUCKET_WORDS);
        found = addSlots(words, found);
      }
    }
    CollectionScratch scratch = CollectionScratch.of(words);
    for (int i = 0; i < found && count < MAX_ENTRIES; i++) {
      if (format.peek(words, scratch, entries[i], hasStamps)) {
        hashes[count] = format.peekedHash(scratch);
        stamps[count] = hasStamps ? format.peekedStamp(scratch) : 0;
        count++;
      }
    }
  }

  /** Chooses buckets, and loads them. */
  private void choose(Words words, HashTableBuckets table) {
    for (int i = 0; i < BUCKETS; i++) {
      long bits = mixed(random + ++samples * GOLDEN);
      int stripe = (int) (bits & (HashTableLayout.STRIPES - 1));
      long bucketCount = words.getGuess(table.stripeAddress(stripe));
      long bucket = Math.unsignedMultiplyHigh(bits, Math.max(1, bucketCount));
      buckets[i] = table.bucketAddress(words, stripe, bucket);
      words.preloadWord(buckets[i]);
    }
  }

  /** The last step of SplitMix64: the system's randomness takes as long as a look-up or two. */
  private static long mixed(long bits) {
    long mixed = (bits ^ (bits >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }

  /** Adds the entries of a bucket, and loads their first words. */
  private int addSlots(Words words, int found) {
    int number = found;
    for (int i = 0; i < SLOTS && number < MAX_ENTRIES; i++) {
      long entry = HashTableLayout.address(line[i]);
      if (entry != 0 && words.isBlock(entry, Long.BYTES)) {
        entries[number++] = entry;
        words.preloadWord(entry);
      }
    }
    return number;
  }
}
