package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.LoggedStore;
import io.howdah.NotYetDurableException;
import io.howdah.StoreOptions;
import io.howdah.SystemThreads;
import io.howdah.core.Execution;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lane;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that waits in the engine runs out of memory there. */
@Timeout(60)
final class ErrorWhileWaitingTest {

  private static final long WORD = 8192;

  /** The home of a lane that no context has leased. */
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
            .maxSize(1 << 20)
            .partitions(2)
            .ringBytes(1 << 16)
            .orecs(1 << 12)
            .durabilityTimeout(Duration.ofMillis(1))
            .execution(threads));
  }

  @Test
  void aCommitThatIsNotDurableYetSaysThatItHasCommittedAlsoWithoutMemory() {
    try (LoggedStore logged = open()) {
      Lane stuck = logged.log.lanes().lease(NO_CONTEXT, RedoRecordLayout.MIN_LENGTH, 0);
      stuck.announce();
      try {
        threads.hungry = Thread.currentThread();
        NotYetDurableException e =
            catchThrowableOfType(
                NotYetDurableException.class,
                () ->
                    logged.store.call(
                        Durability.SYNC,
                        tx -> {
                          tx.putLong(WORD, 1);
                          return "result";
                        }));
        threads.hungry = null;
        assertThat(e).hasMessageContaining("has committed").hasMessageContaining("Do not run it");
        assertThat((Object) e.commit().value()).isEqualTo("result");
        assertThat(e.lsn()).isEqualTo(e.commit().lsn()).isPositive();
        NotYetDurableException last = NotYetDurableException.withoutMemory(e::commit);
        assertThat(last.of(null)).isSameAs(last);
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
      assertThatThrownBy(() -> logged.store.begin(TxOptions.of(Durability.ASYNC).irrevocable()))
          .isInstanceOf(OutOfMemoryError.class);
      threads.hungry = null;
      logged.log.lanes().giveBack(stuck);
      logged.store.run(Durability.ASYNC, tx -> tx.putLong(WORD, 1));
      assertThat((long) logged.store.read(Durability.ASYNC, tx -> tx.getLong(WORD))).isEqualTo(1);
    }
  }
}
