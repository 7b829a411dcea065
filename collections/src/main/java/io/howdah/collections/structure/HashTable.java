package io.howdah.collections.structure;

import static io.howdah.core.layout.HashTableLayout.BUCKET_BYTES;
import static io.howdah.core.layout.HashTableLayout.BUCKET_WORDS;
import static io.howdah.core.layout.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.core.layout.HashTableLayout.SLOTS;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.CollectionHeaderLayout;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.AfterCommit;
import io.howdah.txn.stm.Attempts;
import io.howdah.txn.stm.OrecTable;
import io.howdah.txn.stm.TxContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.LongConsumer;

/**
 * The hash table behind maps and sets, laid out as {@link HashTableLayout} says. Keys and values
 * are bytes here: callers encode a key with {@link #beginImage}, and a value with {@link
 * #beginValue}, into the context's scratch.
 *
 * <p>There is one block for each entry and none for nodes. A look-up reads its stripe, its bucket
 * and the entry. Growing splits a few buckets, so no operation ever waits for the table.
 *
 * <p>Transactions that put different keys rarely meet. How many buckets a stripe has is read past
 * the orecs, as a guess: each bucket says which hashes belong there, so a guess that is out of date
 * leads to the right one after all. Each transaction counts its entries in the share of its
 * context. And the table grows in small transactions of its own: {@link HashTableGrowth}.
 */
public final class HashTable implements AfterCommit {

  /**
   * Entries from which on a transaction splits buckets itself, lest it be left with long chains.
   */
  private static final int MANY = 1 << 12;

  private static final long STRIPE = OrecTable.STRIPE_BYTES;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Most words of an entry that are read in one go. */
  private static final int GUESSED_WORDS = 64;

  private final long table;
  private final long incarnation;
  private final long key0;
  private final long key1;
  private final int keyFixed;
  private final int valueFixed;
  private final int keyOffset;

  private final HashTableGrowth growth = new HashTableGrowth(this);

