package io.howdah.codec.bytes;

import io.howdah.codec.CodecException;
import io.howdah.codec.Encoder;
import io.howdah.core.layout.OrderedKeyLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * An encoder whose bytes lie in an array. Collections keep one, give it to codecs, and take words
 * from the array; codecs that consist of others frame their parts in it. Not thread-safe.
 */
public final class EncodingBuffer extends Encoder {

  /**
   * Most bytes to which the compressed parts of one encoding may expand, all together: 64 MiB. The
   * bound keeps a few damaged or foreign bytes from taking all memory.
   */
  public static final int MAX_EXPANDED = 1 << 26;

  private static final int KEPT_LENGTH = 1 << 16;
  private static final VarHandle SHORT = view(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT = view(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG = view(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle BIG_ENDIAN_LONG = view(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle BIG_ENDIAN_INT = view(int[].class, ByteOrder.BIG_ENDIAN);

  private byte[] bytes = new byte[256];
  private int length;
  private long expanded;

  /** Creates an empty one. */
  public EncodingBuffer() {}

  /** Casts the encoder that a codec was given. */
  public static EncodingBuffer of(Encoder out) {
    if (out instanceof EncodingBuffer buffer) {
      return buffer;
    }
    throw new CodecException(
        "an Encoder of the program, " + out.getClass().getName() + ", cannot be used");
  }

  /** Returns a copy of the bytes that were taken. */
  public byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Returns how many bytes its compressed parts have when they are expanded. */
  public long expanded() {
    return expanded;
  }

  /**
   * Counts bytes to which a part expands.
   *
   * @throws CodecException if there are too many
   */
  public void addExpanded(long count) {
    expanded += count;
    if (expanded > MAX_EXPANDED) {
      throw new CodecException(
          "the compressed parts of one value expand to %,d bytes, and the maximum is %,d"
              .formatted(expanded, MAX_EXPANDED));
    }
  }

  private static VarHandle view(Class<?> type, ByteOrder order) {
    return MethodHandles.byteArrayViewVarHandle(type, order).withInvokeExactBehavior();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void putByte(int value) {
    int at = extend(1);
    bytes[at] = (byte) value;
  }

  @Override
  public void putShort(short value) {
    int at = extend(Short.BYTES);
    SHORT.set(bytes, at, value);
  }

  @Override
  public void putInt(int value) {
    int at = extend(Integer.BYTES);
    INT.set(bytes, at, value);
  }

  @Override
  public void putLong(long value) {
    int at = extend(Long.BYTES);
    LONG.set(bytes, at, value);
  }

  @Override
  public void putBigEndianInt(int value) {
    int at = extend(Integer.BYTES);
    BIG_ENDIAN_INT.set(bytes, at, value);
  }

  @Override
  public void putBigEndianLong(long value) {
    int at = extend(Long.BYTES);
    BIG_ENDIAN_LONG.set(bytes, at, value);
  }

  @Override
  public void putVarint(int value) {
    if (value < 0) {
      throw new IllegalArgumentException("a length or a count is at least 0, not " + value);
    }
    int rest = value;
    while (rest > 0x7F) {
      putByte(rest | 0x80);
      rest >>>= 7;
    }
    putByte(rest);
  }

  @Override
  public void putBytes(byte[] source, int offset, int count) {
    int at = extend(count);
    System.arraycopy(source, offset, bytes, at, count);
  }

  @Override
  public void putBytes(byte[] source) {
    putBytes(source, 0, source.length);
  }

  @Override
  public void putUtf8(String value) {
    putBytes(Utf8.bytes(value));
  }

  /** Begins a part that goes with its length before it, and returns where. */
  public int beginFrame() {
    return extend(1);
  }

  /** Ends the part that began there: sets its length, for which a long part has to move. */
  public void endFrame(int at) {
    int count = length - at - 1;
    if (count < 0) {
      throw new CodecException("a codec has removed bytes that it did not write");
    }
    if (count <= 0x7F) {
      bytes[at] = (byte) count;
      return;
    }
    int more = (Integer.SIZE - Integer.numberOfLeadingZeros(count) + 6) / 7 - 1;
    extend(more);
    System.arraycopy(bytes, at + 1, bytes, at + 1 + more, count);
    int end = length;
    length = at;
    putVarint(count);
    length = end;
  }

  /** Replaces each zero byte from an offset on by 00 FF: the beginning of an escaped part. */
  public void escapeBeginningFrom(int at) {
    escapeFrom(at);
    length -= 2;
  }

  /** Replaces each zero byte from an offset on by 00 FF and appends 00 01: see the layout. */
  public void escapeFrom(int at) {
    int zeros = 0;
    for (int i = at; i < length; i++) {
      zeros += bytes[i] == 0 ? 1 : 0;
    }
    int from = length;
    int to = extend(zeros + 2) + zeros;
    bytes[to] = OrderedKeyLayout.ESCAPE;
    bytes[to + 1] = OrderedKeyLayout.END;
    while (to > from) {
      byte next = bytes[--from];
      if (next == 0) {
        bytes[--to] = OrderedKeyLayout.ESCAPED_ZERO;
      }
      bytes[--to] = next;
    }
  }

  /** Turns every byte from an offset on into its complement. */
  public void complementFrom(int at) {
    for (int i = at; i < length; i++) {
      bytes[i] = (byte) ~bytes[i];
    }
  }

  private int extend(int count) {
    int at = length;
    int end = at + count;
    if (end > bytes.length || end < 0) {
      grow(end);
    }
    length = end;
    return at;
  }

  private void grow(int end) {
    if (end < 0 || end > MAX_LENGTH) {
      throw new EncodingTooLongException();
    }
    bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
  }

  // ---- For collections.

  /** Empties it. */
  public void clear() {
    length = 0;
    expanded = 0;
    if (bytes.length > KEPT_LENGTH) {
      bytes = new byte[256];
    }
  }

  /** Returns the array behind it; bytes from {@link #length} on have any contents. */
  public byte[] array() {
    return bytes;
  }

  /** Makes sure that the array goes on for so many bytes behind the length. */
  public void reserve(int count) {
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
    }
  }

  /** Sets 4 bytes that have been taken before. */
  public void setInt(int offset, int value) {
    INT.set(bytes, offset, value);
  }

  /** Fills up with zeros to a multiple of 8, without counting them. */
  public void padWord() {
    reserve(Long.BYTES);
    for (int i = length; (i & (Long.BYTES - 1)) != 0; i++) {
      bytes[i] = 0;
    }
  }

  /**
   * Fills up with zeros, without counting them, so that whole words can be taken from an offset.
   */
  public void padFrom(int offset) {
    reserve(Long.BYTES);
    for (int i = length; (i - offset & (Long.BYTES - 1)) != 0; i++) {
      bytes[i] = 0;
    }
  }

  /** Returns the 8 bytes at an offset. */
  public long word(int offset) {
    return (long) LONG.get(bytes, offset);
  }

  /** Returns the 8 bytes at an offset, big-endian. */
  public long bigEndianWord(int offset) {
    return (long) BIG_ENDIAN_LONG.get(bytes, offset);
  }
}
