package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a scope waits for: all that its transactions have written and read. */
final class DurableScopeTest {

  private static final long ONE = 8192;
  private static final long TWO = ONE + 4096;
  private static final long THREE = TWO + 4096;

  /** Nothing becomes stable unless somebody asks. */
  private static Store lazy(Path directory) {
    return Store.open(
        directory,
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withOrecs(4096)
            .withPartitions(4)
            .withGroupCommitInterval(Duration.ofSeconds(10)));
  }

  /** Runs in another context than the caller's last transactions, so through another partition. */
  private static void elsewhere(Store store, Runnable transaction) {
    try (Session held = store.session()) {
      held.begin(TxOptions.async());
      transaction.run();
      held.abort();
    }
  }

  private static long put(Store store, long address) {
    return store.run(TxOptions.async(), tx -> tx.putLong(address, 1));
  }

  private static void await(DurableScope scope, boolean byStage) throws Exception {
    if (byStage) {
      CompletableFuture<?> stage = scope.whenDurable().toCompletableFuture();
      stage.get(60, TimeUnit.SECONDS);
    } else {
      scope.await();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aScopeWaitsForWhatWentThroughAnotherPartition(boolean byStage, @TempDir Path directory)
      throws Exception {
    try (Store store = lazy(directory)) {
      put(store, ONE); // the flusher is past the look that it takes when it starts
      store.durability().awaitStable(store.admin().stats().lsn());
      DurableScope scope = store.durability().scope(Durability.PARTITION);
      long other = put(store, ONE);
      elsewhere(store, () -> scope.run(tx -> tx.putLong(TWO, 1)));
      assertThat(scope.isDurable()).isFalse();
      await(scope, byStage);
      assertThat(scope.isDurable()).isTrue();
      DurableScope all = store.durability().scope(Durability.SYNC);
      elsewhere(store, () -> all.run(tx -> tx.putLong(THREE, 1)));
      assertThat(all.isDurable()).isFalse();
      await(all, byStage);
      assertThat(all.isDurable()).isTrue();
      assertThat(store.durability().isStable(other)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPartitionScopeWaitsForWhatItsCommitsDependOn(boolean byStage, @TempDir Path directory)
      throws Exception {
    try (Store store = lazy(directory)) {
      put(store, ONE);
      store.durability().awaitStable(store.admin().stats().lsn());
      DurableScope scope = store.durability().scope(Durability.PARTITION);
      long source = put(store, ONE);
      elsewhere(store, () -> scope.run(tx -> tx.putLong(TWO, tx.getLong(ONE))));
      await(scope, byStage);
      assertThat(store.durability().isStable(source)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void aReceiptOfAClosedStoreSaysSo(Durability durability, @TempDir Path directory) {
    Store store = lazy(directory);
    Receipt<Long> receipt = store.callWithReceipt(TxOptions.async(), tx -> tx.allocate(8));
    store.close();
    for (ThrowingCallable ask :
        List.<ThrowingCallable>of(
            receipt::isStable,
            () -> receipt.isDurable(durability),
            () -> receipt.await(durability),
            () -> receipt.await(durability, Duration.ZERO),
            receipt::await,
            receipt::whenStable,
            () -> receipt.whenDurable(durability))) {
      assertThatThrownBy(ask).isInstanceOf(StoreClosedException.class);
    }
    assertThat(receipt.lsn()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void whatABodyThrowsRestsOnWhatItHasRead(Durability durability, @TempDir Path directory) {
    try (Store store = lazy(directory)) {
      DurableScope scope = store.durability().scope(durability);
      long source = put(store, ONE);
      assertThatThrownBy(
              () ->
                  scope.run(
                      tx -> {
                        throw new IllegalStateException("found " + tx.getLong(ONE));
                      }))
          .hasMessage("found 1");
      assertThat(scope.isDurable()).isEqualTo(durability == Durability.ASYNC);
      scope.await();
      assertThat(scope.isDurable()).isTrue();
      if (durability != Durability.ASYNC) {
        assertThat(store.durability().isStable(source)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Durability.class,
      names = {"SYNC", "PARTITION"})
  void aLimitedWaitSaysWhetherItWasEnough(Durability durability) {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
    execution.run(
        () -> {
          try (Store store =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withMaxSize(1 << 20)
                      .withOrecs(1 << 10)
                      .withPartitions(2)
                      .withRingBytes(1 << 16)
                      .withLogSegmentBytes(1 << 16))) {
            disk.setDelayNanos(20_000_000_000L);
            DurableScope scope = store.durability().scope(durability);
            scope.run(tx -> tx.putLong(ONE, 1));
            elsewhere(store, () -> scope.run(tx -> tx.putLong(TWO, 1)));
            long began = execution.nanoTime();
            assertThat(scope.await(Duration.ofSeconds(3))).isFalse();
            assertThat(Duration.ofNanos(execution.nanoTime() - began))
                .isBetween(Duration.ofSeconds(3), Duration.ofMillis(3500));
            assertThat(scope.await(Duration.ZERO)).isFalse();
            assertThat(scope.await(Duration.ofSeconds(-1))).isFalse();
            assertThat(scope.isDurable()).isFalse();
            disk.setDelayNanos(0);
            assertThat(scope.await(Duration.ofMinutes(5))).isTrue();
            assertThat(scope.isDurable()).isTrue();
            assertThat(scope.await(Duration.ZERO)).isTrue();
          }
        });
  }

  /** Commits of two partitions that are forced one after the other share the limit of one wait. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLimitIsOfTheWaitNotOfEachPartition(boolean isElsewhereFirst) {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
    execution.run(
        () -> {
          try (Store store =
              Store.open(
                  StoreOptions.defaults()
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withMaxSize(1 << 20)
                      .withOrecs(1 << 10)
                      .withPartitions(4)
                      .withRingBytes(1 << 16)
                      .withLogSegmentBytes(1 << 16))) {
            // Else the force that is measured may begin after one of what the opening has written.
            store.durability().awaitStable(store.admin().stats().lsn());
            disk.setDelayNanos(4_000_000_000L);
            long began = execution.nanoTime();
            store.run(TxOptions.sync(), tx -> tx.putLong(ONE, 1));
            Duration force = Duration.ofNanos(execution.nanoTime() - began);
            DurableScope scope = store.durability().scope(Durability.PARTITION);
            Runnable here = () -> scope.run(tx -> tx.putLong(ONE, 2));
            Runnable there = () -> elsewhere(store, () -> scope.run(tx -> tx.putLong(TWO, 2)));
            (isElsewhereFirst ? there : here).run();
            long lsn = store.admin().stats().lsn();
            assertThat(store.durability().awaitStable(lsn, Duration.ofMillis(200))).isFalse();
            (isElsewhereFirst ? here : there).run(); // while the first is being forced
            Duration limit = force.multipliedBy(3).dividedBy(2);
            began = execution.nanoTime();
            assertThat(scope.await(limit)).isFalse();
            assertThat(Duration.ofNanos(execution.nanoTime() - began))
                .isBetween(limit, limit.plusMillis(500));
            disk.setDelayNanos(0);
          }
        });
  }

  @Test
  void aScopeOfAStoreInMemoryIsAlwaysDurable() {
    try (Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(1 << 20));
        DurableScope scope = store.durability().scope(Durability.PARTITION)) {
      long lsn = scope.run(tx -> tx.putLong(ONE, 1));
      assertThat(scope.isDurable()).isTrue();
      assertThat(scope.await(Duration.ZERO)).isTrue();
      assertThat(scope.whenDurable().toCompletableFuture()).isCompleted();
      assertThat(store.durability().isStable(lsn)).isTrue();
      assertThat(store.durability().stableLsn()).isGreaterThanOrEqualTo(lsn);
    }
  }

  @Test
  void aScopeOfAClosedStoreSaysSo(@TempDir Path directory) {
    Store store = lazy(directory);
    DurableScope scope = store.durability().scope(Durability.SYNC);
    long lsn = scope.run(tx -> tx.putLong(ONE, 1));
    assertThat(lsn).isEqualTo(store.admin().stats().lsn());
    store.close();
    assertThatThrownBy(scope::isDurable).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(scope::await).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(scope::whenDurable).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.durability().stableLsn())
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.durability().isStable(1))
        .isInstanceOf(StoreClosedException.class);
  }
}
