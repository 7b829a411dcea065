package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.txn.Durability;

/**
 * A commit is held somewhere between its first and its last step while a whole checkpoint is taken
 * beside it, which was itself held where its round turns; then both go on, another checkpoint
 * follows, and the machine dies. What the first missed the second must not lose.
 */
final class CheckpointOvertaken implements Scenario {

  private static final String CHECKPOINT = "howdah-checkpoint";

  /** Past the steps in which a checkpoint turns its round, takes its mark and drains. */
  private static final int TURN_STEPS = 80;

  /** Past all steps of a small transaction. */
  private static final int COMMIT_STEPS = 200;

  /** Enough for a checkpoint of some pages. */
  private static final int PATIENCE = 60_000;

  /** About as many steps as a checkpoint of some pages takes. */
  private static final int LONGEST_CHECKPOINT = 20_000;

  private static final int MOST_BEFORE = 4;

  private final StoreMemory memory;

  CheckpointOvertaken(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("checkpoint-overtaken");
  }

  @Override
  public String hazard() {
    return "a commit that stands still during a checkpoint is lost by the next one";
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
    private long holdAfter;
    private boolean heldDone;
    private int asked;
    private int taken;

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
          .withMaxSize(1 << 17);
    }

    void run() {
      for (int i = 0; i < 3; i++) {
        life(this::overtake);
      }
      life(_ -> {});
    }

    private void overtake(Store store) {
      heldSlot = -1;
      holdAfter = -1;
      heldDone = false;
      asked = 0;
      taken = 0;
      CellStore cells = CellStore.of(store);
      execution.spawn("held", () -> held(store, cells));
      execution.spawn("asker", () -> ask(store));
      for (int i = random.nextInt(MOST_BEFORE); i > 0; i--) {
        transact(store, cells, random.nextInt(CellStore.CELLS));
      }
      spin(() -> heldSlot >= 0);
      long checkpoint = threads.numberOf(CHECKPOINT);
      if (random.nextInt(4) != 0) {
        schedule.hold(checkpoint, random.nextInt(TURN_STEPS));
      }
      asked = 1;
      spin(() -> schedule.isHeld(checkpoint) || taken == 1);
      holdAfter = random.nextInt(COMMIT_STEPS);
      spin(() -> schedule.isHeld(heldSlot) || heldDone);
      schedule.release(checkpoint);
      // Without end if the held commit is one that it waits for; or until somewhere in its course.
      int steps = random.nextBoolean() ? PATIENCE : random.nextInt(LONGEST_CHECKPOINT);
      for (int i = 0; i < steps && taken == 0; i++) {
        execution.yieldNow();
      }
      schedule.release(heldSlot);
      spin(() -> heldDone && taken == 1);
      asked = 2;
      spin(() -> taken == 2);
      die();
    }

    private void held(Store store, CellStore cells) {
      transact(store, cells, CellStore.CELLS - 1);
      heldSlot = execution.threadNumber();
      await(() -> holdAfter >= 0);
      schedule.hold(heldSlot, holdAfter);
      transact(store, cells, CellStore.CELLS - 1);
      heldDone = true;
    }

    private void ask(Store store) {
      while (taken < 2) {
        await(() -> asked > taken);
        store.admin().checkpoint();
        taken++;
      }
    }

    private void transact(Store store, CellStore cells, int cell) {
      transact(store, Durability.ASYNC, cells, (tx, attempt) -> cells.write(tx, attempt, cell));
    }
  }
}
