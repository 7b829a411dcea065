package io.howdah.server.protocol.binary;

import io.howdah.server.protocol.ProtocolOptions;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The request of the binary protocol that is at hand. Reused from request to request. All numbers
 * are big-endian.
 *
 * <pre>
 *    0 | magic | opcode | key length (2)      |
 *    4 | extras length | data type | vbucket (2) |
 *    8 | body length: extras, key and value (4) |
 *   12 | opaque (4)                           |
 *   16 | cas (8)                              |
 *   24 | extras, key, value ...
 * </pre>
 */
public final class BinaryRequest {

  static final int HEADER_BYTES = 24;
  public static final int MAGIC = 0x80;

  private static final int MAX_EXTRAS = 255;

  private final ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);

  /** Extras and key. */
  private final byte[] start = new byte[MAX_EXTRAS + ProtocolOptions.MAX_KEY_BYTES];

  private final ByteBuffer numbers = ByteBuffer.wrap(start);
  private int startLength;

  /** Takes what belongs to the header, and returns whether it is complete. */
  boolean takeHeader(ByteBuffer input) {
    int count = Math.min(header.remaining(), input.remaining());
    int limit = input.limit();
    header.put(input.limit(input.position() + count));
    input.limit(limit);
    return !header.hasRemaining();
  }

  /** Takes what belongs to extras and key, and returns whether they are complete. */
  boolean takeStart(ByteBuffer input) {
    int count = Math.min(extrasBytes() + keyBytes() - startLength, input.remaining());
    input.get(start, startLength, count);
    startLength += count;
    return startLength == extrasBytes() + keyBytes();
  }

  /** Begins another request. */
  void clear() {
    header.clear();
    startLength = 0;
  }

  boolean isEmpty() {
    return header.position() == 0;
  }

  boolean hasMagic() {
    return header.get(0) == (byte) MAGIC;
  }

  byte opcode() {
    return header.get(1);
  }

  @Nullable BinaryOpcode command() {
    return BinaryOpcode.of(opcode());
  }

  int keyBytes() {
    return Short.toUnsignedInt(header.getShort(2));
  }

  int extrasBytes() {
    return Byte.toUnsignedInt(header.get(4));
  }

  /** Returns the length of extras, key and value together, unsigned. */
  long bodyBytes() {
    return Integer.toUnsignedLong(header.getInt(8));
  }

  /** Returns the length of the value; negative if the lengths contradict each other. */
  long valueBytes() {
    return bodyBytes() - extrasBytes() - keyBytes();
  }

  int opaque() {
    return header.getInt(12);
  }

  long cas() {
    return header.getLong(16);
  }

  /** Returns a number of the extras, unsigned. */
  long extras32(int offset) {
    return Integer.toUnsignedLong(numbers.getInt(offset));
  }

  /** Returns a number of the extras. */
  long extras64(int offset) {
    return numbers.getLong(offset);
  }

  byte[] key() {
    int from = extrasBytes();
    return Arrays.copyOfRange(start, from, from + keyBytes());
  }
}
