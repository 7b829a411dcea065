package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.FaultyRegion;
import io.howdah.LoggedStore;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.StoreFailedException;
import io.howdah.core.UnavailablePageException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JVM reports a fault of memory late: a store of a commit may have had no effect, and the error
 * comes when the commit has happened. Then memory may be wrong, so the store must not serve it.
 */
@Timeout(300)
final class LateFaultTest {

  private static final int MOST_CALLS = 10_000;

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 12)
          .withCloseTimeout(Duration.ofMillis(100));

  private enum Outcome {
    NOT_REACHED,
    NOT_HAPPENED,
    STOPPED,
    HAPPENED_AND_STOPPED
  }

  private static void fault() {
    throw new InternalError(
        "a fault occurred in a recent unsafe memory access operation in compiled Java code");
  }

  /** Has a fault come out at the n-th access from the end of a body on. */
  private static Outcome commit(long n, boolean isShared) {
    FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
    int byDefault = 2 * OPTIONS.execution().availableProcessors();
    LoggedStore logged =
        new LoggedStore(
            OPTIONS.withPartitions(isShared ? 1 : byDefault),
            SimulatedDisk.seeded(1).storage(),
            memory -> new FaultyRegion(memory, trigger, false));
    assertThat(logged.log.lanes().lane(0).isShared()).isEqualTo(isShared);
    Store store = logged.store;
    long word = store.call(TxOptions.async(), tx -> tx.allocate(8));
    long run = store.call(TxOptions.async(), tx -> tx.allocate(40_000));
    store.run(TxOptions.async(), tx -> tx.free(run));
    Outcome outcome;
    try {
      store.run(
          TxOptions.async(),
          tx -> {
            tx.putLong(word, 7);
            tx.allocate(40_000); // what the allocator looks at again behind the commit
            trigger.arm(n, LateFaultTest::fault);
          });
      outcome = trigger.hasFired() ? Outcome.HAPPENED_AND_STOPPED : Outcome.NOT_REACHED;
    } catch (UnavailablePageException e) {
      outcome = Outcome.NOT_HAPPENED;
    } catch (StoreFailedException e) {
      outcome = Outcome.STOPPED;
    } finally {
      trigger.disarm();
    }
    switch (outcome) {
      case NOT_REACHED -> {
        assertThat(valueOf(store, word)).isEqualTo(7);
        logged.close();
      }
      case NOT_HAPPENED -> {
        assertThat(valueOf(store, word)).isZero();
        logged.close();
      }
      case STOPPED, HAPPENED_AND_STOPPED -> {
        assertThatThrownBy(() -> valueOf(store, word))
            .as("after a fault in access " + n)
            .isInstanceOf(StoreFailedException.class);
        assertThatThrownBy(logged::close).isInstanceOf(StoreFailedException.class);
      }
    }
    return outcome;
  }

  private static long valueOf(Store store, long word) {
    return store.read(TxOptions.async(), tx -> tx.getLong(word));
  }

  /** Lanes share a partition (R33), or have one each, as by default. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFaultThatComesOutBehindTheCommitPointStopsTheStore(boolean isShared) {
    int behind = 0;
    for (long n = 1; n < MOST_CALLS; n++) {
      Outcome outcome = commit(n, isShared);
      if (outcome == Outcome.NOT_REACHED) {
        break;
      }
      behind += outcome == Outcome.HAPPENED_AND_STOPPED ? 1 : 0;
    }
    assertThat(behind).as("faults after the release").isPositive();
  }
}
