package io.howdah.codec;

import org.jspecify.annotations.Nullable;

/**
 * Hands out a value's bytes, one after the other. Not thread-safe; valid during {@link
 * Codec#decode} only.
 *
 * <p>Collections pass it to codecs; programs do not extend it. It is a class for the reason that
 * {@link Encoder} is one. Every method that returns bytes throws {@link CodecException} if there
 * are not enough of them.
 */
public abstract class Decoder {

  /** For {@code DecodingBuffer}, the only subclass. */
  protected Decoder() {}

  /** Returns the transaction that decodes, for codecs of references; null outside of one. */
  public abstract @Nullable Object attachment();

  /** Returns how many bytes are left. */
  public abstract int remaining();

  /** Returns the next byte. */
  public abstract byte getByte();

  /** Returns the next 2 bytes. */
  public abstract short getShort();

  /** Returns the next 4 bytes. */
  public abstract int getInt();

  /** Returns the next 8 bytes. */
  public abstract long getLong();

  /** Returns the next 4 bytes, big-endian. */
  public abstract int getBigEndianInt();

  /** Returns the next 8 bytes, big-endian. */
  public abstract long getBigEndianLong();

  /**
   * Returns a number that {@link Encoder#putVarint} has appended.
   *
   * @throws CodecException if they are not the bytes that {@link Encoder#putVarint} appends for a
   *     number from 0 to 2<sup>31</sup> - 1
   */
  public abstract int getVarint();

  /** Returns the next bytes. */
  public abstract byte[] getBytes(int count);

  /**
   * Returns the string that the next bytes are in UTF-8.
   *
   * @throws CodecException if they are no UTF-8
   */
  public abstract String getUtf8(int count);

  /** Returns one that hands out the next bytes, for a value within a value. */
  public abstract Decoder slice(int count);
}
