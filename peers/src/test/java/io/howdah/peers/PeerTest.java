package io.howdah.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeerWorkload;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Every store does what the workloads take for granted. */
class PeerTest {

  private static final PeerSize SIZE = new PeerSize(300, 100);

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource
  void whatIsPutIsFoundAndReplaced(PeerKind kind) throws Exception {
    try (Peer peer = Peers.open(kind, folder, false, SIZE)) {
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
        assertThat(session.scan(-4, 2)).as("the values of 0 and 7").isEqualTo(3 + 2);
        assertThat(session.scan(Long.MIN_VALUE, 100)).isEqualTo(4 * 3 + 2);
      }
      session.release();
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"HEAP", "HEAP_HASH"})
  void aClosedStoreHasEverythingWhenItIsOpenedAgain(PeerKind kind) throws Exception {
    try (Peer peer = Peers.open(kind, folder, true, SIZE)) {
      PeerThreads threads = new PeerThreads(peer, SIZE);
      threads.load(0, SIZE.entries(), 100);
    }
    try (Peer peer = Peers.open(kind, folder, false, SIZE)) {
      PeerThreads threads = new PeerThreads(peer, SIZE);
      assertThat(threads.count(0, SIZE.entries() + 5)).isEqualTo(SIZE.entries());
      for (PeerWorkload workload : PeerWorkload.values()) {
        if (kind.runs(workload)) {
          assertThat(threads.run(workload, 2, 1_000_000).operations()).isPositive();
        }
      }
      assertThat(threads.count(0, SIZE.entries())).isEqualTo(SIZE.entries());
    }
  }
}
