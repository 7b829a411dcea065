package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import org.jspecify.annotations.Nullable;

/**
 * Values that wrap a stored one, with the bytes, the order and the name of the stored value's
 * codec: so a property may change between a type and its wrapper.
 */
record WrapperCodec<A, B>(Codec<A> codec, Wrapping.Calls calls) implements Codec<B> {

  /** Returns the codec of a wrapper; one with an order, if that of the stored value has one. */
  static Codec<?> of(Codec<?> stored, Wrapping.Calls calls) {
    return stored instanceof OrderedCodec<?> ordered
        ? new Ordered<>(ordered, calls)
        : new WrapperCodec<>(stored, calls);
  }

  /** Returns the codec of the stored value, if a codec is that of a wrapper. */
  static @Nullable Codec<?> stored(Codec<?> codec) {
    return switch (codec) {
      case WrapperCodec<?, ?> plain -> plain.codec;
      case Ordered<?, ?> ordered -> ordered.codec;
      default -> null;
    };
  }

  /** Returns the wrapper of a value, for a codec for which {@link #stored} is not null. */
  static Object wrap(Codec<?> codec, @Nullable Object value) {
    return switch (codec) {
      case WrapperCodec<?, ?> plain -> plain.calls.wrapped(value);
      case Ordered<?, ?> ordered -> ordered.calls.wrapped(value);
      default -> throw new IllegalArgumentException(codec.name());
    };
  }

  @Override
  public String name() {
    return codec.name();
  }

  @Override
  public int fixedLength() {
    return codec.fixedLength();
  }

  @Override
  public Codec<B> bind(Shapes shapes) {
    return new WrapperCodec<>(codec.bind(shapes), calls);
  }

  @Override
  @SuppressWarnings("unchecked") // the stored value of a B is an A
  public void encode(B value, Encoder out) {
    codec.encode((A) calls.unwrapped(value), out);
  }

  @Override
  @SuppressWarnings("unchecked") // the wrapper of an A is a B
  public B decode(Decoder in) {
    return (B) calls.wrapped(codec.decode(in));
  }

  /** The same with the order of the stored values. */
  record Ordered<A, B>(OrderedCodec<A> codec, Wrapping.Calls calls) implements OrderedCodec<B> {

    @Override
    public String name() {
      return codec.name();
    }

    @Override
    public int fixedLength() {
      return codec.fixedLength();
    }

    @Override
    public OrderedCodec<B> bind(Shapes shapes) {
      return new Ordered<>(codec.bind(shapes), calls);
    }

    @Override
    public boolean isSelfDelimiting() {
      return codec.isSelfDelimiting();
    }

    @Override
    @SuppressWarnings("unchecked") // as above
    public void encode(B value, Encoder out) {
      codec.encode((A) calls.unwrapped(value), out);
    }

    @Override
    @SuppressWarnings("unchecked") // as above
    public B decode(Decoder in) {
      return (B) calls.wrapped(codec.decode(in));
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      codec.encodePrefix(out, parts);
    }
  }
}
