package io.howdah.jmh.ycsb;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes of requests and replies on one connection. For one thread. */
abstract class Wire {

  /** The reply is not complete yet. */
  static final int INCOMPLETE = -1;

  /** What a request or a reply takes besides its value: command, key, numbers, ends of lines. */
  static final int OVERHEAD_BYTES = 128;

  private static final int MAX_LINE = 2048;

  final KeySpace space;
  final Values values;
  private int valueBegin;

  Wire(KeySpace space, Values values) {
    this.space = space;
    this.values = values;
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes a read and returns where it ends. */
  abstract int get(long number, byte[] out, int at);

  /** Writes a write and returns where it ends. */
  abstract int set(long number, long version, byte[] out, int at);

  /**
   * Returns where the reply to a read ends, or {@link #INCOMPLETE}. Then {@link #valueBegin} tells
   * where its value is. The value itself is not looked at.
   *
   * @throws WrongReplyException if it is no reply to this read
   */
  abstract int getReplyEnd(long number, byte[] in, int begin, int end);

  /**
   * Returns where the reply to a write ends, or {@link #INCOMPLETE}.
   *
   * @throws WrongReplyException if it does not acknowledge the write
   */
  abstract int setReplyEnd(long number, byte[] in, int begin, int end);

  /** Returns where the value of the last complete reply begins; 0 if the record is not there. */
  final int valueBegin() {
    return valueBegin;
  }

  final void noteValueAt(int begin) {
    valueBegin = begin;
  }

  /** The server has answered something else; the message says what was expected. */
  static final class WrongReplyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    WrongReplyException(String message) {
      super(message);
    }
  }

  static int append(byte[] bytes, byte[] out, int at) {
    System.arraycopy(bytes, 0, out, at, bytes.length);
    return at + bytes.length;
  }

  static boolean startsWith(byte[] expected, byte[] in, int from, int end) {
    return end - from >= expected.length
        && Arrays.equals(in, from, from + expected.length, expected, 0, expected.length);
  }

  /** Returns where the line ends, behind its line feed, or {@link #INCOMPLETE}. */
  static int lineEnd(byte[] in, int begin, int end) {
    for (int i = begin; i < end; i++) {
      if (in[i] == '\n') {
        return i + 1;
      }
    }
    if (end - begin > MAX_LINE) {
      throw new WrongReplyException("a line without an end");
    }
    return INCOMPLETE;
  }
}
