package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.FaultyRegion;
import io.howdah.LoggedStore;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.core.StoreFailedException;
import io.howdah.core.report.ProgramLog;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No thread waits for ever for a commit that has ended without returning its lane. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LaneWatchTest {

  private static final int OTHER_CONTEXTS = 1000;

  private static final long WORD = 8192;

  /** A clock that advances when threads wait, so that a second of waiting takes no time. */
  private static final class FastClock extends SystemThreads {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public Thread start(String name, Runnable body) {
      return system.start(name, body);
    }

    @Override
    public long nanoTime() {
      return nanos.get();
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // lets other threads run; no outcome depends on it
    public void parkNanos(Object blocker, long nanos) {
      this.nanos.addAndGet(nanos);
      Thread.yield();
    }
  }

  private static LoggedStore open() {
    return new LoggedStore(
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withOrecs(1 << 12)
            .withCloseTimeout(Duration.ofMillis(100))
            .withDurabilityTimeout(
                Duration.ofDays(1000)) // of a clock that runs ahead of the threads
            .withExecution(new FastClock()),
        SimulatedDisk.seeded(1).storage(),
        UnaryOperator.identity());
  }

  /**
   * Leases a lane for an attempt that is in use and in no commit, and lets no other lane of the
   * only partition append.
   */
  private static Lane abandoned(LoggedStore logged) {
    Session txSession = logged.store.session();
    Tx tx = txSession.begin();
    Lane lane = logged.log.lanes().lease(TxHandle.of(tx).attempt().id, 64, 0);
    assertThat(logged.log.lanes().spinForAppendLock(lane, 64)).isTrue();
    return lane;
  }

  @Test
  void aCommitThatWaitsForAnAbandonedLaneStopsTheStore() {
    LoggedStore logged = open();
    Store store = logged.store;
    abandoned(logged);
    assertThatThrownBy(() -> store.run(tx -> tx.putLong(WORD, 1)))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("lane 0 is leased by attempt")
        .hasMessageContaining("has left its commit (stage: no commit)");
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
  }

  @Test
  void anIrrevocableTransactionThatWaitsForAnAbandonedLaneStopsTheStore() {
    LoggedStore logged = open();
    Store store = logged.store;
    abandoned(logged);
    assertThatThrownBy(() -> store.session().begin(TxOptions.sync().withIrrevocable()))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("lane 0 is leased by attempt");
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
  }

  /** The announcement of the abandoned lane holds the stable LSN back. */
  @Test
  void aTransactionThatWaitsForDurabilityBehindAnAbandonedLaneStopsTheStore() {
    LoggedStore logged = open();
    Store store = logged.store;
    Lane lane = abandoned(logged);
    lane.announce();
    long lsn = lane.takeLsn();
    assertThatThrownBy(() -> store.durability().awaitStable(Lsn.dense(lsn)))
        .isInstanceOf(StoreFailedException.class)
        .hasMessageContaining("lane 0 is leased by attempt");
    assertThatThrownBy(store::close).isInstanceOf(StoreFailedException.class);
  }

  /** The commit returns the lane and ends after the watch has read the holder of the lane. */
  @Test
  void aLaneIsNotAbandonedByACommitThatEndsDuringTheLook() {
    FastClock execution = new FastClock();
    FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    try (LoggedStore logged =
        new LoggedStore(
            StoreOptions.defaults()
                .withMaxSize(1 << 20)
                .withPartitions(1)
                .withRingBytes(1 << 16)
                .withOrecs(1 << 12)
                .withExecution(execution),
            SimulatedDisk.seeded(1).storage(),
            memory -> new FaultyRegion(memory, trigger, false))) {
      CommitLanes lanes = logged.log.lanes();
      Lifecycle lifecycle = new Lifecycle();
      AttemptPool attempts =
          new AttemptPool(
              execution,
              (id, counters) -> // numbers that no attempt of the store has: that has its own watch
              new Attempt(
                      TestStores.engine(logged.store),
                      OTHER_CONTEXTS + id,
                      counters,
                      new CollectionScratch()));
      LaneWatch watch =
          new LaneWatch(
              lanes,
              attempts,
              new IrrevocableGate(
                  lanes, lifecycle, lifecycle::fail, new ProgramLog("io.howdah.txn", execution)),
              lifecycle,
              execution,
              lifecycle::fail);
      Attempt attempt = attempts.take();
      attempt.progress.begin();
      Lane lane = lanes.lease(attempt.id, 64, 0);
      trigger.afterNextRead(
          () -> {
            lane.endLease();
            attempt.progress.end();
          });
      assertThat(watch.abandonedBy(0)).isNull();
      Lane left = lanes.lease(attempt.id, 64, 0);
      assertThat(watch.abandonedBy(0)).as("in no commit").isSameAs(attempt.progress);
      left.endLease();
      assertThat(watch.abandonedBy(0)).isNull();
    }
  }

  @Test
  void theWatchOpensTheGateOfAThreadThatHasDied() throws Exception {
    LoggedStore logged = open();
    Store store = logged.store;
    Thread thread =
        Thread.startVirtualThread(
            () -> store.session().begin(TxOptions.sync().withIrrevocable()).putLong(WORD, 1));
    thread.join();
    store.run(TxOptions.async(), tx -> tx.putLong(WORD, tx.getLong(WORD) + 5));
    assertThat((long) store.read(TxOptions.async(), tx -> tx.getLong(WORD))).isEqualTo(5);
    store.close();
  }
}
