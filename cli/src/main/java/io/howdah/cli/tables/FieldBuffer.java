package io.howdah.cli.tables;

import io.howdah.cli.catalogue.DataException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Collects the bytes of a field, which have to be UTF-8. For one thread. */
final class FieldBuffer {

  private final ByteInput in;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private byte[] bytes = new byte[256];
  private int length;
  private long rowStart;

  FieldBuffer(ByteInput in) {
    this.in = in;
  }

  /** Begins a row, whose length is bounded. */
  void startRow() {
    rowStart = in.position();
  }

  void add(int value) {
    if (in.position() - rowStart > RowReader.MAX_ROW_BYTES) {
      throw new DataException(
          in.place() + ": a row has more than " + RowReader.MAX_ROW_BYTES + " bytes");
    }
    if (length == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * length);
    }
    bytes[length++] = (byte) value;
  }

  boolean isEmpty() {
    return length == 0;
  }

  /** Returns the field and empties the buffer. */
  String take() {
    try {
      return decoder.decode(ByteBuffer.wrap(bytes, 0, length)).toString();
    } catch (CharacterCodingException e) {
      throw new DataException(in.place() + ": what stands before is not UTF-8", e);
    } finally {
      length = 0;
    }
  }
}
