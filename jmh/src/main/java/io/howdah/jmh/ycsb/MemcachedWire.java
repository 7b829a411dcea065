package io.howdah.jmh.ycsb;

import java.util.Arrays;

/** memcached's text protocol. */
final class MemcachedWire extends Wire {

  private static final byte[] GET_WORD = ascii("get ");
  private static final byte[] SET_WORD = ascii("set ");
  private static final byte[] LINE_END = ascii("\r\n");
  private static final byte[] STORED = ascii("STORED\r\n");
  private static final byte[] END = ascii("END\r\n");
  private static final byte[] VALUE = ascii("VALUE ");
  private static final byte[] VALUE_END = ascii("\r\nEND\r\n");

  private final byte[] setTail;
  private final byte[] expectedKey = new byte[KeySpace.MAX_BYTES];

  MemcachedWire(KeySpace space, Values values) {
    super(space, values);
    setTail = ascii(" 0 0 " + values.length() + "\r\n");
  }

  @Override
  int get(long number, byte[] out, int at) {
    int key = append(GET_WORD, out, at);
    return append(LINE_END, out, space.write(number, out, key));
  }

  @Override
  int set(long number, long version, byte[] out, int at) {
    int key = append(SET_WORD, out, at);
    int value = append(setTail, out, space.write(number, out, key));
    return append(LINE_END, out, values.write(number, version, out, value));
  }

  @Override
  int setReplyEnd(long number, byte[] in, int begin, int end) {
    int lineEnd = lineEnd(in, begin, end);
    if (lineEnd != INCOMPLETE && !startsWith(STORED, in, begin, end)) {
      throw new WrongReplyException("not STORED to a set of " + space.key(number));
    }
    return lineEnd;
  }

  @Override
  int getReplyEnd(long number, byte[] in, int begin, int end) {
    int lineEnd = lineEnd(in, begin, end);
    if (lineEnd == INCOMPLETE) {
      return INCOMPLETE;
    }
    if (startsWith(END, in, begin, end)) {
      noteValueAt(0);
      return lineEnd;
    }
    requireValueLine(number, in, begin, lineEnd);
    int valueEnd = lineEnd + values.length();
    int replyEnd = valueEnd + VALUE_END.length;
    if (replyEnd > end) {
      return INCOMPLETE;
    }
    if (!startsWith(VALUE_END, in, valueEnd, end)) {
      throw new WrongReplyException("no end after the value of " + space.key(number));
    }
    noteValueAt(lineEnd);
    return replyEnd;
  }

  /** Checks the line before a value, for instance {@code VALUE user123 0 100}. */
  private void requireValueLine(long number, byte[] in, int begin, int lineEnd) {
    int keyLength = space.write(number, expectedKey, 0);
    int keyBegin = begin + VALUE.length;
    int keyEnd = keyBegin + keyLength;
    if (!startsWith(VALUE, in, begin, lineEnd)
        || keyEnd >= lineEnd
        || in[keyEnd] != ' '
        || !Arrays.equals(in, keyBegin, keyEnd, expectedKey, 0, keyLength)) {
      throw new WrongReplyException("not a value to a get of " + space.key(number));
    }
    int length = 0;
    int digit = lineEnd - LINE_END.length - 1;
    for (int unit = 1; digit > keyEnd && in[digit] != ' ' && unit <= Values.MAX_BYTES; digit--) {
      length += (in[digit] - '0') * unit;
      unit *= 10;
    }
    if (length != values.length()) {
      throw new WrongReplyException(
          "a value of another length than %,d bytes".formatted(values.length()));
    }
  }
}
