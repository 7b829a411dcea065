package io.howdah.server.net;

import io.howdah.server.watch.Watcher;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.TimeUnit;

/**
 * Sends events to a client that watches, until it leaves. One write is on its way at a time, and
 * the rest waits in the watcher, which drops what is too much. So a client that does not read costs
 * no more memory, and it has no deadline. There is a pause before the next write, so that busy
 * connections do not wake this event loop for each event. All methods run in the event loop.
 */
final class EventSender {

  private static final int PAUSE_MILLIS = 5;

  private final ChannelHandlerContext context;
  private final Watcher watcher;

  EventSender(ChannelHandlerContext context, Watcher watcher) {
    this.context = context;
    this.watcher = watcher;
  }

  void start() {
    watcher.listen(() -> context.executor().execute(this::send));
  }

  private void send() {
    byte[] lines = context.isRemoved() ? null : watcher.take();
    if (lines == null) {
      return;
    }
    context
        .writeAndFlush(Unpooled.wrappedBuffer(lines))
        .addListener(
            sent -> {
              if (sent.isSuccess()) {
                var _ =
                    context.executor().schedule(this::send, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              } else {
                var _ = context.close();
              }
            });
  }
}
