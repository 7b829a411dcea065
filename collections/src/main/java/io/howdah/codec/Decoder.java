package io.howdah.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Hands out a value's bytes, one after the other. Not thread-safe; valid during {@link
 * Codec#decode} only.
 *
 * <p>Every method throws {@link CodecException} if there are not enough bytes.
 */
public final class Decoder {

  private static final VarHandle SHORT = view(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT = view(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG = view(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_ENDIAN_LONG = view(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BIG_ENDIAN_INT = view(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = new byte[0];
  private int position;
  private int limit;
  private @Nullable Object attachment;

  /** Creates an empty one. */
  public Decoder() {}

  private static VarHandle view(Class<?> type, ByteOrder order) {
    return MethodHandles.byteArrayViewVarHandle(type, order).withInvokeExactBehavior();
  }

  /** Sets what is handed out next: for collections, and for tests of codecs. */
  public void wrap(byte[] source, int offset, int length) {
    bytes = source;
    position = offset;
    limit = offset + length;
  }

  /** Sets what codecs of references ask for. */
  public void attach(@Nullable Object attachment) {
    this.attachment = attachment;
  }

  /** Returns the transaction that decodes, for codecs of references; null outside of one. */
  public @Nullable Object attachment() {
    return attachment;
  }

  /** Returns how many bytes are left. */
  public int remaining() {
    return limit - position;
  }

  /** Returns the next byte. */
  public byte getByte() {
    return bytes[take(1)];
  }

  /** Returns the next 2 bytes. */
  public short getShort() {
    return (short) SHORT.get(bytes, take(Short.BYTES));
  }

  /** Returns the next 4 bytes. */
  public int getInt() {
    return (int) INT.get(bytes, take(Integer.BYTES));
  }

  /** Returns the next 8 bytes. */
  public long getLong() {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  /** Returns the next 4 bytes, big-endian. */
  public int getBigEndianInt() {
    return (int) BIG_ENDIAN_INT.get(bytes, take(Integer.BYTES));
  }

  /** Returns the next 8 bytes, big-endian. */
  public long getBigEndianLong() {
    return (long) BIG_ENDIAN_LONG.get(bytes, take(Long.BYTES));
  }

  /** Returns the next bytes. */
  public byte[] getBytes(int count) {
    int from = take(count);
    return Arrays.copyOfRange(bytes, from, from + count);
  }

  /** Returns the next bytes as a string. */
  public String getUtf8(int count) {
    return new String(bytes, take(count), count, StandardCharsets.UTF_8);
  }

  /** Returns one that hands out the next bytes, for a value within a value. */
  public Decoder slice(int count) {
    Decoder slice = new Decoder();
    slice.wrap(bytes, take(count), count);
    slice.attachment = attachment;
    return slice;
  }

  private int take(int count) {
    int from = position;
    if (count < 0 || count > limit - from) {
      throw new CodecException(
          count
              + " bytes were asked for and "
              + (limit - from)
              + " are left: the bytes were written"
              + " by another codec, or are damaged");
    }
    position = from + count;
    return from;
  }
}
