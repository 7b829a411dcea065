package io.howdah.server.protocol.text;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CacheFullException;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.Decoder;
import io.howdah.server.protocol.Refusals;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.RetryLater;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.StoreCommand;
import io.howdah.server.protocol.TextInput;
import io.howdah.server.protocol.Tokens;
import io.howdah.server.protocol.ValueBuffer;
import io.howdah.server.watch.Watcher;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of the text and meta protocols: a line, and a value behind the line of some
 * commands, each in any pieces.
 */
public final class TextDecoder extends Decoder implements TextInput {

  /** A longer line that does not end is no command, unless it reads many keys. */
  public static final int MAX_LINE_BYTES = 2048;

  /** The longest line that reads many keys: room for more than 30,000 of the longest keys. */
  public static final int MAX_MULTIGET_BYTES = 1 << 23;

  /** A line of more bytes is read without an index of all its words. */
  private static final int MAX_INDEXED_BYTES = 1 << 16;

  /** Two letters and a line end: memcached takes less for no command, whatever it is. */
  private static final int MIN_LINE_BYTES = 4;

  private static final int MAX_LEADING_SPACES = 100;
  private static final int LINE_END_BYTES = 2;
  private static final byte[] NONE = {};

  private enum State {
    LINE,
    VALUE,
    LINE_END,
    SWALLOW,
    WATCH,
    CLOSED
  }

  private final Cache cache;
  private final CommandCounters counters;
  private final Authentication authentication;
  private final TextAuthentication login;
  private final Tokens tokens = new Tokens();
  private final TextCommands text;
  private final GetPipeline gets;
  private State state = State.LINE;

  /** The start of a line whose end has not arrived. */
  private byte[] line = NONE;

  private int lineLength;

  /** The command whose value is on the way; null if the value is a user and a password. */
  private @Nullable StoreCommand pending;

  private final ValueBuffer value = new ValueBuffer();

  /** How much of the line end behind a value has come, and whether that was one. */
  private int lineEndLength;

  private boolean isLineEnd;

  /** Bytes of a refused value that are still to come. */
  private long swallow;

  /** Bytes of refused values that have come. */
  private long skipped;

  /** What the client watches, in the state of that name; null in others. */
  private @Nullable Watcher watcher;

  public TextDecoder(
      SessionContext session, Authentication authentication, CommandCounters counters) {
    this.cache = session.cache();
    this.counters = counters;
    this.authentication = authentication;
    this.login = new TextAuthentication(this, authentication, tokens);
    this.text = new TextCommands(session, this, counters, tokens);
    this.gets = new GetPipeline(this, cache, new KeyLookup(cache, counters));
  }

  @Override
  protected void takeInput(ByteBuffer input, Reply reply) {
    switch (state) {
      case LINE -> takeLine(input, reply);
      case VALUE -> takeValue(input);
      case LINE_END -> takeLineEnd(input, reply);
      case SWALLOW -> skip(input);
      case WATCH -> input.position(input.limit());
      case CLOSED -> throw new AssertionError(state);
    }
  }

  @Override
  public int takeSeveral(ByteBuffer input, Reply reply, int maxReplyBytes, int maxCommands) {
    return state == State.LINE && lineLength == 0 && !hasMore() && authentication.isDone()
        ? gets.run(input, reply, maxReplyBytes, maxCommands)
        : 0;
  }

  @Override
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  @Override
  protected boolean isArriving() {
    return lineLength > 0 || (state != State.LINE && state != State.WATCH);
  }

  @Override
  protected void ended() {
    // The next line may follow.
  }

  @Override
  protected int inputBytes() {
    return (lineLength == 0 ? 0 : line.length) + value.heldBytes();
  }

  @Override
  public long valueBytesTaken() {
    return value.taken() + skipped;
  }

  @Override
  public void refuse(Reply reply) {
    reply.add("SERVER_ERROR out of memory reading request").endLine();
  }

  @Override
  public void release() {
    super.release();
    value.release();
    Watcher ended = watcher;
    watcher = null;
    if (ended != null) {
      ended.close();
    }
  }

  /** Makes the client a watcher until it leaves: commands are not taken any more. */
  public void watch(Watcher watcher) {
    this.watcher = watcher;
    state = State.WATCH;
  }

