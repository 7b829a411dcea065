package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Waits for durability end, on a full disk and on one that does not answer: with an exception that
 * says that the commit stands, and with everything there once the disk goes on. In simulated time.
 */
@Timeout(120)
final class DurabilityTimeoutTest {

  private static final long WORDS = 8192;
  private static final Duration DEFAULT = Duration.ofSeconds(60);

  /** The watch looks four times a second, and a thread wakes up ten times. */
  private static final Duration LATE = Duration.ofMillis(500);

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
  private final AtomicInteger runs = new AtomicInteger();

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withCompletionExecutor(Runnable::run)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(1 << 16)
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  /** Fills the disk, so that nothing is forced any more; there is room in the rings. */
  private void fillDisk(Store store) {
    disk.setFreeBytes(0);
    long lsn;
    do {
      lsn =
          store.run(
              TxOptions.async(),
              tx -> {
                for (int i = 0; i < 500; i++) {
                  tx.putLong(WORDS + 8L * i, 1);
                }
              });
    } while (store.durability().awaitStable(lsn, Duration.ofSeconds(1)));
  }

  private void freeDisk() {
    disk.setFreeBytes(1L << 30);
  }

  private Long write(Tx tx, long value) {
    runs.incrementAndGet();
    tx.putLong(WORDS, value);
    return value;
  }

  private void writeInSession(Store store, TxOptions how, long value) {
    Session session = store.session();
    Tx tx = session.begin(how);
    write(tx, value);
    session.commit();
  }

  private static long value(Store store) {
    return store.read(TxOptions.async(), tx -> tx.getLong(WORDS));
  }

  private NotYetDurableException assertEndsAfter(Duration limit, ThrowingCallable call) {
    long started = execution.nanoTime();
    NotYetDurableException e = catchThrowableOfType(NotYetDurableException.class, call);
    assertThat(e).as("ends with the exception").isNotNull();
    assertThat(Duration.ofNanos(execution.nanoTime() - started)).isBetween(limit, limit.plus(LATE));
    assertThat(e)
        .hasMessageContaining("not durable yet")
        .hasMessageContaining("after a wait of " + limit.toMillis() + " ms")
        .hasMessageContaining("awaitStable(" + e.lsn() + ")");
    return e;
  }

