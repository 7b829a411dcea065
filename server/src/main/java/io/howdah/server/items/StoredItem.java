package io.howdah.server.items;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.server.cache.Expiry;
import io.howdah.server.cache.Item;
import io.howdah.server.cache.ItemFacts;
import io.howdah.server.cache.LargeValue;
import org.jspecify.annotations.Nullable;

/**
 * An item as the store holds it: a byte that tells which fields follow, the fields, and the value.
 *
 * <pre>
 *   byte    contents: bits 0 to 2 the marks, then 1 if the field is there:
 *           bit 3 birth, bit 4 flags, bit 5 expiry, bit 6 id and length of a large value;
 *           bit 7 is 0
 *   number  CAS value
 *   number  birth, unless it is the CAS value
 *   number  flags, unless they are 0
 *   number  second of the expiry, unless the item does not expire
 *   number  id of a large value, whose chunks {@link LargeValues} has
 *   number  its length in bytes
 *   bytes   any other value, up to the end
 * </pre>
 *
 * <p>A number has 7 bits in each byte, the lowest first, and in all bytes but its last the bit 7.
 *
 * @param item what clients see
 * @param birth the number of the write that gave the item its value; a flush invalidates all items
 *     below a birth
 */
record StoredItem(Item item, long birth) {

  private static final int MARKS = Item.STALE | Item.TOKEN_SENT | Item.BINARY_KEY;
  private static final int HAS_BIRTH = 1 << 3;
  private static final int HAS_FLAGS = 1 << 4;
  private static final int HAS_EXPIRY = 1 << 5;
  private static final int IS_LARGE = 1 << 6;
  private static final int RESERVED = 1 << 7;

  private static final int LAST_BITS = 7; // of a number's byte
  private static final int MORE = 1 << LAST_BITS;
  private static final String NAME = "io.howdah.server.Item2";

  /** Returns the large value, or null if the value is in the item. */
  @Nullable LargeValue large() {
    return item.large();
  }

  /** What eviction and reclaim need of an item. */
  record Header(long birth, long expiresAt) {

    /** Returns whether a flush has taken the item, or it has expired. */
    boolean isGone(long mark, long now) {
      return birth < mark || Expiry.isPast(expiresAt, now);
    }
  }

