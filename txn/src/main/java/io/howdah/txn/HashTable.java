package io.howdah.txn;

import static io.howdah.txn.HashTableLayout.BUCKET_BYTES;
import static io.howdah.txn.HashTableLayout.BUCKET_WORDS;
import static io.howdah.txn.HashTableLayout.OVERFLOW_OFFSET;
import static io.howdah.txn.HashTableLayout.SLOTS;

import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.codec.Codec;
import io.howdah.txn.codec.Decoder;
import io.howdah.txn.codec.Encoder;
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
 * and the entry. Growing splits one bucket of the stripe that an entry goes into, so no operation
 * ever waits for the table. Each stripe counts its own entries, so two transactions that put
 * different keys rarely meet.
 */
final class HashTable {

  /** Entries for each bucket, on average, from which a stripe grows. */
  private static final int LOAD = 5;

  private static final long STRIPE = OrecTable.STRIPE_BYTES;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  private final long table;
  private final long seed;
  private final int keyFixed;
  private final int valueFixed;
  private final int keyOffset;

  /**
   * Works on a table.
   *
   * @param seed of the hash: the table's incarnation
   * @param keyFixed length of all keys in bytes, or {@link Codec#VARIABLE}
   * @param valueFixed likewise of values
   */
  HashTable(long table, long seed, int keyFixed, int valueFixed) {
    this.table = table;
    this.seed = seed;
    this.keyFixed = keyFixed;
    this.valueFixed = valueFixed;
    this.keyOffset = keyFixed >= 0 ? 0 : Long.BYTES;
  }

