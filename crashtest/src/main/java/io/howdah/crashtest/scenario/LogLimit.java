package io.howdah.crashtest.scenario;

import io.howdah.CheckpointStats;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;

/**
 * The thread that takes checkpoints is held while several others commit, until the log is at its
 * limit. From then on nothing may be committed, whoever comes and goes; once it goes on, everything
 * is, and the log has kept within its bound.
 */
public final class LogLimit implements Scenario {

  private static final String CHECKPOINT = "howdah-checkpoint";
  private static final int PATIENCE = 600_000;
  private static final int PARTITIONS = 2;
  private static final int RING_BYTES = 1 << 16;
  private static final long LIMIT = 8L * SegmentLayout.MIN_LENGTH;

  /** Less than a commit waits before it is refused. */
  private static final long PATIENCE_NANOS = 3_000_000_000L;

  /** With rings, what large transactions hand over, and three segments. */
  private static final long BOUND =
      LIMIT + PARTITIONS * (RING_BYTES + 2L * RING_BYTES) + 3L * SegmentLayout.MIN_LENGTH;

  /** What the rings held comes into the log, and the next opening begins with fresh segments. */
  private static final long BYTES_PER_CRASH =
      PARTITIONS * RING_BYTES + 3L * SegmentLayout.MIN_LENGTH;

  /** Longer than a commit takes that has its lane. */
  private static final int QUIET_STEPS = 4000;

  private static final int MOST_WRITERS = 3;
  private static final int MOST_NEWCOMERS = 4;
  private static final int CHECKPOINT_STEPS = 2000;

  private final StoreMemory memory;

  public LogLimit(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("log-limit");
  }

  @Override
  public String hazard() {
    return "a log that checkpoints do not keep up with grows without bound, or stops for ever";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  private static final class Run extends OvertakenLives {

    private int crashes;
    private boolean stop;
    private int begun;
    private int done;

    Run(long seed, StoreMemory memory) {
      super(seed, PATIENCE, memory);
    }

    @Override
    StoreOptions options() {
      return StoreOptions.defaults()
          .withPartitions(PARTITIONS)
          .withRingBytes(RING_BYTES)
          .withOrecs(4096)
          .withMaxSize(1 << 17)
          .withMaxTransactionBytes(RING_BYTES)
          .withMaxLogBytes(LIMIT);
    }

    void run() {
      life(this::overrun);
      life(random.nextBoolean() ? this::overrun : _ -> {});
      life(_ -> {});
    }

    private void overrun(Store store) {
      stop = false;
      begun = 0;
      done = 0;
      CellStore cells = CellStore.of(store);
      long checkpoint = threads.numberOf(CHECKPOINT);
      schedule.hold(checkpoint, random.nextInt(CHECKPOINT_STEPS));
      int writers = 1 + random.nextInt(MOST_WRITERS);
      for (int i = 0; i < writers; i++) {
        long choices = random.nextLong();
        spawn("writer-" + i, () -> write(store, cells, new SplittableRandom(choices)));
      }
      spin(() -> store.admin().checkpointStats().commitsBlocked());
      if (store.admin().checkpointStats().commitsBlocked()) {
        requireNoneBegins(store, cells);
      }
      requireBounded();
      stop = true;
      schedule.release(checkpoint);
      long patienceEnds = execution.nanoTime() + PATIENCE_NANOS;
      await(() -> done == begun || execution.nanoTime() - patienceEnds >= 0);
      if (done < begun) {
        throw new Violation(begun - done + " of " + begun + " threads wait for the log in vain");
      }
      requireBounded();
      crashes++;
      die();
    }

    private void spawn(String name, Runnable body) {
      begun++;
      execution.spawn(
          name,
          () -> {
            body.run();
            done++;
          });
    }

    private void write(Store store, CellStore cells, SplittableRandom own) {
      while (!stop && history.size() < CellStore.MARKS - MOST_WRITERS - MOST_NEWCOMERS) {
        Durability durability = own.nextInt(4) == 0 ? Durability.SYNC : Durability.ASYNC;
        int cell = own.nextInt(8) == 0 ? own.nextInt(CellStore.CELLS) : CellStore.WIDE;
        transact(store, durability, cells, (tx, attempt) -> cells.write(tx, attempt, cell));
      }
    }

    /** Those that have their lane end; then nobody gets one, though the gate is gone through. */
    private void requireNoneBegins(Store store, CellStore cells) {
      long holds = store.admin().checkpointStats().holds();
      long lsn = -1;
      for (int quiet = 0; quiet < QUIET_STEPS; quiet++) {
        if (store.admin().stats().lsn() != lsn) {
          lsn = store.admin().stats().lsn();
          quiet = 0;
        }
        execution.yieldNow();
      }
      for (int i = 1 + random.nextInt(MOST_NEWCOMERS); i > 0; i--) {
        spawn(
            "newcomer-" + i,
            () ->
                transact(
                    store, Durability.ASYNC, cells, (tx, attempt) -> cells.write(tx, attempt, 0)));
        store.callWithReceipt(TxOptions.async().withIrrevocable(), tx -> tx.root(0));
        for (int steps = random.nextInt(QUIET_STEPS); steps > 0; steps--) {
          execution.yieldNow();
        }
      }
      long last = store.admin().stats().lsn();
      // Unless the checkpoint was not held after all, and commits were let go on in between.
      CheckpointStats stats = store.admin().checkpointStats();
      if (stats.commitsBlocked() && stats.holds() == holds && last != lsn) {
        throw new Violation("LSN " + last + " was taken though the log was at its limit at " + lsn);
      }
    }

    private void requireBounded() {
      long bytes = 0;
      Storage storage = disk.storage();
      for (String name : storage.list("log/0")) {
        if (storage.exists("log/0/" + name)) {
          try (StorageFile file = storage.open("log/0/" + name, Storage.Access.READ)) {
            bytes += file.sizeBytes();
          }
        }
      }
      long bound = BOUND + crashes * BYTES_PER_CRASH;
      if (bytes > bound) {
        throw new Violation("the log takes " + bytes + " bytes, more than " + bound);
      }
    }
  }
}
