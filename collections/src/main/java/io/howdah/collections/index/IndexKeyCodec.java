package io.howdah.collections.index;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Pair;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.derived.Codecs;
import java.util.Arrays;

/** The keys of an index: what the function has returned, then the key of the entry in the map. */
final class IndexKeyCodec {

  private IndexKeyCodec() {}

  /** Returns the codec of an index's keys; those of a unique index end before the entry's key. */
  static <X, K> OrderedCodec<Pair<X, K>> of(
      OrderedCodec<X> indexed, Codec<K> keys, boolean unique) {
    return Codecs.pair(indexed, unique ? new Nothing<>(keys.name()) : new ByBytes<>(keys));
  }

  /**
   * Returns the bytes with which the keys begin that have a first part, and no others.
   *
   * @param first the part, or its beginning
   */
  static byte[] prefix(OrderedCodec<?> codec, Object first) {
    EncodingBuffer out = new EncodingBuffer();
    codec.encodePrefix(out, first);
    return Arrays.copyOf(out.array(), out.length());
  }

  /** Keys of a hash table in the order of their bytes. */
  private record ByBytes<K>(Codec<K> codec) implements OrderedCodec<K> {
    @Override
    public String name() {
      return codec.name();
    }

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public void encode(K value, Encoder out) {
      codec.encode(value, out);
    }

    @Override
    public K decode(Decoder in) {
      return codec.decode(in);
    }
  }

  /** No bytes: a unique index has the entry's key as its value. */
  private record Nothing<K>(String name) implements OrderedCodec<K> {
    @Override
    public int fixedLength() {
      return 0;
    }

    @Override
    public void encode(K value, Encoder out) {}

    @Override
    public K decode(Decoder in) {
      throw new IllegalStateException("the keys of a unique index are not decoded");
    }
  }
}
