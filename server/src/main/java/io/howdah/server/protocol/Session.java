package io.howdah.server.protocol;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One connection's state between bytes: takes them in any pieces, runs each command when it is
 * complete, and appends the replies in the order of the commands. What it holds is bounded by a
 * command line or by what has arrived of one value. For one thread at a time.
 */
public final class Session {

  /** A longer line that does not end is no command, unless it reads many keys. */
  static final int MAX_LINE_BYTES = 2048;

  /** The longest line that reads many keys. */
  static final int MAX_MULTIGET_BYTES = 1 << 18;

  /** Before a value has arrived, this much of what it announced is taken for true. */
  private static final int FIRST_VALUE_BYTES = 1 << 14;

  private static final int MAX_LEADING_SPACES = 100;
  private static final byte[] NONE = {};

  private enum State {
    LINE,
    VALUE,
    SWALLOW,
    CLOSED
  }

  private final Cache cache;
  private final ProtocolOptions options;
  private final CommandCounters counters;
  private final ServerControl control;
  private final Tokens tokens = new Tokens();
  private final TextCommands text;
  private State state = State.LINE;

  /** The start of a line whose end has not arrived. */
  private byte[] line = NONE;

  private int lineLength;

  private @Nullable StoreCommand pending;
  private byte[] value = NONE;
  private int valueLength;

  /** Bytes of a refused value that are still to come. */
  private long swallow;

  /**
   * Makes a session.
   *
   * @param cache as this connection sees it
   * @param counters of all connections
   */
  public Session(Cache cache, ProtocolOptions options, CommandCounters counters) {
    this(cache, options, counters, ServerControl.NONE);
  }

  /**
   * Makes a session that may ask something of the server.
   *
   * @param cache as this connection sees it
   * @param counters of all connections
   * @param control is asked by commands
   */
  public Session(
      Cache cache, ProtocolOptions options, CommandCounters counters, ServerControl control) {
    this.control = control;
    this.cache = cache;
    this.options = options;
    this.counters = counters;
    this.text = new TextCommands(this, cache, options, counters, tokens);
  }

  /**
   * Takes bytes and appends replies, until the bytes are used up, the replies have become long, or
   * the session has ended.
   *
   * @param input read up to its limit, or as far as the replies let it
   * @param maxReplyBytes no command starts once the replies have this many bytes
   * @return false once the connection is to be closed after the replies were sent
   */
  public boolean receive(ByteBuffer input, Reply reply, int maxReplyBytes) {
    while (state != State.CLOSED && input.hasRemaining() && reply.length() < maxReplyBytes) {
      switch (state) {
        case LINE -> takeLine(input, reply);
        case VALUE -> takeValue(input, reply);
        case SWALLOW -> skip(input);
        case CLOSED -> throw new AssertionError(state);
      }
    }
    return state != State.CLOSED;
  }

  /**
   * Returns whether a command has more to reply once the replies until now have been sent. Then
   * {@link #receive} goes on with it, even without input.
   */
  public boolean hasMore() {
    return false;
  }

  /** Returns whether a command has begun to arrive and has not ended. */
  public boolean isWithinCommand() {
    return lineLength > 0 || state == State.VALUE || state == State.SWALLOW;
  }

  /** Returns the number of bytes that the session holds between calls, about. */
  int heldBytes() {
    return line.length + value.length;
  }

  private void takeLine(ByteBuffer input, Reply reply) {
    int from = input.position();
    int end = from;
    while (end < input.limit() && input.get(end) != '\n') {
      end++;
    }
    int count = end - from;
    if (lineLength + count > MAX_MULTIGET_BYTES) {
      close();
      return;
    }
    if (lineLength + count > line.length) {
      line = Arrays.copyOf(line, Math.max(lineLength + count, 2 * line.length));
    }
    input.get(line, lineLength, count);
    lineLength += count;
    if (!input.hasRemaining()) { // no end yet
      if (lineLength > MAX_LINE_BYTES && !readsManyKeys()) {
        close();
      }
      return;
    }
    input.get(); // the line feed
    int length = lineLength;
    if (length > 1 && line[length - 1] == '\r') {
      length--;
    }
    lineLength = 0;
    tokens.split(line, length);
    run(reply);
    tokens.clear();
    if (line.length > MAX_LINE_BYTES) {
      line = NONE;
    }
  }

  private boolean readsManyKeys() {
    int at = 0;
    while (at < lineLength && line[at] == ' ') {
      at++;
    }
    return at <= MAX_LEADING_SPACES && (startsWith(at, "get ") || startsWith(at, "gets "));
  }

  private boolean startsWith(int at, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (at + i >= lineLength || line[at + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void run(Reply reply) {
    int start = reply.length();
    try {
      text.run(reply);
    } catch (CacheFullException _) {
      counters.count(Counter.STORE_NO_MEMORY);
      reply.truncate(start);
      reply.add("SERVER_ERROR out of memory").endLine();
    }
  }

  /** Waits for the value of a command, and for the line end behind it. */
  void awaitValue(StoreCommand command) {
    pending = command;
    value = new byte[Math.min(command.valueBytes + 2, FIRST_VALUE_BYTES)];
    valueLength = 0;
    state = State.VALUE;
  }

  private void takeValue(ByteBuffer input, Reply reply) {
    StoreCommand command = pending;
    if (command == null) {
      throw new AssertionError("a value without a command");
    }
    int wanted = command.valueBytes + 2;
    int count = Math.min(wanted - valueLength, input.remaining());
    if (valueLength + count > value.length) {
      value =
          Arrays.copyOf(value, Math.min(wanted, Math.max(valueLength + count, 2 * value.length)));
    }
    input.get(value, valueLength, count);
    valueLength += count;
    if (valueLength < wanted) {
      return;
    }
    byte[] complete = value;
    pending = null;
    value = NONE;
    state = State.LINE;
    boolean ends = complete[wanted - 2] == '\r' && complete[wanted - 1] == '\n';
    text.store(command, ends ? Arrays.copyOf(complete, command.valueBytes) : null, reply);
  }

  /** Drops a number of bytes that will come. */
  void swallow(long bytes) {
    swallow = bytes;
    state = bytes > 0 ? State.SWALLOW : State.LINE;
  }

  private void skip(ByteBuffer input) {
    int count = (int) Math.min(swallow, input.remaining());
    input.position(input.position() + count);
    swallow(swallow - count);
  }

  /** Ends the session. */
  void close() {
    state = State.CLOSED;
    lineLength = 0;
    line = NONE;
  }

  /** Removes the item that a command which cannot be run would have replaced. */
  void removeStale(byte[] key) {
    cache.update(key, _ -> null);
  }

  ServerControl control() {
    return control;
  }

  ProtocolOptions options() {
    return options;
  }
}
