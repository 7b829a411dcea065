package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.StoreClosedException;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A store that was killed is put to work the moment it opens, while its log is still on its way
 * into memory: several threads read and overwrite words all over the region, some without having
 * read them, a checkpoint is asked for, and the process is killed again, or closes the store.
 *
 * <p>Every slot belongs to one thread, which therefore knows what it must hold: what the last
 * commit that returned has put there, or the one that the kill interrupted.
 */
final class InstantOpen implements Scenario {

  private static final int SLOTS = 64;

  /** So that there are a few in each chunk, and many chunks. */
  private static final int SLOT_BYTES = 1 << 10;

  private static final int MOST_THREADS = 4;
  private static final int MOST_LIVES = 6;
  private static final int MOST_TRANSACTIONS = 10;
  private static final int MOST_WRITES = 6;
  private static final int FIRST_GUESS_STEPS = 20_000;

  /** How long the replay in the background may hold back: past what a store does in its life. */
  private static final int LATEST_NANOS = 20_000_000;

  private static final long NONE = -1;

  private final StoreMemory memory;

  InstantOpen(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("instant-open");
  }

  @Override
  public String hazard() {
    return "a transaction, or a checkpoint, takes a word for recovered that is still in the log";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  private static final class Run {

    private final SplittableRandom random;
    private final StoreMemory memory;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private final int threads;

    /** What each slot holds. */
    private final long[] sure = new long[SLOTS];

    /** What it holds instead if the commit happened that a kill has interrupted. */
    private final long[] maybe = new long[SLOTS];

    private long nextValue = 1;
    private long usualSteps = FIRST_GUESS_STEPS;

    Run(long seed, StoreMemory memory) {
      random = new SplittableRandom(seed);
      this.memory = memory;
      execution =
          SimulatedExecution.builder(Schedule.roundRobin(1))
              .virtualThreads((seed & 1) == 0)
              .maxSteps(3_000_000)
              .processors(1 + random.nextInt(3))
              .build();
      disk =
          SimulatedDisk.builder(seed)
              .volatileBytes(memory.volatileBytes(seed, random.nextInt(3) == 0))
              .execution(execution)
              .build();
      threads = 1 + random.nextInt(MOST_THREADS);
      Arrays.fill(maybe, NONE);
    }

    void run() {
      int lives = 3 + random.nextInt(MOST_LIVES - 2);
      for (int i = 0; i < lives; i++) {
        life(random.nextInt(4) != 0);
      }
      life(false);
      execution.use(Schedule.random(random.nextLong(), 64));
      execution.run(this::judge);
    }

    private void life(boolean killed) {
      execution.use(
          random.nextBoolean()
              ? Schedule.random(random.nextLong(), 1 << random.nextInt(7))
              : new StarvingSchedule(random.nextLong(), -1, 100 << random.nextInt(4), 4000));
      if (killed) {
        execution.killAtStep(1 + random.nextLong(usualSteps + usualSteps / 4));
      }
      SplittableRandom life = random.split();
      SimulationOutcome outcome = execution.run(() -> live(life));
      if (!outcome.crashed()) {
        usualSteps = outcome.steps();
      }
      disk.kill();
      memory.judge(disk);
    }

    private Store open(SplittableRandom life) {
      int latest = LATEST_NANOS >>> (5 * life.nextInt(4));
      StoreOptions options =
          StoreOptions.defaults()
              .withStorage(disk.storage())
              .withExecution(
                  new LateThreads(execution, "howdah-replay", () -> life.nextInt(latest)))
              .withPartitions(2)
              .withRingBytes(1 << 16)
              .withOrecs(life.nextBoolean() ? 64 : 4096)
              .withMaxSize(1 << 17);
      return Store.open(memory.of(options, (latest & 1) == 0));
    }

    private void live(SplittableRandom life) {
      try (Store store = open(life)) {
        store.run(
            tx -> {
              if (tx.root(0) == 0) {
                tx.root(0, tx.allocate(SLOTS * SLOT_BYTES));
              }
            });
        long base = store.call(tx -> tx.root(0));
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
          int first = t;
          SplittableRandom own = life.split();
          workers[t] = execution.spawn("worker-" + t, () -> work(store, base, first, own));
        }
        if (life.nextBoolean()) {
          execution.join(execution.spawn("checkpoints", store.admin()::checkpoint));
        }
        if (life.nextInt(3) != 0) {
          // Otherwise the store closes as soon as their transactions have ended.
          for (Thread worker : workers) {
            execution.join(worker);
          }
        }
      }
    }

    /** Reads and writes those slots whose number is {@code first} modulo the number of threads. */
    private void work(Store store, long base, int first, SplittableRandom own) {
      int transactions = 1 + own.nextInt(MOST_TRANSACTIONS);
      for (int i = 0; i < transactions; i++) {
        try {
          switch (own.nextInt(4)) {
            case 0 -> read(store, base, slots(first, own), own.nextBoolean());
            case 1 -> readMany(store, base, slots(first, own));
            default -> write(store, base, slots(first, own), own.nextInt(3) == 0);
          }
        } catch (StoreClosedException e) {
          return;
        }
      }
    }

    private int[] slots(int first, SplittableRandom own) {
      int[] slots = new int[1 + own.nextInt(MOST_WRITES)];
      for (int i = 0; i < slots.length; i++) {
        slots[i] = first + threads * own.nextInt((SLOTS - first + threads - 1) / threads);
      }
      return slots;
    }

    private void read(Store store, long base, int[] slots, boolean readOnly) {
      TxOptions how = TxOptions.async();
      long[] found = new long[slots.length];
      store.callWithReceipt(
          readOnly ? how.withReadOnly() : how,
          tx -> {
            for (int i = 0; i < slots.length; i++) {
              found[i] = tx.getLong(address(base, slots[i]));
            }
            return 0;
          });
      for (int i = 0; i < slots.length; i++) {
        settle(slots[i], found[i]);
      }
    }

    private void readMany(Store store, long base, int[] slots) {
      long[] addresses = new long[slots.length];
      for (int i = 0; i < slots.length; i++) {
        addresses[i] = address(base, slots[i]);
      }
      long[] found = new long[slots.length];
      store.run(TxOptions.async(), tx -> tx.getLongs(addresses, found));
      for (int i = 0; i < slots.length; i++) {
        settle(slots[i], found[i]);
      }
    }

    /** Writes slots; those of which it is not known what they hold are looked at first. */
    private void write(Store store, long base, int[] slots, boolean afterReading) {
      for (int slot : slots) {
        if (maybe[slot] != NONE) {
          read(store, base, new int[] {slot}, false);
        }
      }
      long value = nextValue++;
      for (int slot : slots) {
        maybe[slot] = value;
      }
      store.run(TxOptions.async(), tx -> write(tx, base, slots, value, afterReading));
      for (int slot : slots) {
        sure[slot] = value;
        maybe[slot] = NONE;
      }
    }

    private void write(Tx tx, long base, int[] slots, long value, boolean afterReading) {
      for (int slot : slots) {
        if (afterReading) {
          tx.getLong(address(base, slot));
        }
        tx.putLong(address(base, slot), value);
      }
    }

    private static long address(long base, int slot) {
      return base + (long) slot * SLOT_BYTES;
    }

    private void settle(int slot, long found) {
      if (found != sure[slot] && found != maybe[slot]) {
        throw new Violation(
            "slot "
                + slot
                + " holds "
                + found
                + ", and was "
                + sure[slot]
                + (maybe[slot] == NONE ? "" : ", or " + maybe[slot]));
      }
      sure[slot] = found;
      maybe[slot] = NONE;
    }

    private void judge() {
      try (Store store = open(random.split())) {
        long base = store.call(tx -> tx.root(0));
        for (int slot = 0; slot < SLOTS; slot++) {
          read(store, base, new int[] {slot}, true);
        }
      }
    }
  }
}