  @Test
  void aSyncCommitOnAFullDiskEndsAndStandsAndIsThereAfterAKill() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          fillDisk(store);
          NotYetDurableException e = assertEndsAfter(DEFAULT, () -> store.run(tx -> write(tx, 7)));
          assertThat(e)
              .hasMessageContaining("has committed with LSN " + e.lsn())
              .hasMessageContaining("the file system is full")
              .hasMessageContaining("Do not run it again");
          assertThat(runs).as("the body ran once").hasValue(1);
          assertThat(value(store)).isEqualTo(7);
          assertThat(store.durability().isStable(e.lsn())).isFalse();
        });
    disk.kill();
    freeDisk();
    execution.use(Schedule.random(6, 8));
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            assertThat(value(store)).isEqualTo(7);
          }
        });
  }

  @Test
  void aTimeLimitEndsTheWaitForDurabilityAndTheCommitStands() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            fillDisk(store);
            Duration limit = Duration.ofSeconds(3);
            TxOptions how = TxOptions.sync().withTimeLimit(limit);
            NotYetDurableException e =
                assertEndsAfter(limit, () -> store.callWithReceipt(how, tx -> write(tx, 7)));
            assertThat(e.receipt().value()).isEqualTo(7L);
            assertThat(value(store)).isEqualTo(7);
            NotYetDurableException explicit =
                assertEndsAfter(limit, () -> writeInSession(store, how, 8));
            assertThat(value(store)).isEqualTo(8);
            freeDisk();
            e.receipt().await();
            explicit.receipt().await(Durability.PARTITION);
            assertThat(store.durability().isStable(explicit.lsn())).isTrue();
            assertThat(runs).hasValue(2);
          }
        });
  }

  /** The shorter one of both limits ends the wait, and the message names it. */
  @Test
  void theOptionEndsTheWaitOfATransactionWithALongerTimeLimit() {
    execution.run(
        () -> {
          Duration limit = Duration.ofSeconds(2);
          TxOptions how = TxOptions.sync().withTimeLimit(Duration.ofSeconds(30));
          try (Store store = Store.open(options().withDurabilityTimeout(limit))) {
            fillDisk(store);
            NotYetDurableException _ =
                assertEndsAfter(limit, () -> store.run(how, tx -> write(tx, 1)));
            NotYetDurableException _ = assertEndsAfter(limit, () -> writeInSession(store, how, 2));
            NotYetDurableException _ =
                assertEndsAfter(limit, () -> store.read(how, tx -> tx.getLong(WORDS)));
            freeDisk();
          }
        });
  }

  @ParameterizedTest
  @EnumSource(
      value = Durability.class,
      names = {"SYNC", "PARTITION"})
  void everyWaitThatNamesNoTimeoutEndsByTheOption(Durability mode) {
    execution.run(
        () -> {
          Duration limit = Duration.ofSeconds(2);
          try (Store store = Store.open(options().withDurabilityTimeout(limit))) {
            fillDisk(store);
            List<NotYetDurableException> all = new ArrayList<>();
            all.add(
                assertEndsAfter(limit, () -> store.run(TxOptions.of(mode), tx -> write(tx, 1))));
            all.add(
                assertEndsAfter(limit, () -> store.call(TxOptions.of(mode), tx -> write(tx, 2))));
            assertThat(all.getLast().receipt().value()).isEqualTo(2L);
            all.add(
                assertEndsAfter(
                    limit, () -> store.callWithReceipt(TxOptions.of(mode), tx -> write(tx, 3))));
            Session session = store.session();
            all.add(
                assertEndsAfter(
                    limit,
                    () -> {
                      write(session.begin(TxOptions.of(mode)), 4);
                      session.commit();
                    }));
            session.begin();
            session.abort();
            all.add(
                assertEndsAfter(
                    limit,
                    () -> {
                      Session txSession = store.session();
                      Tx tx = txSession.begin(TxOptions.of(mode));
                      write(tx, 5);
                      txSession.commit();
                    }));
            DurableScope scope = store.durability().scope(mode);
            scope.run(tx -> write(tx, 6));
            all.add(assertEndsAfter(limit, scope::close));
            assertThat(all.getLast()).hasMessageContaining("have committed");
            Receipt<Long> receipt = store.callWithReceipt(TxOptions.async(), tx -> write(tx, 7));
            all.add(assertEndsAfter(limit, () -> receipt.await(mode)));
            all.add(assertEndsAfter(limit, receipt::await));
            all.add(assertEndsAfter(limit, () -> store.durability().awaitStable(receipt.lsn())));
            assertThat(runs).as("no body ran twice").hasValue(7);
            assertThat(value(store)).isEqualTo(7);
            freeDisk();
            for (NotYetDurableException e : all) {
              e.receipt().await();
            }
            scope.await();
            assertThat(store.durability().isStable(receipt.lsn())).isTrue();
          }
        });
  }

  /** A result must not be shown before what it rests on is durable, unless the reader says so. */
  @Test
  void aReadWaitsForItsSourcesUpToTheTimeoutAndNotAtAllInAsync() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            fillDisk(store);
            NotYetDurableException e =
                assertEndsAfter(DEFAULT, () -> store.read(tx -> tx.getLong(WORDS)));
            assertThat(e)
                .hasMessageContaining("what depends on LSN " + e.lsn())
                .hasMessageContaining("read with Durability.ASYNC");
            long started = execution.nanoTime();
            assertThat(value(store)).isEqualTo(1);
            assertThat(execution.nanoTime() - started).isLessThan(1_000_000);
            assertThatThrownBy(
                    () ->
                        store.read(
                            tx -> {
                              throw new IllegalArgumentException("found " + tx.getLong(WORDS));
                            }))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(
                    thrown ->
                        assertThat(thrown.getSuppressed())
                            .hasAtLeastOneElementOfType(NotYetDurableException.class));
            freeDisk();
          }
        });
  }

  @Test
  void aForceThatDoesNotReturnIsNamedAndWhatWaitedIsDurableWhenItDoes() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            disk.setDelayNanos(100_000_000_000L);
            NotYetDurableException e =
                assertEndsAfter(DEFAULT, () -> store.run(tx -> write(tx, 7)));
            assertThat(e).hasMessageContaining("a write or force of the log has not returned");
            disk.setDelayNanos(0);
            assertThat(store.durability().awaitStable(e.lsn(), Duration.ofMinutes(5))).isTrue();
          }
        });
  }

  @Test
  void anUnlimitedWaitGoesOnUntilThereIsRoom() {
    execution.run(
        () -> {
          StoreOptions patient = options().withDurabilityTimeout(ChronoUnit.FOREVER.getDuration());
          try (Store store = Store.open(patient)) {
            fillDisk(store);
            AtomicLong lsn = new AtomicLong();
            Thread writer = execution.spawn("writer", () -> lsn.set(store.run(tx -> write(tx, 7))));
            long until = execution.nanoTime() + 300_000_000_000L;
            while (execution.nanoTime() < until) {
              execution.parkNanos(this, 1_000_000_000);
            }
            assertThat(lsn).hasValue(0);
            freeDisk();
            execution.join(writer);
            assertThat(store.durability().isStable(lsn.get())).isTrue();
          }
        });
  }

  @Test
  void hooksRunWhenTheCommitIsDurableAfterAllAndStagesWaitOn() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            fillDisk(store);
            List<String> told = new ArrayList<>();
            NotYetDurableException e =
                assertEndsAfter(
                    DEFAULT,
                    () ->
                        store.run(
                            tx -> {
                              tx.onCommit(() -> told.add("committed"));
                              tx.onStable(() -> told.add("stable"));
                              tx.onAbort(() -> told.add("aborted"));
                              write(tx, 7);
                            }));
            CompletableFuture<?> stage =
                store.durability().whenStable(e.lsn()).toCompletableFuture();
            assertThat(told).isEmpty();
            assertThat(stage).isNotDone();
            freeDisk();
            store.durability().awaitStable(e.lsn());
            for (int i = 0; i < 1000 && (told.size() < 2 || !stage.isDone()); i++) {
              execution.parkNanos(this, 1_000_000);
            }
            assertThat(told).containsExactly("committed", "stable");
            assertThat(stage).isCompleted();
          }
        });
  }

  @Test
  void closingWaitsForNoExecutorThatBlocks() {
    AtomicBoolean open = new AtomicBoolean();
    execution.run(
        () -> {
          Executor blocking =
              task -> {
                while (!open.get()) {
                  execution.parkNanos(this, 1_000_000_000);
                }
                task.run();
              };
          Store store =
              Store.open(
                  options()
                      .withCompletionExecutor(blocking)
                      .withGroupCommitInterval(Duration.ofMillis(100)));
          long lsn = store.run(TxOptions.async(), tx -> write(tx, 7));
          CompletableFuture<?> stage = store.durability().whenStable(lsn).toCompletableFuture();
          long started = execution.nanoTime();
          store.close();
          assertThat(Duration.ofNanos(execution.nanoTime() - started))
              .isLessThan(Duration.ofSeconds(15));
          assertThat(stage).isNotDone();
          open.set(true);
          for (int i = 0; i < 100 && !stage.isDone(); i++) {
            execution.parkNanos(this, 100_000_000);
          }
          assertThat(stage).isCompleted();
        });
  }

  /** A virtual thread parks without a timer, so somebody else has to tell it that time passes. */
  @Test
  void aVirtualThreadsWaitEnds() throws Exception {
    AtomicLong ahead = new AtomicLong();
    SystemThreads jumping =
        new SystemThreads() {
          @Override
          public long nanoTime() {
            return system.nanoTime() + ahead.get();
          }

          @Override
          public void park(Object blocker) {
            system.park(blocker);
          }

          @Override
          public Thread start(String name, Runnable body) {
            return system.start(name, body);
          }
        };
    SimulatedDisk real = SimulatedDisk.seeded(5);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    try (Store store = Store.open(options().withStorage(real.storage()).withExecution(jumping))) {
      real.setFreeBytes(0);
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      while (true) {
                        store.run(tx -> tx.putLong(WORDS, tx.getLong(WORDS) + 1));
                      }
                    } catch (Throwable t) {
                      thrown.set(t);
                    }
                  });
      for (int i = 0; i < 1500 && !writer.join(Duration.ofMillis(20)); i++) {
        ahead.addAndGet(1_000_000_000);
      }
      real.setFreeBytes(1L << 30);
    }
    assertThat(thrown.get()).isInstanceOf(NotYetDurableException.class);
  }

  @Test
  void theTimeoutHasARange() {
    assertThat(StoreOptions.defaults().durabilityTimeout()).isEqualTo(DEFAULT);
    assertThatThrownBy(() -> StoreOptions.defaults().withDurabilityTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("durabilityTimeout")
        .hasMessageContaining("PT0.001S");
  }
}