  static final Codec<StoredItem> CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return NAME;
        }

        @Override
        public void encode(StoredItem value, Encoder out) {
          value.encode(out);
        }

        @Override
        public StoredItem decode(Decoder in) {
          int contents = contents(in);
          long cas = number(in);
          long birth = (contents & HAS_BIRTH) == 0 ? cas : number(in);
          int flags = (contents & HAS_FLAGS) == 0 ? 0 : (int) number(in);
          long expiresAt = (contents & HAS_EXPIRY) == 0 ? Expiry.NEVER : number(in);
          int marks = contents & MARKS;
          if ((contents & IS_LARGE) == 0) {
            byte[] value = in.getBytes(in.remaining());
            return new StoredItem(new Item(flags, expiresAt, cas, marks, value), birth);
          }
          long valueId = number(in);
          long valueBytes = number(in);
          if (valueId == 0 || valueBytes < 0 || valueBytes > Integer.MAX_VALUE) {
            throw new CodecException(
                "a large value has id " + valueId + " and " + valueBytes + " bytes: damaged");
          }
          LargeValue large = new LargeValue(valueId, (int) valueBytes);
          return new StoredItem(new Item(flags, expiresAt, cas, marks, large), birth);
        }
      };

  /** Reads the same bytes, without the value. */
  static final Codec<Header> HEADER_CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return NAME;
        }

        @Override
        public void encode(Header value, Encoder out) {
          throw new CodecException("a header is not an item");
        }

        @Override
        public Header decode(Decoder in) {
          int contents = contents(in);
          long cas = number(in);
          long birth = (contents & HAS_BIRTH) == 0 ? cas : number(in);
          if ((contents & HAS_FLAGS) != 0) {
            number(in);
          }
          return new Header(birth, (contents & HAS_EXPIRY) == 0 ? Expiry.NEVER : number(in));
        }
      };

  /** All of an item but its value. */
  record Facts(ItemFacts item, long birth) {

    /** Returns whether a flush has taken the item, or it has expired. */
    boolean isGone(long mark, long now) {
      return birth < mark || Expiry.isPast(item.expiresAt(), now);
    }
  }

  /** Reads the same bytes, and of the value its length alone. */
  static final Codec<Facts> FACTS_CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return NAME;
        }

        @Override
        public void encode(Facts value, Encoder out) {
          throw new CodecException("what is known of an item is not the item");
        }

        @Override
        public Facts decode(Decoder in) {
          int contents = contents(in);
          long cas = number(in);
          long birth = (contents & HAS_BIRTH) == 0 ? cas : number(in);
          int flags = (contents & HAS_FLAGS) == 0 ? 0 : (int) number(in);
          long expiresAt = (contents & HAS_EXPIRY) == 0 ? Expiry.NEVER : number(in);
          int valueBytes = in.remaining();
          if ((contents & IS_LARGE) != 0) {
            number(in); // its id
            valueBytes = Math.clamp(number(in), 0, Integer.MAX_VALUE);
          }
          return new Facts(
              new ItemFacts(flags, expiresAt, cas, contents & MARKS, valueBytes), birth);
        }
      };

  /** Returns the item, or null if a flush has taken it or it has expired. */
  @Nullable Item live(long mark, long now) {
    return birth < mark || item.isExpired(now) ? null : item;
  }

  private static int contents(Decoder in) {
    int contents = in.getByte();
    if ((contents & RESERVED) != 0) {
      throw new CodecException("an item begins with " + contents + ": it is damaged");
    }
    return contents;
  }

  private int contents() {
    return (item.marks() & MARKS)
        | (birth == item.cas() ? 0 : HAS_BIRTH)
        | (item.flags() == 0 ? 0 : HAS_FLAGS)
        | (item.expiresAt() == Expiry.NEVER ? 0 : HAS_EXPIRY)
        | (large() == null ? 0 : IS_LARGE);
  }

  private void encode(Encoder out) {
    int contents = contents();
    out.putByte(contents);
    putNumber(out, item.cas());
    if ((contents & HAS_BIRTH) != 0) {
      putNumber(out, birth);
    }
    if ((contents & HAS_FLAGS) != 0) {
      putNumber(out, Integer.toUnsignedLong(item.flags()));
    }
    if ((contents & HAS_EXPIRY) != 0) {
      putNumber(out, item.expiresAt());
    }
    LargeValue large = large();
    if (large != null) {
      putNumber(out, large.id());
      putNumber(out, large.length());
    } else {
      out.putBytes(item.value());
    }
  }

  private static void putNumber(Encoder out, long number) {
    long rest = number;
    for (; rest >>> LAST_BITS != 0; rest >>>= LAST_BITS) {
      out.putByte(((int) rest & (MORE - 1)) | MORE);
    }
    out.putByte((int) rest);
  }

  private static long number(Decoder in) {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE; shift += LAST_BITS) {
      int next = in.getByte();
      number |= (long) (next & (MORE - 1)) << shift;
      if ((next & MORE) == 0) {
        return number;
      }
    }
    throw new CodecException("an item has a number of more than 64 bits: it is damaged");
  }

  private static int numberBytes(long number) {
    return Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(number) + LAST_BITS - 1) / LAST_BITS);
  }

  private int encodedBytes() {
    int contents = contents();
    LargeValue large = large();
    return 1
        + numberBytes(item.cas())
        + ((contents & HAS_BIRTH) == 0 ? 0 : numberBytes(birth))
        + ((contents & HAS_FLAGS) == 0 ? 0 : numberBytes(Integer.toUnsignedLong(item.flags())))
        + ((contents & HAS_EXPIRY) == 0 ? 0 : numberBytes(item.expiresAt()))
        + (large == null
            ? item.value().length
            : numberBytes(large.id()) + numberBytes(large.length()));
  }

  /** What an item takes beside the block of its entry: its share of the map's buckets. */
  private static final int BUCKET_SHARE_BYTES = 16;

  /** What a map's entry has before its key. */
  private static final int ENTRY_HEADER_BYTES = 8;

  /**
   * Returns what an item counts for the limit of memory: about what the store needs for it, without
   * the chunks of a large value.
   */
  static long bytes(byte[] key, StoredItem item) {
    return entryBytes(key.length + item.encodedBytes());
  }

  /** Returns about what the store needs for an entry of a map with so many bytes. */
  static long entryBytes(int bytes) {
    return BUCKET_SHARE_BYTES + blockBytes(ENTRY_HEADER_BYTES + bytes);
  }

  /**
   * Returns the length of the block that holds a number of bytes. The store's allocator has blocks
   * in steps of 16 bytes up to 256, then eight steps for each doubling up to 16 KiB, then pages.
   */
  private static long blockBytes(int bytes) {
    int step =
        bytes <= 1 << 8
            ? 1 << 4
            : bytes <= 1 << 14 ? Integer.highestOneBit(bytes - 1) >>> 3 : 1 << 12;
    return ((long) bytes + step - 1) & -step;
  }
}
