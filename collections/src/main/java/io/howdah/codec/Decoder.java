package io.howdah.codec;

import org.jspecify.annotations.Nullable;

/**
 * Hands out a value's bytes, one after the other. Not thread-safe; valid during {@link
 * Codec#decode} only.
 *
 * <p>Collections pass it to codecs; programs do not implement it. Every method that returns bytes
 * throws {@link CodecException} if there are not enough of them.
 */
public interface Decoder {

  /** Returns the transaction that decodes, for codecs of references; null outside of one. */
  @Nullable Object attachment();

  /** Returns how many bytes are left. */
  int remaining();

  /** Returns the next byte. */
  byte getByte();

  /** Returns the next 2 bytes. */
  short getShort();

  /** Returns the next 4 bytes. */
  int getInt();

  /** Returns the next 8 bytes. */
  long getLong();

  /** Returns the next 4 bytes, big-endian. */
  int getBigEndianInt();

  /** Returns the next 8 bytes, big-endian. */
  long getBigEndianLong();

  /**
   * Returns a number that {@link Encoder#putVarint} has appended.
   *
   * @throws CodecException if the bytes are not those of a number from 0 to 2<sup>31</sup> - 1
   */
  int getVarint();

  /** Returns the next bytes. */
  byte[] getBytes(int count);

  /** Returns the next bytes as a string. */
  String getUtf8(int count);

  /** Returns one that hands out the next bytes, for a value within a value. */
  Decoder slice(int count);
}
