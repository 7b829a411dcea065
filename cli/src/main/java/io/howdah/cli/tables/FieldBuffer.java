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
  private final boolean hasLines;
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private byte[] bytes = new byte[256];
  private int length;
  private long rowStart;

  /** The line in which the field begins. */
  private long line = 1;

  /**
   * Creates one.
   *
   * @param hasLines whether a line end may stand in a field as it is
   */
  FieldBuffer(ByteInput in, boolean hasLines) {
    this.in = in;
    this.hasLines = hasLines;
  }

  /** Begins a row, whose length is bounded. */
  void startRow() {
    rowStart = in.position();
    line = in.line();
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
    ByteBuffer field = ByteBuffer.wrap(bytes, 0, length);
    try {
      return decoder.decode(field).toString();
    } catch (CharacterCodingException e) {
      throw new DataException(
          "%s: the byte 0x%02X is not UTF-8; convert the file, as iconv does"
              .formatted(in.place(line + lineEnds(field.position())), bytes[field.position()]),
          e);
    } finally {
      length = 0;
      line = in.line();
    }
  }

  /** Counts the line ends among the first bytes. */
  private long lineEnds(int count) {
    long ends = 0;
    for (int i = 0; hasLines && i < count; i++) {
      boolean isEnd = bytes[i] == '\n' || (bytes[i] == '\r' && bytes[i + 1] != '\n');
      ends += isEnd ? 1 : 0;
    }
    return ends;
  }
}
