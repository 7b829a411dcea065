package io.howdah.crashtest.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A commit stands still at one of its steps while the thread of checkpoints goes on from one of its
 * own steps: by a single step, by some hundreds, or for as long as it can. Then the commit goes on
 * to its end, and after it the other thread. The process dies, or the power is cut, before the
 * commit goes on, when it has returned, when the checkpoint or the summary has ended, or after a
 * further checkpoint. A commit is there as a whole or not at all. It is there after a kill if it
 * had returned, and after a power cut if a later commit was durable.
 *
 * <p>Each run of the tests has every step of a commit beside the turn of a round and the copy of
 * its pages. Campaigns try every pair of steps; pairs take turns with how far the other thread goes
 * on, and with the ends. Otherwise one in sixteen of the first steps of the engine's thread is
 * tried, in which it turns the round and waits for commits, one in 400 of the later ones, and of
 * the commit's steps one in seven, each time others; of the steps of a commit in parts far fewer.
 */
@Timeout(7200)
@Tag("scaled")
final class HeldCommitTest {

  /** Given by campaigns: one in so many steps of each thread. */
  private static final int STRIDE = Integer.getInteger("howdah.stride", 0);

  /** Until here a checkpoint turns its round, takes its mark and waits for commits. */
  private static final int FIRST_WORK_STEPS = 80;

  private static final int FIRST_WORK_STRIDE = 16;
  private static final int LATER_WORK_STRIDE = 400;
  private static final String ENGINE_THREAD = "howdah-checkpoint";
  private static final int WARM = 0;
  private static final int COLD = 3 << 12;
  private static final int LATER = 6 << 12;
  private static final int FILLER = 8 << 12;
  private static final int FILLER_WORDS = 384;
  private static final int LENGTH_BYTES = 10 << 12;

  /** Of a thread that waits: longer than the engine's short parks, shorter than its polls. */
  private static final int PATIENCE = 800;

  /** How many steps the engine's thread goes on beside the commit. */
  private static final int[] ONWARD = {1, 250, 500, 750, Integer.MAX_VALUE};

  private static final int FURTHER_CHECKPOINT = 5;

  /** Odd ones are power cuts; see {@link Run#live}. Most is found behind a further checkpoint. */
  private static final int[] ENDS = {0, 5, 1, 5, 2, 5, 3, 5, 4};

  private static final int LONG_PATIENCE = 1 << 20;
  private static final long POLL_NANOS = 200_000_000;

  /** What the thread of checkpoints does beside the commit. */
  enum Work {
    CHECKPOINT,
    SUMMARY
  }

  /**
   * Lets threads stop after so many of their own steps, and one thread go before all others.
   * Otherwise each goes on until it waits.
   */
  private static final class Directed implements Schedule {

    private final HeldThreads threads = new HeldThreads();
    private long leader = -1;

    @Override
    public int choose(int current, long runnable, boolean waiting) {
      long candidates = threads.candidates(current, runnable);
      if (candidates == 0) {
        throw new IllegalStateException("only threads that are held can go on");
      }
      if (leader >= 0 && (candidates >>> leader & 1) != 0 && !(waiting && current == leader)) {
        return (int) leader;
      }
      if (leader < 0 && !waiting && (candidates >>> current & 1) != 0) {
        return current;
      }
      long above = current == Long.SIZE - 1 ? 0 : candidates & (-1L << (current + 1));
      return Long.numberOfTrailingZeros(above != 0 ? above : candidates);
    }
  }

  /** One run: a commit that stops after some steps, beside work that stops after some. */
  private static final class Run {

    private final Work work;
    private final int partitions;
    private final int words;
    private final long commitSteps;
    private final long workSteps;
    private final int end;
    private final int onward;
    private final Directed schedule = new Directed();
    private final SimulatedExecution execution =
        SimulatedExecution.builder(schedule)
            .virtualThreads()
            .stepNanos(500)
            .spuriousOneIn(0)
            .maxSteps(5_000_000)
            .build();
    private final NamedThreads threads = new NamedThreads(execution);
    private final SimulatedDisk disk =
        SimulatedDisk.builder(1).volatileBytes(1 << 26).execution(execution).build();

    private long base;
    private long commitSlot = -1;
    private boolean mayCommit;
    private boolean hasCommitted;
    private int asked;
    private int taken;

    /** Whether the commit was stopped before its end. */
    private boolean isCommitHeld;

    /** Whether the work was stopped before its end. */
    private boolean isWorkHeld;

