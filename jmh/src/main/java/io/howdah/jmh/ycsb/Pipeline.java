package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One connection with its outstanding requests, in memcached's text protocol. Every reply is
 * checked: its form, the key, the length of the value and its content. For one thread.
 */
final class Pipeline implements AutoCloseable {

  /** What a request or a reply takes besides its value: command, key, numbers, ends of lines. */
  private static final int OVERHEAD_BYTES = 128;

  private static final int MAX_LINE = 2048;
  private static final int SHOWN_CHARACTERS = 200;
  private static final byte GET = 0;
  private static final byte SET = 1;
  private static final byte[] GET_WORD = ascii("get ");
  private static final byte[] SET_WORD = ascii("set ");
  private static final byte[] LINE_END = ascii("\r\n");
  private static final byte[] STORED = ascii("STORED\r\n");
  private static final byte[] END = ascii("END\r\n");
  private static final byte[] VALUE = ascii("VALUE ");
  private static final byte[] VALUE_END = ascii("\r\nEND\r\n");

  private final SocketChannel channel;
  private final KeySpace space;
  private final Values values;
  private final Replies replies;
  private final byte[] setTail;

  private final byte[] kinds;
  private final long[] numbers;
  private final long[] versions;
  private final long[] dueNanos;
  private final int mask;
  private int first;
  private int next;

  private final byte[] out;
  private final ByteBuffer outBuffer;
  private int outEnd;

  private final byte[] in;
  private final ByteBuffer inBuffer;
  private int inBegin;
  private int inEnd;
  private final byte[] expectedKey = new byte[KeySpace.MAX_BYTES];

