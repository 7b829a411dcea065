package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Figure 3 of Hathi (Saxena et al., DaMoN 2012): two transactions of which one reads what the other
 * has written, and two that have nothing in common. One thread is stopped at each of its steps in
 * turn, and the power is cut when a commit is acknowledged.
 */
@Timeout(300)
@Tag("scaled")
final class DependentAndParallelTransactionsTest {

  private static final int WORDS = 10;
  private static final long FIRST = 8192;
  private static final long SECOND = FIRST + 4096;

  /** How long the stopped thread stands still: enough for the others to commit and to wait. */
  private static final int STOP_STEPS = 6000;

  /** One step in so many is tried, and in a campaign each. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 17);

  /** Stops one thread, once, at one of its steps, for a while. */
  private static final class OneStop implements Schedule {
    private final String victim;
    private final long atStep;
    private boolean armed;
    private long steps;
    private int stopped = -1;
    private int left = STOP_STEPS;

    OneStop(String victim, long atStep) {
      this.victim = victim;
      this.atStep = atStep;
    }

    @Override
    public int choose(int current, long runnable, boolean waiting) {
      if (armed && Thread.currentThread().getName().equals(victim) && ++steps == atStep) {
        stopped = current;
      }
      long candidates = runnable;
      if (stopped >= 0 && left > 0) {
        left--;
        candidates &= ~(1L << stopped);
        candidates = candidates == 0 ? runnable : candidates;
      }
      // The next one up, so that everybody runs.
      long above = candidates & (-1L << (current + 1));
      return Long.numberOfTrailingZeros(above != 0 ? above : candidates);
    }
  }

  /** What a power cut found right after the second transaction was acknowledged. */
  private record Found(long first, long second) {}

  private final AtomicReference<@Nullable SimulatedDisk> acknowledged = new AtomicReference<>();
  private final AtomicBoolean stableWhenAcknowledged = new AtomicBoolean();
  private final AtomicInteger forcesToAcknowledge = new AtomicInteger();
  private int delay;

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(StoreOptions.MIN_SIZE)
        .withRingBytes(1 << 16)
        .withPartitions(8);
  }

  private static void copy(Tx tx, long from, long to, long add) {
    for (int i = 0; i < WORDS; i++) {
      tx.putLong(to + i * 8L, tx.getLong(from + i * 8L) + add);
    }
  }

  /** Runs the pair; returns how many steps the thread that is stopped had. */
  private long run(OneStop schedule, boolean dependent) {
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .spuriousOneIn(0)
            .maxSteps(400_000)
            .build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    acknowledged.set(null);
    execution.run(
        () -> {
          Store store = Store.open(options(disk).withExecution(execution));
          store.run(
              tx -> {
                for (int i = 0; i < WORDS; i++) {
                  tx.putLong(FIRST + i * 8L, 100);
                  tx.putLong(SECOND + i * 8L, 200);
                }
              });
          // Threads prefer partitions in the order in which they first commit. This keeps the one
          // in use, so that the pair has fresh ones, whose tails are read in that order.
          Session heldSession = store.session();
          heldSession.begin();
          schedule.armed = true;
          List<Thread> threads = new ArrayList<>();
          // Makes the flusher read tails while the pair is under way.
          if (dependent) {
            threads.add(
                execution.spawn("asker", () -> store.run(tx -> tx.putLong(SECOND + 4096, 1))));
          }
          threads.add(execution.spawn("one", () -> one(store, execution, dependent)));
          threads.add(execution.spawn("two", () -> two(store, disk, execution, dependent)));
          threads.forEach(execution::join);
          schedule.armed = false;
          heldSession.abort();
          store.close();
        });
    return schedule.steps;
  }

  private void one(Store store, SimulatedExecution execution, boolean dependent) {
    for (int i = 0; i < delay; i++) {
      execution.yieldNow();
    }
    store.run(
        TxOptions.partition(),
        tx -> {
          if (dependent) {
            copy(tx, FIRST, SECOND, 1);
          } else {
            copy(tx, FIRST, FIRST, 1);
          }
        });
  }

  private void two(
      Store store, SimulatedDisk disk, SimulatedExecution execution, boolean dependent) {
    while (dependent
        && store.<Long, RuntimeException>read(
                TxOptions.of(Durability.ASYNC), tx -> tx.getLong(SECOND))
            == 200) {
      execution.parkNanos(this, 1000);
    }
    long before = store.admin().stats().forces();
    long lsn =
        store.run(
            TxOptions.partition(),
            tx -> {
              if (dependent) {
                copy(tx, SECOND, FIRST, -2);
              } else {
                copy(tx, SECOND, SECOND, -2);
              }
            });
    forcesToAcknowledge.set((int) (store.admin().stats().forces() - before));
    stableWhenAcknowledged.set(store.durability().isStable(lsn));
    acknowledged.set(disk.fork());
  }

  /** Cuts the power where the second transaction had just been acknowledged, and opens again. */
  private Found powerCutWhenAcknowledged() {
    SimulatedDisk disk = acknowledged.get();
    assertThat(disk).isNotNull();
    disk.powerCut(CrashChoice.LOSE_ALL);
    try (Store store = Store.open(options(disk))) {
      return store.read(
          tx -> {
            long first = tx.getLong(FIRST);
            long second = tx.getLong(SECOND);
            for (int i = 1; i < WORDS; i++) {
              assertThat(tx.getLong(FIRST + i * 8L)).isEqualTo(first);
              assertThat(tx.getLong(SECOND + i * 8L)).isEqualTo(second);
            }
            return new Found(first, second);
          });
    }
  }

  /** Stops the flusher at each of its steps; returns what each power cut has left. */
  private List<Found> stops(int stride) {
    List<Found> found = new ArrayList<>();
    long steps = Long.MAX_VALUE;
    // The first transaction comes a little later each time, so that it meets the flusher anywhere.
    for (int d = 0; d < 60; d += 15) {
      delay = d;
      for (long at = 1; at <= Math.min(steps, 400); at += stride) {
        long took = run(new OneStop("howdah-flusher", at), true);
        steps = at == 1 ? took + 10 : steps;
        found.add(powerCutWhenAcknowledged());
      }
    }
    return found;
  }

  @Test
  void aDependentCommitIsNeverFoundWithoutItsSource() {
    List<Found> found = stops(STRIDE);
    assertThat(found).containsOnly(new Found(99, 101));
  }

  @Test
  void aParallelCommitIsAcknowledgedAfterOneForceWhateverTheOtherOneDoes() {
    boolean acknowledgedAlone = false;
    long steps = Long.MAX_VALUE;
    for (long at = 1; at <= Math.min(steps, 400); at += STRIDE) {
      long took = run(new OneStop("one", at), false);
      steps = at == 1 ? took : steps;
      // A force that was under way does not count for it, and the next one may be needed. The last
      // one may be counted only after the wait has ended.
      assertThat(forcesToAcknowledge.get()).isLessThanOrEqualTo(2);
      acknowledgedAlone |= !stableWhenAcknowledged.get() && forcesToAcknowledge.get() <= 1;
      Found found = powerCutWhenAcknowledged();
      assertThat(found.second()).isEqualTo(198);
      assertThat(found.first()).isIn(100L, 101L);
    }
    assertThat(acknowledgedAlone).as("acknowledged before the older commit is stable").isTrue();
  }
}
