package io.howdah.crashtest.persistorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.codec.Codec;
import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.dag.RedundantBarriers;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.Site;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a store writes and forces, as a persist order: docs/nvm-sim-howdah.md has the figures. */
final class PersistOrderTest {
  private static final int COMMITS = 8;

  private final FileOrder order = new FileOrder();

  /** Records what the body does with an open store, and returns the order of its persists. */
  private PersistDag record(Consumer<Store> body) {
    SimulatedExecution execution = SimulatedExecution.with(Schedule.roundRobin(256));
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    execution.run(
        () -> {
          StoreOptions options =
              StoreOptions.defaults()
                  .withStorage(new RecordedStorage(disk.storage(), order, region -> region))
                  .withExecution(execution)
                  .withPartitions(1)
                  .withRingBytes(1 << 16)
                  .withOrecs(256)
                  .withMaxSize(1 << 17);
          try (Store store = Store.open(options)) {
            store.run(TxOptions.of(Durability.SYNC), tx -> tx.root(0, tx.allocate(64)));
            order.start();
            body.accept(store);
            order.stop();
          }
        });
    return PersistDagBuilder.of(order.trace(), Models.STRAND);
  }

  private void commit(Store store, Durability durability, int value) {
    order.operationBegins(value);
    store.run(TxOptions.of(durability), tx -> tx.putLong(tx.root(0), value));
    if (durability != Durability.ASYNC) {
      order.acknowledged(value);
    }
  }

  private void commits(Store store, Durability durability) {
    for (int i = 1; i <= COMMITS; i++) {
      commit(store, durability, i);
    }
  }

  @Test
  void aSyncCommitIsOneLevelAndOneForce() {
    PersistDag dag = record(store -> commits(store, Durability.SYNC));
    assertThat(dag.criticalPathLength()).isEqualTo(COMMITS);
    assertThat(order.forces()).hasSize(1).containsValue(COMMITS);
  }

  @Test
  void whatASyncCommitWroteIsDurableWhenItReturns() {
    PersistDag dag = record(store -> commits(store, Durability.SYNC));
    assertThat(dag.syncs()).hasSize(COMMITS);
    assertThat(dag.syncs()).allMatch(sync -> isDurable(dag, sync));
  }

  /** The check above can fail: the same run without what its forces order. */
  @Test
  void withoutForcesNothingWouldBeDurable() {
    record(store -> commits(store, Durability.SYNC));
    PersistDag dag = PersistDagBuilder.of(withoutForces(order.trace()), Models.STRAND);
    assertThat(dag.syncs()).hasSize(COMMITS);
    assertThat(dag.syncs()).noneMatch(sync -> isDurable(dag, sync));
  }

  private static boolean isDurable(PersistDag dag, PersistDag.SyncPoint sync) {
    return dag.nodes().stream()
        .filter(node -> node.firstStore().sequence() < sync.sequence())
        .allMatch(node -> sync.durable().get(node.id()));
  }

  private static TraceBuffer withoutForces(TraceBuffer trace) {
    TraceBuffer rest = new TraceBuffer(trace.count());
    for (int i = 0; i < trace.count(); i++) {
      long event = trace.packed(i);
      boolean force =
          Event.kind(event) == Event.PERSIST_BARRIER
              && Site.of(Event.site(event)).what().equals(FileOrder.FORCE);
      if (!force) {
        rest.add(event, trace.address(i), trace.value(i));
      }
    }
    return rest;
  }

  @Test
  void asyncCommitsShareOneLevelWithTheNextSyncOne() {
    PersistDag dag =
        record(
            store -> {
              commits(store, Durability.ASYNC);
              commit(store, Durability.SYNC, COMMITS + 1);
            });
    assertThat(dag.criticalPathLength()).isEqualTo(1);
    assertThat(order.forces()).hasSize(1).containsValue(1);
  }

  @Test
  void aMapPutIsOneLevelAndOneForce() {
    PersistDag dag =
        record(
            store -> {
              var map = store.map("numbers", Codec.int64(), Codec.int64());
              order.restart();
              for (long i = 0; i < COMMITS; i++) {
                long key = i;
                store.run(
                    TxOptions.of(Durability.SYNC),
                    tx -> {
                      map.put(tx, key, key);
                    });
              }
            });
    assertThat(dag.criticalPathLength()).isEqualTo(COMMITS);
    assertThat(order.forces()).hasSize(1).containsValue(COMMITS);
  }

  @Test
  void aCheckpointIsSevenLevelsBetweenTwoCommits() {
    PersistDag dag =
        record(
            store -> {
              commit(store, Durability.SYNC, 1);
              store.admin().checkpoint();
              commit(store, Durability.SYNC, 2);
            });
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

  @Test
  void noForceOrdersNothing() {
    record(
        store -> {
          commit(store, Durability.SYNC, 1);
          store.admin().checkpoint();
          commit(store, Durability.SYNC, 2);
        });
    assertThat(RedundantBarriers.find(order.trace(), Models.STRAND).barriers())
        .filteredOn(barrier -> barrier.site().what().equals(FileOrder.FORCE))
        .hasSize(5)
        .noneMatch(RedundantBarriers.Barrier::redundant);
  }
}
