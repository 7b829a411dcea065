package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.StoreClosedException;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.testkit.schedule.SimulationOutcome;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.SplittableRandom;

/**
 * A store whose log is many segments long, so that openings go by a summary of it. The process, the
 * container or the machine ends anywhere, while the late part of the log is read too; what was not
 * forced is kept, lost, or kept in part.
 *
 * <p>Each thread counts its commits, in an array that they overwrite and in the region's header. So
 * what a life finds must be the first commits of each thread, at least those that cannot be lost,
 * and header and array must tell of the same ones.
 */
final class SummarisedLog implements Scenario {

  private static final int MOST_THREADS = 3;
  private static final int SLOTS = 3;

  /** A segment holds some twenty of them. */
  private static final int SLOT_WORDS = 384;

  private static final int COLD_WORDS = 600;
  private static final int MOST_LIVES = 6;
  private static final int MOST_TRANSACTIONS = 120;
  private static final int SYNC_ONE_IN = 12;
  private static final int FIRST_GUESS_STEPS = 30_000;
  private static final int LATEST_NANOS = 20_000_000;

  /** Of a write or force: the thread that writes summaries looks ten times a second. */
  private static final int DELAY_NANOS = 40_000_000;

  private final StoreMemory memory;

  SummarisedLog(StoreMemory memory) {
    this.memory = memory;
  }

  @Override
  public String name() {
    return memory.nameOf("summarised-log");
  }

  @Override
  public String hazard() {
    return "a summary of the log shows a commit that the log does not have, or hides one";
  }

  @Override
  public void run(Budget budget) {
    while (budget.more()) {
      Replay.attempt(name(), budget.seed(), () -> new Run(budget.seed(), memory).run());
    }
  }

  /** What is known of the commits of one thread. */
  private static final class Commits {
    long begun;
    long returned;
    long durable;
  }

  private static final class Run {

    private final SplittableRandom random;
    private final StoreMemory memory;
    private final SimulatedExecution execution;
    private final SimulatedDisk disk;
    private final Commits[] commits;

    private boolean powerLost;
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
              .volatileBytes(memory.volatileBytes(seed, random.nextInt(4) == 0))
              .execution(execution)
              .build();
      disk.setDelayNanos(random.nextInt(DELAY_NANOS));
      commits = new Commits[1 + random.nextInt(MOST_THREADS)];
      for (int t = 0; t < commits.length; t++) {
        commits[t] = new Commits();
      }
    }

    void run() {
      int lives = 3 + random.nextInt(MOST_LIVES - 2);
      for (int i = 0; i < lives; i++) {
        life();
      }
      execution.use(Schedule.random(random.nextLong(), 64));
      execution.run(
          () -> {
            try (Store store = open(random.split())) {
              create(store);
              judge(store);
            }
          });
    }

    private void life() {
      execution.use(
          random.nextBoolean()
              ? Schedule.random(random.nextLong(), 1 << random.nextInt(7))
              : new StarvingSchedule(random.nextLong(), -1, 100 << random.nextInt(4), 4000));
      boolean closes = random.nextInt(8) == 0;
      if (!closes && random.nextInt(5) != 0) {
        placeDeath();
      }
      SplittableRandom life = random.split();
      long operations = disk.operations();
      SimulationOutcome outcome = execution.run(() -> live(life, closes));
      if (!outcome.crashed()) {
        usualSteps = Math.max(FIRST_GUESS_STEPS, outcome.steps());
        usualOperations = disk.operations() - operations;
      }
      if (outcome.crashed() || !closes) {
        die();
      } else {
        disk.kill();
        memory.judge(disk);
        noteClosed();
      }
    }

    private long usualOperations = 200;

    /** Sometimes in the opening, or while the late part of the log is read. */
    private void placeDeath() {
      int share = random.nextInt(4) == 0 ? 4 : 1;
      if (random.nextBoolean()) {
        execution.killAtStep(1 + random.nextLong((usualSteps + usualSteps / 4) / share));
      } else {
        CrashMoment[] moments = CrashMoment.values();
        disk.crashAtOperation(
            disk.operations()
                + 1
                + random.nextLong((usualOperations + usualOperations / 4) / share + 1),
            moments[random.nextInt(moments.length)]);
      }
    }