  /**
   * Works on a table.
   *
   * @param key0 first half of the secret of its hash
   * @param key1 second half
   * @param keyFixed length of all keys in bytes, or {@link Codec#VARIABLE}
   * @param valueFixed likewise of values
   */
  public HashTable(
      long table, long incarnation, long key0, long key1, int keyFixed, int valueFixed) {
    this.table = table;
    this.incarnation = incarnation;
    this.key0 = key0;
    this.key1 = key1;
    this.keyFixed = keyFixed;
    this.valueFixed = valueFixed;
    this.keyOffset = keyFixed >= 0 ? 0 : Long.BYTES;
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
      context.putUnchecked(stripe(table, stripe), 1);
      clearBucket(context, segment + HashTableLayout.offsetInSegment(0, stripe));
    }
    return table;
  }

  private static void clearBucket(TxContext context, long bucket) {
    for (int i = 0; i < BUCKET_WORDS; i++) {
      context.putUnchecked(bucket + (long) i * Long.BYTES, 0);
    }
  }

  /** Returns the address of the table. */
  long address() {
    return table;
  }

  /** Returns where the number of a stripe's buckets stands. */
  long stripeAddress(int stripe) {
    return stripe(table, stripe);
  }

  private static long stripe(long table, int stripe) {
    return table + HashTableLayout.STRIPES_OFFSET + (long) stripe * HashTableLayout.STRIPE_BYTES;
  }

  // ---- Images: what an entry will hold, in the scratch.

  /** Begins an entry's image; the key's bytes follow. */
  public Encoder beginImage(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.clear();
    if (keyFixed < 0) {
      image.putLong(0);
    }
    return image;
  }

  /** The key is complete; returns its hash. */
  public long endKey(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    image.padWord();
    int keyLength = image.length() - keyOffset;
    CollectionScratch.of(context).keyLength = keyLength;
    if (keyFixed < 0) {
      image.setInt(0, keyLength);
    }
    return KeyedHash.hash(key0, key1, image.array(), keyOffset, keyLength);
  }

  /** Returns where the key begins in an image. */
  public int keyOffset() {
    return keyOffset;
  }

  /** Begins the value behind the key; its bytes follow. */
  public Encoder beginValue(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    if (keyFixed >= 0 && valueFixed < 0) {
      image.putInt(0);
    }
    return image;
  }

  /** The value is complete. */
  public void endValue(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    if (keyFixed < 0) {
      image.setInt(
          Integer.BYTES, image.length() - Long.BYTES - CollectionScratch.of(context).keyLength);
    } else if (valueFixed < 0) {
      image.setInt(keyFixed, image.length() - keyFixed - Integer.BYTES);
    }
    image.padWord();
  }

  // ---- Look-ups.

  public long bucketAddress(TxContext context, int stripe, long bucket) {
    if (bucket < 0 || bucket >= HashTableLayout.MAX_BUCKETS) {
      throw senseless(context);
    }
    int segment = HashTableLayout.segment(bucket);
    long at = table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    // A stripe has so many buckets only once the segment is there, where it stays; so this word
    // belongs to every snapshot that shows the stripe like that, unless the transaction itself has
    // made the segment.
    long constant = context.getConstant(at);
    long address =
        (constant != 0 ? constant : context.getUnchecked(at))
            + HashTableLayout.offsetInSegment(bucket, stripe);
    if (!context.isLine(address)) {
      throw senseless(context);
    }
    return address;
  }

  /**
   * What was read past the orecs makes no sense: the table was dropped meanwhile, or is damaged.
   */
  private RuntimeException senseless(TxContext context) {
    return context.senseless(table, "the hash table at address " + table);
  }

  /** Returns how many buckets a stripe has. */
  public long buckets(TxContext context, int stripe) {
    long buckets = context.getUnchecked(stripe(table, stripe));
    if (buckets < 1 || buckets > HashTableLayout.MAX_BUCKETS) {
      throw senseless(context);
    }
    return buckets;
  }

  /** Returns the address of the bucket that continues one whose last word this is; 0 for none. */
  public long nextBucket(TxContext context, long overflow) {
    long next = HashTableLayout.address(overflow);
    if (next != 0 && !context.isLine(next)) {
      throw senseless(context);
    }
    return next;
  }

  private static int stripe(long hash) {
    return (int) (hash >>> HashTableLayout.STRIPE_SHIFT);
  }

  /** Loads the first bucket of a hash into the scratch, and returns its address. */
  private long loadFirstBucket(TxContext context, long hash) {
    long[] line = CollectionScratch.of(context).line;
    int stripe = stripe(hash);
    // A guess that is too low leads to a bucket that was split since, which says so. None is too
    // high: with the number seen, the locks of the commit that wrote it are, or what that left.
    long bucket = HashTableLayout.bucket(hash, context.getGuess(stripe(table, stripe)));
    while (true) {
      long address = bucketAddress(context, stripe, bucket);
      if (!context.isCurrent(table + CollectionHeaderLayout.INCARNATION_OFFSET)
          && isDropped(context)) {
        // Asked again, behind what was read past the orecs: those may be the words of others.
        throw senseless(context);
      }
      context.getLine(address, line);
      long deeper = HashTableLayout.bucketByDepth(hash, line[SLOTS]);
      if (deeper == bucket) {
        return address;
      }
      if (deeper < bucket) {
        throw senseless(context); // a split gives a bucket one more bit
      }
      bucket = deeper;
    }
  }

  /**
   * Returns the address of the slot of the key in the image, or 0; its entry is in the scratch, or
   * the place for it.
   */
  private long findSlot(TxContext context, long hash, boolean whole) {
    CollectionScratch scratch = CollectionScratch.of(context);
    long[] line = scratch.line;
    long tag = HashTableLayout.tag(hash);
    long bucket = loadFirstBucket(context, hash);
    scratch.firstBucket = bucket;
    scratch.freeSlot = 0;
    while (true) {
      // All slots are compared without a branch: which one matches cannot be predicted.
      int matches = 0;
      for (int i = 0; i < SLOTS; i++) {
        matches |= HashTableLayout.matches(line[i], tag) << i;
      }
      for (; matches != 0; matches &= matches - 1) {
        int i = Integer.numberOfTrailingZeros(matches);
        long slot = bucket + (long) i * Long.BYTES;
        if (line[i] != 0 && isKey(context, HashTableLayout.address(line[i]), slot, whole)) {
          return slot;
        }
      }
      for (int i = 0; i < SLOTS && scratch.freeSlot == 0; i++) {
        scratch.freeSlot = line[i] == 0 ? bucket + (long) i * Long.BYTES : 0;
      }
      long next = nextBucket(context, line[SLOTS]);
      if (next == 0) {
        scratch.lastBucket = bucket;
        return 0;
      }
      bucket = next;
      context.getLine(bucket, line);
    }
  }

  /**
   * Loads the first words of an entry, key and lengths among them.
   *
   * <p>An entry's words change only in commits that lock its slot's orec, or after one that has
   * emptied the slot, or after the table was dropped. So the bucket, which was read before, and the
   * header tell whether they are as the slot's version left them.
   *
   * @param slot the address of the slot that leads to it, in the line in the scratch
   * @param whole whether its value is wanted as well, so that as much as it has now is worth
   *     reading in one go
   */
  private boolean isKey(TxContext context, long entry, long slot, boolean whole) {
    CollectionScratch scratch = CollectionScratch.of(context);
    Encoder image = scratch.image;
    int keyLength = scratch.keyLength;
    if (!context.isBlock(entry, Long.BYTES)) {
      throw senseless(context);
    }
    int least = (keyOffset + keyLength + 2 * Long.BYTES - 1) / Long.BYTES;
    // Not up to the end of a stripe: how long that would be, the processor could not predict.
    int words = whole ? Math.max(least, guessWords(context, entry)) : least;
    // The region may end before as many words: behind an entry of a shorter key, or behind this
    // one.
    words = (int) Math.min(words, (context.capacityBytes() - entry) / Long.BYTES);
    scratch.requireEntry(Math.max(words, least) * Long.BYTES);
    if (context.getGuarded(entry, scratch.entry, words, slot)
        && context.isCurrent(table + CollectionHeaderLayout.INCARNATION_OFFSET)) {
      scratch.entryWords = words;
    } else {
      load(context, entry, 0, words);
    }
    byte[] bytes = scratch.entry;
    if (keyFixed < 0 && (int) (long) WORD.get(bytes, 0) != keyLength) {
      return false;
    }
    int at = keyOffset;
    int end = keyOffset + keyLength;
    if (end > words * Long.BYTES) {
      throw senseless(context); // an entry with such a key would not end within the region
    }
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if ((long) WORD.get(bytes, at) != image.word(at)) {
        return false;
      }
    }
    long mask = (1L << ((end - at) * Byte.SIZE)) - 1;
    return at == end || (((long) WORD.get(bytes, at) ^ image.word(at)) & mask) == 0;
  }

  /** Returns how many words an entry probably has, but not more than are read in one go. */
  private int guessWords(TxContext context, long entry) {
    int length;
    long room = (context.capacityBytes() - entry) / Long.BYTES;
    if (keyFixed < 0) {
      long lengths = context.peek(entry);
      length = Long.BYTES + (int) lengths + (int) (lengths >>> Integer.SIZE);
    } else if (valueFixed >= 0) {
      length = keyFixed + valueFixed;
    } else if (keyFixed / Long.BYTES >= room) {
      return 0; // the region is damaged: the entry would not end within it
    } else {
      long word = context.peek(entry + (keyFixed & -Long.BYTES));
      length = keyFixed + Integer.BYTES + (int) (word >>> (keyFixed * Byte.SIZE));
    }
    return Math.clamp(
        (length + Long.BYTES - 1L) / Long.BYTES, 0, (int) Math.min(GUESSED_WORDS, room));
  }

  /** Loads words of an entry, as many as asked for and the rest of the last stripe. */
  private static void load(TxContext context, long entry, int from, int to) {
    CollectionScratch scratch = CollectionScratch.of(context);
    long end = (entry + (long) to * Long.BYTES + STRIPE - 1) & -STRIPE;
    end = Math.min(end, context.capacityBytes());
    int words = (int) (end - entry) / Long.BYTES;
    scratch.requireEntry(words * Long.BYTES);
    context.getRange(
        entry + (long) from * Long.BYTES, scratch.entry, from * Long.BYTES, words - from);
    scratch.entryWords = words;
  }

  /** Returns whether the key in the image is there. */
  public boolean contains(TxContext context, long hash) {
    return findSlot(context, hash, false) != 0;
  }

  /** Returns the address of the entry of the key in the image, for its value, or 0. */
  public long find(TxContext context, long hash) {
    long slot = findSlot(context, hash, true);
    return slot == 0
        ? 0
        : HashTableLayout.address(CollectionScratch.of(context).line[(int) (slot >>> 3) & SLOTS]);
  }

  /** Loads an entry that was not found by its key. */
  void load(TxContext context, long entry) {
    int least = (keyOffset + Math.max(0, keyFixed) + Long.BYTES - 1) / Long.BYTES;
    int wanted = least + 1; // a length of the value, or its beginning
    if (context.capacityBytes() - entry < (long) least * Long.BYTES
        || !context.isBlock(entry, Long.BYTES)) {
      throw senseless(context);
    }
    load(context, entry, 0, wanted);
  }

  /** Returns the key of the entry in the scratch. */
  public Decoder key(TxContext context, long entry) {
    return decoder(context, entry, keyOffset, keyLength(context));
  }

  private int keyLength(TxContext context) {
    if (keyFixed >= 0) {
      return keyFixed;
    }
    int length = (int) (long) WORD.get(CollectionScratch.of(context).entry, 0);
    return held(context, length, EntryLimits.MAX_KEY_BYTES);
  }

  private int valueLength(TxContext context) {
    byte[] bytes = CollectionScratch.of(context).entry;
    int length =
        keyFixed < 0
            ? (int) ((long) WORD.get(bytes, 0) >>> Integer.SIZE)
            : valueFixed >= 0 ? valueFixed : (int) INT.get(bytes, keyFixed);
    return held(context, length, EntryLimits.MAX_VALUE_BYTES);
  }

  private int held(TxContext context, int length, int limit) {
    if (length < 0 || length > limit) {
      throw senseless(context);
    }
    return length;
  }

  /** Returns the hash of the key of an entry, which is in the scratch afterwards. */
  long hashOf(TxContext context, long entry) {
    load(context, entry);
    return hashOfLoaded(context, entry);
  }

  /** Returns the hash of the key of the entry in the scratch. */
  long hashOfLoaded(TxContext context, long entry) {
    key(context, entry); // so that all of it is there
    return KeyedHash.hash(
        key0, key1, CollectionScratch.of(context).entry, keyOffset, keyLength(context));
  }

  /** Returns the value of the entry in the scratch. */
  public Decoder value(TxContext context, long entry) {
    return decoder(context, entry, valueOffset(context), valueLength(context));
  }

  private int valueOffset(TxContext context) {
    return keyFixed < 0
        ? Long.BYTES + keyLength(context)
        : valueFixed >= 0 ? keyFixed : keyFixed + Integer.BYTES;
  }

  private Decoder decoder(TxContext context, long entry, int offset, int length) {
    CollectionScratch scratch = CollectionScratch.of(context);
    int words = (offset + length + Long.BYTES - 1) / Long.BYTES;
    if (words > scratch.entryWords) {
      if (words > (context.capacityBytes() - entry) / Long.BYTES) {
        throw senseless(context);
      }
      load(context, entry, scratch.entryWords, words);
    }
    Decoder decoder = scratch.decoder;
    decoder.wrap(scratch.entry, offset, length);
    return decoder;
  }

  /** Returns the length of the image of the entry in the scratch. */
  private int imageLength(TxContext context) {
    return valueOffset(context) + valueLength(context);
  }

  // ---- Changes.

  /** Puts the complete image; returns whether its key is new. */
  public boolean put(TxContext context, long hash) {
    long slot = findSlot(context, hash, false);
    context.operations.begin();
    if (slot == 0) {
      insert(context, hash);
    } else if (valueFixed != 0) {
      long word = context.getUnchecked(slot);
      replace(context, slot, word, HashTableLayout.address(word));
    }
    context.operations.end();
    return slot == 0;
  }

  private void replace(TxContext context, long slot, long word, long entry) {
    Encoder image = CollectionScratch.of(context).image;
    if (HeapSession.isSameBlockLength(imageLength(context), image.length())) {
      // The key stays: the words from the value on, and the lengths before it.
      int from = keyFixed >= 0 ? keyFixed & -Long.BYTES : 0;
      int words = (image.length() - from + Long.BYTES - 1) / Long.BYTES;
      if (!context.hasWritten(entry + from)) {
        context.guard(slot); // unless an earlier call has seen to it
      }
      context.putRange(entry + from, image.array(), from, words);
      return;
    }
    long fresh = write(context);
    context.heap.free(entry);
    context.putUnchecked(slot, word - entry + fresh);
  }

  /** Writes the image into a new block. */
  private static long write(TxContext context) {
    Encoder image = CollectionScratch.of(context).image;
    long entry = context.heap.allocateUncleared(Math.max(1, image.length()));
    int words = (image.length() + Long.BYTES - 1) / Long.BYTES;
    context.putRange(entry, image.array(), 0, words);
    return entry;
  }

  private void insert(TxContext context, long hash) {
    long free = CollectionScratch.of(context).freeSlot;
    long last = CollectionScratch.of(context).lastBucket;
    long slot = HashTableLayout.tag(hash) | write(context);
    count(context, 1);
    context.operations.inserted++;
    if (free != 0) {
      context.putUnchecked(free, slot);
      return;
    }
    long overflow = context.heap.allocateUncleared(BUCKET_BYTES);
    clearBucket(context, overflow);
    context.putUnchecked(overflow, slot);
    long end = last + OVERFLOW_OFFSET;
    context.putUnchecked(end, context.getUnchecked(end) + overflow);
    if (context.operations.inserted < MANY) {
      context.afterCommit(this);
    } else {
      growth.splitWithin(context);
    }
  }

  /** Counts in the share of the table's size that transactions with this context have. */
  private void count(TxContext context, int change) {
    int share = context.id & (HashTableLayout.STRIPES - 1);
    long counter = stripe(table, share) + HashTableLayout.ENTRIES_OFFSET;
    context.putUnchecked(counter, context.getUnchecked(counter) + change);
  }

  /**
   * Splits buckets after a commit that has found one full; see {@link HashTableGrowth#grow}.
   *
   * @param added how many entries
   */
  @Override
  public void run(TxContext context, int inserted, Attempts attempts) {
    growth.grow(context, inserted, attempts);
  }

  /** Returns whether the table was dropped. */
  boolean isDropped(TxContext context) {
    return context.getUnchecked(table + CollectionHeaderLayout.INCARNATION_OFFSET) != incarnation;
  }

  private static void dropEmptyOverflow(TxContext context, long first) {
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

  /** Removes the key in the image; returns whether it was there. */
  public boolean remove(TxContext context, long hash) {
    long slot = findSlot(context, hash, false);
    if (slot == 0) {
      return false;
    }
    context.operations.begin();
    context.heap.free(HashTableLayout.address(context.getUnchecked(slot)));
    context.putUnchecked(slot, 0);
    dropEmptyOverflow(context, CollectionScratch.of(context).firstBucket);
    count(context, -1);
    context.operations.end();
    return true;
  }

  /** Counts the entries: reads 64 words. */
  public long size(TxContext context) {
    long size = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      size += context.getUnchecked(stripe(table, stripe) + HashTableLayout.ENTRIES_OFFSET);
    }
    return size;
  }

  /** Shows every block, the table included; none is read after it was shown. */
  public void visitBlocks(TxContext context, LongConsumer blocks) {
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long buckets = buckets(context, stripe);
      for (long bucket = 0; bucket < buckets; bucket++) {
        long at = bucketAddress(context, stripe, bucket);
        for (boolean first = true; at != 0; first = false) {
          for (int i = 0; i < SLOTS; i++) {
            long slot = context.getUnchecked(at + (long) i * Long.BYTES);
            if (slot != 0) {
              blocks.accept(HashTableLayout.address(slot));
            }
          }
          long next = nextBucket(context, context.getUnchecked(at + OVERFLOW_OFFSET));
          if (!first) {
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
