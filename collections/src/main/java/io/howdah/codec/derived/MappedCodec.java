package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Values that another codec's values stand for.
 *
 * @param name of the encoding
 */
record MappedCodec<A, B>(
    String name,
    Codec<A> codec,
    Function<? super A, ? extends B> fromStored,
    Function<? super B, ? extends A> toStored)
    implements Codec<B> {

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public Codec<B> bind(Shapes shapes) {
    return new MappedCodec<>(name, codec.bind(shapes), fromStored, toStored);
  }

  @Override
  public void encode(B value, Encoder out) {
    codec.encode(require(name, "encoded", toStored.apply(value)), out);
  }

  @Override
  public B decode(Decoder in) {
    return require(name, "decoded", fromStored.apply(stored(codec, in)));
  }

  /** A mapped value has all the bytes that there are, so its stored value has them, too. */
  private static <A> A stored(Codec<A> codec, Decoder in) {
    A value = codec.decode(in);
    if (Part.isSelfDelimiting(codec)) {
      Part.requireEnd(in, codec);
    }
    return value;
  }

  private static <T> T require(String codec, String step, @Nullable T value) {
    if (value == null) {
      throw new CodecException(
          "a function of codec " + codec + " returned null for a value that is " + step);
    }
    return value;
  }

  /** The same with an order: that of the values that are stored. */
  record Ordered<A, B>(
      String name,
      OrderedCodec<A> codec,
      Function<? super A, ? extends B> fromStored,
      Function<? super B, ? extends A> toStored)
      implements OrderedCodec<B> {

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public OrderedCodec<B> bind(Shapes shapes) {
      return new Ordered<>(name, codec.bind(shapes), fromStored, toStored);
    }

    @Override
    public void encode(B value, Encoder out) {
      codec.encode(require(name, "encoded", toStored.apply(value)), out);
    }

    @Override
    public B decode(Decoder in) {
      return require(name, "decoded", fromStored.apply(stored(codec, in)));
    }
  }
}
