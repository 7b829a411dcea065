package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.LogFullException;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A commit in parts waits for a lane, or for space of its first part, of a later one or of its last
 * record. There it is refused in each way: the log is full, its time is over, or the region is full
 * already. Or it is interrupted, which refuses nothing. Afterwards a small transaction, an
 * irrevocable one, another large one, a checkpoint and the close end, and the words are as before,
 * also after the next opening.
 *
 * <p>The file system is full, so nothing is given back of the ring, and how much of it is taken
 * before decides where the commit waits: the room is raised from none to that of the whole commit,
 * in steps shorter than a part. With rivals, other commits take the room meanwhile.
 */
@Timeout(240)
final class RefusedLargeCommitTest {

  private static final int RING_BYTES = 1 << 16;
  private static final Duration LIMIT = Duration.ofMillis(100);
  private static final TxOptions BRIEF = TxOptions.async().withTimeLimit(LIMIT);
  private static final long NANOS_TO_WAIT = 50_000_000;
  private static final int LARGE_WORDS = 6000;
  private static final int SMALL_WORDS = 100;
  private static final int RIVALS = 2;
  private static final int LENGTH_BYTES = 8 * (LARGE_WORDS + (1 + RIVALS) * SMALL_WORDS);

  /** In small commits: about a seventh of the large one. */
  private static final int ROOM_STEP = 9;

  /** More than the large one takes. */
  private static final int MOST_ROOM = 70;

  /** How a commit is refused, or disturbed. */
  enum Refusal {
    LOG_FULL(LogFullException.class),
    TIME_LIMIT(TransactionTimeoutException.class),
    REGION_FULL(RegionFullException.class),
    INTERRUPT(null),
    INTERRUPT_AND_TIME_LIMIT(TransactionTimeoutException.class);

    private final @Nullable Class<? extends Throwable> thrown;

    Refusal(@Nullable Class<? extends Throwable> thrown) {
      this.thrown = thrown;
    }

    TxOptions options() {
      return this == TIME_LIMIT || this == INTERRUPT_AND_TIME_LIMIT ? BRIEF : TxOptions.async();
    }

    boolean interrupts() {
      return this == INTERRUPT || this == INTERRUPT_AND_TIME_LIMIT;
    }
  }

  /** A store on a disk of its own; its words hold 1. */
  private static final class Run {

    private final int partitions;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private long base;
    private boolean hasEnded;
    private boolean isInterrupted;
    private @Nullable Throwable thrown;

    Run(int partitions, long seed) {
      this.partitions = partitions;
      execution =
          SimulatedExecution.builder(Schedule.random(seed, 64))
              .virtualThreads()
              .stepNanos(200)
              .maxSteps(20_000_000)
              .build();
      disk = SimulatedDisk.builder(seed).execution(execution).build();
    }

    private StoreOptions options() {
      return StoreOptions.defaults()
          .withStorage(disk.storage())
          .withExecution(execution)
          .withMaxSize(1 << 18)
          .withOrecs(1 << 10)
          .withPartitions(partitions)
          .withRingBytes(RING_BYTES)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH)
          .withCloseTimeout(Duration.ofSeconds(2));
    }

    private Store open() {
      Store store = Store.open(options());
      base =
          store.call(
              TxOptions.sync(),
              tx -> {
                if (tx.root(0) == 0) {
                  tx.root(0, tx.allocate(LENGTH_BYTES));
                  put(tx, tx.root(0), LARGE_WORDS, 1);
                }
                return tx.root(0);
              });
      return store;
    }

    private static void put(Tx tx, long address, int words, long value) {
      for (int i = 0; i < words; i++) {
        tx.putLong(address + 8L * i, value);
      }
    }

    private void small(Store store, int rival, TxOptions options, long value) {
      long address = base + 8L * (LARGE_WORDS + rival * SMALL_WORDS);
      store.run(options, tx -> put(tx, address, SMALL_WORDS, value));
    }

    private void assertHolds(Store store, long value) {
      long[] found = new long[LARGE_WORDS];
      store.run(
          TxOptions.async(),
          tx -> {
            for (int i = 0; i < LARGE_WORDS; i++) {
              found[i] = tx.getLong(base + 8L * i);
            }
          });
      assertThat(found).containsOnly(value);
    }

    /** Returns how many small commits fit until the log is full. */
    int capacity() {
      int[] count = new int[1];
      execution.run(
          () -> {
            Store store = open();
            disk.setFreeBytes(0);
            while (catchThrowable(() -> small(store, 0, BRIEF, 1)) == null) {
              count[0]++;
            }
          });
      return count[0];
    }

