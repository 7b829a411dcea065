package io.howdah.examples.partition;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.examples.Check;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Figure 3 of Hathi (Saxena et al., DaMoN 2012): two transactions, of which the second reads what
 * the first has written. The paper's partition commit must not be used for them: it would
 * acknowledge the second one when its own log is forced. Howdah's waits for the first one, too.
 * This program shows it on a simulated machine whose power fails when the second one is
 * acknowledged, with the log's own thread stopped at one of its steps after the other.
 */
public final class DependentAndParallel {

  private static final long FIRST = 8192;
  private static final long SECOND = FIRST + 4096;
  private static final int WORDS = 10;
  private static final int STOPS = 30;
  private static final int[] DELAYS = {0, 15, 30, 45};

  /** What both transactions leave, one after the other. */
  private static final Found BOTH = new Found(99, 101);

  /** What a power cut has left of the two ranges, 100 and 200 at first. */
  private record Found(long first, long second) {}

  private DependentAndParallel() {}

  /** Cuts the power at each stop. */
  public static void main(String[] args) {
    int cuts = 0;
    int wrong = 0;
    for (int delay : DELAYS) {
      for (int stop = 1; stop <= STOPS; stop++) {
        Optional<Found> found = run(stop, delay);
        cuts += found.isPresent() ? 1 : 0;
        wrong += found.isPresent() && !found.get().equals(BOTH) ? 1 : 0;
      }
    }
    System.out.printf(
        "%d of %d power cuts lost an acknowledged transaction, or the one that it had read from%n",
        wrong, cuts);
    Check.that(cuts > 0, "no run came to its acknowledgement");
    Check.that(wrong == 0, "an acknowledged commit was found without its source, or not at all");
  }

  /** One run; empty if it did not get as far as the second acknowledgement. */
  private static Optional<Found> run(int stop, int delay) {
    StoppedFlusher schedule = new StoppedFlusher(stop);
    SimulatedExecution execution =
        SimulatedExecution.builder(schedule).spuriousOneIn(0).virtualThreads().build();
    SimulatedDisk disk = SimulatedDisk.builder(1).execution(execution).build();
    AtomicReference<@Nullable SimulatedDisk> acknowledged = new AtomicReference<>();
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
          // Threads prefer partitions in the order in which they first commit: this keeps the one
          // in use, so that the two have others, forced by the same force but read one after the
          // other.
          Session heldSession = store.session();
          heldSession.begin();
          schedule.arm();
          // Another one's commit keeps the log busy.
          Thread other =
              execution.spawn("other", () -> store.run(tx -> tx.putLong(SECOND + 4096, 1)));
          Thread one =
              execution.spawn(
                  "one",
                  () -> {
                    for (int i = 0; i < delay; i++) {
                      execution.yieldNow();
                    }
                    store.run(TxOptions.partition(), DependentAndParallel::one);
                  });
          Thread two =
              execution.spawn(
                  "two",
                  () -> {
                    while (read(store, SECOND) == 200) {
                      execution.parkNanos(store, 1000);
                    }
                    store.run(TxOptions.partition(), DependentAndParallel::two);
                    acknowledged.set(disk.fork());
                  });
          execution.join(other);
          execution.join(one);
          execution.join(two);
          heldSession.abort();
          store.close();
        });
    return Optional.ofNullable(acknowledged.get()).map(DependentAndParallel::powerCut);
  }

  private static void one(Tx tx) {
    copy(tx, FIRST, SECOND, 1);
  }

  private static void two(Tx tx) {
    copy(tx, SECOND, FIRST, -2);
  }

  private static void copy(Tx tx, long from, long to, long add) {
    for (int i = 0; i < WORDS; i++) {
      tx.putLong(to + i * 8L, tx.getLong(from + i * 8L) + add);
    }
  }

  private static Found powerCut(SimulatedDisk disk) {
    disk.powerCut(CrashChoice.LOSE_ALL);
    try (Store store = Store.open(options(disk))) {
      return new Found(read(store, FIRST), read(store, SECOND));
    }
  }

  private static long read(Store store, long address) {
    return store.read(TxOptions.async(), tx -> tx.getLong(address));
  }

  private static StoreOptions options(SimulatedDisk disk) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(StoreOptions.MIN_SIZE)
        .withRingBytes(1 << 16)
        .withLogSegmentBytes(1 << 16)
        .withPartitions(8);
  }
}
