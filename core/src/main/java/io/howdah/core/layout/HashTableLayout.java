package io.howdah.core.layout;

/**
 * A hash table in the region, behind maps and sets. Little-endian.
 *
 * <pre>
 *        0              8
 *      +--------------+  table
 *    0 | magic        |  "HWDTABL3"
 *    8 | incarnation  |  see CollectionHeaderLayout
 *   16 | lengths      |  see CollectionHeaderLayout
 *   24 | segments ... |  99 words: addresses of the segments of buckets, 0 = not allocated
 *  816 | hashKey ...  |  2 words: the secret key of the table's hash
 *  832 | stripes ...  |  64 of 64 bytes
 * 4928
 *
 *  what follows in a bounded table, which a cache has
 * 4928 | maxBytes     |  what all entries may weigh
 * 4936 | maxEntries   |  how many there may be
 * 4944 | sketchWords  |  how many words the saved frequencies have
 * 4952 | reserved = 0 |
 * 4960 | freeBytes    |  of maxBytes: what neither an entry nor a stripe has
 * 4968 | freeEntries  |  the same of maxEntries
 * 4976 | reserved = 0 |
 * 4992 | sketch ...   |  128 words: addresses of the chunks of the saved frequencies, 0 = none
 * 6016
 *
 *  stripe
 *    0 | buckets      |  how many buckets the stripe has
 *    8 | reserved = 0 |
 *   32 | entries      |  how many entries the transactions that count here have added to the table,
 *                        less those they removed; the sum over all stripes is the table's size
 *   40 | freeBytes    |  of a bounded table: what these transactions may add without asking others
 *   48 | freeEntries  |  the same of entries
 *   56 | evictions    |  how many entries these transactions have evicted
 *
 *  bucket
 *    0 | slots ...    |  7 words: bits 0 to 45 the address of an entry, bits 46 to 63 its tag, which
 *                        is bits 8 to 25 of its hash; 0 = empty
 *   56 | overflow     |  bits 0 to 45 the address of the bucket that continues this one, 0 = none;
 *                        bits 46 to 63 the depth, 0 in a bucket that continues another
 * </pre>
 *
 * <p>This is linear hashing (Litwin, VLDB 1980) in 64 stripes that grow independently: each splits
 * one bucket at a time. The highest 6 bits of a hash choose the stripe, and its lowest bits the
 * bucket: as many bits as the bucket's depth. A segment holds buckets of all stripes. From the
 * fourth segment on, four of them double the number of buckets.
 *
 * <p>{@link EntryLayout} describes the entries. Tables of former builds, "HWDTABL2", have zeros at
 * 816 and another hash, for which anybody can choose keys that collide. They are listed and
 * dropped, but not opened.
 */
public final class HashTableLayout {

  /** "HWDTABL3" read as a little-endian word. */
  public static final long MAGIC = 0x334C_4241_5444_5748L;

  /** "HWDTABL2": tables of former builds, with the same layout and another hash. */
  public static final long FORMER_MAGIC = 0x324C_4241_5444_5748L;

  /** Offset of the addresses of the segments. */
  public static final int SEGMENTS_OFFSET = CollectionHeaderLayout.HEADER_LENGTH;

  /** How many segments a table can have. */
  public static final int SEGMENTS = 99;

  /** Offset of the two words of the hash's key. */
  public static final int HASH_KEY_OFFSET = SEGMENTS_OFFSET + SEGMENTS * Long.BYTES;

  /** Offset of the stripes. */
  public static final int STRIPES_OFFSET = HASH_KEY_OFFSET + 2 * Long.BYTES;

  /** How many stripes a table has. */
  public static final int STRIPES = 64;

  /** First bit of a hash that chooses the stripe. */
  public static final int STRIPE_SHIFT = 58;

  /** Bytes of a stripe. */
  public static final int STRIPE_BYTES = 64;

  /** Offset of the number of buckets in a stripe. */
  public static final int BUCKETS_OFFSET = 0;

  /** Offset of the number of entries in a stripe. */
  public static final int ENTRIES_OFFSET = 32;

  /** Bytes of a table without its segments. */
  public static final int LENGTH = STRIPES_OFFSET + STRIPES * STRIPE_BYTES;

  /** Offset of the bytes that a stripe of a bounded table has to spend. */
  public static final int STRIPE_FREE_BYTES_OFFSET = 40;

  /** Offset of the entries that a stripe of a bounded table has to spend. */
  public static final int STRIPE_FREE_ENTRIES_OFFSET = 48;

  /** Offset of the number of evictions in a stripe of a bounded table. */
  public static final int EVICTIONS_OFFSET = 56;

  /** Offset of the maximum weight of a bounded table. */
  public static final int MAX_BYTES_OFFSET = LENGTH;

  /** Offset of the maximum number of entries of a bounded table. */
  public static final int MAX_ENTRIES_OFFSET = MAX_BYTES_OFFSET + Long.BYTES;

  /** Offset of the length of the saved frequencies in words. */
  public static final int SKETCH_WORDS_OFFSET = MAX_ENTRIES_OFFSET + Long.BYTES;

