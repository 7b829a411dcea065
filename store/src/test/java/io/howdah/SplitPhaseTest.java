package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.txn.Durability;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commit first, learn later that it is durable: stages, tokens, scopes and hooks. */
@Timeout(120)
final class SplitPhaseTest {

  private static final long ONE = 8192;

  @RegisterExtension private final HeardMessages heard = new HeardMessages("io.howdah.txn");

  @TempDir Path directory;

  private static StoreOptions options() {
    return StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(4096).withPartitions(4);
  }

  /** So that nothing becomes stable unless somebody asks. */
  private static StoreOptions lazy() {
    return options().withGroupCommitInterval(Duration.ofSeconds(10));
  }

  private Store open(StoreOptions options) {
    return Store.open(directory, options);
  }

  private static long put(Store store, long value) {
    return store.run(TxOptions.async(), tx -> tx.putLong(ONE, value));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  // ---- Stages.

  @Test
  void aStageCompletesOnTheUsersExecutorOnceItsCommitIsStable() throws Exception {
    ExecutorService executor =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name("mine").factory());
    try (executor;
        Store store = open(lazy().withCompletionExecutor(executor))) {
      CountDownLatch attached = new CountDownLatch(1);
      executor.execute(() -> awaitQuietly(attached));
      long lsn = put(store, 1);
      AtomicReference<@Nullable String> thread = new AtomicReference<>();
      CompletionStage<Boolean> stage =
          store
              .durability()
              .whenStable(lsn)
              .thenApply(
                  _ -> {
                    thread.compareAndSet(null, Thread.currentThread().getName());
                    return store.durability().isStable(lsn);
                  });
      // The executor's thread was busy until the function was attached, so only it can have run it.
      attached.countDown();
      boolean wasStable = get(stage);
      assertThat(wasStable).isTrue();
      assertThat(thread.get()).isEqualTo("mine");
      get(store.durability().whenStable(lsn));
    }
  }

