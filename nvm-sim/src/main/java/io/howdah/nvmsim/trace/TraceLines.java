package io.howdah.nvmsim.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The lines of a text trace, one at a time and of bounded length. */
final class TraceLines implements AutoCloseable {
  static final int MAX_LENGTH = 4096;

  private final InputStream in;
  private final String name;
  private final byte[] line = new byte[MAX_LENGTH];
  private final byte[] input = new byte[1 << 16];
  private int inputPosition;
  private int inputLimit;
  private long number;

  /** Reads from the stream, which is closed with this; the name is for messages. */
  TraceLines(InputStream in, String name) {
    this.in = in;
    this.name = name;
  }

  /** The next line without its end, and without blanks and tabs before that; null at the end. */
  @Nullable String next() throws IOException {
    int length = 0;
    boolean any = false;
    while (true) {
      int next = read();
      any |= next >= 0;
      if (next < 0 || next == '\n') {
        break;
      }
      if (length == MAX_LENGTH) {
        number++;
        throw wrong("line longer than " + MAX_LENGTH + " bytes");
      }
      line[length++] = (byte) next;
    }
    if (!any) {
      return null;
    }
    number++;
    while (length > 0 && isBlank(line[length - 1])) {
      length--;
    }
    return new String(line, 0, length, StandardCharsets.UTF_8);
  }

  /**
   * The next part of the text up to one of two characters, for formats whose lines have no bound;
   * null at the end.
   */
  @Nullable String nextUpTo(char separator) throws IOException {
    int length = 0;
    int next = read();
    if (next < 0) {
      return null;
    }
    for (; next >= 0 && next != '\n' && next != separator; next = read()) {
      if (length == MAX_LENGTH) {
        throw wrong("entry longer than " + MAX_LENGTH + " bytes");
      }
      line[length++] = (byte) next;
    }
    String part = new String(line, 0, length, StandardCharsets.UTF_8).strip();
    number += next == '\n' ? 1 : 0;
    return part;
  }

  private int read() throws IOException {
    if (inputPosition == inputLimit) {
      inputLimit = Math.max(0, in.read(input));
      inputPosition = 0;
      if (inputLimit == 0) {
        return -1;
      }
    }
    return input[inputPosition++] & 0xFF;
  }

  private static boolean isBlank(byte character) {
    return character == '\r' || character == '\t' || character == ' ';
  }

  /** An error in the line that was read last. */
  TraceFormatException wrong(RuntimeException cause) {
    return wrong(String.valueOf(cause.getMessage()));
  }

  TraceFormatException wrong(String what) {
    return new TraceFormatException(name, "line", number, what);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
