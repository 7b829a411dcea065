package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.LogFullException;
import io.howdah.core.storage.StorageException;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every wait on the way to a commit ends at the transaction's time limit, with nothing of the
 * transaction done. In simulated time, so that waits of seconds take none.
 */
@Timeout(120)
final class DeadlineTest {

  private static final long WORDS = 8192;
  private static final int RING_BYTES = 1 << 16;
  private static final Duration LIMIT = Duration.ofMillis(100);
  private static final TxOptions BRIEF = TxOptions.async().withTimeLimit(LIMIT);

  /** Longer than any limit here, in a state that nobody ends before. */
  private static final long LONG_NANOS = 4_000_000_000L;

  /** A limit is noticed late by a thread that others run before, but by then. */
  private static final Duration NOTICED = LIMIT.plusMillis(20);

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(50_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();

  private StoreOptions options() {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(RING_BYTES)
        .withCloseTimeout(Duration.ofSeconds(2));
  }

  private static Integer write(Tx tx, int words, long value) {
    for (int i = 0; i < words; i++) {
      tx.putLong(WORDS + 8L * i, value);
    }
    return 0;
  }

  private static void fill(Store store) {
    assertThatThrownBy(
            () -> {
              while (true) {
                store.callWithReceipt(TxOptions.async(), tx -> write(tx, 500, 1));
              }
            })
        .isInstanceOf(LogFullException.class);
  }

  private static long value(Store store) {
    return store.read(TxOptions.async(), tx -> tx.getLong(WORDS));
  }

  private void assertEndsAtTheLimit(ThrowingCallable call) {
    long started = execution.nanoTime();
    assertThatThrownBy(call)
        .isInstanceOf(TransactionTimeoutException.class)
        .hasMessageContaining("100 ms")
        .hasMessageContaining("it had no effect");
    assertThat(Duration.ofNanos(execution.nanoTime() - started)).isBetween(LIMIT, NOTICED);
  }

  private Thread irrevocableForLong(Store store) {
    Thread holder =
        execution.spawn(
            "irrevocable",
            () ->
                store.callWithReceipt(
                    TxOptions.async().withIrrevocable(),
                    tx -> {
                      execution.parkNanos(this, LONG_NANOS);
                      execution.parkNanos(this, LONG_NANOS); // one may end early
                      return write(tx, 1, 7);
                    }));
    while (store.admin().stats().irrevocableRunning() == 0) {
      execution.parkNanos(this, 1_000);
    }
    return holder;
  }

  /** The thread that watches limits may be late: the session has begun another transaction. */
  @Test
  void aLimitThatComesLateEndsNoLaterTransactionOfTheSession() {
    execution.run(
        () -> {
          try (Store store = Store.open(options());
              Session session = store.session()) {
            TxHandle limited = TxHandle.of(session.begin(BRIEF));
            TimeLimits.Limit limit = Objects.requireNonNull(limited.attempt().limit());
            session.commit();
            Tx next = session.begin(TxOptions.async());
            limited.expire(limit);
            assertThat(write(next, 1, 8)).isZero();
            session.commit();
            assertThat(value(store)).isEqualTo(8);
            assertThat(session.begin(TxOptions.async()))
                .as("without limits a session allocates no handles")
                .isSameAs(next);
          }
        });
  }

  @Test
  void waitsForAnIrrevocableTransactionEnd() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            Thread holder = irrevocableForLong(store);
            assertEndsAtTheLimit(() -> store.callWithReceipt(BRIEF, tx -> write(tx, 1, 8)));
            assertEndsAtTheLimit(
                () -> store.callWithReceipt(BRIEF.withIrrevocable(), tx -> write(tx, 1, 8)));
            assertEndsAtTheLimit(() -> store.session().begin(BRIEF.withIrrevocable()));
            Session txSession = store.session();
            Tx tx = txSession.begin(BRIEF);
            write(tx, 1, 8);
            assertEndsAtTheLimit(() -> txSession.commit());
            txSession.abort();
            assertThat(store.admin().stats().irrevocableRunning()).isEqualTo(1);
            execution.join(holder);
            assertThat(value(store)).isEqualTo(7);
            store.callWithReceipt(BRIEF.withIrrevocable(), t -> write(t, 1, 9));
            assertThat(value(store)).isEqualTo(9);
          }
        });
  }

  @Test
  void waitsForALaneEndThatAnotherTransactionHas() {
    execution.run(
        () -> {
          try (Store store = Store.open(options().withPartitions(1).withLogSegmentBytes(1 << 16))) {
            disk.setFreeBytes(0);
            // Goes to the log in parts, and waits for room with a lane in its hands.
            Thread large =
                execution.spawn(
                    "large",
                    () -> store.callWithReceipt(TxOptions.async(), tx -> write(tx, 60_000, 7)));
            execution.parkNanos(this, LONG_NANOS / 2);
            assertEndsAtTheLimit(() -> store.callWithReceipt(BRIEF, tx -> write(tx, 1, 8)));
            assertEndsAtTheLimit(
                () -> store.callWithReceipt(BRIEF.withIrrevocable(), tx -> write(tx, 1, 8)));
            disk.setFreeBytes(1L << 30);
            execution.join(large);
            assertThat(value(store)).isEqualTo(7);
            store.callWithReceipt(BRIEF, tx -> write(tx, 1, 9));
            assertThat(value(store)).as("the gate is open again").isEqualTo(9);
          }
        });
  }

  /** Large ones that go to the log in parts find no room for a part. */
  @ParameterizedTest
  @ValueSource(ints = {500, 60_000})
  void waitsForRingSpaceEnd(int words) {
    execution.run(
        () -> {
          try (Store store = Store.open(options().withLogSegmentBytes(1 << 16))) {
            disk.setFreeBytes(0);
            if (words == 500) {
              fill(store);
            }
            assertEndsAtTheLimit(() -> store.callWithReceipt(BRIEF, tx -> write(tx, words, 8)));
            assertThat(value(store)).isEqualTo(words == 500 ? 1 : 0);
            disk.setFreeBytes(1L << 30);
            store.callWithReceipt(TxOptions.sync(), tx -> write(tx, words, 9));
            assertThat(value(store)).isEqualTo(9);
          }
        });
  }

  @Test
  void waitsForAHeldLogEnd() {
    execution.run(
        () -> {
          try (Store store = Store.open(options().withMaxSize(1 << 19).withMaxLogBytes(1 << 19))) {
            disk.inject(
                Fault.onNth(Operation.WRITE, 1)
                    .in("journal/")
                    .with(StorageException.Reason.NO_SPACE)
                    .forEver());
            fill(store);
            assertThat(store.admin().checkpointStats().commitsBlocked()).isTrue();
            assertEndsAtTheLimit(() -> store.callWithReceipt(BRIEF, tx -> write(tx, 1, 8)));
            assertEndsAtTheLimit(
                () -> store.callWithReceipt(BRIEF.withIrrevocable(), tx -> write(tx, 1, 8)));
            assertThat(value(store)).isEqualTo(1);
            disk.clearFaults();
            store.callWithReceipt(TxOptions.sync(), tx -> write(tx, 1, 9));
            assertThat(value(store)).isEqualTo(9);
          }
        });
  }

  @Test
  void waitsForAChangeEnd() {
    execution.run(
        () -> {
          try (Store store = Store.open(options())) {
            assertEndsAtTheLimit(
                () -> store.callWithReceipt(BRIEF, tx -> tx.getLong(WORDS) == 0 ? tx.retry() : 0));
          }
        });
  }
}