  @Override
  public @Nullable Watcher watcher() {
    return watcher;
  }

  private void takeLine(ByteBuffer input, Reply reply) {
    int from = input.position();
    int end = LineFeed.find(input, from, input.limit());
    int count = end - from;
    if (lineLength + count > MAX_MULTIGET_BYTES) {
      reply.add("CLIENT_ERROR line too long").endLine();
      close();
      return;
    }
    if (lineLength + count > line.length) {
      line = Arrays.copyOf(line, Math.max(lineLength + count, Math.max(64, 2 * line.length)));
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
    boolean isTooShort = length + 1 < MIN_LINE_BYTES;
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    if (length > MAX_INDEXED_BYTES && readsManyKeys()) {
      getMany(length, reply);
      return;
    }
    lineLength = 0;
    tokens.split(line, length);
    if (authentication.isDone() && isTooShort) {
      reply.add(Refusals.BAD_FORMAT).endLine();
    } else if (authentication.isDone()) {
      run(reply);
    } else {
      login.run(length, reply);
    }
    tokens.clear();
    if (line.length > MAX_LINE_BYTES) {
      line = NONE;
    }
  }

  private void getMany(int length, Reply reply) {
    int at = leadingSpaces();
    boolean withCas = startsWith(at, "gets ");
    lineLength = 0;
    text.getMany(line, at + (withCas ? 5 : 4), length, withCas, reply);
    line = NONE;
  }

  private int leadingSpaces() {
    int at = 0;
    while (at < lineLength && line[at] == ' ') {
      at++;
    }
    return at;
  }

  private boolean readsManyKeys() {
    int at = leadingSpaces();
    return at <= MAX_LEADING_SPACES
        && (startsWith(at, "get ") || startsWith(at, "gets "))
        && authentication.isDone();
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
    orOutOfMemory(text::run, reply);
  }

  private void orOutOfMemory(Consumer<Reply> command, Reply reply) {
    int start = reply.length();
    try {
      command.accept(reply);
    } catch (CacheFullException _) {
      counters.count(Counter.STORE_NO_MEMORY);
      reply.truncate(start);
      reply.add("SERVER_ERROR out of memory").endLine();
    }
  }

  @Override
  public void retry(Consumer<Reply> command) {
    continueWith(new RetryLater(reply -> orOutOfMemory(command, reply)));
  }

  @Override
  public void awaitValue(StoreCommand command) {
    pending = command;
    value.begin(command.valueBytes, cache);
    awaitBytes(command.valueBytes);
  }

  /** Waits for a user and a password, and for the line end behind them. */
  void awaitLogin(int bytes) {
    pending = null;
    value.begin(bytes);
    awaitBytes(bytes);
  }

  private void awaitBytes(int bytes) {
    lineEndLength = 0;
    isLineEnd = true;
    state = bytes == 0 ? State.LINE_END : State.VALUE;
  }

  private void takeValue(ByteBuffer input) {
    if (value.take(input)) {
      state = State.LINE_END;
    }
  }

  /** The two bytes behind a value belong to it, even if they are no line end. */
  private void takeLineEnd(ByteBuffer input, Reply reply) {
    while (input.hasRemaining() && lineEndLength < LINE_END_BYTES) {
      isLineEnd &= input.get() == (lineEndLength == 0 ? '\r' : '\n');
      lineEndLength++;
    }
    if (lineEndLength < LINE_END_BYTES) {
      return;
    }
    state = State.LINE;
    StoreCommand command = pending;
    pending = null;
    if (command != null) {
      value.endInto(command);
      text.store(command, isLineEnd, reply);
    } else {
      byte[] complete = value.end();
      login.check(isLineEnd ? complete : null, reply);
    }
  }

  @Override
  public void swallow(long bytes) {
    swallow = bytes;
    state = bytes > 0 ? State.SWALLOW : State.LINE;
  }

  private void skip(ByteBuffer input) {
    int count = (int) Math.min(swallow, input.remaining());
    input.position(input.position() + count);
    skipped += count;
    swallow(swallow - count);
  }

  /** Ends the session. */
  public void close() {
    state = State.CLOSED;
    lineLength = 0;
    line = NONE;
  }
}
