package io.howdah.collections.structure;

/**
 * A hash table in the region, for {@link HashTable}. Little-endian.
 *
 * <pre>
 *  table
 *        0              8
 *      +--------------+
 *    0 | magic        |  "HWDTABL3"
 *    8 | incarnation  |  tells this table from others that were here before
 *   16 | shape        |  see CollectionHeader
 *   24 | segments ... |  99 words: addresses of the segments of buckets, 0 = not there yet
 *  816 | hash key ... |  2 words: the secret of its hash, see KeyedHash
 *  832 | stripes ...  |  64 of 64 bytes
 *
 *  stripe
 *    0 | buckets      |  how many it has
 *   32 | entries      |  how many entries of the table its share of the transactions has added; all
 *                        stripes together have the size
 *
 *  bucket
 *    0 | slots ...    |  7 words: an entry's address and 18 bits of its hash, from bit 46 on; 0 = empty
 *   56 | overflow     |  address of the bucket that continues this one, 0 = none; from bit 46 on, unless
 *                        this one continues another: how many low bits of a hash lead here
 *
 *  entry, if all keys have one length, keys first
 *    0 | key ...      |  then 4 bytes of the value's length, unless all have one, then the value
 *
 *  entry, if keys differ in length
 *    0 | keyLength, valueLength, 4 bytes each
 *    8 | key ...      |  then the value
 * </pre>
 *
 * Linear hashing (Litwin, VLDB 1980) in 64 stripes that grow independently: each splits one bucket
 * at a time. Segments hold buckets of all stripes; from the fourth on, four of them to each
 * doubling.
 *
 * <p>Tables of former builds, "HWDTABL2", have zeros at 816 and another hash, of which keys can be
 * chosen that collide. They are listed and dropped, but not opened.
 */
public final class HashTableLayout {

  public static final long MAGIC = 0x334C_4241_5444_5748L;

  /** Of the tables that former builds have made: the same layout, with another hash. */
  public static final long FORMER_MAGIC = 0x324C_4241_5444_5748L;

  public static final int SEGMENTS_OFFSET = CollectionHeader.LENGTH;
  public static final int SEGMENTS = 99;
  public static final int HASH_KEY_OFFSET = SEGMENTS_OFFSET + SEGMENTS * Long.BYTES;
  public static final int STRIPES_OFFSET = HASH_KEY_OFFSET + 2 * Long.BYTES;
  public static final int STRIPES = 64;
  public static final int STRIPE_SHIFT = 58;
  public static final int STRIPE_BYTES = 64;
  public static final int ENTRIES_OFFSET = 32;
  public static final int LENGTH = STRIPES_OFFSET + STRIPES * STRIPE_BYTES;

  /** Most buckets of a stripe: all stripes together hold some 21 000 million entries, 5 in each. */
  static final long MAX_BUCKETS = 1L << 26;

  public static final int BUCKET_BYTES = 64;
  static final int BUCKET_WORDS = BUCKET_BYTES / Long.BYTES;
  static final int SLOTS = 7;
  public static final int OVERFLOW_OFFSET = SLOTS * Long.BYTES;

  static final int TAG_SHIFT = 46;
  static final int DEPTH_SHIFT = TAG_SHIFT;

  /** First bit of the hash that a tag holds. */
  static final int TAG_FROM = 8;

  static final int TAG_BITS = 18;
  private static final long ADDRESS_MASK = (1L << TAG_SHIFT) - 1;

  private HashTableLayout() {}

  public static long tag(long hash) {
    return (hash >>> TAG_FROM) << TAG_SHIFT;
  }

  public static long address(long slot) {
    return slot & ADDRESS_MASK;
  }

  /** Returns the word behind the slots of a bucket that so many low bits of a hash lead to. */
  static long overflow(int depth, long address) {
    return (long) depth << DEPTH_SHIFT | address;
  }

  /** Returns the bucket that a hash would be in, if all were as deep as one with this word. */
  static long bucketByDepth(long hash, long overflow) {
    return hash & ((1L << (overflow >>> DEPTH_SHIFT)) - 1);
  }

  /** Returns 1 if a slot's tag is this one, else 0; an empty slot has the tag 0. */
  static int matches(long slot, long tag) {
    long differing = (slot & ~ADDRESS_MASK) ^ tag;
    return (int) (((differing | -differing) >>> (Long.SIZE - 1)) ^ 1);
  }

  /** Returns which segment a bucket is in. */
  static int segment(long bucket) {
    if (bucket < 4) {
      return bucket < 2 ? (int) bucket : 2;
    }
    int level = Long.SIZE - 1 - Long.numberOfLeadingZeros(bucket);
    return 3 + 4 * (level - 2) + ((int) (bucket >>> (level - 2)) & 3);
  }

  /** Returns how many buckets of each stripe a segment holds. */
  static long segmentBuckets(int segment) {
    return segment < 2 ? 1 : segment == 2 ? 2 : 1L << ((segment - 3) / 4);
  }

  /** Returns the place that a bucket has among those of its stripe in its segment. */
  static long placeInSegment(long bucket) {
    return bucket & (segmentBuckets(segment(bucket)) - 1);
  }

  /** Returns where a bucket stands in its segment. */
  static long offsetInSegment(long bucket, int stripe) {
    return (placeInSegment(bucket) * STRIPES + stripe) * BUCKET_BYTES;
  }

  /** Returns how many low bits of a hash lead to a bucket, of so many. */
  static int depth(long bucket, long buckets) {
    long highest = Long.highestOneBit(buckets);
    int depth = Long.numberOfTrailingZeros(highest);
    return bucket < buckets - highest || bucket >= highest ? depth + 1 : depth;
  }

  /** Returns the bucket of a hash among so many. */
  static long bucket(long hash, long buckets) {
    long mask = (Long.highestOneBit(buckets) << 1) - 1;
    long bucket = hash & mask;
    return bucket < buckets ? bucket : bucket & (mask >>> 1);
  }
}
