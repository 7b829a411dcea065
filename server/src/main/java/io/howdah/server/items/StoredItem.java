package io.howdah.server.items;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.server.cache.Item;

/**
 * An item as the store holds it.
 *
 * @param item what clients see
 * @param birth grows from write to write, whatever the CAS value is; a flush invalidates all items
 *     below a birth
 */
record StoredItem(Item item, long birth) {

  static final Codec<StoredItem> CODEC =
      new Codec<>() {
        @Override
        public String name() {
          return "io.howdah.server.Item";
        }

        @Override
        public void encode(StoredItem value, Encoder out) {
          Item item = value.item;
          out.putLong(value.birth);
          out.putLong(item.cas());
          out.putLong(item.expiresAt());
          out.putInt(item.flags());
          out.putInt(item.marks());
          out.putBytes(item.value());
        }

        @Override
        public StoredItem decode(Decoder in) {
          long birth = in.getLong();
          long cas = in.getLong();
          long expiresAt = in.getLong();
          int flags = in.getInt();
          int marks = in.getInt();
          byte[] value = in.getBytes(in.remaining());
          return new StoredItem(new Item(flags, expiresAt, cas, marks, value), birth);
        }
      };

  /** What the store needs for an item beside key and value, about: two entries and their blocks. */
  private static final int OVERHEAD_BYTES = 128;

  /** Returns what an item counts for the limit of memory. */
  static long bytes(byte[] key, StoredItem item) {
    return OVERHEAD_BYTES + 2L * key.length + item.item.value().length;
  }
}
