package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.server.cache.CommandCounters;
import io.howdah.server.items.ConnectionCache;
import io.howdah.server.items.ItemStore;
import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Reply;
import io.howdah.server.protocol.session.Session;
import io.howdah.server.watch.Watchers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What was read from a socket is given back, however the connection goes on. */
final class BufferReleaseTest {

  private final CommandCounters counters = new CommandCounters();
  private final Store store = Store.inMemory();

  @AfterEach
  void close() {
    store.close();
  }

  private EmbeddedChannel connect(int commandsPerTurn) {
    Connections all =
        new Connections(ConnectionLimits.DEFAULTS.withCommandsPerTurn(commandsPerTurn), counters);
    assertThat(all.enter()).isTrue();
    ConnectionCache cache =
        new ItemStore(store, new ItemStoreOptions(1 << 20, true, null, () -> 1_000_000_000))
            .connect();
    Session session = new Session(cache, ServerOptions.defaults().protocol(null), counters);
    return new EmbeddedChannel(
        new Connection(all, session, cache, new Watchers().connection(1), new Reply()));
  }

  private static ByteBuf send(EmbeddedChannel channel, String text) {
    ByteBuf read = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    channel.writeInbound(read);
    return read;
  }

  private static void dropReplies(EmbeddedChannel channel) {
    for (ByteBuf sent = channel.readOutbound(); sent != null; sent = channel.readOutbound()) {
      sent.release();
    }
  }

  @Test
  void commandsAndPiecesOfThem() {
    EmbeddedChannel channel = connect(20);
    for (String piece : new String[] {"mn\r\n", "set a 0 0 5\r\n12", "345\r\nget ", "a\r\n", "x"}) {
      assertThat(send(channel, piece).refCnt()).as(piece).isZero();
    }
    dropReplies(channel);
    assertThat(channel.close().isSuccess()).isTrue();
  }

  @Test
  void whatWasNotRunWhenTheConnectionEnds() {
    EmbeddedChannel channel = connect(20);
    ByteBuf quits = send(channel, "quit\r\nget a\r\n");
    assertThat(quits.refCnt()).isZero();
    EmbeddedChannel hasEnded = connect(20);
    ByteBuf line = send(hasEnded, "x".repeat(5000) + "\r\nmn\r\n");
    assertThat(line.refCnt()).isZero();
  }

  @Test
  void whatAWatcherSends() {
    EmbeddedChannel channel = connect(20);
    send(channel, "watch connevents\r\n");
    assertThat(send(channel, "get a\r\n").refCnt()).isZero();
    dropReplies(channel);
    assertThat(channel.close().isSuccess()).isTrue();
  }
}