  @Test
  void manyStagesCompleteWithFewForces() throws Exception {
    try (Store store = open(lazy())) {
      long before = store.admin().stats().forces();
      List<CompletableFuture<@Nullable Void>> stages = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        stages.add(store.durability().whenStable(put(store, i)).toCompletableFuture());
      }
      CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
      assertThat(store.admin().stats().forces() - before).isBetween(1L, 5_000L);
    }
  }

  @Test
  void aConsumerThatThrowsOrBlocksHoldsUpNobodyElse() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    try (Store store = open(options())) {
      for (int i = 0; i < 3; i++) {
        CompletionStage<?> failing =
            store
                .durability()
                .whenStable(put(store, i))
                .thenRun(
                    () -> {
                      throw new IllegalStateException("the consumer's own");
                    });
        assertThatThrownBy(() -> get(failing)).hasRootCauseMessage("the consumer's own");
      }
      CompletionStage<?> blocking =
          store
              .durability()
              .whenStable(put(store, 4))
              .thenRunAsync(() -> awaitQuietly(blocked), Thread::startVirtualThread);
      for (int i = 0; i < 100; i++) {
        get(store.durability().whenStable(put(store, i)));
      }
      assertThat(blocking.toCompletableFuture()).isNotDone();
      blocked.countDown();
      get(blocking);
    }
  }

  @Test
  void anExecutorThatRunsTasksInItsCallerAndBlocksHoldsUpNoForce() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    AtomicInteger tasks = new AtomicInteger();
    StoreOptions options =
        lazy()
            .withCompletionExecutor(
                task -> {
                  tasks.incrementAndGet();
                  awaitQuietly(blocked);
                  task.run();
                });
    try (Store store = open(options)) {
      CompletionStage<?> stage = store.durability().whenStable(put(store, 1));
      for (int i = 0; i < 10; i++) {
        store.run(TxOptions.sync(), tx -> tx.putLong(ONE, 2));
      }
      assertThat(stage.toCompletableFuture()).isNotDone();
      blocked.countDown();
      get(stage);
      assertThat(tasks).hasValue(1);
    }
  }

  @Test
  void anExecutorThatRefusesDoesNotLoseAStage() throws Exception {
    StoreOptions options =
        lazy()
            .withCompletionExecutor(
                _ -> {
                  throw new RejectedExecutionException("shut down");
                });
    try (Store store = open(options)) {
      get(store.durability().whenStable(put(store, 1)));
      CountDownLatch ran = new CountDownLatch(1);
      store.run(TxOptions.async(), tx -> tx.onStable(ran::countDown));
      assertThat(ran.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void everyStageCompletesThoughMoreAreAskedForThanAreKept() throws Exception {
    CountDownLatch blocked = new CountDownLatch(1);
    ExecutorService executor = Executors.newFixedThreadPool(1);
    try (executor;
        Store store = open(lazy().withCompletionExecutor(executor))) {
      executor.execute(() -> awaitQuietly(blocked));
      List<CompletableFuture<@Nullable Void>> stages = new ArrayList<>();
      long lsn = 0;
      for (int i = 0; i < StableStages.MAX_PENDING + 1000; i++) {
        lsn = put(store, i);
        stages.add(store.durability().whenStable(lsn).toCompletableFuture());
      }
      blocked.countDown();
      CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
      assertThat(store.durability().isStable(lsn)).isTrue();
    }
  }

  @Test
  void closingCompletesWhatIsPendingAndRefusesTheRest() throws Exception {
    Store store = open(lazy());
    List<CompletionStage<?>> stages = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      stages.add(store.durability().whenStable(put(store, i)));
    }
    long lsn = put(store, 0);
    store.close();
    for (CompletionStage<?> stage : stages) {
      get(stage);
    }
    assertThatThrownBy(() -> store.durability().whenStable(lsn))
        .isInstanceOf(StoreClosedException.class);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- Tokens and waits.

  @Test
  void aTokenKnowsWhatItsCommitHasSurvived() throws Exception {
    try (Store store = open(lazy())) {
      Receipt<String> commit =
          store.callWithReceipt(
              TxOptions.async(),
              tx -> {
                tx.putLong(ONE, 1);
                return "done";
              });
      assertThat(commit.isDurable(Durability.ASYNC)).isTrue();
      assertThat(commit.isDurable(Durability.SYNC)).isEqualTo(commit.isStable());
      commit.await(Durability.PARTITION);
      assertThat(commit.isDurable(Durability.PARTITION)).isTrue();
      assertThat(commit.await(Durability.SYNC, Duration.ofSeconds(30))).isTrue();
      String result = get(commit.whenStable());
      assertThat(result).isEqualTo("done");
    }
  }

  @Test
  void aReadersTokenRestsOnWhatItHasRead() {
    try (Store store = open(lazy())) {
      long lsn = put(store, 1);
      Receipt<Long> read =
          store.callWithReceipt(TxOptions.async().withReadOnly(), tx -> tx.getLong(ONE));
      assertThat(read.lsn()).isEqualTo(lsn);
      read.await(Durability.PARTITION);
      assertThat(store.durability().isStable(lsn)).isTrue();
    }
  }

  @Test
  void aTokenAsksTheStoreThatMadeIt() {
    try (Store store = open(lazy());
        Store other = Store.inMemory(options())) {
      Receipt<Long> commit = store.callWithReceipt(TxOptions.async(), tx -> tx.allocate(64));
      // The other store has given out fewer LSNs, and everything of it is stable at once.
      assertThatThrownBy(() -> other.durability().isStable(commit.lsn() + 100))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("LSNs from 1 to");
      commit.await();
      assertThat(store.durability().isStable(commit.lsn())).isTrue();
    }
  }

  @Test
  void aWaitThatTimesOutSaysSoAndAnInterruptDoesNotEndOne() {
    try (Store store = open(lazy())) {
      long lsn = put(store, 1);
      assertThat(store.durability().awaitStable(lsn, Duration.ZERO))
          .isEqualTo(store.durability().isStable(lsn));
      Thread.currentThread().interrupt();
      store.durability().awaitStable(lsn);
      assertThat(store.durability().isStable(lsn)).isTrue();
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  // ---- Scopes.

  @Test
  void oneWaitAtTheEndOfAScopeCoversItsTransactions() {
    for (Durability durability : Durability.values()) {
      try (Store store = open(lazy())) {
        long before = store.admin().stats().forces();
        List<Long> lsns = new ArrayList<>();
        try (DurableScope scope = store.durability().scope(durability)) {
          for (int i = 0; i < 100; i++) {
            long value = i;
            lsns.add(scope.run(tx -> tx.putLong(ONE + 8 * value, value)));
            assertThat(scope.<Long, RuntimeException>call(tx -> tx.getLong(ONE + 8 * value)))
                .isEqualTo(value);
          }
        }
        if (durability == Durability.ASYNC) {
          continue;
        }
        assertThat(store.admin().stats().forces() - before).isBetween(1L, 2L);
        assertThat(store.durability().isStable(lsns.getLast())).isTrue();
      }
    }
  }

  @Test
  void aScopeTellsWhenItsCommitsAreDurable() throws Exception {
    try (Store store = open(lazy())) {
      for (Durability durability : List.of(Durability.SYNC, Durability.PARTITION)) {
        DurableScope scope = store.durability().scope(durability);
        assertThat(scope.isDurable()).isTrue();
        scope.run(tx -> tx.putLong(ONE, 1));
        long lsn = scope.run(tx -> tx.putLong(ONE + 4096, 2));
        assertThat(scope.isDurable()).as("%s before the force", durability).isFalse();
        get(scope.whenDurable());
        assertThat(scope.isDurable()).as("%s after the force", durability).isTrue();
        store.durability().awaitStable(lsn);
        get(scope.whenDurable());
      }
      DurableScope scope = store.durability().scope(Durability.ASYNC);
      scope.run(tx -> tx.putLong(ONE, 3));
      assertThat(scope.isDurable()).isTrue();
      assertThat(scope.whenDurable().toCompletableFuture()).isDone();
    }
  }

  @Test
  void aScopeWaitsForWhatItsReadsHaveSeen() throws Exception {
    try (Store store = open(lazy())) {
      for (Durability durability : List.of(Durability.SYNC, Durability.PARTITION)) {
        long lsn = put(store, 7);
        DurableScope scope = store.durability().scope(durability);
        long seen = scope.read(tx -> tx.getLong(ONE));
        assertThat(seen).isEqualTo(7);
        assertThat(scope.isDurable()).as("%s before the force", durability).isFalse();
        get(scope.whenDurable());
        assertThat(store.durability().isStable(lsn)).as("%s", durability).isTrue();
      }
    }
  }

  @Test
  void aReceiptTellsWhenItsPartitionIsForced() throws Exception {
    try (Store store = open(lazy())) {
      Receipt<Integer> receipt =
          store.callWithReceipt(
              TxOptions.partition(),
              tx -> {
                tx.putLong(ONE, 1);
                return 5;
              });
      assertThat(get(receipt.whenDurable(Durability.PARTITION))).isEqualTo(5);
      assertThat(receipt.isDurable(Durability.PARTITION)).isTrue();
      Receipt<Integer> later =
          store.callWithReceipt(
              TxOptions.async(),
              tx -> {
                tx.putLong(ONE, 2);
                return 6;
              });
      assertThat(later.isDurable(Durability.PARTITION)).isFalse();
      assertThat(get(later.whenDurable(Durability.PARTITION))).isEqualTo(6);
      assertThat(later.isDurable(Durability.PARTITION)).isTrue();
      assertThat(get(later.whenDurable(Durability.SYNC))).isEqualTo(6);
      assertThat(later.isStable()).isTrue();
    }
  }

  @Test
  void aCloseForcesWhatStagesOfAPartitionWaitFor() {
    Store store = open(lazy());
    DurableScope scope = store.durability().scope(Durability.PARTITION);
    scope.run(tx -> tx.putLong(ONE, 1));
    CompletionStage<?> stage = scope.whenDurable();
    store.close(); // forces what stages wait for
    assertThat(stage.toCompletableFuture()).succeedsWithin(Duration.ofSeconds(30));
    assertThatThrownBy(scope::whenDurable).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(scope::isDurable).isInstanceOf(StoreClosedException.class);
  }

  @Test
  void aScopeGoesOnAfterAnException() {
    try (Store store = open(lazy());
        DurableScope scope = store.durability().scope(Durability.PARTITION)) {
      assertThatThrownBy(
              () ->
                  scope.run(
                      tx -> {
                        throw new java.io.IOException("a body's own");
                      }))
          .hasMessage("a body's own");
      long lsn = scope.run(tx -> tx.putLong(ONE, 1));
      assertThat(scope.await(Duration.ofSeconds(30))).isTrue();
      assertThat(store.durability().isStable(lsn)).isTrue();
    }
  }

  // ---- Hooks.

  @Test
  void hooksRunOnceAfterTheirOutcome() throws Exception {
    try (Store store = open(options())) {
      List<String> ran = java.util.Collections.synchronizedList(new ArrayList<>());
      CountDownLatch stable = new CountDownLatch(1);
      AtomicInteger attempts = new AtomicInteger();
      store.run(
          TxOptions.async(),
          tx -> {
            attempts.incrementAndGet();
            tx.putLong(ONE, tx.getLong(ONE) + 1);
            if (attempts.get() == 1) {
              put(store, 7); // overtakes this attempt, whose hooks are then forgotten
            }
            tx.onCommit(
                () -> ran.add("commit " + store.<Long, RuntimeException>read(t -> t.getLong(ONE))));
            tx.onAbort(() -> ran.add("abort"));
            tx.onStable(
                () -> {
                  ran.add("stable");
                  stable.countDown();
                });
          });
      assertThat(attempts.get()).isGreaterThan(1);
      assertThat(stable.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(ran).containsExactly("commit 8", "stable");
    }
  }

  @Test
  void theAbortHookRunsWhenTheTransactionDoesNotCommit() {
    try (Store store = open(options())) {
      List<String> ran = new ArrayList<>();
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        tx.onAbort(() -> ran.add("aborted"));
                        tx.onCommit(() -> ran.add("committed"));
                        throw tx.abort();
                      }))
          .isInstanceOf(TransactionAbortedException.class);
      Session explicitSession = store.session();
      Tx explicit = explicitSession.begin();
      explicit.onAbort(() -> ran.add("explicitly"));
      explicitSession.abort();
      assertThat(ran).containsExactly("aborted", "explicitly");
    }
  }

  @Test
  void aHookThatThrowsChangesNothingForTheOthersOrTheCaller() throws Exception {
    try (Store store = open(options())) {
      List<String> ran = new ArrayList<>();
      long lsn =
          store.run(
              tx -> {
                tx.putLong(ONE, 3);
                tx.onCommit(
                    () -> {
                      throw new IllegalStateException("the hook's own");
                    });
                tx.onCommit(() -> ran.add("second"));
              });
      LogRecord said = heard.next();
      assertThat(said.getLevel()).isEqualTo(Level.WARNING);
      assertThat(said.getThrown()).hasMessage("the hook's own");
      assertThat(ran).containsExactly("second");
      assertThat(store.durability().isStable(lsn)).isTrue();
    }
  }
}
