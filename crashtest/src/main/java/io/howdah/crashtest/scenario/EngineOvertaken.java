package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.Operation;
import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A chain of transactions, each of which reads what the one before it wrote, through lanes of its
 * own, while a commit is held somewhere between its first and its last step, or the flusher
 * somewhere in its round, or both; then the process dies, or the power fails once the flusher has
 * forced what it had seen.
 *
 * <p>The holes and the lost sources that this leaves behind take three lanes and an order of events
 * that schedules drawn step by step hardly ever meet.
 */
final class EngineOvertaken implements Scenario {

  private static final String FLUSHER = "howdah-flusher";

  /** Past all steps of a round with four partitions, and about where it reads the tails. */
  private static final int ROUND_STEPS = 48;

  private static final int FIRST_TAIL_STEPS = 6;
  private static final int LAST_TAIL_STEPS = 20;

  /** Past all steps of a small transaction. */
  private static final int COMMIT_STEPS = 200;

  private static final int PATIENCE = 4000;
  private static final int MOST_CHAIN = 4;

  private final StoreMemory memory;

  EngineOvertaken(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("engine-overtaken");
  }

  @Override
  public String hazard() {
    return "a commit or a flush that is overtaken takes others with it, or leaves them without a"
        + " source";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  /** One seed: a disk, three lives that are cut short, and two that look at what is left. */
  private static final class Run extends OvertakenLives {

    private final int partitions;

    Run(long seed, StoreMemory memory) {
      super(seed, PATIENCE, memory);
      partitions = 3 + random.nextInt(2);
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
      life(_ -> {});
    }

    private void overtake(Store store) {
      CellStore cells = CellStore.of(store);
      int links = 2 + random.nextInt(MOST_CHAIN - 1);
      boolean holdFlusher = random.nextInt(3) != 0;
      boolean holdCommit = !holdFlusher || random.nextInt(3) == 0;
      Chain chain = new Chain(store, cells, links, holdFlusher ? 24 : 3);
      spin(chain::isReady);
      long flusher = threads.numberOf(FLUSHER);
      if (holdFlusher) {
        schedule.hold(
            flusher,
            random.nextInt(3) == 0
                ? random.nextInt(ROUND_STEPS)
                : random.nextInt(FIRST_TAIL_STEPS, LAST_TAIL_STEPS));
        spin(() -> schedule.isHeld(flusher));
      }
      if (holdCommit) {
        long held = chain.startHeld(random.nextInt(COMMIT_STEPS));
        spin(() -> schedule.isHeld(held) || chain.heldDone);
      }
      chain.start();
      spin(chain::isDone);
      if (holdFlusher && random.nextInt(4) != 0) {
        long forces = disk.operations(Operation.FORCE);
        schedule.release(flusher);
        spin(() -> disk.operations(Operation.FORCE) > forces);
        for (int i = random.nextInt(24); i > 0; i--) {
          execution.yieldNow();
        }
      }
      die();
    }

    /**
     * Threads that are all there before the first of them begins, so that each has a lane of its
     * own.
     */
    private final class Chain {

      private final Store store;
      private final CellStore cells;
      private final int links;
      private final int waitsOneIn;
      private final List<Long> ready = new ArrayList<>();
      private int turn = -1;
      private int done;
      private long holdAfter = -1;
      boolean heldDone;

      /**
       * Creates them.
       *
       * @param waitsOneIn one in so many waits until its commit is durable: few where no force
       *     comes
       */
      Chain(Store store, CellStore cells, int links, int waitsOneIn) {
        this.store = store;
        this.cells = cells;
        this.links = links;
        this.waitsOneIn = waitsOneIn;
        for (int i = 0; i < links; i++) {
          int link = i;
          long choices = random.nextLong();
          execution.spawn("link-" + i, () -> link(link, new SplittableRandom(choices)));
        }
        long choices = random.nextLong();
        execution.spawn("held", () -> held(new SplittableRandom(choices)));
      }

      boolean isReady() {
        return ready.size() > links;
      }

      boolean isDone() {
        return done == links;
      }

      void start() {
        turn = 0;
      }

      /** Lets the thread outside of the chain go, for so many steps; returns its slot. */
      long startHeld(long steps) {
        holdAfter = steps;
        return ready.getLast();
      }

      private void link(int link, SplittableRandom own) {
        warmUp(own);
        ready.addFirst(execution.threadNumber());
        await(() -> turn == link);
        boolean last = link == links - 1;
        boolean readOnly = last && own.nextInt(3) == 0;
        boolean throwing = readOnly && own.nextInt(3) == 0;
        transact(
            durability(own, readOnly ? 2 : waitsOneIn),
            readOnly,
            (tx, attempt) -> {
              if (link > 0) {
                cells.read(tx, attempt, link - 1);
              }
              if (throwing) {
                throw new Shown();
              }
              if (!readOnly) {
                cells.write(tx, attempt, link);
              }
            });
        done++;
        turn++;
      }

      /** One that waits ends the chain for now; it must not return before it may. */
      private Durability durability(SplittableRandom own, int oneIn) {
        if (own.nextInt(oneIn) != 0) {
          return Durability.ASYNC;
        }
        return own.nextInt(3) == 0 ? Durability.SYNC : Durability.PARTITION;
      }

      private void held(SplittableRandom own) {
        warmUp(own);
        ready.addLast(execution.threadNumber());
        await(() -> holdAfter >= 0);
        schedule.hold(execution.threadNumber(), holdAfter);
        transact(
            own.nextInt(3) == 0 ? Durability.SYNC : Durability.ASYNC,
            false,
            (tx, attempt) -> {
              if (own.nextBoolean()) {
                cells.read(tx, attempt, CellStore.CELLS - 1);
              }
              cells.write(tx, attempt, CellStore.CELLS - 1);
            });
        heldDone = true;
      }

      /** Gets a context, and so a home lane, of its own: all are at it at once. */
      private void warmUp(SplittableRandom own) {
        for (int i = own.nextInt(3); i > 0; i--) {
          transact(Durability.ASYNC, false, (_, _) -> {});
        }
      }

      private void transact(Durability durability, boolean readOnly, Body body) {
        Attempt attempt = history.begin(readOnly);
        TxOptions how = TxOptions.of(durability);
        try {
          long lsn =
              store
                  .callWithReceipt(
                      readOnly ? how.withReadOnly() : how,
                      tx -> {
                        attempt.restart();
                        body.run(tx, attempt);
                        if (!readOnly) {
                          cells.mark(tx, attempt);
                        }
                        return 0;
                      })
                  .lsn();
          if (durability != Durability.ASYNC) {
            attempt.durable(lsn);
          } else {
            attempt.returned(lsn);
          }
        } catch (Shown e) {
          shown(attempt, durability, e.getSuppressed());
        } catch (HowdahException e) {
          throw new Violation("refused without a reason: " + e, e);
        }
      }

      /**
       * What a body has read left with its exception, and is as durable as a result, unless the
       * wait for that has failed.
       *
       * @param failures of the wait. If the process has died in it, nothing has left: the exception
       *     goes on only because a simulated thread unwinds
       */
      private static void shown(Attempt attempt, Durability durability, Throwable[] failures) {
        for (Throwable failure : failures) {
          if (failure instanceof HowdahException) {
            throw new Violation("refused without a reason: " + failure, failure);
          }
        }
        if (failures.length > 0) {
          return;
        }
        if (durability != Durability.ASYNC) {
          attempt.durable(0);
        } else {
          attempt.returned(0);
        }
      }
    }

    /** Leaves a body that only reads. */
    private static final class Shown extends RuntimeException {
      private static final long serialVersionUID = 1;
    }
  }
}