    /** Returns whether the commit had to wait. */
    boolean refuse(Refusal refusal, int before, boolean hasRivals) {
      boolean[] hasWaited = new boolean[1];
      execution.run(
          () -> {
            try (Store store = open()) {
              disk.setFreeBytes(0);
              boolean isFull = false; // by other steps of the flusher perhaps a little before
              for (int i = 0; i < before && !isFull; i++) {
                isFull = catchThrowable(() -> small(store, 0, BRIEF, 1)) != null;
              }
              hasWaited[0] = refuse(store, refusal, hasRivals);
            }
          });
      execution.use(Schedule.random(1, 64));
      execution.run(
          () -> {
            try (Store store = open()) {
              assertHolds(store, 4);
            }
          });
      return hasWaited[0];
    }

    private boolean refuse(Store store, Refusal refusal, boolean hasRivals) {
      Thread large = execution.spawn("large", () -> large(store, refusal));
      Thread[] rivals = new Thread[hasRivals ? RIVALS : 0];
      for (int i = 0; i < rivals.length; i++) {
        int rival = i + 1;
        rivals[i] = execution.spawn("rival", () -> compete(store, rival));
      }
      execution.parkNanos(this, NANOS_TO_WAIT);
      execution.parkNanos(this, NANOS_TO_WAIT / 4); // one may end early
      boolean hasWaited = !hasEnded;
      if (refusal.interrupts()) {
        execution.interrupt(large);
      }
      if (refusal == Refusal.INTERRUPT) {
        execution.parkNanos(this, NANOS_TO_WAIT);
        assertThat(hasEnded).as("an interrupt ends no commit").isEqualTo(!hasWaited);
        disk.setFreeBytes(1L << 30);
      }
      execution.join(large);
      for (Thread rival : rivals) {
        execution.join(rival);
      }
      boolean isDone = thrown == null;
      if (refusal == Refusal.REGION_FULL || (hasWaited && refusal.thrown != null)) {
        assertThat(thrown).isInstanceOf(refusal.thrown);
      } else {
        assertThat(thrown).isNull();
      }
      if (refusal.interrupts() && hasWaited) {
        assertThat(isInterrupted).as("the interrupt is kept").isTrue();
      }
      assertHolds(store, isDone ? 2 : 1);
      disk.setFreeBytes(1L << 30);
      for (int i = 0; i <= RIVALS; i++) {
        small(store, i, TxOptions.sync(), 3);
      }
      store.run(TxOptions.sync().withIrrevocable(), tx -> put(tx, base, 1, isDone ? 2 : 1));
      assertHolds(store, isDone ? 2 : 1);
      store.run(TxOptions.sync(), tx -> put(tx, base, LARGE_WORDS, 4));
      assertTrims(store);
      return hasWaited;
    }

    /** What is refused keeps no segment of the log. */
    private void assertTrims(Store store) {
      for (int i = 0; i < 4 * RING_BYTES / (8 * SMALL_WORDS); i++) {
        small(store, 0, TxOptions.async(), i);
      }
      small(store, 0, TxOptions.sync(), 5);
      store.admin().checkpoint();
      store.admin().checkpoint();
      assertThat(store.admin().checkpointStats().logBytes()).isLessThan(4 * RING_BYTES);
    }

    private void large(Store store, Refusal refusal) {
      thrown =
          catchThrowable(
              () ->
                  store.run(
                      refusal.options(),
                      tx -> {
                        put(tx, base, LARGE_WORDS, 2);
                        while (refusal == Refusal.REGION_FULL) {
                          tx.allocate(1 << 12);
                        }
                      }));
      isInterrupted = Thread.currentThread().isInterrupted();
      hasEnded = true;
    }

    /** Commits as long as there is room. */
    private void compete(Store store, int rival) {
      Throwable full = null;
      for (int i = 0; i < 20 && full == null; i++) {
        full = catchThrowable(() -> small(store, rival, BRIEF, 1));
      }
      if (full != null) {
        assertThat(full).isInstanceOf(TransactionTimeoutException.class);
      }
    }
  }

  /** Lanes that share their partition, and such as have one of their own. */
  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "4, false", "4, true"})
  void aRefusedLargeCommitLeavesNothing(int partitions, boolean hasRivals) {
    int capacity = new Run(partitions, 1).capacity();
    int seed = 1;
    for (Refusal refusal : Refusal.values()) {
      int waits = 0;
      int room = 0;
      for (boolean goesOn = true; goesOn && room <= capacity; room += ROOM_STEP) {
        boolean hasWaited = new Run(partitions, seed).refuse(refusal, capacity - room, hasRivals);
        waits += hasWaited ? 1 : 0;
        goesOn = refusal == Refusal.REGION_FULL ? room < MOST_ROOM : hasWaited;
        seed += hasRivals ? 1 : 0;
      }
      if (refusal != Refusal.REGION_FULL) {
        assertThat(waits).as(refusal + ": waits").isGreaterThan(5);
      }
    }
  }
}
