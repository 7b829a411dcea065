package io.howdah.jcache;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.Shapes;

/**
 * Values of which one stands for null: a byte says whether the value is that one, and if it is not,
 * the bytes of the value follow.
 *
 * @param <V> the values
 */
record MarkedCodec<V>(Codec<V> values, V marker) implements Codec<V> {

  private static final int VALUE = 0;
  private static final int MARKER = 1;

  @Override
  public String name() {
    return "nullable " + values.name();
  }

  @Override
  public void encode(V value, Encoder out) {
    if (marker.equals(value)) {
      out.putByte(MARKER);
    } else {
      out.putByte(VALUE);
      values.encode(value, out);
    }
  }

  @Override
  public V decode(Decoder in) {
    int kind = in.getByte();
    return switch (kind) {
      case VALUE -> values.decode(in);
      case MARKER -> marker;
      default ->
          throw new CodecException(
              "a value of codec " + name() + " begins with 0 or 1, not with " + kind);
    };
  }

  @Override
  public Codec<V> bind(Shapes shapes) {
    return new MarkedCodec<>(values.bind(shapes), marker);
  }
}
