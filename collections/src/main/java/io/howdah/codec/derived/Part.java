package io.howdah.codec.derived;

import io.howdah.codec.Codec;
import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.codec.OrderedCodec;
import io.howdah.codec.Shapes;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.codec.bytes.Utf8;
import org.jspecify.annotations.Nullable;

/**
 * A codec as a part of another one: a component, an element, a key or a value. Says where a null is
 * that must not be. A part takes its bytes alone, whatever its codec takes.
 *
 * @param where the part, for messages
 * @param framing how the end of the part is found
 */
record Part<T>(String where, Codec<T> codec, Framing framing) implements Codec<T> {

  /**
   * Marks codecs that take exactly their own bytes when they decode, and no encoding of which is
   * the beginning of another one: so other bytes may follow without a length.
   */
  interface SelfDelimiting {}

  /** The same for codecs whose values have an order. */
  interface OrderedSelfDelimiting<T> extends OrderedCodec<T>, SelfDelimiting {
    @Override
    default boolean isSelfDelimiting() {
      return true;
    }

    /** Returns the codec of the same values without an order, whose bytes are others. */
    default Codec<?> unordered() {
      return this;
    }
  }

  /** How the end of a part is found. */
  enum Framing {
    /** The codec finds it. */
    OWN,
    /** All values have the length. */
    FIXED,
    /** The length goes before it. */
    LENGTH,
    /** Zeros are escaped, and an end follows, so that order is kept. */
    ESCAPED
  }

  /**
   * Returns whether a codec of values of one length is Howdah's own, and so writes as many bytes as
   * it says. Those of primitive types are in the package of {@link Codec}.
   */
  private static boolean isOfHowdah(Codec<?> codec) {
    return codec instanceof FixedCodec
        || codec.getClass().getPackage().equals(Codec.class.getPackage());
  }

  /** Returns whether a codec is {@link SelfDelimiting}; a wrapper's is as its stored value's. */
  static boolean isSelfDelimiting(Codec<?> codec) {
    Codec<?> stored = WrapperCodec.stored(codec);
    return stored == null ? codec instanceof SelfDelimiting : isSelfDelimiting(stored);
  }

  /** Returns a part of a value. */
  static <T> Part<T> of(String where, Codec<T> codec) {
    boolean isFixed = codec.fixedLength() >= 0;
    boolean isOwn = isFixed && (isOfHowdah(codec) || isSelfDelimiting(codec));
    return new Part<>(where, codec, isOwn ? Framing.OWN : isFixed ? Framing.FIXED : Framing.LENGTH);
  }

  /** Returns a part of an element of a collection, which is never skipped without its codec. */
  static <T> Part<T> element(String where, Codec<T> codec) {
    return isSelfDelimiting(codec) ? new Part<>(where, codec, Framing.OWN) : of(where, codec);
  }

  /**
   * Returns a part of the elements of a collection that may have many of them. An element takes a
   * byte at least, so that a count of them is no more than there are bytes.
   */
  static <T> Part<T> repeated(String where, Codec<T> codec) {
    return codec.fixedLength() == 0
        ? new Part<>(where, codec, Framing.LENGTH)
        : element(where, codec);
  }

