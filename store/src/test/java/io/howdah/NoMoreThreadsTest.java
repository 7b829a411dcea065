package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Execution;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.store.open.OpeningListener;
import io.howdah.store.open.StoreOpening;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The machine has no further thread for the engine, for a while: what needs one says so, and works
 * once there is one again; closing waits for no thread that was never started.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NoMoreThreadsTest {

  private static final long WORD = 8192;

  private static final class FewThreads extends SystemThreads {
    volatile boolean hasNone;

    @Override
    public Thread start(String name, Runnable body) {
      if (hasNone) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return Execution.system().start(name, body);
    }
  }

  private final FewThreads threads = new FewThreads();
  private final LoggedStore logged =
      new LoggedStore(
          StoreOptions.defaults()
              .withMaxSize(1 << 20)
              .withPartitions(1)
              .withRingBytes(1 << 16)
              .withOrecs(1 << 12)
              .withExecution(threads),
          SimulatedDisk.seeded(1).storage(),
          UnaryOperator.identity());
  private final Store store = logged.store;

  private long writeWithin(Duration limit) {
    return store
        .callWithReceipt(
            TxOptions.async().withTimeLimit(limit),
            tx -> {
              tx.putLong(WORD, tx.getLong(WORD) + 1);
              return 0;
            })
        .lsn();
  }

  @Test
  void anOpeningWithoutAThreadSaysWhichStoreAndWhy() {
    threads.hasNone = true;
    SimulatedDisk disk = SimulatedDisk.seeded(3);
    StoreOptions options =
        StoreOptions.defaults().withMaxSize(1 << 20).withOrecs(1 << 10).withExecution(threads);
    assertThatThrownBy(
            () ->
                new StoreOpening(
                        disk.storage(),
                        options.withStorage(disk.storage()).opening(),
                        OpeningListener.NONE)
                    .open(opened -> opened))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_MEMORY))
        .hasMessageContaining("open store " + disk.storage().describe())
        .hasMessageContaining("unable to create native thread");
  }

  @Test
  void closingLetsGoOfLockAndFilesWithoutAThread() {
    SimulatedDisk disk = SimulatedDisk.seeded(2);
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(1)
            .withRingBytes(1 << 16)
            .withOrecs(1 << 10)
            .withExecution(threads);
    Store first = Store.open(options.withStorage(disk.storage()));
    first.run(tx -> tx.putLong(WORD, 5));
    threads.hasNone = true;
    assertThatCode(first::close).doesNotThrowAnyException(); // an OutOfMemoryError ends the run
    threads.hasNone = false;
    try (Store second = Store.open(options.withStorage(disk.storage()))) {
      assertThat((long) second.read(tx -> tx.getLong(WORD))).isEqualTo(5);
    }
  }

  @Test
  void closingDoesNotWaitForTheThreadOfTimeLimits() {
    threads.hasNone = true;
    assertThatThrownBy(() -> writeWithin(Duration.ofSeconds(10)))
        .isInstanceOf(OutOfMemoryError.class);
    store.close();
  }

  @Test
  void timeLimitsWorkOnceThereIsAThread() {
    threads.hasNone = true;
    assertThatThrownBy(() -> writeWithin(Duration.ofSeconds(10)))
        .isInstanceOf(OutOfMemoryError.class);
    threads.hasNone = false;
    writeWithin(Duration.ofSeconds(30));
    assertThatThrownBy(
            () ->
                store.callWithReceipt(
                    TxOptions.async().withTimeLimit(Duration.ofMillis(5)),
                    tx -> {
                      while (true) {
                        tx.getLong(WORD);
                      }
                    }))
        .isInstanceOf(TransactionTimeoutException.class);
    assertThat((long) store.read(tx -> tx.getLong(WORD))).isEqualTo(1);
    store.close();
  }

  @Test
  void stagesCompleteOnceThereIsAThread() throws Exception {
    long lsn = store.run(TxOptions.async(), tx -> tx.putLong(WORD, 1));
    threads.hasNone = true;
    boolean isStable = store.durability().isStable(lsn);
    while (!isStable) {
      try {
        store.durability().whenStable(lsn);
        isStable = true; // it was by then
      } catch (OutOfMemoryError e) {
        break;
      }
    }
    threads.hasNone = false;
    long next = store.run(TxOptions.async(), tx -> tx.putLong(WORD, 2));
    store.durability().whenStable(next).toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(store.durability().isStable(next)).isTrue();
    store.close();
  }
}
