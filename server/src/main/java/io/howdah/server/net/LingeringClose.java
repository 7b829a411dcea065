package io.howdah.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection without the loss of its last replies. A socket that is closed while it has
 * bytes that were not read resets the connection, and the replies that the client has not received
 * are lost. So the output is ended first, behind the last reply. What still arrives is read and
 * dropped, until the client has ended its side too, or until a limit.
 *
 * <p>All methods run in the event loop.
 */
final class LingeringClose extends ChannelInboundHandlerAdapter {

  private static final int MAX_MILLIS = 10_000;

  /** How long a client that may have nothing more to say is waited for. */
  private static final int QUIET_MILLIS = 250;

  private static final long MAX_BYTES = 1 << 24;

  private final long maxBytes;
  private long bytes;

  /** The connection is closed soon if nothing arrives. */
  private boolean isQuiet;

  private @Nullable Future<?> timer;

  private LingeringClose(boolean isQuiet, long maxBytes) {
    this.isQuiet = isQuiet;
    this.maxBytes = maxBytes;
  }

  /** Ends a connection whose client or server has ended the session. Its replies were written. */
  static void begin(Channel channel) {
    begin(channel, new LingeringClose(false, MAX_BYTES));
  }

  /**
   * Ends a connection because the server stops, which closes all connections after a while. Its
   * replies were written.
   *
   * @param isIdle whether the connection was between commands, so that its client may well not send
   *     anything
   */
  static void beginStop(Channel channel, boolean isIdle) {
    begin(channel, new LingeringClose(isIdle, Long.MAX_VALUE));
  }

  private static void begin(Channel channel, LingeringClose rest) {
    if (!(channel instanceof DuplexChannel duplex)
        || duplex.isInputShutdown()
        || !channel.isActive()) {
      ChannelFuture _ = channel.close(); // nothing can arrive
      return;
    }
    // Before TLS: what is dropped need not be decrypted.
    channel.pipeline().addFirst(rest);
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      endOutput(duplex);
    } else {
      tls.closeOutbound().addListener(_ -> endOutput(duplex));
    }
    channel.read();
  }

  private static void endOutput(DuplexChannel channel) {
    channel
        .shutdownOutput()
        .addListener(
            ended -> {
              if (!ended.isSuccess()) {
                ChannelFuture _ = channel.close();
              }
            });
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    closeLater(context, isQuiet ? QUIET_MILLIS : MAX_MILLIS);
  }

  /**
   * The server stops while the client of an ended session stays connected. If nothing arrives for a
   * moment, the client has nothing more to say.
   */
  static void hurry(Channel channel) {
    LingeringClose rest = channel.pipeline().get(LingeringClose.class);
    if (rest != null) {
      rest.hurry(channel.pipeline().context(rest));
    }
  }

  private void hurry(ChannelHandlerContext context) {
    isQuiet = true;
    bytes = 0;
    cancelTimer();
    closeLater(context, QUIET_MILLIS);
  }

  private void closeLater(ChannelHandlerContext context, int millis) {
    timer = context.executor().schedule(() -> expire(context), millis, TimeUnit.MILLISECONDS);
  }

  private void expire(ChannelHandlerContext context) {
    if (isQuiet && bytes > 0) {
      isQuiet = false;
      closeLater(context, MAX_MILLIS);
    } else {
      ChannelFuture _ = context.close();
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    cancelTimer();
  }

  private void cancelTimer() {
    Future<?> timer = this.timer;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf read = (ByteBuf) message;
    bytes += read.readableBytes();
    read.release();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (bytes > maxBytes) {
      ChannelFuture _ = context.close();
    } else {
      context.read();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE
        || event == ChannelInputShutdownReadComplete.INSTANCE) {
      ChannelFuture _ = context.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    ChannelFuture _ = context.close(); // the client has reset the connection
  }
}
