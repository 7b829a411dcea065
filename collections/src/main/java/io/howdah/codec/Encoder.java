package io.howdah.codec;

/**
 * Takes a value's bytes, one after the other. Multi-byte numbers are little-endian unless a method
 * says otherwise. Not thread-safe; valid during {@link Codec#encode} only.
 *
 * <p>Collections pass it to codecs; programs do not extend it. It is a class and not an interface:
 * the just-in-time compiler sees that it has one subclass, and calls that directly. An encoding of
 * more than {@link #MAX_LENGTH} bytes ends with an exception, for which collections throw {@code
 * EntryTooLargeException}.
 */
public abstract class Encoder {

  /** For {@code EncodingBuffer}, the only subclass. */
  protected Encoder() {}

  /** Most bytes that one encoding may have: 16 MiB. */
  public static final int MAX_LENGTH = 1 << 24;

  /** Returns how many bytes have been taken. */
  public abstract int length();

  /** Appends a byte. */
  public abstract void putByte(int value);

  /** Appends 2 bytes. */
  public abstract void putShort(short value);

  /** Appends 4 bytes. */
  public abstract void putInt(int value);

  /** Appends 8 bytes. */
  public abstract void putLong(long value);

  /** Appends 4 bytes, big-endian: unsigned numbers keep their order. */
  public abstract void putBigEndianInt(int value);

  /** Appends 8 bytes, big-endian: unsigned numbers keep their order. */
  public abstract void putBigEndianLong(long value);

  /**
   * Appends a number that is not negative in 1 to 5 bytes, 7 bits in each, the lowest first: a
   * length or a count.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public abstract void putVarint(int value);

  /** Appends a part of an array. */
  public abstract void putBytes(byte[] source, int offset, int count);

  /** Appends an array. */
  public abstract void putBytes(byte[] source);

  /**
   * Appends a string as UTF-8, without its length.
   *
   * @throws CodecException if the string has an unpaired surrogate, for which UTF-8 has no bytes
   */
  public abstract void putUtf8(String value);
}
