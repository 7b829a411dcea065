package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * One connection with its outstanding requests. Every reply is checked: its form, the key, the
 * length of the value and its content. For one thread.
 */
final class Pipeline implements AutoCloseable {

  private static final int MAX_LINE = 2048;
  private static final int SHOWN_CHARACTERS = 200;
  private static final byte GET = 0;
  private static final byte SET = 1;

  private final SocketChannel channel;
  private final KeySpace space;
  private final Values values;
  private final Replies replies;
  private final Wire wire;

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

  /**
   * Takes over a connected channel that does not block.
   *
   * @param capacity most requests outstanding; a power of two
   */
  Pipeline(SocketChannel channel, int capacity, Wire wire, Replies replies) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("a capacity is a power of two, not " + capacity);
    }
    this.channel = channel;
    this.wire = wire;
    this.space = wire.space;
    this.values = wire.values;
    this.replies = replies;
    kinds = new byte[capacity];
    numbers = new long[capacity];
    versions = new long[capacity];
    dueNanos = new long[capacity];
    mask = capacity - 1;
    int bytes = capacity * (values.length() + Wire.OVERHEAD_BYTES) + MAX_LINE;
    out = new byte[bytes];
    outBuffer = ByteBuffer.wrap(out);
    in = new byte[bytes];
    inBuffer = ByteBuffer.wrap(in);
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
    outEnd = wire.get(number, out, outEnd);
  }

  /** Adds a write; {@link #flush} sends it. */
  void set(long number, long version, long due) {
    note(SET, number, version, due);
    outEnd = wire.set(number, version, out, outEnd);
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
    if (outstanding() == 0) {
      throw wrong("a reply to no request");
    }
    int at = first & mask;
    long number = numbers[at];
    boolean isSet = kinds[at] == SET;
    int end;
    try {
      end =
          isSet
              ? wire.setReplyEnd(number, in, inBegin, inEnd)
              : wire.getReplyEnd(number, in, inBegin, inEnd);
    } catch (Wire.WrongReplyException e) {
      throw wrong(String.valueOf(e.getMessage()));
    }
    if (end == Wire.INCOMPLETE) {
      return false;
    }
    long nanos = now - dueNanos[at];
    if (isSet) {
      replies.stored(number, versions[at], nanos);
    } else if (wire.valueBegin() == 0) {
      replies.miss(number, nanos);
    } else {
      int value = wire.valueBegin();
      if (!values.isOf(number, in, value, value + values.length())) {
        throw wrong("another value than was written to " + space.key(number));
      }
      replies.hit(number, Values.version(in, value), nanos);
    }
    inBegin = end;
    first++;
    return true;
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
