package io.howdah.codec.bytes;

import io.howdah.codec.CodecException;
import io.howdah.codec.Decoder;
import io.howdah.core.layout.OrderedKeyLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A decoder of the bytes of an array. Collections keep one and give it to codecs; codecs that
 * consist of others bound their parts in it. Not thread-safe.
 */
public final class DecodingBuffer extends Decoder {

  private static final VarHandle SHORT = view(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT = view(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG = view(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_ENDIAN_LONG = view(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BIG_ENDIAN_INT = view(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = new byte[0];
  private int position;
  private int limit;
  private @Nullable Object attachment;

  /**
   * The decoder of the whole value, which counts the expanded bytes of all parts; null if this
   * decoder is that one.
   */
  private @Nullable DecodingBuffer whole;

  /** How many bytes the compressed parts of the value had that were expanded. */
  private long expanded;

  /** Creates an empty one. */
  public DecodingBuffer() {}

  /** Casts the decoder that a codec was given. */
  public static DecodingBuffer of(Decoder in) {
    if (in instanceof DecodingBuffer buffer) {
      return buffer;
    }
    throw new CodecException(
        "a Decoder of the program, " + in.getClass().getName() + ", cannot be used");
  }

  private static VarHandle view(Class<?> type, ByteOrder order) {
    return MethodHandles.byteArrayViewVarHandle(type, order).withInvokeExactBehavior();
  }

  /** Sets what is handed out next. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  public void wrap(byte[] source, int offset, int length) {
    if (bytes != source) { // storing a reference costs a barrier of the collector
      bytes = source;
    }
    position = offset;
    limit = offset + length;
    expanded = 0;
  }

  /**
   * Counts bytes to which a part of the value expands, before they are made.
   *
   * @throws CodecException if no value has so many
   */
  public void addExpanded(long count) {
    DecodingBuffer all = whole == null ? this : whole;
    all.expanded += count;
    if (all.expanded > EncodingBuffer.MAX_EXPANDED) {
      throw new CodecException(
          "the compressed parts of a value expand to more than %,d bytes: the bytes were written by another codec, or are damaged"
              .formatted(EncodingBuffer.MAX_EXPANDED));
    }
  }

  /** Sets what codecs of references ask for. */
  public void attach(@Nullable Object attachment) {
    this.attachment = attachment;
  }

  @Override
  public @Nullable Object attachment() {
    return attachment;
  }

  @Override
  public int remaining() {
    return limit - position;
  }

  /** Returns the bytes that are left, which it will hand out all the same. */
  public byte[] peek() {
    return Arrays.copyOfRange(bytes, position, limit);
  }

  @Override
  public byte getByte() {
    return bytes[take(1)];
  }

  @Override
  public short getShort() {
    return (short) SHORT.get(bytes, take(Short.BYTES));
  }

  @Override
  public int getInt() {
    return (int) INT.get(bytes, take(Integer.BYTES));
  }

  @Override
  public long getLong() {
    return (long) LONG.get(bytes, take(Long.BYTES));
  }

  @Override
  public int getBigEndianInt() {
    return (int) BIG_ENDIAN_INT.get(bytes, take(Integer.BYTES));
  }

  @Override
  public long getBigEndianLong() {
    return (long) BIG_ENDIAN_LONG.get(bytes, take(Long.BYTES));
  }

  @Override
  public int getVarint() {
    byte first = getByte();
    return first >= 0 ? first : longVarint(first);
  }

  private int longVarint(int first) {
    long value = first & 0x7F;
    for (int shift = 7; shift < 35; shift += 7) {
      byte next = getByte();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        if (next == 0 || value > Integer.MAX_VALUE) {
          break;
        }
        return (int) value;
      }
    }
    throw new CodecException(
        "a length or a count is above 2^31 - 1, or has zeros before it: the bytes were written by"
            + " another codec, or are damaged");
  }

  /**
   * Returns a count of elements, which have a minimum length each.
   *
   * @param minBytes at least 1
   * @throws CodecException if there are not enough bytes for so many
   */
  public int getCount(int minBytes) {
    int count = getVarint();
    if (count > remaining() / minBytes) {
      throw new CodecException(
          count
              + " elements are announced, and "
              + remaining()
              + " bytes are left: the bytes were written by another codec, or are damaged");
    }
    return count;
  }

  /** Lets the next bytes alone be handed out, and returns what {@link #leave} takes. */
  public int enter(int count) {
    int before = limit;
    int from = take(count);
    position = from;
    limit = from + count;
    return before;
  }

  /** Goes behind the bytes that {@link #enter} has named. */
  public void leave(int before) {
    position = limit;
    limit = before;
  }

  /**
   * Returns one that hands out the bytes up to the end that {@link EncodingBuffer#escapeFrom}
   * wrote.
   */
  public DecodingBuffer unescaped(boolean isComplemented) {
    int mask = isComplemented ? 0xFF : 0;
    int zeros = 0;
    int at = position;
    while (true) {
      while (at < limit && (byte) (bytes[at] ^ mask) != OrderedKeyLayout.ESCAPE) {
        at++;
      }
      if (at + 1 >= limit) {
        throw noEnd();
      }
      byte next = (byte) (bytes[at + 1] ^ mask);
      if (next == OrderedKeyLayout.END) {
        break;
      }
      if (next != OrderedKeyLayout.ESCAPED_ZERO) {
        throw noEnd();
      }
      zeros++;
      at += 2;
    }
    byte[] plain = new byte[at - position - zeros];
    for (int i = 0, from = position; i < plain.length; i++) {
      plain[i] = (byte) (bytes[from] ^ mask);
      from += plain[i] == OrderedKeyLayout.ESCAPE ? 2 : 1;
    }
    position = at + 2;
    return over(plain);
  }

  private static CodecException noEnd() {
    return new CodecException(
        "a part of a key has no end: the bytes were written by another codec, or are damaged");
  }

  /** Returns one for other bytes, in the same transaction. */
  public DecodingBuffer over(byte[] other) {
    DecodingBuffer decoder = new DecodingBuffer();
    decoder.wrap(other, 0, other.length);
    decoder.attachment = attachment;
    decoder.whole = whole == null ? this : whole;
    return decoder;
  }

  @Override
  public byte[] getBytes(int count) {
    int from = take(count);
    return Arrays.copyOfRange(bytes, from, from + count);
  }

  @Override
  public String getUtf8(int count) {
    int from = take(count);
    String text = new String(bytes, from, count, StandardCharsets.UTF_8);
    if (text.indexOf(Utf8.REPLACEMENT) >= 0) {
      Utf8.requireBytes(text, bytes, from, count);
    }
    return text;
  }

  @Override
  public DecodingBuffer slice(int count) {
    DecodingBuffer slice = new DecodingBuffer();
    slice.wrap(bytes, take(count), count);
    slice.attachment = attachment;
    slice.whole = whole == null ? this : whole;
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
