package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Times that a store tells, in simulated time. */
@Timeout(120)
final class StoreTimingsTest {

  private static final long WORD = 8192;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(7, 8)).maxSteps(10_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(7).execution(execution).build();

  private StoreOptions options(StoreTimings timings) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withExecution(execution)
        .withCompletionExecutor(Runnable::run)
        .withMaxSize(1 << 20)
        .withOrecs(1 << 10)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(1 << 16)
        .withTimings(timings);
  }

  /** Notes what it is called with. */
  private static final class Notes implements StoreTimings {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    private void note(String what, long nanos) {
      assertThat(nanos).as(what).isNotNegative();
      calls.add(what);
    }

    @Override
    public void transaction(Durability durability, long nanos) {
      note("transaction " + durability, nanos);
    }

    @Override
    public void durabilityWait(Durability durability, long nanos) {
      note("wait " + durability, nanos);
    }

    @Override
    public void force(long nanos) {
      note("force", nanos);
    }

    @Override
    public void checkpoint(long nanos) {
      note("checkpoint", nanos);
    }

    @Override
    public void opening(long nanos) {
      note("opening", nanos);
    }

    /** Returns the calls since the last time, without those of the store's own threads. */
    List<String> taken() {
      List<String> taken = new ArrayList<>(calls);
      calls.clear();
      taken.removeIf(call -> call.equals("force"));
      return taken;
    }
  }

  @Test
  void eachKindOfTransactionIsTold() throws Exception {
    Notes notes = new Notes();
    execution.run(
        () -> {
          Store store = Store.open(options(notes));
          assertThat(notes.taken()).containsExactly("opening");
          store.run(tx -> tx.putLong(WORD, 1));
          assertThat(notes.taken()).containsExactly("wait SYNC", "transaction SYNC");
          long _ = store.call(TxOptions.partition(), tx -> tx.getLong(WORD));
          assertThat(notes.taken()).endsWith("transaction PARTITION");
          Receipt<Long> receipt =
              store.callWithReceipt(
                  TxOptions.async(),
                  tx -> {
                    tx.putLong(WORD, 2);
                    return 2L;
                  });
          assertThat(notes.taken()).containsExactly("transaction ASYNC");
          receipt.await();
          assertThat(notes.taken()).allMatch(call -> call.startsWith("wait "));
          try (Session session = store.session()) {
            session.begin().putLong(WORD, 3);
            assertThat(notes.taken()).isEmpty();
            session.commit();
            assertThat(notes.taken()).containsExactly("wait SYNC", "transaction SYNC");
          }
          try (DurableScope scope = store.durability().scope()) {
            scope.run(tx -> tx.putLong(WORD, 4));
            assertThat(notes.taken()).containsExactly("transaction ASYNC");
          }
          assertThat(notes.taken()).containsExactly("wait SYNC");
          long read = store.read(TxOptions.async(), tx -> tx.getLong(WORD));
          assertThat(read).isEqualTo(4);
          assertThat(notes.taken()).isEmpty();
          store.admin().checkpoint();
          assertThat(notes.taken()).containsExactly("checkpoint");
          store.run(tx -> tx.putLong(WORD, 5));
          assertThat(notes.calls).contains("force");
          store.close();
        });
  }

  /** Throws whatever it is called for. */
  private static final class Throws implements StoreTimings {
    @Override
    public void transaction(Durability durability, long nanos) {
      throw new IllegalStateException("transaction");
    }

    @Override
    public void durabilityWait(Durability durability, long nanos) {
      throw new StackOverflowError("wait");
    }

    @Override
    public void force(long nanos) {
      throw new IllegalStateException("force");
    }

    @Override
    public void checkpoint(long nanos) {
      throw new AssertionError("checkpoint");
    }

    @Override
    public void opening(long nanos) {
      throw new IllegalStateException("opening");
    }
  }

  @Test
  void whatItThrowsStopsNothing() {
    execution.run(
        () -> {
          Store store = Store.open(options(new Throws()));
          store.run(tx -> tx.putLong(WORD, 1));
          store.admin().checkpoint();
          store.run(tx -> tx.putLong(WORD, 2));
          long value = store.read(tx -> tx.getLong(WORD));
          assertThat(value).isEqualTo(2);
          assertThat(store.close(Duration.ofSeconds(1))).isTrue();
        });
  }
}