  /** Returns a part of a key: bytes of parts have the order of parts. */
  static <T> Part<T> ordered(String where, OrderedCodec<T> codec) {
    boolean isFixed = codec.fixedLength() >= 0;
    boolean isOwn = (isFixed && isOfHowdah(codec)) || codec.isSelfDelimiting();
    return new Part<>(
        where, codec, isOwn ? Framing.OWN : isFixed ? Framing.FIXED : Framing.ESCAPED);
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
  public Part<T> bind(Shapes shapes) {
    return new Part<>(where, codec.bind(shapes), framing);
  }

  @Override
  public void encode(T value, Encoder out) {
    if (value == null && !AbsentCodec.takesNull(codec)) {
      throw new CodecException(
          where
              + " is null; annotate it with @Nullable, or make it an Optional. If it is annotated,"
              + " the annotation's library (as org.jspecify:jspecify) is missing at run time: Java"
              + " leaves out annotations whose class it does not find. Add it to the class path of"
              + " the program, where a dependency of Maven's scope provided is not");
    }
    switch (framing) {
      case OWN -> codec.encode(value, out);
      case FIXED -> encodeFixed(value, out);
      case LENGTH -> {
        if (Codec.utf8().equals(codec)) {
          byte[] bytes = Utf8.bytes((String) value);
          out.putVarint(bytes.length);
          out.putBytes(bytes);
        } else {
          EncodingBuffer buffer = EncodingBuffer.of(out);
          int at = buffer.beginFrame();
          codec.encode(value, out);
          buffer.endFrame(at);
        }
      }
      case ESCAPED -> {
        int at = out.length();
        codec.encode(value, out);
        EncodingBuffer.of(out).escapeFrom(at);
      }
    }
  }

  private void encodeFixed(T value, Encoder out) {
    int at = out.length();
    codec.encode(value, out);
    if (out.length() - at != codec.fixedLength()) {
      throw new CodecException(
          "codec "
              + codec.name()
              + " of "
              + where
              + " says that values have "
              + codec.fixedLength()
              + " bytes, and wrote "
              + (out.length() - at));
    }
  }

  @Override
  public T decode(Decoder in) {
    return switch (framing) {
      case OWN -> codec.decode(in);
      case FIXED -> bounded(in, codec.fixedLength());
      case LENGTH -> bounded(in, in.getVarint());
      case ESCAPED -> codec.decode(DecodingBuffer.of(in).unescaped(false));
    };
  }

  @SuppressWarnings("unchecked") // the codec is that of strings
  private T bounded(Decoder in, int length) {
    if (Codec.utf8().equals(codec)) {
      return (T) in.getUtf8(length);
    }
    DecodingBuffer buffer = DecodingBuffer.of(in);
    int before = buffer.enter(length);
    T value = codec.decode(in);
    if (isSelfDelimiting(codec)) {
      requireEnd(in, codec);
    }
    buffer.leave(before);
    return value;
  }

  /**
   * Requires that a codec has taken all bytes of its value, since it takes exactly those that it
   * writes: with others behind them a key would not be found.
   *
   * @throws CodecException if bytes are left
   */
  static void requireEnd(Decoder in, Codec<?> codec) {
    if (in.remaining() > 0) {
      throw new CodecException(
          in.remaining()
              + " bytes follow a value of "
              + codec.name()
              + ": they were written by another codec, or are damaged");
    }
  }

  /** Returns the minimum length of a value in bytes. */
  int minBytes() {
    return framing == Framing.OWN || framing == Framing.FIXED
        ? codec.fixedLength() >= 0 ? codec.fixedLength() : 1
        : framing == Framing.LENGTH ? 1 : 2;
  }

  /** Appends the bytes with which this part begins in all keys whose part begins so. */
  void encodeBeginning(@Nullable Object[] parts, Encoder out) {
    if (!(codec instanceof OrderedCodec<?> ordered)) {
      throw new CodecException(where + " has no beginning to search by");
    }
    int at = out.length();
    ordered.encodePrefix(out, parts);
    if (framing == Framing.ESCAPED) {
      EncodingBuffer.of(out).escapeBeginningFrom(at);
    }
  }

  /**
   * Appends the first parts of a key that has several; the last may be a {@link
   * OrderedCodec.Prefix}.
   */
  @SuppressWarnings("unchecked") // a part of another class is refused by the codec's cast
  static void encodePrefix(
      Codec<?> codec, Part<?>[] parts, Encoder out, @Nullable Object... values) {
    if (values.length == 0 || values.length > parts.length) {
      throw new CodecException(
          "a key of "
              + codec.name()
              + " begins with 1 to "
              + parts.length
              + " parts, not with "
              + values.length);
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof OrderedCodec.Prefix prefix) {
        if (i < values.length - 1) {
          throw new CodecException(
              parts[i].where()
                  + " is a beginning, and other parts follow; only the last may be one");
        }
        parts[i].encodeBeginning(prefix.parts().toArray(), out);
        return;
      }
      try {
        ((Part<Object>) parts[i]).encode(values[i], out);
      } catch (ClassCastException e) {
        throw new CodecException(
            parts[i].where()
                + " has another type than "
                + OrderedCodec.Prefix.of(values[i]).types().getFirst()
                + "; the parts of a prefix are those of the key, in their order",
            e);
      }
    }
  }
}
