package io.howdah.server.protocol.session;

import io.howdah.server.cache.Cache;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.cache.CommandCounters.Counter;
import io.howdah.server.protocol.Authentication;
import io.howdah.server.protocol.Decoder;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.ServerControl;
import io.howdah.server.protocol.SessionContext;
import io.howdah.server.protocol.binary.BinaryDecoder;
import io.howdah.server.protocol.binary.BinaryRequest;
import io.howdah.server.protocol.text.TextDecoder;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.Watcher;
import io.howdah.server.watch.Watchers;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One connection's state between bytes: takes them in any pieces, runs each command when it is
 * complete, and appends the replies in the order of the commands. The first byte selects the
 * protocol. What a session holds is bounded by a command line or by 64 KiB of one value. For one
 * thread at a time.
 */
public final class Session {

  private static final int PROGRESS_SHIFT = 16;

  private final CommandCounters counters;
  private final SessionContext context;

  /** Null until the first byte. */
  private @Nullable Decoder decoder;

  private boolean isClosed;
  private long commands;

  /**
   * Makes a session.
   *
   * @param cache as this connection sees it
   * @param counters of all connections
   */
  public Session(Cache cache, ProtocolOptions options, CommandCounters counters) {
    this(cache, options, counters, ServerControl.NONE, new Watchers().connection(0));
  }

  /**
   * Makes a session that may ask something of the server.
   *
   * @param cache as this connection sees it
   * @param counters of all connections
   * @param control is asked by commands
   * @param events tells watchers what commands do
   */
  public Session(
      Cache cache,
      ProtocolOptions options,
      CommandCounters counters,
      ServerControl control,
      ConnectionEvents events) {
    this.context = new SessionContext(cache, options, control, events);
    this.counters = counters;
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
    return receive(input, reply, maxReplyBytes, Integer.MAX_VALUE);
  }

  /**
   * As {@link #receive(ByteBuffer, Reply, int)}, and ends after a number of commands and of parts
   * of long replies, so that one client does not keep a thread from the others.
   */
  public boolean receive(ByteBuffer input, Reply reply, int maxReplyBytes, int maxCommands) {
    int left = maxCommands;
    int start = input.position();
    int replyStart = reply.length();
    Decoder decoder = this.decoder;
    if (decoder == null && !isClosed && input.hasRemaining()) {
      decoder = select(input.get(start));
      this.decoder = decoder;
      isClosed = decoder == null;
    }
    if (decoder != null) {
      while (!isClosed
          && (input.hasRemaining() || decoder.hasMore())
          && reply.length() < maxReplyBytes
          && left > 0) {
        int several = decoder.takeSeveral(input, reply, maxReplyBytes, left);
        if (several > 0) {
          commands += several;
          left -= several;
          continue;
        }
        boolean isContinued = decoder.hasMore();
        decoder.take(input, reply);
        isClosed = decoder.isClosed();
        boolean isEnded = !decoder.isWithinCommand();
        commands += isEnded ? 1 : 0;
        left -= isEnded || isContinued ? 1 : 0;
        if (decoder.isWaiting()) {
          break;
        }
      }
    }
    context.cache().release();
    if (reply.length() > 0 || !isWaiting()) {
      giveUpPlace();
    }
    counters.add(Counter.BYTES_READ, input.position() - start);
    counters.add(Counter.BYTES_WRITTEN, reply.length() - replyStart);
    return !isClosed;
  }

  /** Returns the decoder of a connection that begins with a byte, or null if there is none. */
  private @Nullable Decoder select(byte first) {
    boolean isBinary = first == (byte) BinaryRequest.MAGIC;
    Authentication authentication = new Authentication(context.options().authenticator(), counters);
    return switch (context.options().wireProtocol()) {
      case AUTO ->
          isBinary
              ? new BinaryDecoder(context, authentication, counters)
              : new TextDecoder(context, authentication, counters);
      case TEXT -> new TextDecoder(context, authentication, counters);
      case BINARY -> isBinary ? new BinaryDecoder(context, authentication, counters) : null;
    };
  }

  /**
   * Returns whether a command has more to reply once the replies until now have been sent. Then
   * {@link #receive} goes on with it, even without input.
   */
  public boolean hasMore() {
    return decoder != null && decoder.hasMore();
  }

  /**
   * Returns the events that the client watches, or null if it does not. A client that watches sends
   * no more commands: what arrives is dropped.
   */
  public @Nullable Watcher watcher() {
    return decoder == null ? null : decoder.watcher();
  }

  /** Returns whether the client has asked for the end, and not broken a rule of the protocol. */
  public boolean hasQuit() {
    return decoder != null && decoder.hasQuit();
  }

  /** Returns whether a command has begun to arrive and has not ended. */
  public boolean isWithinCommand() {
    return decoder != null && decoder.isWithinCommand();
  }

  /** Returns whether the command at hand waits for others, so the next turn is not at once. */
  public boolean isWaiting() {
    return decoder != null && decoder.isWaiting();
  }

  /**
   * Returns a number that grows with each command that ends, and each 64 KiB of its value, also if
   * that is dropped.
   */
  public long progress() {
    return commands + (decoder == null ? 0 : decoder.valueBytesTaken() >> PROGRESS_SHIFT);
  }

  /**
   * Gives up the place among those that wait to read large values. To be called when the session
   * will not be asked again within milliseconds, so that it keeps nobody waiting. A turn that
   * leaves something to be sent gives it up itself. The next turn takes the last place.
   */
  public void giveUpPlace() {
    context.cache().giveUpPlace();
  }

  /** Tells the client, in its protocol, that there is no memory for what it sends. */
  public void refuse(Reply reply) {
    if (decoder != null) {
      decoder.refuse(reply);
    }
  }

  /** Ends the session: frees what a half-received value or a half-sent reply holds. */
  public void close() {
    isClosed = true;
    if (decoder != null) {
      decoder.release();
    }
    context.cache().release();
    giveUpPlace();
  }

  /** Returns the number of bytes that the session holds between calls, about. */
  public int heldBytes() {
    return decoder == null ? 0 : decoder.heldBytes();
  }
}
