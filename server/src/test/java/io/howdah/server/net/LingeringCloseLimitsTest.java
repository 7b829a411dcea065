package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long and for how many bytes a connection lingers, in a time that the test moves. */
final class LingeringCloseLimitsTest {

  private static final int MAX_BYTES = 1 << 24;

  private final Socket channel = new Socket();

  /** A channel with two directions, each of which can be ended. */
  private static final class Socket extends EmbeddedChannel implements DuplexChannel {
    private boolean isInputShutdown;
    private boolean isOutputShutdown;
    private boolean failsToShutDown;
    private int reads;

    Socket() {
      config().setAutoRead(false);
      reads = 0;
    }

    @Override
    protected void doBeginRead() {
      reads++;
    }

    @Override
    public boolean isInputShutdown() {
      return isInputShutdown;
    }

    @Override
    public ChannelFuture shutdownInput() {
      return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
      isInputShutdown = true;
      return promise.setSuccess();
    }

    @Override
    public boolean isOutputShutdown() {
      return isOutputShutdown;
    }

    @Override
    public ChannelFuture shutdownOutput() {
      return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
      if (failsToShutDown) {
        return promise.setFailure(new IOException("not connected"));
      }
      isOutputShutdown = true;
      return promise.setSuccess();
    }

    @Override
    public boolean isShutdown() {
      return isInputShutdown && isOutputShutdown;
    }

    @Override
    public ChannelFuture shutdown() {
      return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
      var _ = shutdownInput();
      return shutdownOutput(promise);
    }

    void pass(int millis) {
      advanceTimeBy(millis, TimeUnit.MILLISECONDS);
      runScheduledPendingTasks();
    }

    void receive(int bytes) {
      ByteBuf buffer = Unpooled.wrappedBuffer(new byte[bytes]);
      writeInbound(buffer);
      assertThat(buffer.refCnt()).isZero();
    }
  }

  @Test
  void theOutputEndsAndWhatArrivesIsDropped() {
    LingeringClose.begin(channel);
    assertThat(channel.isOutputShutdown()).isTrue();
    assertThat(channel.isOpen()).isTrue();
    assertThat(channel.reads).isEqualTo(1);
    channel.receive(10);
    assertThat(channel.reads).isEqualTo(2);
    assertThat(channel.<Object>readInbound()).isNull();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void theEndOfTheClientClosesIt() {
    for (Object end :
        List.of(ChannelInputShutdownEvent.INSTANCE, ChannelInputShutdownReadComplete.INSTANCE)) {
      Socket socket = new Socket();
      LingeringClose.begin(socket);
      socket.pipeline().fireUserEventTriggered("another event");
      assertThat(socket.isOpen()).isTrue();
      socket.pipeline().fireUserEventTriggered(end);
      assertThat(socket.isOpen()).isFalse();
    }
  }

  @Test
  void aClientThatResetsIsClosed() {
    LingeringClose.begin(channel);
    channel.pipeline().fireExceptionCaught(new IOException("Connection reset"));
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aClientThatDoesNotEndIsClosedAfterTenSeconds() {
    LingeringClose.begin(channel);
    channel.pass(9_900);
    channel.receive(1);
    assertThat(channel.isOpen()).isTrue();
    channel.pass(200);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aClientThatSendsMoreThanItMayIsClosed() {
    LingeringClose.begin(channel);
    channel.receive(MAX_BYTES / 2);
    channel.receive(MAX_BYTES / 2);
    assertThat(channel.isOpen()).isTrue();
    channel.receive(1);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aServerThatStopsDropsHoweverMuchArrives() {
    LingeringClose.beginStop(channel, false);
    channel.receive(MAX_BYTES);
    channel.receive(MAX_BYTES);
    channel.pass(9_900);
    assertThat(channel.isOpen()).isTrue();
    channel.pass(200);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anIdleClientThatSaysNothingIsClosedSoonAfterAStop() {
    LingeringClose.beginStop(channel, true);
    channel.pass(200);
    assertThat(channel.isOpen()).isTrue();
    channel.pass(100);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anIdleClientThatSaysSomethingHasTenSecondsMore() {
    LingeringClose.beginStop(channel, true);
    channel.receive(1);
    channel.pass(300);
    assertThat(channel.isOpen()).isTrue();
    channel.pass(9_600);
    assertThat(channel.isOpen()).isTrue();
    channel.pass(500);
    assertThat(channel.isOpen()).isFalse();
  }

  /** The client that sent {@code shutdown}, or one that had quit, need not end its side. */
  @ParameterizedTest
  @ValueSource(strings = {"shutdown\r\n", "quit\r\n"})
  void aClientWhoseSessionHadEndedIsClosedSoonAfterAStop(String last) {
    ConnectionLimits limits = ConnectionLimits.DEFAULTS;
    CommandCounters counters = new CommandCounters();
    Connections all = new Connections(limits, counters);
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(32 << 20))) {
      ConnectionCache cache =
          new ItemStore(store, new ItemStoreOptions(16 << 20, true, null, () -> 1)).connect();
      Session session =
          new Session(
              cache, ServerOptions.defaults().withShutdownAllowed(true).protocol(null), counters);
      channel
          .pipeline()
          .addLast(new Connection(all, session, cache, new Watchers().connection(1), new Reply()));
      channel.writeInbound(Unpooled.wrappedBuffer(last.getBytes(StandardCharsets.US_ASCII)));
      channel.pass(1000);
      assertThat(channel.isOpen()).isTrue();
      all.stop();
      channel.runPendingTasks();
      channel.pass(200);
      assertThat(channel.isOpen()).isTrue();
      channel.pass(100);
      assertThat(channel.isOpen()).isFalse();
      var _ = channel.finishAndReleaseAll();
    }
  }

  @Test
  void aConnectionThatNothingCanArriveAtIsClosedAtOnce() {
    EmbeddedChannel simplex = new EmbeddedChannel();
    LingeringClose.begin(simplex);
    assertThat(simplex.isOpen()).isFalse();
    var _ = channel.shutdownInput();
    LingeringClose.begin(channel);
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.isOutputShutdown()).isFalse();
    LingeringClose.begin(channel);
    assertThat(channel.pipeline().get(LingeringClose.class)).isNull();
  }

  @Test
  void anOutputThatCannotBeEndedClosesTheConnection() {
    channel.failsToShutDown = true;
    LingeringClose.begin(channel);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void whoIsTakenOutOfThePipelineClosesNothingLater() {
    LingeringClose.begin(channel);
    channel.pipeline().remove(LingeringClose.class);
    channel.pass(20_000);
    assertThat(channel.isOpen()).isTrue();
  }
}
