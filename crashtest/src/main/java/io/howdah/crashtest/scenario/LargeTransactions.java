package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.txn.Durability;
import java.util.SplittableRandom;

/**
 * Transactions larger than their ring and than a segment of the log, small ones beside them, and
 * checkpoints that trim the log between the parts. The process dies several times in a row, at any
 * step: also while an opening recovers, and before it has taken a checkpoint.
 */
final class LargeTransactions implements Scenario {

  private static final int RING_BYTES = 1 << 16;

  /** Four rings' worth: each is an entry of its own in the log. */
  private static final int LARGE_WORDS = 16_000;

  private static final int DISTANCE_BYTES = 16;

  private static final int MOST_LIVES = 5;

  /** Less than a commit of so many words takes. */
  private static final int COMMIT_STEPS = 20_000;

  private static final int PATIENCE = 200_000;

  /** About as many as an opening takes. */
  private static final int RECOVERY_STEPS = 4000;

  private static final int MOST_CHECKPOINTS = 3;
  private static final int MOST_CLERKS = 2;
  private static final int LONGEST_PAUSE_NANOS = 1_000_000;

  private final StoreMemory memory;

  LargeTransactions(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("large-transactions");
  }

  @Override
  public String hazard() {
    return "several deaths within a transaction larger than a ring tear it, or leave no store to open";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  private static final class Run extends OvertakenLives {

    private final int partitions;
    private int taken;

    Run(long seed, StoreMemory memory) {
      super(seed, PATIENCE, memory);
      partitions = 1 + random.nextInt(2);
    }

    @Override
    StoreOptions options() {
      return StoreOptions.defaults()
          .withPartitions(partitions)
          .withRingBytes(RING_BYTES)
          .withOrecs(4096)
          .withMaxSize(1 << 19)
          .withMaxTransactionBytes(1 << 20)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
    }

    void run() {
      life(this::work);
      for (int i = 1 + random.nextInt(MOST_LIVES - 1); i > 0; i--) {
        switch (random.nextInt(4)) {
          case 0 -> {
            execution.killAtStep(1 + random.nextLong(RECOVERY_STEPS));
            life(this::work);
          }
          case 1 -> life(this::work);
          default -> life(_ -> die());
        }
      }
      life(store -> LargeWords.of(store, LARGE_WORDS, DISTANCE_BYTES));
    }

    private void work(Store store) {
      CellStore cells = CellStore.of(store);
      LargeWords large = LargeWords.of(store, LARGE_WORDS, DISTANCE_BYTES);
      execution.spawn(
          "large",
          () -> {
            while (hasMarks()) {
              transact(store, Durability.ASYNC, cells, large::write);
            }
          });
      for (int i = random.nextInt(3) == 0 ? MOST_CLERKS : 0; i > 0; i--) {
        SplittableRandom own = random.split();
        execution.spawn("clerk-" + i, () -> commitSmall(store, cells, own));
      }
      SplittableRandom own = random.split();
      execution.spawn(
          "asker",
          () -> {
            while (hasMarks()) {
              store.admin().checkpoint();
              taken++;
              execution.parkNanos(this, own.nextInt(LONGEST_PAUSE_NANOS));
            }
          });
      taken = 0;
      int checkpoints = 1 + random.nextInt(MOST_CHECKPOINTS);
      spin(() -> taken >= checkpoints);
      for (int steps = random.nextInt(COMMIT_STEPS); steps > 0; steps--) {
        execution.yieldNow();
      }
      die();
    }

    private boolean hasMarks() {
      return history.size() < CellStore.MARKS - MOST_CLERKS - 2;
    }

    private void commitSmall(Store store, CellStore cells, SplittableRandom own) {
      while (hasMarks()) {
        Durability durability = own.nextInt(4) == 0 ? Durability.SYNC : Durability.ASYNC;
        int cell = own.nextInt(CellStore.CELLS);
        transact(store, durability, cells, (tx, attempt) -> cells.write(tx, attempt, cell));
        execution.parkNanos(this, own.nextInt(LONGEST_PAUSE_NANOS));
      }
    }
  }
}