    private void die() {
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          disk.kill();
          memory.judge(disk);
          return;
        }
        case 2, 3 -> disk.replaceContainer();
        case 4 -> disk.powerCut(CrashChoice.KEEP_ALL);
        default ->
            disk.powerCut(disk.crashStates().choice(random.nextLong(disk.crashStates().count())));
      }
      powerLost = true;
    }

    private void noteClosed() {
      for (Commits own : commits) {
        own.durable = own.returned;
      }
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
              .withOrecs(4096)
              .withMaxSize(1 << 17)
              .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
      return Store.open(memory.of(options, (latest & 1) == 0));
    }

    private void live(SplittableRandom life, boolean closes) {
      Store store = open(life);
      create(store);
      long[] found = headers(store);
      judgeCold(store);
      if (life.nextInt(3) == 0) {
        judge(store);
      }
      // What has survived is durable: this opening has forced it.
      for (int t = 0; t < commits.length; t++) {
        commits[t].begun = found[t];
        commits[t].returned = found[t];
        commits[t].durable = found[t];
      }
      powerLost = false;
      Thread[] workers = new Thread[commits.length];
      for (int t = 0; t < workers.length; t++) {
        int number = t;
        SplittableRandom own = life.split();
        workers[t] = execution.spawn("worker-" + t, () -> work(store, number, own));
      }
      if (life.nextInt(6) == 0) {
        store.admin().checkpoint();
      }
      for (Thread worker : workers) {
        execution.join(worker);
      }
      if (life.nextBoolean()) {
        judge(store);
      }
      if (closes) {
        store.close();
      }
    }

    private void create(Store store) {
      store.run(
          TxOptions.sync(),
          tx -> {
            if (tx.root(0) == 0) {
              tx.root(0, tx.allocate((long) commits.length * SLOTS * SLOT_WORDS * 8));
              tx.root(1, tx.allocate(COLD_WORDS * 8L));
              for (int i = 0; i < COLD_WORDS; i++) {
                tx.putLong(tx.root(1) + 8L * i, -i);
              }
            }
          });
    }

    private void work(Store store, int thread, SplittableRandom own) {
      Commits mine = commits[thread];
      int transactions = MOST_TRANSACTIONS / 4 + own.nextInt(MOST_TRANSACTIONS);
      for (int i = 0; i < transactions; i++) {
        boolean sync = own.nextInt(SYNC_ONE_IN) == 0;
        long number = mine.begun + 1;
        mine.begun = number;
        try {
          store.run(sync ? TxOptions.sync() : TxOptions.async(), tx -> commit(tx, thread, number));
        } catch (StoreClosedException e) {
          return;
        }
        mine.returned = number;
        if (sync) {
          mine.durable = number;
        }
      }
    }

    private void commit(Tx tx, int thread, long number) {
      long base = slot(tx.root(0), thread, (int) (number % SLOTS));
      for (int i = 0; i < SLOT_WORDS; i++) {
        tx.putLong(base + 8L * i, number);
      }
      tx.root(2 + thread, tx.root(0) + number * 8);
    }

    private static long slot(long array, int thread, int slot) {
      return array + (long) (thread * SLOTS + slot) * SLOT_WORDS * 8;
    }

    /** Returns how many commits of each thread there are by the region's header. */
    private long[] headers(Store store) {
      long[] found = new long[commits.length];
      store.run(
          TxOptions.async(),
          tx -> {
            for (int t = 0; t < found.length; t++) {
              found[t] = tx.root(2 + t) == 0 ? 0 : (tx.root(2 + t) - tx.root(0)) / 8;
            }
          });
      for (int t = 0; t < found.length; t++) {
        Commits own = commits[t];
        long sure = powerLost ? own.durable : own.returned;
        if (found[t] < sure || found[t] > own.begun) {
          throw new Violation(
              "the header has "
                  + found[t]
                  + " commits of thread "
                  + t
                  + ", of "
                  + sure
                  + " to "
                  + own.begun);
        }
      }
      return found;
    }

    private void judgeCold(Store store) {
      int word = random.nextInt(COLD_WORDS);
      long found = store.read(tx -> tx.getLong(tx.root(1) + 8L * word));
      if (found != -word) {
        throw new Violation("cold word " + word + " is " + found);
      }
    }

    private void judge(Store store) {
      long[] found = headers(store);
      for (int t = 0; t < found.length; t++) {
        for (int slot = 0; slot < SLOTS; slot++) {
          judge(store, t, slot, found[t]);
        }
      }
      judgeCold(store);
    }

    private static void judge(Store store, int thread, int slot, long count) {
      long expected = count - Math.floorMod(count - slot, (long) SLOTS);
      long[] words = new long[SLOT_WORDS];
      store.run(
          TxOptions.async(),
          tx -> {
            long base = slot(tx.root(0), thread, slot);
            for (int i = 0; i < SLOT_WORDS; i++) {
              words[i] = tx.getLong(base + 8L * i);
            }
          });
      for (long word : words) {
        if (word != Math.max(0, expected)) {
          throw new Violation(
              "slot "
                  + slot
                  + " of thread "
                  + thread
                  + " holds "
                  + word
                  + " after "
                  + count
                  + " commits");
        }
      }
    }
  }
}
