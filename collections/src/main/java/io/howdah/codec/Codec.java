package io.howdah.codec;

/**
 * Turns values into bytes and back. Equal values must give equal bytes, always: keys are compared
 * by their bytes. {@link io.howdah.codec.derived.Codecs} has those for records, enums, times,
 * numbers and collections.
 *
 * <p>Implementations are immutable and thread-safe. A codec may use other collections of the store,
 * in the transaction that it serves: the caller's, which {@link Decoder#attachment} returns when
 * decoding. What it writes there is a part of that transaction. It must not use the collection that
 * it serves; one that takes elements out of it is refused with {@link CodecException}.
 *
 * @param <T> the values; never null
 */
public interface Codec<T> {

  /** What {@link #fixedLength} returns if values differ in length. */
  int VARIABLE = -1;

  /**
   * Returns what names the encoding, in the store too: a collection opens only with a codec of the
   * name that it was created with. Change the name whenever the bytes change.
   *
   * @return 1 to 1000 characters
   */
  String name();

  /** Returns the length of every value in bytes, 0 to 1 MiB, or {@link #VARIABLE}. */
  default int fixedLength() {
    return VARIABLE;
  }

  /** Appends a value's bytes. */
  void encode(T value, Encoder out);

  /** Returns the value whose bytes are what {@code in} has left; it need not take all of them. */
  T decode(Decoder in);

  /**
   * Returns the codec as it works in one store: the collections of a store call this when they are
   * opened. A codec of records, enums or sealed interfaces asks the store for the {@link Shapes} of
   * its type. One that is made of others binds those. Any other returns itself.
   *
   * @throws CodecException if what the store holds cannot be read by this codec
   */
  default Codec<T> bind(Shapes shapes) {
    return this;
  }

  /** Returns the codec of 8-byte integers. */
  static OrderedCodec<Long> int64() {
    return Primitives.Int64.INSTANCE;
  }

  /** Returns the codec of 4-byte integers. */
  static OrderedCodec<Integer> int32() {
    return Primitives.Int32.INSTANCE;
  }

  /** Returns the codec of 2-byte integers. */
  static OrderedCodec<Short> int16() {
    return Primitives.INT16;
  }

  /** Returns the codec of bytes. */
  static OrderedCodec<Byte> int8() {
    return Primitives.INT8;
  }

  /** Returns the codec of truth values; false comes first. */
  static OrderedCodec<Boolean> bool() {
    return Primitives.BOOL;
  }

  /** Returns the codec of characters, as UTF-16 units. */
  static OrderedCodec<Character> character() {
    return Primitives.CHARACTER;
  }

  /** Returns the codec of 8-byte floating-point numbers, in the order of {@link Double#compare}. */
  static OrderedCodec<Double> float64() {
    return Primitives.FLOAT64;
  }

  /** Returns the codec of 4-byte floating-point numbers, in the order of {@link Float#compare}. */
  static OrderedCodec<Float> float32() {
    return Primitives.FLOAT32;
  }

  /**
   * Returns the codec of strings as UTF-8, in the order of code points. Unpaired surrogates are
   * refused: UTF-8 has no bytes for them.
   */
  static OrderedCodec<String> utf8() {
    return Utf8Codec.INSTANCE;
  }

  /** Returns the codec of byte arrays, in the order of {@link java.util.Arrays#compareUnsigned}. */
  static OrderedCodec<byte[]> bytes() {
    return Primitives.Bytes.INSTANCE;
  }
}