    Run(
        Work work,
        int partitions,
        int words,
        long commitSteps,
        long workSteps,
        int onward,
        int end) {
      this.work = work;
      this.partitions = partitions;
      this.words = words;
      this.commitSteps = commitSteps;
      this.workSteps = workSteps;
      this.onward = onward;
      this.end = end;
    }

    private StoreOptions options(SimulatedDisk of) {
      return StoreOptions.defaults()
          .withStorage(of.storage())
          .withPartitions(partitions)
          .withRingBytes(1 << 16)
          .withOrecs(1 << 10)
          .withMaxSize(1 << 17)
          .withLogSegmentBytes(SegmentLayout.MIN_LENGTH);
    }

    void run() {
      try {
        execution.run(this::live);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError(describe("", String.valueOf(e.getMessage())), e);
      }
    }

    private String describe(String when, String what) {
      return work
          + " held after "
          + workSteps
          + " steps, "
          + partitions
          + " partitions, "
          + words
          + " words, commit held after "
          + commitSteps
          + " steps"
          + ", beside it "
          + onward
          + when
          + ": "
          + what;
    }

    private void live() {
      Store store = Store.open(options(disk).withExecution(threads));
      store.run(
          TxOptions.sync(),
          tx -> {
            tx.root(0, tx.allocate(LENGTH_BYTES));
            put(tx, 1);
          });
      base = store.<Long, RuntimeException>read(tx -> tx.root(0));
      store.admin().checkpoint();
      store.run(TxOptions.async(), tx -> tx.putLong(base + WARM + 8L * words, 5));
      if (work == Work.SUMMARY) {
        lengthenLog(store);
      }
      execution.spawn("commit", () -> commit(store));
      execution.spawn("asker", () -> ask(store));
      long engine = threads.numberOf(ENGINE_THREAD);
      schedule.threads.hold(engine, workSteps);
      if (work == Work.SUMMARY) {
        execution.jump(POLL_NANOS);
      } else {
        asked = 1;
      }
      BooleanSupplier hasWorked = () -> work == Work.CHECKPOINT && taken == 1;
      lead(engine, hasWorked, PATIENCE);
      isWorkHeld = schedule.threads.isHeld(engine);
      mayCommit = true;
      spin(() -> commitSlot >= 0, LONG_PATIENCE);
      lead(commitSlot, () -> hasCommitted, PATIENCE);
      isCommitHeld = schedule.threads.isHeld(commitSlot);
      schedule.threads.hold(engine, onward - 1L);
      lead(engine, hasWorked, PATIENCE);
      if (end < 2) {
        judge(" and crash", hasCommitted && end == 0, false);
        return;
      }
      schedule.threads.release(commitSlot);
      lead(commitSlot, () -> hasCommitted, PATIENCE);
      if (end == 2) {
        judge(", goes on, and crash", hasCommitted, false);
        return;
      }
      schedule.threads.release(engine);
      if (work == Work.CHECKPOINT) {
        spin(() -> taken == 1, LONG_PATIENCE);
      } else {
        lead(engine, () -> false, PATIENCE);
      }
      spin(() -> hasCommitted, LONG_PATIENCE);
      store.run(TxOptions.sync(), tx -> tx.putLong(base + LATER, 9));
      if (end < 5) {
        judge(", both to their ends, and crash", true, true);
        return;
      }
      asked++;
      int before = taken;
      spin(() -> taken > before, LONG_PATIENCE);
      judge(", both to their ends, a checkpoint, and crash", true, true);
    }

    /** Moves the log on to a segment that no summary names. */
    private void lengthenLog(Store store) {
      for (int i = 0; i < 2 * SegmentLayout.MIN_LENGTH / (FILLER_WORDS * 8); i++) {
        int value = i;
        store.run(
            TxOptions.async(),
            tx -> {
              for (int word = 0; word < FILLER_WORDS; word++) {
                tx.putLong(base + FILLER + 8L * word, value);
              }
            });
      }
      store.run(TxOptions.sync(), tx -> tx.putLong(base + FILLER, 0));
    }

    private void put(Tx tx, long value) {
      long block = tx.root(0);
      for (int i = 0; i < words; i++) {
        tx.putLong(block + WARM + 8L * i, value);
        tx.putLong(block + COLD + 8L * i, value);
      }
    }

    private void commit(Store store) {
      while (!mayCommit) {
        execution.parkNanos(this, 20_000);
      }
      long self = execution.threadNumber();
      schedule.threads.hold(self, commitSteps);
      commitSlot = self;
      store.run(TxOptions.async(), tx -> put(tx, 2));
      hasCommitted = true;
    }

