package io.howdah.crashtest.persistorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.crashtest.persistorder.StorePersistOrder.Run;
import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.Models;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a store writes and forces, as a persist order: docs/nvm-sim-howdah.md has the figures. */
final class PersistOrderTest {
  private static final int COMMITS = StorePersistOrder.COMMITS;

  @ParameterizedTest
  @EnumSource(names = {"SYNC_COMMITS", "MAP_PUTS", "QUEUE_ADDS"})
  void aSyncTransactionIsOneLevelAndOneForce(Run run) {
    StorePersistOrder order = StorePersistOrder.of(run);
    assertThat(order.under(Models.STRAND).criticalPathLength()).isEqualTo(COMMITS);
    assertThat(order.forces()).hasSize(1).containsValue(COMMITS);
  }

  @Test
  void whatASyncCommitWroteIsDurableWhenItReturns() {
    PersistDag dag = StorePersistOrder.of(Run.SYNC_COMMITS).under(Models.STRAND);
    assertThat(dag.syncs()).hasSize(COMMITS);
    assertThat(dag.syncs()).allMatch(sync -> StorePersistOrder.isDurable(dag, sync));
  }

  /** The check above can fail: the same run without what its forces order. */
  @Test
  void withoutForcesNothingWouldBeDurable() {
    StorePersistOrder order = StorePersistOrder.of(Run.SYNC_COMMITS);
    PersistDag dag =
        PersistDagBuilder.of(
            order.without(site -> site.what().equals(FileOrder.FORCE)), Models.STRAND);
    assertThat(dag.syncs()).hasSize(COMMITS);
    assertThat(dag.syncs()).noneMatch(sync -> StorePersistOrder.isDurable(dag, sync));
  }

  @Test
  void asyncCommitsShareOneLevelWithTheNextSyncOne() {
    StorePersistOrder order = StorePersistOrder.of(Run.ASYNC_COMMITS);
    assertThat(order.under(Models.STRAND).criticalPathLength()).isEqualTo(1);
    assertThat(order.forces()).hasSize(1).containsValue(1);
  }

  @Test
  void aCheckpointIsSevenLevelsBetweenTwoCommits() {
    PersistDag dag = StorePersistOrder.of(Run.CHECKPOINT).under(Models.STRAND);
    List<String> chain = dag.criticalPath().stream().map(node -> node.site().file()).toList();
    assertThat(chain)
        .containsExactly(
            "log/#/#.seg",
            "journal/#",
            "store.howdah",
            "store.howdah",
            "image",
            "image.sums",
            "store.howdah",
            "store.howdah",
            "log/#/#.seg");
  }

  @ParameterizedTest
  @EnumSource
  void noForceOrdersNothing(Run run) {
    assertThat(StorePersistOrder.of(run).forcesThatOrderNothing()).isEmpty();
  }

  @Test
  void aCheckpointForcesFiveKindsOfFiles() {
    assertThat(StorePersistOrder.of(Run.CHECKPOINT).forces()).hasSize(5);
  }
}
