package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Hooks of transactions whose store closes meanwhile, or that another store has ended. */
final class HooksAtTheEndTest {

  private static final StoreOptions SMALL = StoreOptions.defaults().withMaxSize(1 << 26);

  @TempDir private Path folder;

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatWaitsForStabilityRunsThoughTheStoreIsClosedBeforeTheCommitsHooksHaveEnded(
      Durability durability) throws Exception {
    List<String> ran = new CopyOnWriteArrayList<>();
    CountDownLatch runs = new CountDownLatch(1);
    CountDownLatch isClosed = new CountDownLatch(1);
    CountDownLatch stable = new CountDownLatch(1);
    Store store = Store.open(folder, SMALL);
    FutureTask<Long> commit =
        new FutureTask<>(
            () ->
                store.run(
                    TxOptions.defaults().withDurability(durability),
                    tx -> {
                      tx.putLong(tx.allocate(8), 7);
                      tx.onCommit(
                          () -> {
                            runs.countDown();
                            await(isClosed);
                            ran.add("commit");
                          });
                      tx.onStable(
                          () -> {
                            ran.add("stable");
                            stable.countDown();
                          });
                    }));
    Thread.ofPlatform().start(commit);
    await(runs);
    assertThat(store.close(Duration.ofSeconds(30))).isTrue();
    isClosed.countDown();
    assertThat(commit.get(30, TimeUnit.SECONDS)).isPositive();
    await(stable);
    assertThat(ran).containsExactly("commit", "stable");
  }

  /** The context is back by then, so nothing but a count keeps close() from ending the log. */
  @Test
  void whatWaitsForStabilityRunsThoughTheStoreIsClosedWhileTheCommitWaits() throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    CountDownLatch isClosed = new CountDownLatch(1);
    CountDownLatch stable = new CountDownLatch(1);
    AtomicReference<@Nullable Thread> committer = new AtomicReference<>();
    Execution slow =
        (Execution)
            Proxy.newProxyInstance(
                Execution.class.getClassLoader(),
                new Class<?>[] {Execution.class},
                (_, method, arguments) -> {
                  boolean isWait = method.getName().matches("park.*|spinWait");
                  if (isWait && Thread.currentThread().equals(committer.get())) {
                    waits.countDown();
                    boolean _ = isClosed.await(1, TimeUnit.SECONDS); // close() is to wait, too
                    return null;
                  }
                  return method.invoke(Execution.system(), arguments);
                });
    Store store = Store.open(folder, SMALL.withExecution(slow));
    FutureTask<Long> commit =
        new FutureTask<>(
            () ->
                store.run(
                    TxOptions.sync(),
                    tx -> {
                      tx.putLong(tx.allocate(8), 7);
                      tx.onStable(stable::countDown);
                      committer.set(Thread.currentThread());
                    }));
    Thread.ofPlatform().start(commit);
    await(waits);
    assertThat(store.close(Duration.ofSeconds(30))).isTrue();
    isClosed.countDown();
    assertThat(commit.get(30, TimeUnit.SECONDS)).isPositive();
    await(stable);
  }

  @Test
  void aHookMayCloseItsStore() {
    List<String> ran = new CopyOnWriteArrayList<>();
    CountDownLatch stable = new CountDownLatch(1);
    Store store = Store.open(folder, SMALL);
    store.run(
        tx -> {
          tx.putLong(tx.allocate(8), 7);
          tx.onCommit(() -> ran.add("closed " + store.close(Duration.ofSeconds(30))));
          tx.onStable(stable::countDown);
        });
    await(stable);
    assertThat(ran).containsExactly("closed true");
  }

  @Test
  void theFailureOfAnotherStoreIsAnAbortLikeAnyException() {
    List<String> ran = new CopyOnWriteArrayList<>();
    try (Store store = Store.open(folder, SMALL)) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        tx.onAbort(() -> ran.add("aborted"));
                        throw new StoreFailedException("another store has failed");
                      }))
          .isInstanceOf(StoreFailedException.class);
      assertThat(ran).containsExactly("aborted");
      assertThat(store.run(tx -> tx.root(0, 0))).isPositive();
    }
  }
}