    private void ask(Store store) {
      while (true) {
        while (asked <= taken) {
          execution.parkNanos(this, 20_000);
        }
        store.admin().checkpoint();
        taken++;
      }
    }

    /** Lets a thread go before all others, until it is held, or waits, or has done something. */
    private void lead(long slot, BooleanSupplier done, int patience) {
      schedule.leader = slot;
      spin(() -> schedule.threads.isHeld(slot) || done.getAsBoolean(), patience);
      schedule.leader = -1;
    }

    private void spin(BooleanSupplier done, int patience) {
      for (int i = 0; i < patience && !done.getAsBoolean(); i++) {
        execution.yieldNow();
      }
      if (patience == LONG_PATIENCE && !done.getAsBoolean()) {
        throw new AssertionError("what nobody holds has not ended");
      }
    }

    /** Ends the process here; odd ends cut the power, too. */
    private void judge(String when, boolean isSure, boolean isLaterSure) {
      SimulatedDisk left = disk.fork();
      if ((end & 1) != 0) {
        left.powerCut(CrashChoice.LOSE_ALL);
      } else {
        left.kill();
      }
      long[] found = new long[2 * words];
      long[] later = new long[1];
      // The process ends without closing the store, which would take a checkpoint.
      SimulatedExecution next =
          SimulatedExecution.builder(new Directed()).virtualThreads().spuriousOneIn(0).build();
      left.scheduleWith(next);
      next.run(
          () ->
              Store.open(options(left).withExecution(next))
                  .run(
                      TxOptions.async(),
                      tx -> {
                        long block = tx.root(0);
                        for (int i = 0; i < words; i++) {
                          found[2 * i] = tx.getLong(block + WARM + 8L * i);
                          found[2 * i + 1] = tx.getLong(block + COLD + 8L * i);
                        }
                        later[0] = tx.getLong(block + LATER);
                      }));
      assertThat(found[0]).as(describe(when, "value")).isIn(isSure ? 2L : 1L, 2L);
      assertThat(found).as(describe(when, "values")).containsOnly(found[0]);
      if (isLaterSure) {
        assertThat(later[0]).as(describe(when, "the later value")).isEqualTo(9);
      }
    }
  }

  /** Lanes of their own and shared ones; a commit in one record, and one in parts. */
  @ParameterizedTest
  @CsvSource({
    "CHECKPOINT, 4, 1, 7, 1",
    "CHECKPOINT, 1, 1, 7, 1",
    "CHECKPOINT, 1, 500, 3001, 101",
    "SUMMARY, 4, 1, 7, 1",
    "SUMMARY, 1, 1, 7, 1",
    "SUMMARY, 4, 500, 3001, 101"
  })
  void aCommitThatStandsIsNotLost(
      Work work, int partitions, int words, int stride, int campaignStride) {
    int commitStride = STRIDE == 0 ? stride : STRIDE * campaignStride;
    int runs = 0;
    int highestCommit = 0;
    int workSteps = 0;
    for (int round = 0; ; round++) {
      boolean isWorkHeld = false;
      boolean isCommitHeld = true;
      for (int steps = round * 4 % commitStride; isCommitHeld; steps += commitStride) {
        int number = round + runs++;
        Run run =
            new Run(
                work,
                partitions,
                words,
                steps,
                workSteps,
                ONWARD[number % ONWARD.length],
                ENDS[number % ENDS.length]);
        run.run();
        isCommitHeld = run.isCommitHeld;
        isWorkHeld = run.isWorkHeld;
        highestCommit = Math.max(highestCommit, steps);
      }
      if (!isWorkHeld) {
        break;
      }
      workSteps += workStride(workSteps);
    }
    assertThat(workSteps).as("steps of the engine's thread").isGreaterThan(FIRST_WORK_STEPS);
    assertThat(highestCommit).as("steps of the commit").isGreaterThan(20);
  }

  /** It stands at each of its steps, while the checkpoint turns its round and copies pages. */
  @ParameterizedTest
  @CsvSource({"4, 250", "1, 500"})
  void aCommitThatBeganBeforeTheRoundIsNotLost(int partitions, int onward) {
    boolean isCommitHeld = true;
    for (int steps = 0; isCommitHeld; steps++) {
      Run run = new Run(Work.CHECKPOINT, partitions, 1, steps, 0, onward, FURTHER_CHECKPOINT);
      run.run();
      isCommitHeld = run.isCommitHeld;
    }
  }

  private static int workStride(int workSteps) {
    if (STRIDE > 0) {
      return STRIDE;
    }
    return workSteps < FIRST_WORK_STEPS ? FIRST_WORK_STRIDE : LATER_WORK_STRIDE;
  }
}
