package io.howdah.springdata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.howdah.NotYetDurableException;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A commit that is not durable in time has happened, and must not look like one to repeat. */
@Timeout(120)
final class LateCommitTest {

  private static final long WORD = 8192;

  private final SimulatedExecution execution =
      SimulatedExecution.builder(Schedule.random(5, 8)).maxSteps(10_000_000).build();
  private final SimulatedDisk disk = SimulatedDisk.builder(5).execution(execution).build();
  private final List<Integer> ends = new ArrayList<>();

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
        .withDurabilityTimeout(Duration.ofSeconds(5))
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
                for (int i = 1; i < 500; i++) {
                  tx.putLong(WORD + 8L * i, 1);
                }
              });
    } while (store.durability().awaitStable(lsn, Duration.ofSeconds(1)));
  }

  private void write(Store store) {
    TransactionSynchronizationManager.registerSynchronization(
        new TransactionSynchronization() {
          @Override
          public void afterCompletion(int status) {
            ends.add(status);
          }
        });
    HowdahTransactionManager.current(store).putLong(WORD, 7);
  }

  @Test
  void aLateCommitIsToldApartFromAFailure() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          fillDisk(store);
          TransactionTemplate template =
              new TransactionTemplate(new HowdahTransactionManager(store));
          Throwable thrown = catchThrowable(() -> template.executeWithoutResult(_ -> write(store)));
          assertThat(thrown)
              .isInstanceOf(TransactionSystemException.class)
              .isNotInstanceOf(TransientDataAccessException.class)
              .hasCauseInstanceOf(NotYetDurableException.class)
              .hasMessageContaining("not durable yet");
          assertThat(ends).containsExactly(TransactionSynchronization.STATUS_UNKNOWN);
          long value = store.read(TxOptions.async(), tx -> tx.getLong(WORD));
          assertThat(value).isEqualTo(7);
          disk.setFreeBytes(1L << 30);
          store.close();
        });
  }

  /** Outside of a transaction of Spring nothing turns the exception into one to repeat. */
  @Test
  void theTranslatorLeavesItAlone() {
    execution.run(
        () -> {
          Store store = Store.open(options());
          fillDisk(store);
          Throwable thrown = catchThrowable(() -> store.run(tx -> tx.putLong(WORD, 7)));
          assertThat(thrown).isInstanceOf(NotYetDurableException.class);
          assertThat(
                  new HowdahExceptionTranslator()
                      .translateExceptionIfPossible((NotYetDurableException) thrown))
              .isNull();
          disk.setFreeBytes(1L << 30);
          store.close();
        });
  }
}
