package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.AfterCommit.Attempts;
import io.howdah.txn.words.Words;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The hash table of maps and sets; {@link HashTableLayout} has its format. Keys and values are
 * bytes: callers encode a key after {@link #beginImage}, and a value after {@link #beginValue},
 * into the transaction's scratch.
 *
 * <p>Each entry has one block, and there are no nodes. A search reads a stripe, a bucket and an
 * entry. The table grows by splitting a few buckets at a time, so no operation waits for all of it.
 *
 * <p>Transactions that put different keys rarely conflict, for three reasons. First, a search reads
 * the number of a stripe's buckets without validation, as a guess. Each bucket contains the range
 * of its hashes, so the search finds the right bucket even with an outdated guess. Second, each
 * transaction counts its entries in the stripe of its {@link Words#id}. Third, the table grows in
 * separate small transactions; see {@link HashTableGrowth}.
 */
public final class HashTable implements AfterCommit {

  /**
   * A transaction that has inserted this many entries splits buckets itself. Otherwise its later
   * insertions would go through long chains.
   */
  private static final int LARGE_INSERTION = 1 << 12;

  private final int valueFixed;
  private final HashTableBuckets buckets;
  private final HashTableEntries entries;
  private final HashTableGrowth growth;
  private final HashTableAhead ahead;
  private final @Nullable TableBound bound;

  /**
   * Works on a table.
   *
   * @param key0 first half of the secret key of its hash
   * @param key1 second half
   * @param keyFixed length of all keys in bytes, or {@link Codec#VARIABLE}
   * @param valueFixed length of all values in bytes, or {@link Codec#VARIABLE}
   * @param isBounded whether the table has a bound, and accounts for its entries
   */
  public HashTable(
      long table,
      long incarnation,
      long key0,
      long key1,
      int keyFixed,
      int valueFixed,
      boolean isBounded) {
    this.valueFixed = valueFixed;
    this.buckets = new HashTableBuckets(table, incarnation);
    this.entries = new HashTableEntries(table, key0, key1, keyFixed, valueFixed);
    this.growth = new HashTableGrowth(buckets, entries);
    this.ahead = new HashTableAhead(table);
    this.bound = isBounded ? new TableBound(table) : null;
  }

  /** Returns the table of a collection in the catalogue. */
  public static HashTable of(FoundCollection found, int keyFixed, int valueFixed) {
    return new HashTable(
        found.address(),
        found.incarnation(),
        found.hashKey0(),
        found.hashKey1(),
        keyFixed,
        valueFixed,
        found.isBounded());
  }

  /** Creates an empty table and returns its address. */
  public static long create(Words words, long incarnation, int keyFixed, int valueFixed) {
    return create(words, incarnation, keyFixed, valueFixed, HashTableLayout.LENGTH);
  }

  /** Creates an empty table with a bound and returns its address. */
  public static long createBounded(
      Words words, long incarnation, int keyFixed, int valueFixed, long maxBytes, long maxEntries) {
    long table = create(words, incarnation, keyFixed, valueFixed, HashTableLayout.BOUNDED_LENGTH);
    new TableBound(table).begin(words, maxBytes, maxEntries);
    return table;
  }

  private static long create(
      Words words, long incarnation, int keyFixed, int valueFixed, int length) {
    long table = words.heap.allocate(length);
    CollectionHeader.write(words, table, HashTableLayout.MAGIC, incarnation, keyFixed, valueFixed);
    words.putUnchecked(table + HashTableLayout.HASH_KEY_OFFSET, words.randomLong());
    words.putUnchecked(table + HashTableLayout.HASH_KEY_OFFSET + Long.BYTES, words.randomLong());
    long segment = words.heap.allocateUncleared((long) HashTableLayout.STRIPES * BUCKET_BYTES);
    words.putUnchecked(table + HashTableLayout.SEGMENTS_OFFSET, segment);
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      words.putUnchecked(table + HashTableLayout.stripeOffset(stripe), 1);
      HashTableBuckets.clearBucket(words, segment + HashTableLayout.offsetInSegment(0, stripe));
    }
    return table;
  }

  /** Returns the table's stripes and buckets. */
  public HashTableBuckets buckets() {
    return buckets;
  }

  HashTableEntries entries() {
    return entries;
  }

  // ---- Images of entries, in the scratch.

  /** Begins an entry's image; the key's bytes follow. */
  public EncodingBuffer beginImage(Words words) {
    return entries.beginImage(CollectionScratch.of(words));
  }

  /** Ends the key, and returns its hash. */
  public long endKey(Words words) {
    return entries.endKey(CollectionScratch.of(words));
  }

  /** Returns where the key begins in an image. */
  public int keyOffset() {
    return entries.keyOffset();
  }

  /** Returns where the value begins in the image in the scratch. */
  public int valueOffset(Words words) {
    return entries.valueOffset(CollectionScratch.of(words));
  }

  /** Begins the value after the key. The caller appends its bytes. */
  public EncodingBuffer beginValue(Words words) {
    return entries.beginValue(CollectionScratch.of(words));
  }

  /** Ends the value, and with it the image. */
  public void endValue(Words words) {
    entries.endValue(CollectionScratch.of(words));
  }

  /** Returns the key of the entry in the scratch. */
  public DecodingBuffer key(Words words, long entry) {
    return entries.key(words, CollectionScratch.of(words), entry);
  }

  /** Returns the value of the entry in the scratch. */
  public DecodingBuffer value(Words words, long entry) {
    return entries.value(words, CollectionScratch.of(words), entry);
  }

  // ---- Search.

  /**
   * Returns the address of the slot of the key in the image, or 0. Afterwards the scratch has the
   * entry or, if there is none, the first and the last bucket and a free slot for it.
   *
   * @param use the purpose of the search
   */
  private long findSlot(Words words, CollectionScratch scratch, long hash, EntryUse use) {
    long[] line = scratch.line;
    long tag = HashTableLayout.tag(hash);
    long bucket = buckets.loadFirstBucket(words, hash, line);
    scratch.firstBucket = bucket;
    scratch.lastBucket = 0;
    scratch.freeSlot = 0;
    long mark = 0;
    for (int step = 1; ; step++) {
      // All slots are compared without a branch: which one matches cannot be predicted.
      int matches = 0;
      for (int i = 0; i < SLOTS; i++) {
        matches |= HashTableLayout.matches(line[i], tag) << i;
      }
      for (; matches != 0; matches &= matches - 1) {
        int i = Integer.numberOfTrailingZeros(matches);
        long slot = bucket + (long) i * Long.BYTES;
        if (line[i] != 0
            && entries.isKey(words, scratch, HashTableLayout.address(line[i]), slot, use)) {
          return slot;
        }
      }
      for (int i = 0; i < SLOTS && scratch.freeSlot == 0; i++) {
        scratch.freeSlot = line[i] == 0 ? bucket + (long) i * Long.BYTES : 0;
      }
      long next = buckets.nextBucket(words, line[SLOTS]);
      if (next == 0) {
        scratch.lastBucket = bucket;
        return 0;
      }
      mark = buckets.marked(words, next, mark, step);
      bucket = next;
      words.getLine(bucket, line);
    }
  }

  /** Returns whether the key in the image is in the table. */
  public boolean contains(Words words, long hash) {
    return findSlot(words, CollectionScratch.of(words), hash, EntryUse.KEY) != 0;
  }

  /** Returns the address of the entry of the key in the image, for its value, or 0. */
  public long find(Words words, long hash) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long slot = findSlot(words, scratch, hash, EntryUse.VALUE);
    return slot == 0 ? 0 : HashTableLayout.address(scratch.line[(int) (slot >>> 3) & SLOTS]);
  }

  /** Counts the entries: reads a word of each stripe. */
  public long size(Words words) {
    return buckets.size(words);
  }

  /** Shows every block, the table included. A block is not read after it was shown. */
  public void visitBlocks(Words words, LongConsumer blocks) {
    if (bound != null) {
      bound.visitBlocks(words, blocks);
    }
    buckets.visitBlocks(words, blocks);
  }

  /** Returns whether preloading for operations on many keys is useful. */
  public boolean isAheadUseful(Words words) {
    return ahead.isUseful(words);
  }

  /**
   * Preloads the words that operations on several keys will read, so that cache misses overlap.
   *
   * @param isChange whether entries get other values
   */
  public void loadAhead(Words words, KeysAhead keys, boolean isChange) {
    ahead.load(words, entries, keys, isChange);
  }

  // ---- The bound.

  /** Returns the bound, or null if the table has none. */
  public @Nullable TableBound bound() {
    return bound;
  }

  /**
   * Compares the account of a bounded table with its entries: reads all of them.
   *
   * @throws io.howdah.core.CorruptStoreException if they differ
   */
  public void checkBound(Words words) {
    if (bound != null) {
      long[] sums = new long[2];
      buckets.visitEntries(
          words,
          entry -> {
            sums[0]++;
            sums[1] += TableBound.weightOfBlock(words.heap.blockBytes(entry));
          },
          _ -> {});
      bound.check(words, sums[0], sums[1], size(words));
    }
  }

  /** Returns what the complete image weighs in a bounded table. */
  public long imageWeight(Words words) {
    return TableBound.weight(CollectionScratch.of(words).image.length());
  }

  /** Returns what the entry in the scratch weighs in a bounded table. */
  public long entryWeight(Words words) {
    return TableBound.weight(entries.imageLength(words, CollectionScratch.of(words)));
  }

  /**
   * Returns the address of an entry whose key has a hash, which is in the scratch then, or 0. The
   * image stays, and what the last search for its key has found.
   */
  public long findByHash(Words words, long hash) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long[] line = scratch.line;
    long tag = HashTableLayout.tag(hash);
    long bucket = buckets.loadFirstBucket(words, hash, line);
    scratch.victimBucket = bucket;
    scratch.isVictimChained = HashTableLayout.address(line[SLOTS]) != 0;
    long mark = 0;
    for (int step = 1; ; step++) {
      for (int i = 0; i < SLOTS; i++) {
        long entry = HashTableLayout.address(line[i]);
        long slot = bucket + (long) i * Long.BYTES;
        if (line[i] != 0
            && HashTableLayout.matches(line[i], tag) != 0
            && entries.hashOfRead(words, scratch, entry, slot) == hash) {
          return entry;
        }
      }
      long next = buckets.nextBucket(words, line[SLOTS]);
      if (next == 0) {
        return 0;
      }
      mark = buckets.marked(words, next, mark, step);
      bucket = next;
      words.getLine(bucket, line);
    }
  }

  /**
   * Preloads the words that {@link #findByHash} and {@link #exchange} need for entries that are
   * evicted next, so that cache misses overlap.
   *
   * @param hashes of their keys
   */
  public void loadVictims(Words words, long[] hashes, int count) {
    if (ahead.isUseful(words)) {
      CollectionScratch scratch = CollectionScratch.of(words);
      KeysAhead keys = scratch.victimsAhead();
      System.arraycopy(hashes, 0, keys.words, 0, count);
      ahead.load(words, keys, count, scratch.image.length());
    }
  }

  /**
   * Reads some entries as hints; the result is valid until the next call.
   *
   * @param hasStamps whether the first 8 bytes of values are read
   */
  public HashTableSample sample(Words words, boolean hasStamps) {
    HashTableSample sample = CollectionScratch.of(words).sample(words);
    sample.read(words, buckets, entries, hasStamps);
    return sample;
  }

  /** Returns the hash of the entry in the scratch, whose key is loaded then. */
  public long entryHash(Words words, long entry) {
    return entries.hashOfLoaded(words, CollectionScratch.of(words), entry);
  }

  /**
   * Makes sure that the transaction may put the complete image, if that needs no eviction.
   *
   * @return false if an entry has to be evicted before; then the key in the image was searched for
   */
  public boolean reserve(Words words, long hash) {
    if (bound == null) {
      return true;
    }
    long weight = imageWeight(words);
    if (bound.has(words, weight, 1)) {
      return true;
    }
    if (find(words, hash) == 0) {
      return bound.reserve(words, weight, 1);
    }
    long more = Math.max(0, weight - entryWeight(words));
    return bound.has(words, more, 0) || bound.reserve(words, more, 0);
  }

  // ---- Changes.

  /** Puts the complete image; returns whether its key is new. */
  public boolean put(Words words, long hash) {
    CollectionScratch scratch = CollectionScratch.of(words);
    scratch.tableEntryBytes = scratch.image.length();
    long slot = findSlot(words, scratch, hash, EntryUse.REPLACEMENT);
    long more =
        bound == null ? 0 : imageWeight(words) - (slot == 0 ? 0 : replacedWeight(words, slot));
    words.operations.begin();
    if (bound != null) {
      bound.spend(words, more, slot == 0 ? 1 : 0);
    }
    if (slot == 0) {
      insert(words, scratch, hash);
    } else if (valueFixed != 0) {
      replace(words, scratch, slot);
    }
    words.operations.end();
    return slot == 0;
  }

  /** Returns what the entry of a slot weighs, of which the key may be loaded alone. */
  private long replacedWeight(Words words, long slot) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long entry = HashTableLayout.address(words.getUnchecked(slot));
    entries.loadLengths(words, scratch, entry);
    return entryWeight(words);
  }

  private void replace(Words words, CollectionScratch scratch, long slot) {
    long word = words.getUnchecked(slot);
    long entry = HashTableLayout.address(word);
    if (entries.fitsImage(words, scratch)) {
      entries.replace(words, scratch, entry, slot);
      return;
    }
    long replacement = HashTableEntries.write(words, scratch);
    words.heap.free(entry);
    words.putUnchecked(slot, word - entry + replacement);
  }

  private void insert(Words words, CollectionScratch scratch, long hash) {
    long free = scratch.freeSlot;
    long last = scratch.lastBucket;
    long slot = HashTableLayout.tag(hash) | HashTableEntries.write(words, scratch);
    buckets.count(words, 1);
    words.operations.inserted++;
    if (free != 0) {
      words.putUnchecked(free, slot);
      return;
    }
    long overflow = words.heap.allocateUncleared(BUCKET_BYTES);
    append(words, last, overflow);
    words.putUnchecked(overflow, slot);
    if (words.operations.inserted < LARGE_INSERTION) {
      words.afterCommit(this);
    } else {
      growth.splitWithin(words);
    }
  }

  /** Makes a block an empty bucket that continues another one. */
  private static void append(Words words, long last, long overflow) {
    HashTableBuckets.clearBucket(words, overflow);
    long end = last + OVERFLOW_OFFSET;
    words.putUnchecked(end, words.getUnchecked(end) + overflow);
  }

  /**
   * Splits buckets after a commit that found one full; see {@link HashTableGrowth#grow}.
   *
   * @param inserted how many entries that commit has added
   */
  @Override
  public void run(Words words, int inserted, Attempts attempts) {
    growth.grow(words, inserted, attempts);
  }

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(Words words, long hash) {
    CollectionScratch scratch = CollectionScratch.of(words);
    long slot = findSlot(words, scratch, hash, EntryUse.KEY);
    if (slot == 0) {
      return false;
    }
    long weight = bound == null ? 0 : replacedWeight(words, slot);
    long entry = HashTableLayout.address(words.getUnchecked(slot));
    removeSlot(words, scratch.firstBucket, slot, entry, weight);
    return true;
  }

  /** Removes the entry that {@link #findByHash} has just returned. */
  public void removeFound(Words words, long entry) {
    CollectionScratch scratch = CollectionScratch.of(words);
    entries.loadLengths(words, scratch, entry);
    long weight = bound == null ? 0 : entryWeight(words);
    removeSlot(words, scratch.victimBucket, scratch.entrySlot, entry, weight);
  }

  /**
   * Puts the complete image in place of an entry, into the block of that, if the blocks are equally
   * long. So neither the account nor the allocator changes, and the commit writes few words beside
   * the entry. A reader of that block validates it by a slot that refers to it, and this writes
   * both the former and the new one (docs/protocol.md, section 7).
   *
   * <p>To be called after {@link #reserve} has searched for the key in the image.
   *
   * @param hash that of the key in the image
   * @param entry what {@link #findByHash} has just returned
   * @return false if nothing was changed: the key is not new, the blocks are not equally long, or a
   *     bucket would be needed for which there is no room
   */
  public boolean exchange(Words words, long hash, long entry) {
    CollectionScratch scratch = CollectionScratch.of(words);
    if (scratch.lastBucket == 0) {
      return false;
    }
    entries.loadLengths(words, scratch, entry);
    boolean isInChain = scratch.victimBucket == scratch.firstBucket;
    long former = scratch.entrySlot;
    if (!entries.fitsImage(words, scratch)) {
      return false;
    }
    words.operations.begin();
    long slot = isInChain ? former : scratch.freeSlot;
    if (slot == 0) {
      slot = words.heap.allocateUnclearedIfRoom(BUCKET_BYTES);
      if (slot == 0) {
        words.operations.end();
        return false;
      }
      append(
          words, scratch.lastBucket, slot); // no growth: the table has no more entries than before
    }
    entries.rewrite(words, scratch, entry, slot);
    if (!isInChain) {
      words.putUnchecked(former, 0);
      if (scratch.isVictimChained) {
        HashTableBuckets.dropEmptyOverflow(words, scratch.victimBucket);
      }
    }
    words.putUnchecked(slot, HashTableLayout.tag(hash) | entry);
    words.operations.end();
    return true;
  }

  private void removeSlot(Words words, long firstBucket, long slot, long entry, long weight) {
    words.operations.begin();
    if (bound != null) {
      bound.spend(words, -weight, -1);
    }
    words.heap.free(entry);
    words.putUnchecked(slot, 0);
    HashTableBuckets.dropEmptyOverflow(words, firstBucket);
    buckets.count(words, -1);
    words.operations.end();
  }
}
