package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.StoreFailedException;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing a store while it works, and using it afterwards. */
@Timeout(60)
final class StoreCloseTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withOrecs(1 << 12)
          .withPartitions(2)
          .withCloseTimeout(Duration.ofMillis(200));

  @Test
  void aClosedStoreRefusesEverything() {
    Store store = Store.inMemory(SMALL);
    Receipt<Integer> commit =
        store.callWithReceipt(
            TxOptions.sync(),
            tx -> {
              tx.putLong(8192, 1);
              return 5;
            });
    store.close();
    store.close();
    assertThatThrownBy(() -> store.run(tx -> {})).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.call(tx -> 1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.read(tx -> 1)).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store::session).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.durability().isStable(1))
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(() -> store.durability().awaitStable(1))
        .isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(store.admin()::stats).isInstanceOf(StoreClosedException.class);
    assertThatThrownBy(commit::isStable).isInstanceOf(StoreClosedException.class);
    assertThat(commit.value()).isEqualTo(5);
  }

  @Test
  void closeWaitsForABodyThatEnds() throws Exception {
    Store store = Store.inMemory(SMALL.withCloseTimeout(Duration.ofSeconds(30)));
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread body =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    outcome.set(
                        store.run(
                            tx -> {
                              tx.putLong(8192, 1);
                              inside.countDown();
                              goOn.await();
                            }));
                  } catch (Throwable t) {
                    outcome.set(t);
                  }
                });
    inside.await();
    Thread closer = Thread.ofPlatform().start(store::close);
    while (isOpen(store)) {
      Thread.onSpinWait(); // until the closer has begun
    }
    assertThatThrownBy(() -> store.run(tx -> {})).isInstanceOf(StoreClosedException.class);
    closer.join(50);
    assertThat(closer.isAlive()).isTrue();
    goOn.countDown();
    body.join();
    closer.join();
    assertThat(outcome.get()).isInstanceOf(Long.class);
  }

  @Test
  void aBodyThatDoesNotEndIsLeftBehindAndCannotCommit() throws Exception {
    Store store = Store.inMemory(SMALL);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Object> outcomes = new ArrayList<>();
    List<Thread> bodies = new ArrayList<>();
    for (boolean reads : new boolean[] {true, false}) {
      bodies.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    Object outcome;
                    try {
                      outcome =
                          store.run(
                              tx -> {
                                tx.putLong(8192, 1);
                                inside.countDown();
                                goOn.await();
                                if (reads) {
                                  tx.getLong(16384);
                                }
                              });
                    } catch (Throwable t) {
                      outcome = t;
                    }
                    synchronized (outcomes) {
                      outcomes.add(outcome);
                    }
                  }));
    }
    inside.await();
    long started = System.nanoTime();
    store.close();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(20));
    goOn.countDown();
    for (Thread body : bodies) {
      body.join();
    }
    assertThat(outcomes).hasSize(2).allMatch(o -> o instanceof StoreClosedException);
  }

  @Test
  void closeInsideABodyEndsAfterItsTimeout() {
    Store store = Store.inMemory(SMALL);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(8192, 1);
                      store.close();
                    }))
        .isInstanceOf(StoreClosedException.class);
  }

  private static StoreOptions on(SimulatedDisk disk) {
    return SMALL.withRingBytes(1 << 16).withStorage(disk.storage());
  }

  /** Runs a body in a thread of its own and returns what came of it: a value, or what it threw. */
  private static CompletableFuture<Object> start(Callable<Object> call) {
    CompletableFuture<Object> outcome = new CompletableFuture<>();
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                outcome.complete(call.call());
              } catch (Throwable t) {
                outcome.complete(t);
              }
            });
    return outcome;
  }

  @Test
  void aReaderThatHoldsOnIsCutOffAtItsNextRead() throws Exception {
    for (boolean isLong : new boolean[] {false, true}) {
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      Store store = Store.open(on(disk));
      CountDownLatch inside = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      CompletableFuture<Object> reader =
          start(
              () ->
                  store.read(
                      tx -> {
                        // So many that it goes on as a snapshot.
                        for (long at = 8192; isLong && at < 1 << 19; at += 8) {
                          tx.getLong(at);
                        }
                        inside.countDown();
                        goOn.await();
                        return tx.getLong(8192);
                      }));
      inside.await();
      assertThat(store.close(Duration.ofMillis(50))).as("everybody ended by himself").isFalse();
      goOn.countDown();
      assertThat(reader.get()).isInstanceOf(StoreClosedException.class);
    }
  }

  @Test
  void whatAWriterThatHoldsOnHasWrittenNeverHappened() throws Exception {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(on(disk));
    long array =
        store.call(
            tx -> {
              tx.root(0, tx.allocate(4096));
              return tx.root(0);
            });
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Object> writer =
        start(
            () ->
                store.run(
                    tx -> {
                      tx.root(1, tx.allocate(64));
                      for (int i = 0; i < 512; i++) {
                        tx.putLong(array + i * 8L, 7);
                      }
                      inside.countDown();
                      goOn.await();
                    }));
    inside.await();
    assertThat(store.close(Duration.ofMillis(50))).isFalse();
    goOn.countDown();
    assertThat(writer.get()).isInstanceOf(StoreClosedException.class);
    try (Store again = Store.open(on(disk))) {
      assertThat(again.admin().recoveryReport().outcome())
          .isInstanceOf(RecoveryOutcome.Clean.class);
      assertThat((long) again.read(tx -> tx.root(1))).isZero();
      assertThat((long) again.read(tx -> tx.getLong(array))).isZero();
    }
  }

  @Test
  void closeMakesEveryCommitDurableHoweverShortItWaits() {
    for (Duration timeout : List.of(Duration.ZERO, Duration.ofSeconds(10))) {
      SimulatedDisk disk = SimulatedDisk.seeded(1);
      Store store = Store.open(on(disk).withCloseTimeout(timeout));
      long array =
          store.call(
              tx -> {
                tx.root(0, tx.allocate(4096));
                return tx.root(0);
              });
      for (int i = 0; i < 512; i++) {
        long at = array + i * 8L;
        store.run(TxOptions.async(), tx -> tx.putLong(at, at));
      }
      assertThat(store.close(timeout)).isTrue();
      disk.powerCut(CrashChoice.LOSE_ALL);
      try (Store again = Store.open(on(disk))) {
        assertThat((long) again.read(tx -> tx.getLong(array + 511 * 8))).isEqualTo(array + 511 * 8);
      }
    }
  }

  private static boolean isOpen(Store store) {
    try {
      store.session();
      return true;
    } catch (StoreClosedException e) {
      return false;
    }
  }

  @Test
  void aSecondCloserWaitsForTheFirst() throws Exception {
    Store store = Store.inMemory(SMALL);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Object> body =
        start(
            () ->
                store.run(
                    tx -> {
                      inside.countDown();
                      goOn.await();
                      tx.putLong(8192, 1);
                    }));
    inside.await();
    CompletableFuture<Object> first = start(() -> store.close(Duration.ofSeconds(30)));
    while (isOpen(store)) {
      Thread.onSpinWait(); // or the second might be the first
    }
    CompletableFuture<Object> second = start(() -> store.close(Duration.ZERO));
    assertThatThrownBy(() -> second.get(50, TimeUnit.MILLISECONDS))
        .isInstanceOf(TimeoutException.class);
    assertThat(first).isNotDone();
    goOn.countDown();
    assertThat(first.get()).isEqualTo(true);
    assertThat(second.get()).isEqualTo(true);
    assertThat(body.get()).isInstanceOf(Long.class);
  }

  @Test
  void aTransactionThatWasBegunAndForgottenCannotCommitAfterwards() {
    SimulatedDisk disk = SimulatedDisk.seeded(1);
    Store store = Store.open(on(disk));
    Session txSession = store.session();
    Tx tx = txSession.begin();
    tx.putLong(8192, 1);
    assertThat(store.close(Duration.ofMillis(20))).isFalse();
    assertThatThrownBy(() -> txSession.commit()).isInstanceOf(StoreClosedException.class);
    txSession.abort();
    assertThat(store.close(Duration.ZERO)).as("closed already").isTrue();
    try (Store again = Store.open(on(disk))) {
      assertThat((long) again.read(other -> other.getLong(8192))).isZero();
    }
  }

  @Test
  void closeUnderTrafficEndsEveryThreadWithTheSameAnswer() throws Exception {
    for (int round = 0; round < 20; round++) {
      // So long that nobody is left behind in the middle of a commit, however slow the machine is.
      Store store = Store.inMemory(SMALL.withCloseTimeout(Duration.ofSeconds(30)));
      AtomicLong commits = new AtomicLong();
      AtomicReference<Throwable> wrong = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        long address = 8192 + 64L * (t % 3);
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      try {
                        while (true) {
                          store.run(tx -> tx.putLong(address, tx.getLong(address) + 1));
                          commits.incrementAndGet();
                        }
                      } catch (StoreClosedException e) {
                        // as it should be
                      } catch (Throwable e) {
                        wrong.set(e);
                      }
                    }));
      }
      while (commits.get() < 100) {
        Thread.onSpinWait();
      }
      store.close();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(wrong.get()).isNull();
    }
  }

  @Test
  void anInterruptEndsNeitherATransactionNorAClose() {
    Store store = Store.inMemory(SMALL);
    Thread.currentThread().interrupt();
    try {
      store.run(tx -> tx.putLong(8192, 1));
      store.callWithReceipt(
          TxOptions.sync().withIrrevocable(),
          tx -> {
            tx.putLong(8192, 2);
            return 0;
          });
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(2);
      store.close();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void interruptedThreadsConflictAndStillFinish() throws Exception {
    try (Store store = Store.inMemory(SMALL)) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      Thread.currentThread().interrupt();
                      for (int i = 0; i < 500; i++) {
                        store.run(tx -> tx.putLong(8192, tx.getLong(8192) + 1));
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(8000);
    }
  }

  /**
   * A call that is held at any of its steps while the store closes is told that it is closed, or,
   * in the middle of a commit, that nobody knows yet whether that happened.
   */
  @Test
  @Tag("scaled")
  void aCallThatACloseOvertakesIsToldThatTheStoreIsClosed() {
    List<Consumer<Store>> calls =
        List.of(
            store -> store.durability().isStable(1),
            store -> store.admin().stats(),
            store -> store.durability().awaitStable(store.admin().stats().lsn()),
            store ->
                store.durability().awaitStable(store.admin().stats().lsn(), Duration.ofMillis(1)),
            store -> store.read(TxOptions.sync(), tx -> tx.getLong(8192)),
            store -> store.run(TxOptions.sync(), tx -> tx.putLong(8192, 2)));
    for (Consumer<Store> call : calls) {
      for (int steps = 0; steps < 30; steps += Integer.getInteger("howdah.stride", 4)) {
        callWhileClosing(call, steps);
      }
    }
  }

  /** Closes a store while a thread that calls it again and again is held after so many steps. */
  private static void callWhileClosing(Consumer<Store> call, int steps) {
    Overtaken schedule = new Overtaken(steps);
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule).virtualThreads().maxSteps(50_000_000).build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    execution.run(
        () -> {
          Store store =
              Store.open(
                  SMALL
                      .withRingBytes(1 << 16)
                      .withStorage(disk.storage())
                      .withExecution(execution)
                      .withCloseTimeout(Duration.ofMillis(1)));
          Thread caller =
              execution.spawn(
                  "caller",
                  () -> {
                    schedule.slot = (int) execution.threadNumber();
                    try {
                      while (true) {
                        call.accept(store);
                      }
                    } catch (StoreClosedException e) {
                      // as it should be
                    } catch (StoreFailedException e) {
                      // A commit that was stopped in its critical part longer than a close waits.
                      assertThat(e).hasMessageContaining("interrupted a commit");
                    }
                  });
          while (!schedule.held) {
            execution.yieldNow();
          }
          execution.spawn(
              "closer",
              () -> {
                store.close();
                schedule.slot = -1;
              });
          while (schedule.slot >= 0) {
            // No park: where all others sleep, the one that is held goes on.
            execution.yieldNow();
            execution.jump(1_000_000);
          }
          execution.join(caller);
        });
  }

  /** Lets one thread go so many steps, and then only the others. */
  private static final class Overtaken implements Schedule {

    private int stepsLeft;
    private int slot = -1;
    private boolean held;

    Overtaken(int steps) {
      stepsLeft = steps;
    }

    @Override
    public int choose(int current, long runnable, boolean waiting) {
      held |= current == slot && --stepsLeft < 0;
      long others = held && slot >= 0 ? runnable & ~(1L << slot) : runnable;
      long candidates = others == 0 ? runnable : others;
      long next = candidates & -1L << (current + 1 & 63);
      boolean canStay = (candidates >>> current & 1) != 0;
      return canStay && !waiting
          ? current
          : Long.numberOfTrailingZeros(next == 0 ? candidates : next);
    }
  }

  /** One who waits longer than a close does is told the same as one who comes later. */
  @Test
  void aWaitThatOutlastsACloseEndsWithAReason() {
    SimulatedExecution execution =
        SimulatedExecution.builder(Schedule.random(3, 4)).maxSteps(50_000_000).build();
    for (int seed = 0; seed < 20; seed++) {
      execution.use(Schedule.random(seed, 4));
      SimulatedDisk disk = SimulatedDisk.builder(seed).execution(execution).build();
      execution.run(
          () -> {
            Store store =
                Store.open(
                    SMALL
                        .withRingBytes(1 << 16)
                        .withStorage(disk.storage())
                        .withExecution(execution)
                        .withCloseTimeout(Duration.ofMillis(1)));
            disk.setDelayNanos(20_000_000); // a write takes longer than the close waits
            AtomicReference<Object> outcome = new AtomicReference<>("none");
            Thread waiter =
                execution.spawn(
                    "waiter",
                    () -> {
                      try {
                        outcome.set(store.run(TxOptions.sync(), tx -> tx.putLong(8192, 1)));
                      } catch (Throwable t) {
                        outcome.set(t);
                      }
                    });
            execution.parkNanos(this, 500_000);
            store.close();
            execution.join(waiter);
            assertThat(outcome.get())
                .satisfiesAnyOf(
                    o -> assertThat(o).isInstanceOf(Long.class),
                    o -> assertThat(o).isInstanceOf(StoreClosedException.class));
          });
    }
  }
}