  /** Offset of the bytes that no stripe has; in another stripe of memory than the maximum. */
  public static final int FREE_BYTES_OFFSET = MAX_BYTES_OFFSET + 4 * Long.BYTES;

  /** Offset of the entries that no stripe has. */
  public static final int FREE_ENTRIES_OFFSET = FREE_BYTES_OFFSET + Long.BYTES;

  /** Offset of the addresses of the chunks of the saved frequencies. */
  public static final int SKETCH_OFFSET = FREE_BYTES_OFFSET + 4 * Long.BYTES;

  /** How many chunks the saved frequencies can have. */
  public static final int SKETCH_CHUNKS = 128;

  /** Words of a chunk, or all words if there are fewer. */
  public static final int SKETCH_CHUNK_WORDS = 1 << 13;

  /** Bytes of a bounded table without its segments. */
  public static final int BOUNDED_LENGTH = SKETCH_OFFSET + SKETCH_CHUNKS * Long.BYTES;

  /**
   * Maximum number of buckets of a stripe. All stripes together then hold some 21 000 million
   * entries, 5 in each bucket.
   */
  public static final long MAX_BUCKETS = 1L << 26;

  /** Bytes of a bucket: a cache line. */
  public static final int BUCKET_BYTES = 64;

  /** Words of a bucket. */
  public static final int BUCKET_WORDS = BUCKET_BYTES / Long.BYTES;

  /** Offset of the slots in a bucket. */
  public static final int SLOTS_OFFSET = 0;

  /** How many slots a bucket has. */
  public static final int SLOTS = 7;

  /** Offset of the word behind the slots in a bucket. */
  public static final int OVERFLOW_OFFSET = SLOTS_OFFSET + SLOTS * Long.BYTES;

  /** First bit of a tag in a slot. */
  public static final int TAG_SHIFT = 46;

  /** First bit of the depth in the word behind the slots. */
  public static final int DEPTH_SHIFT = TAG_SHIFT;

  /** First bit of a hash that its tag holds. */
  public static final int FIRST_TAG_BIT = 8;

  /** How many bits of a hash its tag holds. */
  public static final int TAG_BITS = 18;

  private static final long ADDRESS_MASK = (1L << TAG_SHIFT) - 1;

  private HashTableLayout() {}

  /** Returns the tag of a hash, where a slot has it. */
  public static long tag(long hash) {
    return (hash >>> FIRST_TAG_BIT) << TAG_SHIFT;
  }

  /** Returns the address in a slot, or in the word behind the slots. */
  public static long address(long word) {
    return word & ADDRESS_MASK;
  }

  /** Returns the stripe of a hash. */
  public static int stripe(long hash) {
    return (int) (hash >>> STRIPE_SHIFT);
  }

  /** Returns the offset of a stripe in its table. */
  public static long stripeOffset(int stripe) {
    return STRIPES_OFFSET + (long) stripe * STRIPE_BYTES;
  }

  /** Packs the word behind the slots. */
  public static long overflow(int depth, long address) {
    return (long) depth << DEPTH_SHIFT | address;
  }

  /** Returns the bucket of a hash if its depth is the one in the word behind the slots. */
  public static long bucketByDepth(long hash, long overflow) {
    return hash & ((1L << (overflow >>> DEPTH_SHIFT)) - 1);
  }

  /** Returns 1 if a slot's tag is this one, else 0; an empty slot has the tag 0. */
  public static int matches(long slot, long tag) {
    long differing = (slot & ~ADDRESS_MASK) ^ tag;
    return (int) (((differing | -differing) >>> (Long.SIZE - 1)) ^ 1);
  }

  /** Returns the segment that a bucket is in. */
  public static int segment(long bucket) {
    if (bucket < 4) {
      return bucket < 2 ? (int) bucket : 2;
    }
    int level = Long.SIZE - 1 - Long.numberOfLeadingZeros(bucket);
    return 3 + 4 * (level - 2) + ((int) (bucket >>> (level - 2)) & 3);
  }

  /** Returns how many buckets of each stripe a segment holds. */
  public static long segmentBuckets(int segment) {
    return segment < 2 ? 1 : segment == 2 ? 2 : 1L << ((segment - 3) / 4);
  }

  /** Returns the offset of a bucket in its segment. */
  public static long offsetInSegment(long bucket, int stripe) {
    long index = bucket & (segmentBuckets(segment(bucket)) - 1);
    return (index * STRIPES + stripe) * BUCKET_BYTES;
  }

  /** Returns how many low bits of a hash lead to a bucket, in a stripe of {@code buckets}. */
  public static int depth(long bucket, long buckets) {
    long highest = Long.highestOneBit(buckets);
    int depth = Long.numberOfTrailingZeros(highest);
    return bucket < buckets - highest || bucket >= highest ? depth + 1 : depth;
  }

  /** Returns the bucket of a hash, in a stripe of {@code buckets}. */
  public static long bucket(long hash, long buckets) {
    long mask = (Long.highestOneBit(buckets) << 1) - 1;
    long bucket = hash & mask;
    return bucket < buckets ? bucket : bucket & (mask >>> 1);
  }
}
