package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.server.transport.TransportKind;
import io.howdah.server.watch.Watchers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

final class ServerOptionsTest {

  private static final ServerOptions DEFAULTS = ServerOptions.defaults();

  private static void range(
      long min,
      long max,
      String text,
      LongFunction<ServerOptions> with,
      ToLongFunction<ServerOptions> value) {
    for (long inside : List.of(min, max)) {
      assertThat(value.applyAsLong(with.apply(inside))).isEqualTo(inside);
    }
    LongConsumer refused =
        outside ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> with.apply(outside))
                .withMessage(text + " is " + min + " to " + max + ", not " + outside);
    refused.accept(min - 1);
    refused.accept(max + 1);
  }

  @Test
  void numbersAreAllowedUpToTheEndsOfTheirRanges() {
    range(1, 65536, "the backlog", n -> DEFAULTS.withBacklog((int) n), ServerOptions::backlog);
    range(
        1,
        ServerOptions.MAX_THREADS,
        "the number of threads",
        n -> DEFAULTS.withThreads((int) n),
        ServerOptions::threads);
    range(
        Watchers.MIN_BUFFER_BYTES,
        Watchers.MAX_BUFFER_BYTES,
        "the buffer of a watcher",
        n -> DEFAULTS.withWatchBufferBytes((int) n),
        ServerOptions::watchBufferBytes);
    range(
        1024,
        ProtocolOptions.MAX_MAX_ITEM_BYTES,
        "the largest item",
        n -> DEFAULTS.withMaxItemBytes((int) n),
        ServerOptions::maxItemBytes);
    range(
        ItemStoreOptions.MIN_BYTES,
        ServerOptions.MAX_MAX_BYTES,
        "the limit of memory",
        DEFAULTS::withMaxBytes,
        ServerOptions::maxBytes);
    range(
        ItemStoreOptions.MIN_BYTES,
        ServerOptions.MAX_MAX_BYTES,
        "the limit of values that are read",
        DEFAULTS::withMaxPinnedBytes,
        ServerOptions::maxPinnedBytes);
    range(
        1,
        10_000,
        "the interval of forces",
        n -> {
          try {
            return DEFAULTS.withForceInterval(Duration.ofMillis(n));
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                String.valueOf(e.getMessage()).replace(" ms", ""), e);
          }
        },
        options -> options.forceInterval().toMillis());
  }

  @Test
  void aSocketHasPermissionsOnly() {
    Path path = Path.of("socket");
    for (int mode : List.of(0, 0777)) {
      ServerOptions options = DEFAULTS.withUnixSocket(path, mode);
      assertThat(options.unixSocket()).contains(path);
      assertThat(options.unixSocketMode()).isEqualTo(mode);
    }
    assertThat(DEFAULTS.unixSocket()).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DEFAULTS.withUnixSocket(path, 01000))
        .withMessage("the permissions of a socket are 0 to 777 in octal, not 1000");
  }

  @Test
  void largeValuesThatAreReadHaveAQuarterOfTheMemory() {
    assertThat(DEFAULTS.withMaxBytes(8 << 20).maxPinnedBytes()).isEqualTo(2 << 20);
    assertThat(DEFAULTS.withMaxBytes(8 << 20).withMaxPinnedBytes(3 << 20).maxPinnedBytes())
        .isEqualTo(3 << 20);
  }

  @Test
  void eachOptionStaysWhenOthersAreSet() {
    List<Integer> levels = new ArrayList<>();
    TlsOptions tls = new TlsOptions(Path.of("chain"), null, TlsOptions.Version.TLS_1_3);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    ServerOptions options =
        DEFAULTS
            .withMode(ReplyMode.SYNC)
            .withTls(tls)
            .withAuthFile(Path.of("users"))
            .withAddresses(List.of(address))
            .withUnixSocket(Path.of("socket"), 0640)
            .withTransport(TransportKind.NIO)
            .withBacklog(3)
            .withThreads(5)
            .withMaxConnections(6)
            .withWireProtocol(WireProtocol.TEXT)
            .withDumpAllowed(false)
            .withShutdownAllowed(true)
            .withWatchAllowed(false)
            .withWatchBufferBytes(5000)
            .withVerbosity(2, levels::add)
            .withDebugTimeAllowed(true)
            .withForceInterval(Duration.ofMillis(7))
            .withMaxItemBytes(2048)
            .withFlushAllowed(false)
            .withMaxBytes(9 << 20)
            .withMaxPinnedBytes(4 << 20)
            .withEvictions(false)
            .withTransport(TransportKind.NIO);
    assertThat(options.mode()).isEqualTo(ReplyMode.SYNC);
    assertThat(options.tls()).contains(tls);
    assertThat(options.authFile()).contains(Path.of("users"));
    assertThat(options.addresses()).containsExactly(address);
    assertThat(options.unixSocket()).contains(Path.of("socket"));
    assertThat(options.unixSocketMode()).isEqualTo(0640);
    assertThat(options.transport()).isEqualTo(TransportKind.NIO);
    assertThat(options.backlog()).isEqualTo(3);
    assertThat(options.threads()).isEqualTo(5);
    assertThat(options.limits().maxConnections()).isEqualTo(6);
    assertThat(options.wireProtocol()).isEqualTo(WireProtocol.TEXT);
    assertThat(options.dumpAllowed()).isFalse();
    assertThat(options.shutdownAllowed()).isTrue();
    assertThat(options.watchAllowed()).isFalse();
    assertThat(options.watchBufferBytes()).isEqualTo(5000);
    assertThat(options.verbosity()).isEqualTo(2);
    options.verbosityListener().accept(1);
    assertThat(levels).containsExactly(1);
    assertThat(options.debugTimeAllowed()).isTrue();
    assertThat(options.forceInterval()).isEqualTo(Duration.ofMillis(7));
    assertThat(options.maxItemBytes()).isEqualTo(2048);
    assertThat(options.flushAllowed()).isFalse();
    assertThat(options.maxBytes()).isEqualTo(9 << 20);
    assertThat(options.maxPinnedBytes()).isEqualTo(4 << 20);
    assertThat(options.evicts()).isFalse();
  }

  @Test
  void theDefaultsAreThoseOfMemcached() {
    assertThat(DEFAULTS.addresses()).hasSize(1);
    assertThat(DEFAULTS.addresses().getFirst().getPort()).isEqualTo(11211);
    assertThat(DEFAULTS.threads()).isEqualTo(4);
    assertThat(DEFAULTS.verbosity()).isZero();
    assertThat(DEFAULTS.dumpAllowed()).isTrue();
    assertThat(DEFAULTS.flushAllowed()).isTrue();
    assertThat(DEFAULTS.watchAllowed()).isTrue();
    assertThat(DEFAULTS.evicts()).isTrue();
    assertThat(DEFAULTS.shutdownAllowed()).isFalse();
    assertThat(DEFAULTS.debugTimeAllowed()).isFalse();
    assertThat(DEFAULTS.tls()).isEmpty();
    assertThat(DEFAULTS.authFile()).isEmpty();
    assertThat(DEFAULTS.protocol(null).maxItemBytes()).isEqualTo(1 << 20);
  }

  @Test
  void eachSettingKeepsAllOthers() {
    ServerOptions options =
        DEFAULTS
            .withBacklog(7)
            .withThreads(3)
            .withDumpAllowed(false)
            .withVerbosity(2, _ -> {})
            .withMaxItemBytes(4096)
            .withFlushAllowed(false)
            .withEvictions(false)
            .withMaxBytes(8 << 20)
            .withUnixSocket(Path.of("socket"), 0770)
            .withForceInterval(Duration.ofMillis(20))
            .withMode(ReplyMode.SYNC);
    assertThat(options.backlog()).isEqualTo(7);
    assertThat(options.threads()).isEqualTo(3);
    assertThat(options.dumpAllowed()).isFalse();
    assertThat(options.verbosity()).isEqualTo(2);
    assertThat(options.maxItemBytes()).isEqualTo(4096);
    assertThat(options.flushAllowed()).isFalse();
    assertThat(options.evicts()).isFalse();
    assertThat(options.maxBytes()).isEqualTo(8 << 20);
    assertThat(options.maxPinnedBytes()).isEqualTo(2 << 20);
    assertThat(options.unixSocket()).contains(Path.of("socket"));
    assertThat(options.unixSocketMode()).isEqualTo(0770);
    assertThat(options.forceInterval()).isEqualTo(Duration.ofMillis(20));
    assertThat(options.mode()).isEqualTo(ReplyMode.SYNC);
    assertThat(DEFAULTS.threads()).isEqualTo(4);
    assertThat(DEFAULTS.mode()).isEqualTo(ReplyMode.ASYNC);
  }
}