  /** Creates an empty table and returns its address. */
  static long create(TxContext context, long incarnation, int keyFixed, int valueFixed) {
    long table = context.heap.allocate(HashTableLayout.LENGTH);
    CollectionHeader.write(
        context, table, HashTableLayout.MAGIC, incarnation, keyFixed, valueFixed);
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

  private static long stripe(long table, int stripe) {
    return table + HashTableLayout.STRIPES_OFFSET + (long) stripe * HashTableLayout.STRIPE_BYTES;
  }

  // ---- Images: what an entry will hold, in the scratch.

  /** Begins an entry's image; the key's bytes follow. */
  Encoder beginImage(TxContext context) {
    Encoder image = context.scratch.image;
    image.clear();
    if (keyFixed < 0) {
      image.putLong(0);
    }
    return image;
  }

  /** The key is complete; returns its hash. */
  long endKey(TxContext context) {
    Encoder image = context.scratch.image;
    image.padWord();
    int keyLength = image.length() - keyOffset;
    context.scratch.keyLength = keyLength;
    if (keyFixed < 0) {
      image.setInt(0, keyLength);
    }
    long hash = seed + keyLength;
    for (int at = 0; at < keyLength; at += Long.BYTES) {
      hash = (hash ^ image.word(keyOffset + at)) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return finish(hash);
  }

  private static long finish(long hash) {
    // The last steps of MurmurHash3: every bit of the hash depends on every bit of the key.
    long h = hash;
    h = (h ^ h >>> 33) * 0xFF51AFD7ED558CCDL;
    h = (h ^ h >>> 33) * 0xC4CEB9FE1A85EC53L;
    return h ^ h >>> 33;
  }

  /** Returns where the key begins in an image. */
  int keyOffset() {
    return keyOffset;
  }

  /** Begins the value behind the key; its bytes follow. */
  Encoder beginValue(TxContext context) {
    Encoder image = context.scratch.image;
    if (keyFixed >= 0 && valueFixed < 0) {
      image.putInt(0);
    }
    return image;
  }

  /** The value is complete. */
  void endValue(TxContext context) {
    Encoder image = context.scratch.image;
    if (keyFixed < 0) {
      image.setInt(Integer.BYTES, image.length() - Long.BYTES - context.scratch.keyLength);
    } else if (valueFixed < 0) {
      image.setInt(keyFixed, image.length() - keyFixed - Integer.BYTES);
    }
    image.padWord();
  }

  // ---- Look-ups.

  private long bucketAddress(TxContext context, int stripe, long bucket) {
    int segment = HashTableLayout.segment(bucket);
    long at = table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    // A stripe has so many buckets only once the segment is there, where it stays; so this word
    // belongs to every snapshot that shows the stripe like that, unless the transaction itself has
    // made the segment.
    long address = context.getConstant(at);
    return (address != 0 ? address : context.getUnchecked(at))
        + HashTableLayout.offsetInSegment(bucket, stripe);
  }

  private static int stripe(long hash) {
    return (int) (hash >>> HashTableLayout.STRIPE_SHIFT);
  }

  private long firstBucket(TxContext context, long hash) {
    int stripe = stripe(hash);
    long buckets = context.getUnchecked(stripe(table, stripe));
    return bucketAddress(context, stripe, HashTableLayout.bucket(hash, buckets));
  }

  /** Returns the address of the slot of the key in the image, or 0; its entry is in the scratch. */
  private long findSlot(TxContext context, long hash) {
    long[] line = context.scratch.line;
    long tag = HashTableLayout.tag(hash);
    long bucket = firstBucket(context, hash);
    while (bucket != 0) {
      context.getLine(bucket, line);
      // All slots are compared without a branch: which one matches cannot be predicted.
      int matches = 0;
      for (int i = 0; i < SLOTS; i++) {
        matches |= HashTableLayout.matches(line[i], tag) << i;
      }
      for (; matches != 0; matches &= matches - 1) {
        int i = Integer.numberOfTrailingZeros(matches);
        if (line[i] != 0 && isKey(context, HashTableLayout.address(line[i]))) {
          return bucket + (long) i * Long.BYTES;
        }
      }
      bucket = line[SLOTS];
    }
    return 0;
  }

  /** Loads the first words of an entry, up to the end of a stripe; keys and lengths are there. */
  private boolean isKey(TxContext context, long entry) {
    CollectionScratch scratch = context.scratch;
    Encoder image = scratch.image;
    int keyLength = scratch.keyLength;
    int least = (keyOffset + keyLength + 2 * Long.BYTES - 1) / Long.BYTES;
    load(context, entry, 0, least);
    byte[] bytes = scratch.entry;
    if (keyFixed < 0 && (int) (long) WORD.get(bytes, 0) != keyLength) {
      return false;
    }
    int at = keyOffset;
    int end = keyOffset + keyLength;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      if ((long) WORD.get(bytes, at) != image.word(at)) {
        return false;
      }
    }
    long mask = (1L << ((end - at) * Byte.SIZE)) - 1;
    return at == end || (((long) WORD.get(bytes, at) ^ image.word(at)) & mask) == 0;
  }

  /** Loads words of an entry, as many as asked for and the rest of the last stripe. */
  private static void load(TxContext context, long entry, int from, int to) {
    CollectionScratch scratch = context.scratch;
    long end = (entry + (long) to * Long.BYTES + STRIPE - 1) & -STRIPE;
    int words = (int) (end - entry) / Long.BYTES;
    scratch.requireEntry(words * Long.BYTES);
    context.getRange(
        entry + (long) from * Long.BYTES, scratch.entry, from * Long.BYTES, words - from);
    scratch.entryWords = words;
  }

  /** Returns the address of the entry of the key in the image, or 0. */
  long find(TxContext context, long hash) {
    long slot = findSlot(context, hash);
    return slot == 0
        ? 0
        : HashTableLayout.address(context.scratch.line[(int) (slot >>> 3) & SLOTS]);
  }

  /** Loads an entry that was not found by its key. */
  void load(TxContext context, long entry) {
    int least = (keyOffset + Math.max(0, keyFixed) + 2 * Long.BYTES - 1) / Long.BYTES;
    load(context, entry, 0, least);
  }

  /** Returns the key of the entry in the scratch. */
  Decoder key(TxContext context, long entry) {
    int length = keyFixed >= 0 ? keyFixed : (int) (long) WORD.get(context.scratch.entry, 0);
    return decoder(context, entry, keyOffset, length);
  }

  /** Returns the value of the entry in the scratch. */
  Decoder value(TxContext context, long entry) {
    byte[] bytes = context.scratch.entry;
    if (keyFixed < 0) {
      long lengths = (long) WORD.get(bytes, 0);
      return decoder(context, entry, Long.BYTES + (int) lengths, (int) (lengths >>> 32));
    }
    return valueFixed >= 0
        ? decoder(context, entry, keyFixed, valueFixed)
        : decoder(context, entry, keyFixed + Integer.BYTES, (int) INT.get(bytes, keyFixed));
  }

  private static Decoder decoder(TxContext context, long entry, int offset, int length) {
    CollectionScratch scratch = context.scratch;
    int words = (offset + length + Long.BYTES - 1) / Long.BYTES;
    if (words > scratch.entryWords) {
      load(context, entry, scratch.entryWords, words);
    }
    Decoder decoder = scratch.decoder;
    decoder.wrap(scratch.entry, offset, length);
    return decoder;
  }

  /** Returns the length of the image of the entry in the scratch. */
  private int imageLength(TxContext context) {
    byte[] bytes = context.scratch.entry;
    if (keyFixed < 0) {
      long lengths = (long) WORD.get(bytes, 0);
      return Long.BYTES + (int) lengths + (int) (lengths >>> 32);
    }
    return valueFixed >= 0
        ? keyFixed + valueFixed
        : keyFixed + Integer.BYTES + (int) INT.get(bytes, keyFixed);
  }

  // ---- Changes.

  /** Puts the complete image; returns whether its key is new. */
  boolean put(TxContext context, long hash) {
    context.scratch.changes++;
    long slot = findSlot(context, hash);
    if (slot == 0) {
      insert(context, hash);
      return true;
    }
    long word = context.getUnchecked(slot);
    replace(context, slot, word, HashTableLayout.address(word));
    return false;
  }

  private void replace(TxContext context, long slot, long word, long entry) {
    Encoder image = context.scratch.image;
    if (HeapSession.isSameBlockLength(imageLength(context), image.length())) {
      // The key stays: the words from the value on, and the lengths before it.
      int from = keyFixed >= 0 ? keyFixed & -Long.BYTES : 0;
      int words = (image.length() - from + Long.BYTES - 1) / Long.BYTES;
      context.putRange(entry + from, image.array(), from, words);
      return;
    }
    long fresh = write(context);
    context.heap.free(entry);
    context.putUnchecked(slot, word - entry + fresh);
  }

  /** Writes the image into a new block. */
  private static long write(TxContext context) {
    Encoder image = context.scratch.image;
    long entry = context.heap.allocateUncleared(Math.max(1, image.length()));
    int words = (image.length() + Long.BYTES - 1) / Long.BYTES;
    context.putRange(entry, image.array(), 0, words);
    return entry;
  }

  private void insert(TxContext context, long hash) {
    long entry = write(context);
    putSlot(context, firstBucket(context, hash), HashTableLayout.tag(hash) | entry);
    long counter = stripe(table, stripe(hash)) + HashTableLayout.ENTRIES_OFFSET;
    long entries = context.getUnchecked(counter) + 1;
    context.putUnchecked(counter, entries);
    long buckets = context.getUnchecked(stripe(table, stripe(hash)));
    if (entries > buckets * LOAD && buckets < HashTableLayout.MAX_BUCKETS) {
      split(context, stripe(hash), buckets);
    }
  }

  /** Puts a slot into the first free place of a bucket and those that continue it. */
  private static void putSlot(TxContext context, long first, long slot) {
    long bucket = first;
    while (true) {
      long[] line = context.scratch.line;
      context.getLine(bucket, line);
      for (int i = 0; i < SLOTS; i++) {
        if (line[i] == 0) {
          context.putUnchecked(bucket + (long) i * Long.BYTES, slot);
          return;
        }
      }
      long overflow = line[SLOTS];
      if (overflow == 0) {
        overflow = context.heap.allocateUncleared(BUCKET_BYTES);
        clearBucket(context, overflow);
        context.putUnchecked(bucket + OVERFLOW_OFFSET, overflow);
      }
      bucket = overflow;
    }
  }

  /** Gives a stripe one more bucket, with the half of an older one's entries that belong there. */
  private void split(TxContext context, int stripe, long buckets) {
    int segment = HashTableLayout.segment(buckets);
    long at = table + HashTableLayout.SEGMENTS_OFFSET + (long) segment * Long.BYTES;
    if (context.getUnchecked(at) == 0) {
      long bytes = HashTableLayout.segmentBuckets(segment) * HashTableLayout.STRIPES * BUCKET_BYTES;
      context.putUnchecked(at, context.heap.allocateUncleared(bytes));
    }
    long bit = Long.highestOneBit(buckets);
    long from = bucketAddress(context, stripe, buckets - bit);
    long to = bucketAddress(context, stripe, buckets);
    clearBucket(context, to);
    context.putUnchecked(stripe(table, stripe), buckets + 1);
    for (long bucket = from; bucket != 0; bucket = context.getUnchecked(bucket + OVERFLOW_OFFSET)) {
      for (int i = 0; i < SLOTS; i++) {
        long place = bucket + (long) i * Long.BYTES;
        long slot = context.getUnchecked(place);
        if (slot != 0 && isBitSet(context, slot, bit)) {
          context.putUnchecked(place, 0);
          putSlot(context, to, slot);
        }
      }
    }
    dropEmptyOverflow(context, from);
  }

  /** Returns a bit of the hash of a slot's entry: mostly the slot itself knows. */
  private boolean isBitSet(TxContext context, long slot, long bit) {
    int number = Long.numberOfTrailingZeros(bit);
    if (number >= HashTableLayout.TAG_FROM
        && number < HashTableLayout.TAG_FROM + HashTableLayout.TAG_BITS) {
      return ((slot >>> HashTableLayout.TAG_SHIFT) & (bit >>> HashTableLayout.TAG_FROM)) != 0;
    }
    return (hashOfEntry(context, HashTableLayout.address(slot)) & bit) != 0;
  }

  private long hashOfEntry(TxContext context, long entry) {
    int keyLength = keyFixed >= 0 ? keyFixed : (int) context.getUnchecked(entry);
    long hash = seed + keyLength;
    for (int at = 0; at < keyLength; at += Long.BYTES) {
      long word = context.getUnchecked(entry + keyOffset + at);
      if (keyLength - at < Long.BYTES) {
        word &= (1L << ((keyLength - at) * Byte.SIZE)) - 1;
      }
      hash = (hash ^ word) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 32;
    }
    return finish(hash);
  }

  private static void dropEmptyOverflow(TxContext context, long first) {
    long previous = first;
    long bucket = context.getUnchecked(first + OVERFLOW_OFFSET);
    while (bucket != 0) {
      long next = context.getUnchecked(bucket + OVERFLOW_OFFSET);
      if (isEmpty(context, bucket)) {
        context.putUnchecked(previous + OVERFLOW_OFFSET, next);
        context.heap.free(bucket);
      } else {
        previous = bucket;
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
  boolean remove(TxContext context, long hash) {
    long slot = findSlot(context, hash);
    if (slot == 0) {
      return false;
    }
    context.scratch.changes++;
    context.heap.free(HashTableLayout.address(context.getUnchecked(slot)));
    context.putUnchecked(slot, 0);
    dropEmptyOverflow(context, firstBucket(context, hash));
    long counter = stripe(table, stripe(hash)) + HashTableLayout.ENTRIES_OFFSET;
    context.putUnchecked(counter, context.getUnchecked(counter) - 1);
    return true;
  }

  /** Counts the entries: reads 64 words. */
  long size(TxContext context) {
    long size = 0;
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      size += context.getUnchecked(stripe(table, stripe) + HashTableLayout.ENTRIES_OFFSET);
    }
    return size;
  }

  /** Shows every block, the table included; none is read after it was shown. */
  void visitBlocks(TxContext context, LongConsumer blocks) {
    for (int stripe = 0; stripe < HashTableLayout.STRIPES; stripe++) {
      long buckets = context.getUnchecked(stripe(table, stripe));
      for (long bucket = 0; bucket < buckets; bucket++) {
        long at = bucketAddress(context, stripe, bucket);
        for (boolean first = true; at != 0; first = false) {
          for (int i = 0; i < SLOTS; i++) {
            long slot = context.getUnchecked(at + (long) i * Long.BYTES);
            if (slot != 0) {
              blocks.accept(HashTableLayout.address(slot));
            }
          }
          long next = context.getUnchecked(at + OVERFLOW_OFFSET);
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

  /** Goes over all entries, in no particular order. */
  final class Cursor {
    private int stripe;
    private long bucket;
    private long buckets = -1;
    private long at;
    private int slot = SLOTS;
    private final long[] words = new long[BUCKET_WORDS];

    /** Loads the next entry into the scratch and returns its address, or 0. */
    long next(TxContext context) {
      while (true) {
        while (slot < SLOTS) {
          long word = words[slot++];
          if (word != 0) {
            long entry = HashTableLayout.address(word);
            load(context, entry);
            return entry;
          }
        }
        if (at != 0) {
          at = words[BUCKET_WORDS - 1];
        }
        while (at == 0) {
          if (buckets < 0) {
            if (stripe == HashTableLayout.STRIPES) {
              return 0;
            }
            buckets = context.getUnchecked(stripe(table, stripe));
          }
          if (bucket < buckets) {
            at = bucketAddress(context, stripe, bucket++);
          } else {
            stripe++;
            bucket = 0;
            buckets = -1;
          }
        }
        context.getLine(at, words);
        slot = 0;
      }
    }
  }
}
