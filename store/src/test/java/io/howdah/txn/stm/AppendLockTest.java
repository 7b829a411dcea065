package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.FaultyRegion;
import io.howdah.FaultyRegion.InjectedError;
import io.howdah.LoggedStore;
import io.howdah.StoreOptions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.log.commit.Lane;
import io.howdah.log.commit.Lsn;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits whose lanes share a partition (docs/protocol.md, R33). */
@Timeout(120)
final class AppendLockTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 22)
          .withPartitions(1)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 12);

  private static final int HOME = 1 << 20; // of no attempt
  private static final long WORD = 8192;
  private static final long BLOCK = 1 << 16;
  private static final int LARGE = 12_000; // words: more than the ring holds

  /** Takes the append lock, as a commit in another lane does. */
  private static Lane appending(LoggedStore logged) {
    Lane lane = logged.log.lanes().lease(HOME, 64, 0);
    assertThat(lane.isShared()).isTrue();
    assertThat(logged.log.lanes().spinForAppendLock(lane, 64)).isTrue();
    return lane;
  }

  @Test
  void aCommitThatMayNotAppendYetKeepsNoOrecLocked() throws Exception {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      logged.store.run(TxOptions.async(), tx -> tx.putLong(WORD, 1));
      Lane lane = appending(logged);
      Thread commit =
          Thread.ofPlatform()
              .start(
                  () ->
                      logged.store.run(
                          TxOptions.async(), tx -> tx.putLong(WORD, tx.getLong(WORD) + 1)));
      // It parks once it has given up to spin, and then it must have unlocked the word's orec.
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      while (commit.getState() != Thread.State.TIMED_WAITING && System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      assertThat(System.nanoTime() - end).as("the commit waits").isNegative();
      // A reader that kept losing to a locked orec would run irrevocably and wait for the lane.
      for (int i = 0; i < 100; i++) {
        assertThat((long) logged.store.read(TxOptions.async(), tx -> tx.getLong(WORD)))
            .isEqualTo(1);
      }
      assertThat(commit.isAlive()).isTrue();
      lane.endLease();
      commit.join();
      assertThat((long) logged.store.read(tx -> tx.getLong(WORD))).isEqualTo(2);
    }
  }

  /** Other commits may need the lane meanwhile, and an irrevocable transaction waits for it. */
  @Test
  void aLargeCommitThatMayNotAppendYetKeepsNoLane() throws Exception {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      CommitLanes lanes = logged.log.lanes();
      Lane lane = appending(logged);
      AtomicBoolean isCommitting = new AtomicBoolean();
      CompletableFuture<Void> commit =
          CompletableFuture.runAsync(
              () ->
                  logged.store.run(
                      TxOptions.async(),
                      tx -> {
                        writeLarge(tx, 0, 7);
                        isCommitting.set(true);
                      }),
              command -> Thread.ofPlatform().start(command));
      await(isCommitting::get);
      // It leases a lane for each look at the append lock, and returns it.
      for (int i = 0; i < 20; i++) {
        Thread.sleep(10);
        await(() -> areFreeBut(lanes, lane));
      }
      assertThat(commit).isNotDone();
      lane.endLease();
      commit.get(60, TimeUnit.SECONDS);
      assertThat((long) logged.store.read(tx -> tx.getLong(BLOCK))).isEqualTo(7);
    }
  }

  private static boolean areFreeBut(CommitLanes lanes, Lane leased) {
    return IntStream.range(0, lanes.count())
        .mapToObj(lanes::lane)
        .allMatch(lane -> lane.isLeased() == lane.equals(leased));
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("it takes too long").isNegative();
      Thread.onSpinWait();
    }
  }

  /** Writes words that do not lie side by side, so that they are no row. */
  private static void writeLarge(Tx tx, int thread, long value) {
    for (int w = 0; w < LARGE; w++) {
      tx.putLong(BLOCK + (w * 2L + thread) * 8, value);
    }
  }

  /** Numbers of lanes and of partitions differ where lanes share a partition. */
  @Test
  void aCommitThatBreaksOffNamesItsLane() {
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      Lane second = logged.log.lanes().lane(1);
      assertThat(new CommitProgress(0).describe(second)).contains("lane 1 of partition 0");
    }
  }

  /** The return of the lock is the first access to memory that is no ring; it fails here. */
  @Test
  void theAnnouncementIsWithdrawnBeforeAnotherLaneMayAppend() {
    FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    try (LoggedStore logged =
        new LoggedStore(
            OPTIONS,
            SimulatedDisk.seeded(1).storage(),
            memory -> new FaultyRegion(memory, trigger, false))) {
      Lane lane = appending(logged);
      lane.announce();
      long lsn = lane.takeLsn();
      lane.publishVoid(lsn);
      trigger.arm(1);
      assertThatThrownBy(lane::releaseAppendLock).isInstanceOf(InjectedError.class);
      trigger.disarm();
      assertThat(logged.log.awaitStable(Lsn.dense(lsn), TimeUnit.SECONDS.toNanos(10))).isTrue();
      lane.finish();
      logged.store.run(tx -> tx.putLong(WORD, 1));
    }
  }

  @Test
  void largeAndSmallCommitsShareThePartition() throws Exception {
    int threads = 4;
    int rounds = 12;
    try (LoggedStore logged = new LoggedStore(OPTIONS)) {
      long before = logged.store.admin().stats().commits();
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int thread = t;
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 1; i <= (thread < 2 ? rounds : 50 * rounds); i++) {
                    long value = i;
                    logged.store.run(
                        TxOptions.async(),
                        tx -> {
                          tx.putLong(WORD, tx.getLong(WORD) + 1);
                          if (thread < 2) {
                            writeLarge(tx, thread, value);
                          }
                        });
                  }
                },
                command -> Thread.ofPlatform().start(command)));
      }
      for (CompletableFuture<Void> each : running) {
        each.get(100, TimeUnit.SECONDS);
      }
      long commits = 2L * rounds + 2L * 50 * rounds;
      assertThat((long) logged.store.read(tx -> tx.getLong(WORD))).isEqualTo(commits);
      assertThat((long) logged.store.read(tx -> tx.getLong(BLOCK + 8))).isEqualTo(rounds);
      assertThat(logged.store.admin().stats().commits() - before).isEqualTo(commits);
    }
  }
}
