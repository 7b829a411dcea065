package io.howdah.server.net;

import io.howdah.Store;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.Session;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One connection. Runs the commands of what it reads, up to so many bytes of replies, and sends
 * those at once. It reads again when they are on their way, and in {@link ReplyMode#SYNC} when the
 * commits that they rest on are durable: the event loop waits for neither. So a connection holds
 * one read and the replies to a part of it.
 */
final class Connection extends ChannelInboundHandlerAdapter {

  /** The event by which a server that stops tells its connections. */
  enum Stop {
    STOP
  }

  /** No command starts once the replies have this many bytes. */
  private static final int MAX_REPLY_BYTES = 1 << 16;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Session session;
  private final ConnectionCache cache;
  private final Store store;
  private final boolean waits;
  private final Reply reply = new Reply();

  /** What was read and not run yet. */
  private @Nullable ByteBuf input;

  /** Replies are on their way; nothing runs until they have gone. */
  private boolean isSending;

  private boolean isEnded;

  /** The server stops: what has arrived is run, and nothing is read any more. */
  private boolean isStopping;

  /** The newest LSN known to be durable here. */
  private long stableLsn;

  Connection(Session session, ConnectionCache cache, Store store, boolean waits) {
    this.session = session;
    this.cache = cache;
    this.store = store;
    this.waits = waits;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
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

  private void work(ChannelHandlerContext context) {
    if (isSending || isEnded) {
      return;
    }
    boolean goesOn = run();
    if (!goesOn) {
      isEnded = true;
      drop();
    }
    if (reply.length() > 0) {
      isSending = true;
      sendWhenDurable(context);
    } else if (isEnded || isStopping) {
      isEnded = true;
      drop();
      close(context);
    } else {
      context.read();
    }
  }

  /** Runs commands; returns false if the session has ended. */
  private boolean run() {
    ByteBuf input = this.input;
    if (input == null) {
      return !session.hasMore() || session.receive(NOTHING.duplicate(), reply, MAX_REPLY_BYTES);
    }
    ByteBuffer bytes = input.nioBuffer();
    int length = bytes.remaining();
    boolean goesOn = session.receive(bytes, reply, MAX_REPLY_BYTES);
    input.skipBytes(length - bytes.remaining());
    if (!input.isReadable()) {
      drop();
    }
    return goesOn;
  }

  private void sendWhenDurable(ChannelHandlerContext context) {
    long lsn = cache.lsn();
    if (!waits || lsn <= stableLsn || store.durability().isStable(lsn)) {
      stableLsn = lsn;
      send(context);
      return;
    }
    store
        .durability()
        .whenStable(lsn)
        .whenComplete(
            (_, failure) ->
                context
                    .executor()
                    .execute(
                        () -> {
                          if (failure != null) {
                            isEnded = true; // an unkept promise is not sent
                            close(context);
                          } else {
                            stableLsn = lsn;
                            send(context);
                          }
                        }));
  }

  private void send(ChannelHandlerContext context) {
    ByteBuf buffer = context.alloc().buffer(reply.length());
    buffer.writeBytes(reply.array(), 0, reply.length());
    reply.clear(MAX_REPLY_BYTES);
    context
        .writeAndFlush(buffer)
        .addListener(
            (ChannelFutureListener)
                sent -> {
                  isSending = false;
                  if (!sent.isSuccess() || isEnded) {
                    isEnded = true;
                    close(context);
                  } else {
                    // Not from within the write: long pipelines would nest as deep as they are.
                    context.executor().execute(() -> work(context));
                  }
                });
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

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == Stop.STOP) {
      isStopping = true;
      work(context);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    isEnded = true;
    drop();
  }

  /** A reset connection, or a store that has stopped: nothing that this client can be told. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    isEnded = true;
    drop();
    close(context);
  }
}
