package io.howdah.server.net;

import io.howdah.server.items.ConnectionCache;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.ConnectionEvents;
import io.howdah.server.watch.ConnectionEvents.CloseReason;
import io.howdah.server.watch.Watcher;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Runs the commands of what it reads, up to so many commands and bytes of replies,
 * and sends those at once. It reads again when they are on their way, and in {@link ReplyMode#SYNC}
 * when the commits that they rest on are durable: the event loop waits for neither. So a connection
 * holds one read and the replies to a part of it, and an idle one holds no buffer at all.
 *
 * <p>All methods run in the event loop, unless they say otherwise.
 */
final class Connection extends ChannelInboundHandlerAdapter {

  /** What a connection waits for that may end it. */
  enum Deadline {
    NONE,
    IDLE,
    REQUEST,
    WRITE
  }

  /** No command starts once the replies have this many bytes. */
  private static final int MAX_REPLY_BYTES = 1 << 16;

  /** How many bytes of an empty reply are kept: room for two parts of a large value. */
  private static final int MAX_KEPT_BYTES = 1 << 18;

  private static final System.Logger LOG = System.getLogger(Connection.class.getName());

  /** How long a connection waits before it tries again whether there is memory for replies. */
  private static final int RETRY_MILLIS = 10;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final ConnectionEvents events;
  private final Connections all;
  private final Session session;
  private final ConnectionCache cache;

  /** Of the event loop: used while commands run, and empty between. */
  private final Reply reply;

  private @Nullable ChannelHandlerContext context;

  private Peers.@Nullable Peer peer;

  /** What was read and not run yet. */
  private @Nullable ByteBuf input;

  /** Replies are on their way; nothing runs until they have gone. */
  private boolean isSending;

  /** Replies that wait until one more may wait for durability. */
  private @Nullable ByteBuf laterReplies;

  private boolean isEnded;

  /** The client has asked for events, and they are on their way. */
  private boolean isWatching;

  private CloseReason closeReason = CloseReason.NORMAL;

  /** The server or the client stops: what was read is run, and nothing is read any more. */
  private boolean isStopping;

  /** There was nothing to do when the server told the connection to stop. */
  private boolean wasIdle;

  /** The server stops, and waits for this connection. */
  private boolean isServerStopping;

  /** What had arrived when the deadline was set last. */
  private long progressSeen;

  private int partialBytes;

  /** It waits until others have taken their replies. */
  private boolean isHeld;

  private final Debt debt = new Debt();

  private Deadline deadline = Deadline.NONE;
  private long activeNanos;

  /** Written behind the two fields above, so that another thread that reads it first sees them. */
  private volatile long deadlineNanos;

  Connection(
      Connections all,
      Session session,
      ConnectionCache cache,
      ConnectionEvents events,
      Reply reply) {
    this.events = events;
    this.all = all;
    this.session = session;
    this.cache = cache;
    this.reply = reply;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    this.context = context;
    SocketAddress remote = context.channel().remoteAddress();
    peer = all.peers().enter(remote);
    all.add(this);
    events.opened(remote);
    if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
      LOG.log(System.Logger.Level.DEBUG, "connection " + id() + " opened: " + address(context));
    }
  }

  /** Returns the number of the connection, by which statistics and events name it. */
  long id() {
    return events.id();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    await(Deadline.IDLE);
    context.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf read = (ByteBuf) message;
    ByteBuf rest = input;
    if (isEnded) {
      read.release();
    } else if (rest == null) {
      input = read;
    } else {
      // A loop that had begun to read before it was told to stop: at most one read more.
      input = context.alloc().buffer(rest.readableBytes() + read.readableBytes());
      input.writeBytes(rest).writeBytes(read);
      rest.release();
      read.release();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    work(context);
  }

  /**
   * Runs commands and sends their replies. If anything is thrown, the connection ends: the client
   * learns nothing that is not so. The reply is the event loop's, so what is in it is removed
   * first: it is no other connection's.
   */
  private void work(ChannelHandlerContext context) {
    try {
      runAndSend(context);
    } catch (RuntimeException | Error e) {
      isEnded = true; // first: there may be no memory for the rest
      reply.forget();
      end(context, e);
    }
  }

  private void end(ChannelHandlerContext context, Throwable cause) {
    isEnded = true;
    closeReason = CloseReason.ERROR;
    drop();
    all.failed(cause);
    close(context);
  }

  private void runAndSend(ChannelHandlerContext context) {
    if (isSending || isEnded) {
      return;
    }
    boolean waits = all.isUnsentFull(peer()) && (input != null || session.hasMore());
    hold(waits);
    if (waits) {
      session.giveUpPlace(); // it does not ask again before it has room for replies
      workLater(context, RETRY_MILLIS);
      return;
    }
    boolean goesOn = run();
    boolean fits = countPartial();
    if (!fits) {
      session.refuse(reply);
    }
    if (!goesOn || !fits) {
      isEnded = true;
      drop();
      if (!session.hasQuit()) {
        closeReason = CloseReason.ERROR;
      }
    }
    if (!fits) {
      all.outOfMemory();
    }
    if (reply.length() > 0) {
      ByteBuf replies = takeReplies(context);
      isSending = true;
      all.unsent(peer(), replies.readableBytes());
      sendWhenDurable(context, replies);
    } else if (isEnded) {
      closeSlowly(context);
    } else if (input != null || session.hasMore()) {
      all.yielded();
      workLater(context, session.isWaiting() ? RETRY_MILLIS : 0);
    } else if (isStopping) {
      isEnded = true;
      closeSlowly(context);
    } else {
      awaitInput();
      context.read();
    }
  }

  private void hold(boolean holds) {
    if (holds != isHeld) {
      isHeld = holds;
      peer().held(holds ? 1 : -1);
    }
  }

  private void workLater(ChannelHandlerContext context, int millis) {
    await(Deadline.NONE); // that it has its turn later is no fault of the client
    isSending = true; // nothing runs meanwhile
    Runnable again =
        () -> {
          isSending = false;
          work(context);
        };
    if (millis == 0) {
      context.executor().execute(again);
    } else {
      var _ = context.executor().schedule(again, millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Runs commands; returns false if the session has ended. */
  private boolean run() {
    int maxCommands = all.limits().commandsPerTurn();
    ByteBuf input = this.input;
    if (input == null) {
      return !session.hasMore()
          || session.receive(NOTHING.duplicate(), reply, MAX_REPLY_BYTES, maxCommands);
    }
    ByteBuffer bytes = input.nioBuffer();
    int length = bytes.remaining();
    boolean goesOn = session.receive(bytes, reply, MAX_REPLY_BYTES, maxCommands);
    input.skipBytes(length - bytes.remaining());
    if (!input.isReadable()) {
      drop();
    }
    return goesOn;
  }

  /** Counts what the session holds, and returns whether all sessions together may hold it. */
  private boolean countPartial() {
    int held = session.heldBytes();
    int change = held - partialBytes;
    partialBytes = held;
    return change == 0 || all.partial(change);
  }

  private ByteBuf takeReplies(ChannelHandlerContext context) {
    ByteBuf replies = context.alloc().buffer(reply.length());
    replies.writeBytes(reply.array(), 0, reply.length());
    reply.clear(MAX_KEPT_BYTES);
    return replies;
  }

  private void sendWhenDurable(ChannelHandlerContext context, ByteBuf replies) {
    @Nullable CompletionStage<@Nullable Void> durable = null;
    boolean isWaiting = false;
    try {
      if (!cache.isDurable()) {
        await(Deadline.NONE); // that the disk is slow is no fault of the client
        isWaiting = all.enterDurabilityWait();
        if (!isWaiting) { // so many others wait that the log is forced without this one
          sendLater(context, replies);
          return;
        }
        durable = cache.whenDurable();
      }
    } catch (RuntimeException | Error e) {
      if (isWaiting) {
        all.leaveDurabilityWait();
      }
      forget(replies);
      throw e;
    }
    if (durable == null) {
      send(context, replies);
      return;
    }
    var _ =
        durable.whenComplete(
            (_, failure) -> {
              all.leaveDurabilityWait();
              context
                  .executor()
                  .execute(
                      () -> {
                        if (failure == null) {
                          send(context, replies);
                        } else {
                          forget(replies);
                          end(context, failure); // an unkept promise is not sent
                        }
                      });
            });
  }

  private void sendLater(ChannelHandlerContext context, ByteBuf replies) {
    laterReplies = replies;
    var _ =
        context
            .executor()
            .schedule(
                () -> {
                  ByteBuf later = laterReplies;
                  laterReplies = null;
                  if (later == null) {
                    return; // the connection is gone
                  }
                  try {
                    sendWhenDurable(context, later);
                  } catch (RuntimeException | Error e) {
                    end(context, e);
                  }
                },
                1,
                TimeUnit.MILLISECONDS);
  }

  Peers.Peer peer() {
    return Objects.requireNonNull(peer, "a connection that was added");
  }

  private void forget(ByteBuf replies) {
    all.unsent(peer(), -replies.readableBytes());
    replies.release();
  }

  private void send(ChannelHandlerContext context, ByteBuf replies) {
    int length = replies.readableBytes();
    ChannelFuture write = context.writeAndFlush(replies);
    if (!write.isDone()) {
      await(Deadline.WRITE);
      debt.begin(length, all.now());
    }
    write.addListener(
        sent -> {
          isSending = false;
          debt.end();
          all.unsent(peer(), -length);
          Watcher watcher = session.watcher();
          if (watcher != null && !isWatching) {
            isWatching = true;
            new EventSender(context, watcher).start();
          }
          if (!sent.isSuccess() || isEnded) {
            isEnded = true;
            closeSlowly(context);
            return;
          }
          if (input == null && !session.hasMore() && !isStopping) {
            awaitInput();
            context.read();
            return;
          }
          if (input != null) {
            all.yielded();
          }
          // Not from within the write: long pipelines would nest as deep as they are. If others
          // wait for room, it waits as they do, or it would always be the first to take it.
          workLater(context, peer().hasHeld() ? RETRY_MILLIS : 0);
        });
  }

  private void awaitInput() {
    long progress = session.progress();
    if (isWatching) {
      await(Deadline.NONE);
    } else if (!session.isWithinCommand()) {
      await(Deadline.IDLE);
    } else if (deadline != Deadline.REQUEST || progress != progressSeen) {
      await(Deadline.REQUEST);
    }
    progressSeen = progress;
  }

  private void await(Deadline deadline) {
    ConnectionLimits limits = all.limits();
    Duration timeout =
        switch (deadline) {
          case NONE -> Duration.ZERO;
          case IDLE -> limits.idleTimeout();
          case REQUEST -> limits.requestTimeout();
          case WRITE -> limits.writeTimeout();
        };
    long now = all.now();
    activeNanos = now;
    this.deadline = timeout.isZero() ? Deadline.NONE : deadline;
    deadlineNanos = now + timeout.toNanos();
  }

  /** Closes the connection if what it waits for has not come in time. Any thread. */
  void expireIfDue(long now) {
    ChannelHandlerContext context = this.context;
    if (now - deadlineNanos >= 0 && deadline != Deadline.NONE && context != null) {
      context.executor().execute(() -> expire(context));
    }
  }

  private void expire(ChannelHandlerContext context) {
    Deadline missed = deadline;
    if (missed != Deadline.NONE && all.now() - deadlineNanos >= 0 && !isEnded) {
      kick(context, missed);
    }
  }

  /** Returns what the client has not taken. Any thread. */
  Debt debt() {
    return debt;
  }

  /** Returns what it reads items from, by which others know it. Any thread. */
  ConnectionCache cache() {
    return cache;
  }

  /** Closes the connection, which others wait for, if it is still the same reply. Any thread. */
  void requestKick() {
    long since = debt.since();
    ChannelHandlerContext context = this.context;
    if (context != null) {
      context
          .executor()
          .execute(
              () -> {
                if (debt.bytes() > 0 && debt.since() == since && !isEnded) {
                  kick(context, Deadline.WRITE);
                }
              });
    }
  }

  private void kick(ChannelHandlerContext context, Deadline missed) {
    all.kicked(missed);
    isEnded = true;
    closeReason = missed == Deadline.IDLE ? CloseReason.IDLE_TIMEOUT : CloseReason.ERROR;
    drop();
    close(context);
  }

  /** Runs what was read, and then closes the connection. Any thread. */
  void requestStop() {
    ChannelHandlerContext context = this.context;
    if (context != null) {
      context
          .executor()
          .execute(
              () -> {
                isServerStopping = true;
                if (isEnded) {
                  wasIdle = true;
                  LingeringClose.hurry(context.channel());
                } else {
                  isStopping = true;
                  wasIdle = !isSending && !session.isWithinCommand();
                  closeReason = CloseReason.SHUTDOWN;
                  work(context);
                }
              });
    }
  }

  /** Closes the connection. Any thread. */
  void requestClose() {
    ChannelHandlerContext context = this.context;
    if (context != null) {
      context.executor().execute(() -> close(context));
    }
  }

  /** Calls a function with the rows of {@code stats conns}. Any thread. */
  void describe(BiConsumer<String, String> row, long now) {
    ChannelHandlerContext context = this.context;
    if (context != null && deadlineNanos != 0) {
      long id = id();
      row.accept(id + ":addr", address(context));
      row.accept(
          id + ":state",
          isWatching
              ? "conn_watch"
              : switch (deadline) {
                case REQUEST -> "conn_nread";
                case WRITE -> "conn_mwrite";
                case NONE, IDLE -> "conn_read";
              });
      row.accept(id + ":secs_since_last_cmd", Long.toString((now - activeNanos) / 1_000_000_000L));
    }
  }

  private String address(ChannelHandlerContext context) {
    return context.channel().remoteAddress() instanceof InetSocketAddress address
        ? "tcp:" + address.getAddress().getHostAddress() + ":" + address.getPort()
        : "unix:" + all.unixSocket();
  }

  /** Closes the connection without the loss of its last replies. */
  private void closeSlowly(ChannelHandlerContext context) {
    await(Deadline.NONE); // it has one of its own
    releaseSession();
    if (isServerStopping) {
      LingeringClose.beginStop(context.channel(), wasIdle);
    } else {
      LingeringClose.begin(context.channel());
    }
  }

  private static void close(ChannelHandlerContext context) {
    ChannelFuture _ = context.close();
  }

  private void drop() {
    if (input != null) {
      input.release();
      input = null;
    }
  }

  /** A client that sends no more still reads: what has arrived is run before the end. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      isStopping = true;
      work(context);
    }
    super.userEventTriggered(context, event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isEnded = true;
    drop();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    isEnded = true;
    drop();
    releaseSession();
    ByteBuf later = laterReplies;
    laterReplies = null;
    if (later != null) {
      forget(later);
    }
    hold(false);
    all.peers().leave(peer());
    all.leave(this);
    events.closed(context.channel().remoteAddress(), closeReason);
    if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
      LOG.log(System.Logger.Level.DEBUG, "connection " + id() + " closed: " + closeReason);
    }
  }

  private void releaseSession() {
    try {
      session.close();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.DEBUG, "a connection's value is freed at the next start", e);
    } finally {
      boolean _ = all.partial(-partialBytes);
      partialBytes = 0;
    }
  }

  /**
   * A reset connection, a store that has stopped, or a command that failed with no reply for it:
   * nothing that this client can be told.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    all.failed(cause);
    isEnded = true;
    closeReason = CloseReason.ERROR;
    drop();
    close(context);
  }
}
