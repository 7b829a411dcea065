package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.txn.Durability;

/**
 * What a trim takes away must not be needed any more. Either a checkpoint is held somewhere, and
 * others fill so many segments that all that are free are used again; then the machine dies. Or a
 * transaction too large for one redo record is held while it hands over its parts; others fill the
 * segment that holds them and the next ones, and a checkpoint trims the log. Then it commits, and
 * the machine dies: what it rests on must still be there.
 */
final class CheckpointTrim implements Scenario {

  /** More than two parts' worth. */
  private static final int LARGE_WORDS = 5200;

  /** About as many steps as a commit of so many words takes. */
  private static final int COMMIT_STEPS = 24_000;

  private static final String CHECKPOINT = "howdah-checkpoint";

  /** About as many steps as a checkpoint takes before it counts. */
  private static final int CHECKPOINT_STEPS = 6000;

  private static final int PATIENCE = 400_000;

  /** Enough for another segment: each fills a third of one. */
  private static final int LEAST_FILLED = 4;

  private static final int MOST_FILLED = 8;

  private final StoreMemory memory;

  CheckpointTrim(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("checkpoint-trim");
  }

  @Override
  public String hazard() {
    return "a record is trimmed before a checkpoint has it, or a part before its transaction commits";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  private static final class Run extends OvertakenLives {

    /** With 2, lanes share them; with 4, each has one, as by default with two processors. */
    private final int partitions;

    private long heldSlot;
    private boolean holding;
    private boolean heldDone;
    private boolean filled;
    private boolean taken;

    Run(long seed, StoreMemory memory) {
      super(seed, PATIENCE, memory);
      partitions = 2 << random.nextInt(2);
    }

    @Override
    StoreOptions options() {
      return StoreOptions.defaults()
          .withPartitions(partitions)
          .withRingBytes(1 << 16)
          .withOrecs(4096)
          .withMaxSize(1 << 17)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
    }

    void run() {
      for (int i = 0; i < 2; i++) {
        life(random.nextInt(3) == 0 ? this::trim : this::trimParts);
      }
      life(store -> LargeWords.of(store, LARGE_WORDS, Long.BYTES));
    }

    private void trim(Store store) {
      taken = false;
      CellStore cells = CellStore.of(store);
      fill(store, cells);
      spin(() -> filled);
      long checkpoint = threads.numberOf(CHECKPOINT);
      schedule.hold(checkpoint, random.nextInt(CHECKPOINT_STEPS));
      ask(store);
      spin(() -> schedule.isHeld(checkpoint) || taken);
      fill(store, cells);
      spin(() -> filled);
      die();
    }

    private void trimParts(Store store) {
      heldSlot = -1;
      holding = false;
      heldDone = false;
      taken = false;
      CellStore cells = CellStore.of(store);
      LargeWords large = LargeWords.of(store, LARGE_WORDS, Long.BYTES);
      execution.spawn("held", () -> held(store, cells, large));
      spin(() -> heldSlot >= 0);
      holding = true;
      spin(() -> schedule.isHeld(heldSlot) || heldDone);
      fill(store, cells);
      spin(() -> filled);
      ask(store);
      // Not without end: the held one may have what they wait for.
      spin(() -> filled && taken);
      schedule.release(heldSlot);
      spin(() -> heldDone && filled && taken);
      die();
    }

    private void fill(Store store, CellStore cells) {
      filled = false;
      int fillings = random.nextInt(LEAST_FILLED, MOST_FILLED + 1);
      execution.spawn(
          "filler",
          () -> {
            for (int i = 0; i < fillings; i++) {
              transact(
                  store,
                  Durability.SYNC,
                  cells,
                  (tx, attempt) -> cells.write(tx, attempt, CellStore.WIDE));
            }
            filled = true;
          });
    }

    private void ask(Store store) {
      execution.spawn(
          "asker",
          () -> {
            store.admin().checkpoint();
            taken = true;
          });
    }

    private void held(Store store, CellStore cells, LargeWords large) {
      transact(
          store, Durability.ASYNC, cells, (tx, attempt) -> cells.write(tx, attempt, 0)); // a lane
      heldSlot = execution.threadNumber();
      await(() -> holding);
      long steps = random.nextInt(COMMIT_STEPS);
      transact(
          store,
          random.nextBoolean() ? Durability.SYNC : Durability.ASYNC,
          cells,
          (tx, attempt) -> {
            large.write(tx, attempt);
            schedule.hold(heldSlot, steps);
          });
      heldDone = true;
    }
  }
}
