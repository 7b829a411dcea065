package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.AfterCommit.Attempts;
import java.util.function.LongConsumer;

/**
 * The hash table behind maps and sets, as {@link HashTableLayout} describes it. Keys and values are
 * bytes here: callers encode a key behind {@link #beginImage}, and a value behind {@link
 * #beginValue}, into the context's scratch.
 *
 * <p>Each entry has one block, and there are no nodes. A look-up reads a stripe, a bucket and an
 * entry. The table grows by splitting a few buckets at a time, so no operation waits for all of it.
 *
 * <p>Transactions that put different keys rarely conflict, for three reasons. A look-up reads the
 * number of a stripe's buckets past the orecs, as a guess: each bucket says which hashes belong to
 * it, so an outdated guess still leads to the right bucket. Each transaction counts its entries in
 * the stripe of its context. And the table grows in small transactions of its own, see {@link
 * HashTableGrowth}.
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

  /**
   * Works on a table.
   *
   * @param key0 first half of the secret key of its hash
   * @param key1 second half
   * @param keyFixed length of all keys in bytes, or {@link Codec#VARIABLE}
   * @param valueFixed length of all values in bytes, or {@link Codec#VARIABLE}
   */
  public HashTable(
      long table, long incarnation, long key0, long key1, int keyFixed, int valueFixed) {
    this.valueFixed = valueFixed;
    this.buckets = new HashTableBuckets(table, incarnation);
    this.entries = new HashTableEntries(table, key0, key1, keyFixed, valueFixed);
    this.growth = new HashTableGrowth(buckets, entries);
    this.ahead = new HashTableAhead(table);
  }

  /** Returns the table that a name stands for. */
  public static HashTable of(FoundCollection found, int keyFixed, int valueFixed) {
    return new HashTable(
        found.address(),
        found.incarnation(),
        found.hashKey0(),
        found.hashKey1(),
        keyFixed,
        valueFixed);
  }

  /** Creates an empty table and returns its address. */
  public static long create(TxContext context, long incarnation, int keyFixed, int valueFixed) {
    long table = context.heap.allocate(HashTableLayout.LENGTH);
    CollectionHeader.write(
        context, table, HashTableLayout.MAGIC, incarnation, keyFixed, valueFixed);
    context.putUnchecked(table + HashTableLayout.HASH_KEY_OFFSET, context.randomLong());
    context.putUnchecked(
        table + HashTableLayout.HASH_KEY_OFFSET + Long.BYTES, context.randomLong());
    long segment = context.heap.allocateUncleared((long) HashTableLayout.STRIPES * BUCKET_BYTES);
    context.putUnchecked(table + HashTableLayout.SEGMENTS_OFFSET, segment);
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      context.putUnchecked(table + HashTableLayout.stripeOffset(stripe), 1);
      HashTableBuckets.clearBucket(context, segment + HashTableLayout.offsetInSegment(0, stripe));
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
  public Encoder beginImage(TxContext context) {
    return entries.beginImage(CollectionScratch.of(context));
  }

  /** Ends the key, and returns its hash. */
  public long endKey(TxContext context) {
    return entries.endKey(CollectionScratch.of(context));
  }

  /** Returns where the key begins in an image. */
  public int keyOffset() {
    return entries.keyOffset();
  }

  /** Returns where the value begins in the image in the scratch. */
  public int valueOffset(TxContext context) {
    return entries.valueOffset(CollectionScratch.of(context));
  }

  /** Begins the value behind the key; its bytes follow. */
  public Encoder beginValue(TxContext context) {
    return entries.beginValue(CollectionScratch.of(context));
  }

  /** Ends the value, and with it the image. */
  public void endValue(TxContext context) {
    entries.endValue(CollectionScratch.of(context));
  }

  /** Returns the key of the entry in the scratch. */
  public Decoder key(TxContext context, long entry) {
    return entries.key(context, CollectionScratch.of(context), entry);
  }

  /** Returns the value of the entry in the scratch. */
  public Decoder value(TxContext context, long entry) {
    return entries.value(context, CollectionScratch.of(context), entry);
  }

  // ---- Look-ups.

  /**
   * Returns the address of the slot of the key in the image, or 0. The scratch then holds the
   * entry, or the first and the last bucket and a free slot for it.
   *
   * @param use what the entry is looked up for
   */
  private long findSlot(TxContext context, CollectionScratch scratch, long hash, EntryUse use) {
    long[] line = scratch.line;
    long tag = HashTableLayout.tag(hash);
    long bucket = buckets.loadFirstBucket(context, hash, line);
    scratch.firstBucket = bucket;
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
            && entries.isKey(context, scratch, HashTableLayout.address(line[i]), slot, use)) {
          return slot;
        }
      }
      for (int i = 0; i < SLOTS && scratch.freeSlot == 0; i++) {
        scratch.freeSlot = line[i] == 0 ? bucket + (long) i * Long.BYTES : 0;
      }
      long next = buckets.nextBucket(context, line[SLOTS]);
      if (next == 0) {
        scratch.lastBucket = bucket;
        return 0;
      }
      mark = buckets.marked(context, next, mark, step);
      bucket = next;
      context.getLine(bucket, line);
    }
  }

  /** Returns whether the key in the image is in the table. */
  public boolean contains(TxContext context, long hash) {
    return findSlot(context, CollectionScratch.of(context), hash, EntryUse.KEY) != 0;
  }

  /** Returns the address of the entry of the key in the image, for its value, or 0. */
  public long find(TxContext context, long hash) {
    CollectionScratch scratch = CollectionScratch.of(context);
    long slot = findSlot(context, scratch, hash, EntryUse.VALUE);
    return slot == 0 ? 0 : HashTableLayout.address(scratch.line[(int) (slot >>> 3) & SLOTS]);
  }

  /** Counts the entries: reads a word of each stripe. */
  public long size(TxContext context) {
    return buckets.size(context);
  }

  /** Shows every block, the table included. A block is not read after it was shown. */
  public void visitBlocks(TxContext context, LongConsumer blocks) {
    buckets.visitBlocks(context, blocks);
  }

  /** Returns whether to load ahead what operations on many keys read. */
  public boolean isAheadUseful(TxContext context) {
    return ahead.isUseful(context);
  }

  /**
   * Loads what operations on several keys are going to read, for the sake of their cache misses.
   *
   * @param isChange whether entries get other values
   */
  public void loadAhead(TxContext context, KeysAhead keys, boolean isChange) {
    ahead.load(context, entries, keys, isChange);
  }

  // ---- Changes.

  /** Puts the complete image; returns whether its key is new. */
  public boolean put(TxContext context, long hash) {
    CollectionScratch scratch = CollectionScratch.of(context);
    scratch.tableEntryBytes = scratch.image.length();
    long slot = findSlot(context, scratch, hash, EntryUse.REPLACEMENT);
    context.operations.begin();
    if (slot == 0) {
      insert(context, scratch, hash);
    } else if (valueFixed != 0) {
      replace(context, scratch, slot);
    }
    context.operations.end();
    return slot == 0;
  }

  private void replace(TxContext context, CollectionScratch scratch, long slot) {
    long word = context.getUnchecked(slot);
    long entry = HashTableLayout.address(word);
    if (entries.fitsImage(context, scratch)) {
      int from = entries.changedOffset();
      if (!context.hasWritten(entry + from)) {
        context.guard(slot); // unless an earlier call has guarded it
      }
      HashTableEntries.write(context, scratch, entry, from);
      return;
    }
    long replacement = HashTableEntries.write(context, scratch);
    context.heap.free(entry);
    context.putUnchecked(slot, word - entry + replacement);
  }

  private void insert(TxContext context, CollectionScratch scratch, long hash) {
    long free = scratch.freeSlot;
    long last = scratch.lastBucket;
    long slot = HashTableLayout.tag(hash) | HashTableEntries.write(context, scratch);
    buckets.count(context, 1);
    context.operations.inserted++;
    if (free != 0) {
      context.putUnchecked(free, slot);
      return;
    }
    long overflow = context.heap.allocateUncleared(BUCKET_BYTES);
    HashTableBuckets.clearBucket(context, overflow);
    context.putUnchecked(overflow, slot);
    long end = last + OVERFLOW_OFFSET;
    context.putUnchecked(end, context.getUnchecked(end) + overflow);
    if (context.operations.inserted < LARGE_INSERTION) {
      context.afterCommit(this);
    } else {
      growth.splitWithin(context);
    }
  }

  /**
   * Splits buckets after a commit that found one full; see {@link HashTableGrowth#grow}.
   *
   * @param inserted how many entries that commit has added
   */
  @Override
  public void run(TxContext context, int inserted, Attempts attempts) {
    growth.grow(context, inserted, attempts);
  }

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(TxContext context, long hash) {
    CollectionScratch scratch = CollectionScratch.of(context);
    long slot = findSlot(context, scratch, hash, EntryUse.KEY);
    if (slot == 0) {
      return false;
    }
    context.operations.begin();
    context.heap.free(HashTableLayout.address(context.getUnchecked(slot)));
    context.putUnchecked(slot, 0);
    HashTableBuckets.dropEmptyOverflow(context, scratch.firstBucket);
    buckets.count(context, -1);
    context.operations.end();
    return true;
  }
}
