package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.LoggedStore;
import io.howdah.NotYetDurableException;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.core.Execution;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.testkit.schedule.SystemThreads;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that waits in the engine runs out of memory there. */
@Timeout(60)
final class ErrorWhileWaitingTest {

  private static final long WORD = 8192;

  /** The home of a lane that no attempt has leased. */
  private static final int NO_CONTEXT = 1 << 20;

  private static final class LittleMemory extends SystemThreads {
    private volatile @Nullable Thread hungry;

    @Override
    public Thread start(String name, Runnable body) {
      return Execution.system().start(name, body);
    }

    private void allocate() {
      if (Thread.currentThread().equals(hungry)) {
        throw new OutOfMemoryError("Java heap space");
      }
    }

    @Override
    public long wallClockMillis() {
      allocate();
      return super.wallClockMillis();
    }

    @Override
    public void yieldNow() {
      allocate();
      super.yieldNow();
    }
  }

  private final LittleMemory threads = new LittleMemory();

  private LoggedStore open() {
    return new LoggedStore(
        StoreOptions.defaults()
            .withMaxSize(1 << 20)
            .withPartitions(2)
            .withRingBytes(1 << 16)
            .withOrecs(1 << 12)
            .withDurabilityTimeout(Duration.ofMillis(1))
            .withExecution(threads));
  }

  @Test
  void aCommitThatIsNotDurableYetSaysThatItHasCommittedAlsoWithoutMemory() {
    try (LoggedStore logged = open()) {
      Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
      assertThat(logged.log.lanes().spinForAppendLock(stuck, RedoRecordLayout.MIN_LENGTH)).isTrue();
      stuck.announce();
      try {
        threads.hungry = Thread.currentThread();
        NotYetDurableException e =
            catchThrowableOfType(
                NotYetDurableException.class,
                () ->
                    logged.store.call(
                        TxOptions.sync(),
                        tx -> {
                          tx.putLong(WORD, 1);
                          return "result";
                        }));
        threads.hungry = null;
        assertThat(e).hasMessageContaining("has committed").hasMessageContaining("Do not run it");
        assertThat((Object) e.receipt().value()).isEqualTo("result");
        assertThat(e.lsn()).isEqualTo(e.receipt().lsn()).isPositive();
        NotYetDurableException last = TestStores.withoutMemory(e::receipt);
        assertThat(last.lsn()).isEqualTo(e.lsn());
      } finally {
        threads.hungry = null;
        stuck.finish();
      }
    }
  }

  @Test
  void anErrorWhileWaitingForTheGateLeavesItOpen() {
    try (LoggedStore logged = open()) {
      Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
      threads.hungry = Thread.currentThread();
      assertThatThrownBy(() -> logged.store.session().begin(TxOptions.async().withIrrevocable()))
          .isInstanceOf(OutOfMemoryError.class);
      threads.hungry = null;
      stuck.endLease();
      logged.store.run(TxOptions.async(), tx -> tx.putLong(WORD, 1));
      assertThat((long) logged.store.read(TxOptions.async(), tx -> tx.getLong(WORD))).isEqualTo(1);
    }
  }
}
