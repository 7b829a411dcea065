package io.howdah.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.archive.Archive;
import io.howdah.collections.CacheOptions;
import io.howdah.collections.LoadOptions;
import io.howdah.server.protocol.Authenticator;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.txn.Durability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Each option outlives the others, whichever was set before it: options that are set in either
 * order are the same. Other tests do this for those of stores, transactions, files and servers.
 */
final class OptionsInAnyOrderTest {

  private static final int SECRET_BYTES = 32;

  private static <T> void requireSame(
      T plain, Function<T, List<@Nullable Object>> values, List<UnaryOperator<T>> setters) {
    for (UnaryOperator<T> one : setters) {
      assertThat(values.apply(one.apply(plain))).isNotEqualTo(values.apply(plain));
      for (UnaryOperator<T> other : setters) {
        if (!one.equals(other)) {
          assertThat(values.apply(one.apply(other.apply(plain))))
              .isEqualTo(values.apply(other.apply(one.apply(plain))));
        }
      }
    }
  }

  @Test
  void ofCaches() {
    requireSame(
        CacheOptions.ofBytes(1 << 20),
        options -> List.of(options.maxBytes(), options.maxEntries(), options.toString()),
        List.of(
            options -> options.withMaxBytes(1 << 19),
            options -> options.withMaxEntries(77),
            options -> options.withExpireAfterAccess(Duration.ofSeconds(3))));
  }

  @Test
  void ofLoads() {
    requireSame(
        LoadOptions.defaults(),
        options ->
            Arrays.asList(
                options.transactionEntries(),
                options.durability(),
                options.note() == null,
                options.progress() == null),
        List.of(
            options -> options.withTransactionEntries(7),
            options -> options.withDurability(Durability.PARTITION),
            options -> options.withNote((_, _) -> {}),
            options -> options.withProgress(_ -> {})));
  }

  @Test
  void ofArchives() {
    byte[] secret = new byte[SECRET_BYTES];
    Arrays.fill(secret, (byte) 7);
    requireSame(
        Archive.to(Path.of("archive"), Duration.ofSeconds(5)),
        archive ->
            List.of(
                archive.directory(),
                archive.place(),
                archive.interval(),
                archive.keep(),
                archive.isCompressed(),
                archive.key().map(Arrays::toString)),
        List.of(
            archive -> archive.withKeep(Duration.ofDays(3)),
            archive -> archive.withCompression(!archive.isCompressed()),
            archive -> archive.withKey(secret)));
  }

  @Test
  void ofConnections() {
    requireSame(
        ConnectionLimits.DEFAULTS,
        List::of,
        List.of(
            limits -> limits.withMaxConnections(7),
            limits -> limits.withCommandsPerTurn(8),
            limits ->
                limits.withTimeouts(
                    Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(3)),
            limits -> limits.withMaxBytes(4 << 20, 5 << 20)));
  }

  @Test
  void ofProtocols() {
    Authenticator nobody = (_, _) -> false;
    ProtocolOptions plain =
        new ProtocolOptions(
            1 << 20, true, "1", WireProtocol.AUTO, false, false, false, false, null);
    requireSame(
        plain,
        List::of,
        List.of(
            options -> options.withWireProtocol(WireProtocol.TEXT),
            options -> options.withDumpAllowed(true),
            options -> options.withShutdownAllowed(true),
            options -> options.withDebugTimeAllowed(true),
            options -> options.withWatchAllowed(true),
            options -> options.withAuthenticator(nobody)));
  }
}
