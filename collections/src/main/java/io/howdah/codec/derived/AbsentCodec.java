package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Values that may be absent: a byte 0, or a byte 1 and the value. The absent one comes first.
 *
 * @param isOptional whether the absent one is {@link Optional#empty}, and else null
 * @param codec of what is there
 */
record AbsentCodec<T>(boolean isOptional, Part<?> codec) implements Codec<T>, Part.SelfDelimiting {

  static <T> Codec<@Nullable T> nullable(Codec<T> codec) {
    return new AbsentCodec<>(false, Part.element("a value", codec));
  }

  static <T> Codec<Optional<T>> optional(Codec<T> codec) {
    return new AbsentCodec<>(true, Part.element("a value", codec));
  }

  static <T> OrderedCodec<@Nullable T> nullable(OrderedCodec<T> codec) {
    return new Ordered<>(new AbsentCodec<>(false, Part.ordered("a value", codec)), codec);
  }

  static <T> OrderedCodec<Optional<T>> optional(OrderedCodec<T> codec) {
    return new Ordered<>(new AbsentCodec<>(true, Part.ordered("a value", codec)), codec);
  }

  /** Returns whether null is a value of a codec. */
  static boolean takesNull(Codec<?> codec) {
    return (codec instanceof AbsentCodec<?> absent && !absent.isOptional)
        || (codec instanceof Ordered<?> ordered && !ordered.codec.isOptional)
        || (codec instanceof DescendingCodec<?> descending && takesNull(descending.codec()));
  }

  @Override
  public String name() {
    return (isOptional ? "optional " : "nullable ") + codec.name();
  }

  @Override
  public Codec<T> bind(Shapes shapes) {
    return new AbsentCodec<>(isOptional, Part.element(codec.where(), codec.codec().bind(shapes)));
  }

  @Override
  @SuppressWarnings("unchecked") // T is what the codec takes, or an Optional of it
  public void encode(@Nullable T value, Encoder out) {
    Object present = isOptional && value != null ? ((Optional<?>) value).orElse(null) : value;
    out.putByte(present == null ? 0 : 1);
    if (present != null) {
      ((Codec<Object>) codec).encode(present, out);
    }
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // null is a value of a nullable codec
  public T decode(Decoder in) {
    byte first = in.getByte();
    if (first != 0 && first != 1) {
      throw new CodecException(
          name() + " begins with 0 or 1, not " + first + ": the bytes are another codec's");
    }
    Object present = first == 0 ? null : codec.decode(in);
    return (T) (isOptional ? Optional.ofNullable(present) : present);
  }

  /** The same, for a codec whose values have an order. */
  private record Ordered<T>(AbsentCodec<T> codec, OrderedCodec<?> of)
      implements Part.OrderedSelfDelimiting<T> {

    @Override
    public Codec<?> unordered() {
      return new AbsentCodec<>(codec.isOptional, Part.element("a value", of));
    }

    @Override
    public String name() {
      return "ordered " + codec.name(); // its bytes are others, as its end is found otherwise
    }

    @Override
    public OrderedCodec<T> bind(Shapes shapes) {
      OrderedCodec<?> bound = of.bind(shapes);
      return new Ordered<>(
          new AbsentCodec<>(codec.isOptional, Part.ordered(codec.codec.where(), bound)), bound);
    }

    @Override
    public void encode(T value, Encoder out) {
      codec.encode(value, out);
    }

    @Override
    public void encodePrefix(Encoder out, @Nullable Object... parts) {
      boolean isAbsent = parts.length == 1 && parts[0] == null;
      out.putByte(isAbsent ? 0 : 1);
      if (!isAbsent) {
        codec.codec.encodeBeginning(parts, out);
      }
    }

    @Override
    public T decode(Decoder in) {
      return codec.decode(in);
    }
  }
}
