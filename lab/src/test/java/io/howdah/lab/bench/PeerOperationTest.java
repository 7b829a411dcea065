package io.howdah.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerWorkload;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PeerOperationTest {

  @Test
  void everyWorkloadHasFiguresOfItsOwn() {
    Set<Object> seen = new HashSet<>();
    for (PeerWorkload workload : PeerWorkload.values()) {
      PeerOperation operation = PeerOperation.of(workload.name());
      seen.add(Map.of(operation.metric(), operation.params(PeerKind.LMDB, 2, 100)));
    }
    assertThat(seen).hasSize(PeerWorkload.values().length);
  }

  @Test
  void aCommitThatWaitsSurvivesAPowerLoss() {
    PeerOperation operation = PeerOperation.of(PeerFindings.sync(8));
    assertThat(operation.metric()).isEqualTo("putSync");
    assertThat(operation.params(PeerKind.MVSTORE, 2, 1000))
        .containsEntry("durability", "power-loss")
        .containsEntry("threads", 8)
        .containsEntry("valueBytes", 1000)
        .containsEntry("store", "H2 MVStore");
    assertThat(PeerOperation.of("PUT").params(PeerKind.MVSTORE, 2, 1000))
        .containsEntry("durability", "memory")
        .containsEntry("threads", 2);
    assertThat(PeerOperation.of("LOAD").params(PeerKind.LMDB, 2, 1000)).containsEntry("threads", 1);
  }
}
