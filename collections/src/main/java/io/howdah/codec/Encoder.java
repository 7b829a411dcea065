package io.howdah.codec;

/**
 * Takes a value's bytes, one after the other. Multi-byte numbers are little-endian unless a method
 * says otherwise. Not thread-safe; valid during {@link Codec#encode} only.
 *
 * <p>Collections pass it to codecs; programs do not implement it. Every method that appends throws
 * {@link CodecException} if the encoding would have more than {@link #MAX_LENGTH} bytes.
 */
public interface Encoder {

  /** Most bytes that one encoding may have: 16 MiB. */
  int MAX_LENGTH = 1 << 24;

  /** Returns how many bytes have been taken. */
  int length();

  /** Appends a byte. */
  void putByte(int value);

  /** Appends 2 bytes. */
  void putShort(short value);

  /** Appends 4 bytes. */
  void putInt(int value);

  /** Appends 8 bytes. */
  void putLong(long value);

  /** Appends 4 bytes, big-endian: unsigned numbers keep their order. */
  void putBigEndianInt(int value);

  /** Appends 8 bytes, big-endian: unsigned numbers keep their order. */
  void putBigEndianLong(long value);

  /**
   * Appends a number that is not negative in 1 to 5 bytes, 7 bits in each, the lowest first: a
   * length or a count.
   *
   * @throws IllegalArgumentException if it is negative
   */
  void putVarint(int value);

  /** Appends a part of an array. */
  void putBytes(byte[] source, int offset, int count);

  /** Appends an array. */
  void putBytes(byte[] source);

  /**
   * Appends a string as UTF-8, without its length.
   *
   * @throws CodecException if the string has an unpaired surrogate, for which UTF-8 has no bytes
   */
  void putUtf8(String value);
}
