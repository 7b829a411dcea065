package io.howdah.jmh.ycsb;

/** Redis' protocol, version 2. */
final class RedisWire extends Wire {

  private static final byte[] GET_WORDS = ascii("*2\r\n$3\r\nGET\r\n$");
  private static final byte[] SET_WORDS = ascii("*3\r\n$3\r\nSET\r\n$");
  private static final byte[] LINE_END = ascii("\r\n");
  private static final byte[] STORED = ascii("+OK\r\n");
  private static final byte[] ABSENT = ascii("$-1\r\n");

  /** The line before a value. */
  private final byte[] length;

  private final byte[] key = new byte[KeySpace.MAX_BYTES];

  RedisWire(KeySpace space, Values values) {
    super(space, values);
    length = ascii("$" + values.length() + "\r\n");
  }

  private int key(long number, byte[] out, int at) {
    int bytes = space.write(number, key, 0);
    int next = at;
    if (bytes >= 10) {
      out[next++] = (byte) ('0' + bytes / 10);
    }
    out[next++] = (byte) ('0' + bytes % 10);
    next = append(LINE_END, out, next);
    System.arraycopy(key, 0, out, next, bytes);
    return append(LINE_END, out, next + bytes);
  }

  @Override
  int get(long number, byte[] out, int at) {
    return key(number, out, append(GET_WORDS, out, at));
  }

  @Override
  int set(long number, long version, byte[] out, int at) {
    int value = append(length, out, key(number, out, append(SET_WORDS, out, at)));
    return append(LINE_END, out, values.write(number, version, out, value));
  }

  @Override
  int setReplyEnd(long number, byte[] in, int begin, int end) {
    int lineEnd = lineEnd(in, begin, end);
    if (lineEnd != INCOMPLETE && !startsWith(STORED, in, begin, end)) {
      throw new WrongReplyException("not OK to a SET of " + space.key(number));
    }
    return lineEnd;
  }

  @Override
  int getReplyEnd(long number, byte[] in, int begin, int end) {
    int lineEnd = lineEnd(in, begin, end);
    if (lineEnd == INCOMPLETE) {
      return INCOMPLETE;
    }
    if (startsWith(ABSENT, in, begin, end)) {
      noteValueAt(0);
      return lineEnd;
    }
    if (!startsWith(length, in, begin, end)) {
      throw new WrongReplyException(
          "not a value of %,d bytes to a GET of %s".formatted(values.length(), space.key(number)));
    }
    int valueEnd = lineEnd + values.length();
    int replyEnd = valueEnd + LINE_END.length;
    if (replyEnd > end) {
      return INCOMPLETE;
    }
    if (!startsWith(LINE_END, in, valueEnd, end)) {
      throw new WrongReplyException("no end after the value of " + space.key(number));
    }
    noteValueAt(lineEnd);
    return replyEnd;
  }
}
