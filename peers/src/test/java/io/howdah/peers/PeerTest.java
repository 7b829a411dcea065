package io.howdah.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeerWorkload;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every store does what the workloads take for granted. */
class PeerTest {

  @TempDir Path folder;

  private static Stream<Arguments> settings() {
    return Stream.of(PeerKind.values())
        .flatMap(kind -> Stream.of(PeerKeys.values()).map(keys -> Arguments.of(kind, keys)));
  }

  private static Stream<Arguments> settingsWithFiles() {
    return settings().filter(each -> !((PeerKind) each.get()[0]).isInMemory());
  }

  private static PeerSize size(PeerKeys keys) {
    return new PeerSize(300, 100, keys);
  }

  /** Returns what a scan adds up of a key. */
  private static long keyPart(PeerKeys keys, long number) {
    return switch (keys) {
      case LONG -> number;
      case STRING -> {
        String text = KeyForm.text(number);
        yield text.charAt(text.length() - 1);
      }
    };
  }

  @Test
  void aKeyHasTheLengthThatFiguresCountAndSortsAsItsNumber() {
    for (PeerKeys keys : PeerKeys.values()) {
      assertThat(KeyForm.bytes(keys, 5)).hasSize(keys.bytes());
      long[] sorted = {Long.MIN_VALUE, -1, 0, 9, 10, Long.MAX_VALUE};
      for (int i = 1; i < sorted.length; i++) {
        assertThat(
                Arrays.compareUnsigned(
                    KeyForm.bytes(keys, sorted[i - 1]), KeyForm.bytes(keys, sorted[i])))
            .isNegative();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whatIsPutIsFoundAndReplaced(PeerKind kind, PeerKeys keyed) throws Exception {
    try (Peer peer = Peers.open(kind, folder, false, size(keyed))) {
      Peer.Session session = peer.session();
      long[] keys = {-5, 0, 7, Long.MAX_VALUE, Long.MIN_VALUE};
      byte[][] values = new byte[keys.length][];
      for (int i = 0; i < keys.length; i++) {
        values[i] = new byte[] {(byte) i, 1, 2};
      }
      session.put(keys, values, keys.length);
      session.put(new long[] {7}, new byte[][] {{9, 9}}, 1);
      assertThat(session.get(7)).containsExactly(9, 9);
      assertThat(session.get(-5)).containsExactly(0, 1, 2);
      assertThat(session.get(8)).isNull();
      if (kind.hasRanges()) {
        assertThat(session.scan(-4, 2))
            .as("of 0 and 7")
            .isEqualTo(keyPart(keyed, 0) + 2 + keyPart(keyed, 7) + 9);
        long sum = 4 * 2 + 9; // of the values
        for (long key : keys) {
          sum += keyPart(keyed, key);
        }
        assertThat(session.scan(Long.MIN_VALUE, 100)).isEqualTo(sum);
      }
      session.release();
    }
  }

  @ParameterizedTest
  @MethodSource("settingsWithFiles")
  void aClosedStoreHasEverythingWhenItIsOpenedAgain(PeerKind kind, PeerKeys keys) throws Exception {
    PeerSize size = size(keys);
    try (Peer peer = Peers.open(kind, folder, true, size)) {
      PeerThreads threads = new PeerThreads(peer, size);
      threads.load(0, size.entries(), 100);
    }
    try (Peer peer = Peers.open(kind, folder, false, size)) {
      PeerThreads threads = new PeerThreads(peer, size);
      assertThat(threads.count(0, size.entries() + 5)).isEqualTo(size.entries());
      for (PeerWorkload workload : PeerWorkload.values()) {
        if (kind.runs(workload)) {
          assertThat(threads.run(workload, 2, 1_000_000).operations()).isPositive();
        }
      }
      assertThat(threads.count(0, size.entries())).isEqualTo(size.entries());
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void entriesInOrderAreLoadedBehindThoseThatAreThere(PeerKind kind, PeerKeys keys)
      throws Exception {
    PeerSize size = size(keys);
    try (Peer peer = Peers.open(kind, folder, false, size)) {
      PeerThreads threads = new PeerThreads(peer, size);
      if (kind.bulkLoad().isEmpty()) {
        assertThatThrownBy(() -> threads.bulk(0, 200))
            .isInstanceOf(UnsupportedOperationException.class);
        return;
      }
      assertThat(threads.bulk(0, 200)).isEqualTo(200);
      assertThat(threads.bulk(200, 100)).isEqualTo(100);
      Peer.Session session = peer.session();
      assertThat(session.get(300)).isNull();
      long sum = 0;
      for (long key = 0; key < 300; key++) {
        sum += keyPart(keys, key) + KeyForm.part(Objects.requireNonNull(session.get(key)));
      }
      assertThat(session.scan(0, 1000)).isEqualTo(sum);
      session.release();
    }
  }
}