  /**
   * Takes over a connected channel that does not block.
   *
   * @param capacity most requests outstanding; a power of two
   */
  Pipeline(SocketChannel channel, int capacity, KeySpace space, Values values, Replies replies) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("a capacity is a power of two, not " + capacity);
    }
    this.channel = channel;
    this.space = space;
    this.values = values;
    this.replies = replies;
    setTail = ascii(" 0 0 " + values.length() + "\r\n");
    kinds = new byte[capacity];
    numbers = new long[capacity];
    versions = new long[capacity];
    dueNanos = new long[capacity];
    mask = capacity - 1;
    int bytes = capacity * (values.length() + OVERHEAD_BYTES) + MAX_LINE;
    out = new byte[bytes];
    outBuffer = ByteBuffer.wrap(out);
    in = new byte[bytes];
    inBuffer = ByteBuffer.wrap(in);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  int outstanding() {
    return next - first;
  }

  /** Returns how many more requests may be added. */
  int free() {
    return kinds.length - outstanding();
  }

  /** Adds a read; {@link #flush} sends it. */
  void get(long number, long due) {
    note(GET, number, 0, due);
    append(GET_WORD);
    outEnd = space.write(number, out, outEnd);
    append(LINE_END);
  }

  /** Adds a write; {@link #flush} sends it. */
  void set(long number, long version, long due) {
    note(SET, number, version, due);
    append(SET_WORD);
    outEnd = space.write(number, out, outEnd);
    append(setTail);
    outEnd = values.write(number, version, out, outEnd);
    append(LINE_END);
  }

  private void note(byte kind, long number, long version, long due) {
    if (free() == 0) {
      throw new IllegalStateException("all " + kinds.length + " requests are outstanding");
    }
    int at = next++ & mask;
    kinds[at] = kind;
    numbers[at] = number;
    versions[at] = version;
    dueNanos[at] = due;
  }

  private void append(byte[] bytes) {
    System.arraycopy(bytes, 0, out, outEnd, bytes.length);
    outEnd += bytes.length;
  }

  /** Writes what the socket takes; returns whether that was all. */
  boolean flush() throws IOException {
    outBuffer.limit(outEnd);
    channel.write(outBuffer);
    if (outBuffer.position() == outEnd) {
      outBuffer.clear();
      outEnd = 0;
      return true;
    }
    outBuffer.compact();
    outEnd = outBuffer.position();
    outBuffer.position(0);
    return false;
  }

  /** Reads once and hands over the replies that are complete; returns how many these were. */
  int receive() throws IOException {
    inBuffer.limit(in.length).position(inEnd);
    int read = channel.read(inBuffer);
    if (read < 0) {
      throw new LoadException(
          "the server closed the connection while %d replies were outstanding"
              .formatted(outstanding()));
    }
    inEnd += read;
    long now = System.nanoTime();
    int count = 0;
    while (inBegin < inEnd && takeReply(now)) {
      count++;
    }
    if (inBegin == inEnd) {
      inBegin = 0;
      inEnd = 0;
    } else if (inEnd == in.length) {
      System.arraycopy(in, inBegin, in, 0, inEnd - inBegin);
      inEnd -= inBegin;
      inBegin = 0;
      if (inEnd == in.length) {
        throw wrong("a reply longer than any that was asked for");
      }
    }
    return count;
  }

  /** Takes the reply to the first outstanding request if it is complete. */
  private boolean takeReply(long now) {
    int lineEnd = lineEnd();
    if (lineEnd < 0) {
      return false;
    }
    if (outstanding() == 0) {
      throw wrong("a reply to no request");
    }
    int at = first & mask;
    long number = numbers[at];
    long nanos = now - dueNanos[at];
    if (kinds[at] == SET) {
      if (!startsWith(STORED, inBegin)) {
        throw wrong("not STORED to a set of " + space.key(number));
      }
      inBegin = lineEnd;
      first++;
      replies.stored(number, versions[at], nanos);
      return true;
    }
    if (startsWith(END, inBegin)) {
      inBegin = lineEnd;
      first++;
      replies.miss(number, nanos);
      return true;
    }
    requireValueLine(number, lineEnd);
    int valueEnd = lineEnd + values.length();
    int end = valueEnd + VALUE_END.length;
    if (end > inEnd) {
      return false;
    }
    if (!startsWith(VALUE_END, valueEnd) || !values.isOf(number, in, lineEnd, valueEnd)) {
      throw wrong("another value than was written to " + space.key(number));
    }
    inBegin = end;
    first++;
    replies.hit(number, Values.version(in, lineEnd), nanos);
    return true;
  }

  private int lineEnd() {
    for (int i = inBegin; i < inEnd; i++) {
      if (in[i] == '\n') {
        return i + 1;
      }
    }
    if (inEnd - inBegin > MAX_LINE) {
      throw wrong("a line without an end");
    }
    return -1;
  }

  private boolean startsWith(byte[] expected, int from) {
    return inEnd - from >= expected.length
        && Arrays.equals(in, from, from + expected.length, expected, 0, expected.length);
  }

  /** Checks the line before a value, for instance {@code VALUE user123 0 100}. */
  private void requireValueLine(long number, int lineEnd) {
    int keyLength = space.write(number, expectedKey, 0);
    int keyBegin = inBegin + VALUE.length;
    int keyEnd = keyBegin + keyLength;
    if (!startsWith(VALUE, inBegin)
        || keyEnd >= lineEnd
        || in[keyEnd] != ' '
        || !Arrays.equals(in, keyBegin, keyEnd, expectedKey, 0, keyLength)) {
      throw wrong("not a value to a get of " + space.key(number));
    }
    int length = 0;
    int digit = lineEnd - LINE_END.length - 1;
    for (int unit = 1; digit > keyEnd && in[digit] != ' ' && unit <= Values.MAX_BYTES; digit--) {
      length += (in[digit] - '0') * unit;
      unit *= 10;
    }
    if (length != values.length()) {
      throw wrong("a value of another length than %,d bytes".formatted(values.length()));
    }
  }

  private LoadException wrong(String what) {
    int end = Math.min(inEnd, inBegin + SHOWN_CHARACTERS);
    String shown = new String(in, inBegin, end - inBegin, StandardCharsets.ISO_8859_1).strip();
    int line = shown.indexOf('\n');
    String firstLine = line < 0 ? shown : shown.substring(0, line).strip();
    return new LoadException("the server answered '%s': %s".formatted(firstLine, what));
  }

  SocketChannel channel() {
    return channel;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
