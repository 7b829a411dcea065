package io.howdah.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.howdah.core.Execution;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** How long a checkpoint rests between its slices of work, by a clock that the test sets. */
class CheckpointPaceTest {

  private static final long MILLI = 1_000_000;
  private static final int SLICE_PAGES = 32;
  private static final int SLICE_BYTES = 1 << 17;
  private static final long BUDGET = 1_000_000;

  private long now = 7_000_000_000L;
  private long logBytes = 50_000;
  private boolean isCancelled;
  private int slices;

  private final Execution execution =
      new Execution() {
        @Override
        public long nanoTime() {
          return now;
        }

        @Override
        public void parkNanos(Object blocker, long nanos) {
          assertThat(nanos).isPositive();
          now += Math.max(1, nanos * 2 / 3); // as if it woke too early
        }

        @Override
        public void unpark(Thread thread) {}

        @Override
        public void spinWait() {}

        @Override
        public void yieldNow() {}

        @Override
        public Thread start(String name, Runnable body) {
          throw new AssertionError(name);
        }

        @Override
        public int availableProcessors() {
          return 1;
        }
      };

  private final CheckpointPace pace =
      new CheckpointPace(execution, () -> isCancelled, () -> logBytes, BUDGET);

  /** Copies a slice of pages that takes a time, while some log is written; returns the rest. */
  private long slice(long nanos, long log) {
    for (int i = 0; i < SLICE_PAGES - 1; i++) {
      pace.copied(1, false);
    }
    now += nanos;
    logBytes += log;
    return last(() -> pace.copied(1, false));
  }

  private long last(Runnable work) {
    long before = now;
    long rested = pace.restNanos();
    work.run();
    assertThat(pace.restNanos() - rested).isEqualTo(now - before);
    return now - before;
  }

  @Test
  void withoutCommitsThereIsNoRest() {
    pace.start(64);
    assertThat(slice(MILLI, 0)).isZero();
    assertThat(slice(MILLI, 0)).isZero();
  }

  @Test
  void besideCommitsItTakesATenthOfAProcessor() {
    pace.start(1000);
    assertThat(slice(MILLI, 1)).isEqualTo(9 * MILLI);
    // The rest itself is no work.
    assertThat(slice(2 * MILLI, 1)).isEqualTo(18 * MILLI);
    assertThat(slice(3 * MILLI, 1)).as("the longest").isEqualTo(20 * MILLI);
    assertThat(slice(MILLI, 1)).isEqualTo(9 * MILLI);
  }

  @Test
  void itRestsUntilCommitsHaveBeenQuietForAWhile() {
    pace.start(100_000);
    assertThat(slice(MILLI, 1)).isEqualTo(9 * MILLI);
    assertThat(slice(11 * MILLI - 1, 0)).isEqualTo(20 * MILLI);
    pace.start(100_000);
    assertThat(slice(MILLI, 1)).isEqualTo(9 * MILLI);
    assertThat(slice(11 * MILLI, 0)).as("quiet").isZero();
    assertThat(slice(MILLI, 1)).as("of this slice alone").isEqualTo(9 * MILLI);
  }

  @Test
  void theShareGrowsWithTheLogsLead() {
    pace.start(64);
    // Half of the journal is 0.3 of the work; 0.4 of the budget is written: a share of a half.
    assertThat(slice(MILLI, 400_000)).isCloseTo(MILLI, within(2L));
    // All of it is 0.6 of the work: a share of 0.1 + 4 * (0.7 - 0.6).
    assertThat(slice(MILLI, 300_000)).isCloseTo(MILLI, within(2L));
    // More pages than were expected are no more work done.
    assertThat(slice(MILLI, 0)).isCloseTo(MILLI, within(2L));
  }

  @Test
  void withALeadOfAQuarterItTakesAll() {
    pace.start(64);
    assertThat(slice(MILLI, 526_000)).isZero();
  }

  @Test
  void whatIsFoldedIsTheRestOfTheWork() {
    pace.start(1);
    pace.journaled(3 * SLICE_BYTES);
    pace.journaled(SLICE_BYTES);
    logBytes += 800_000;
    pace.folded(SLICE_BYTES - 1);
    now += MILLI;
    assertThat(pace.restNanos()).isZero();
    // A quarter is folded: 0.7 of the work, so a share of a half.
    assertThat(last(() -> pace.folded(1))).isCloseTo(MILLI, within(40L));
    now += MILLI;
    assertThat(last(() -> pace.folded(SLICE_BYTES - 1))).as("within a slice").isZero();
    logBytes += 100_000;
    assertThat(last(() -> pace.folded(1))).isCloseTo(MILLI, within(40L));
    assertThat(slices).isZero();
  }

  @Test
  void afterAStartItCountsAnew() {
    pace.betweenSlices(() -> slices++);
    for (int round = 0; round < 2; round++) {
      slices = 0;
      pace.start(10);
      pace.copied(5, false);
      pace.copied(64, true);
      pace.copied(7, false);
      pace.journaled(100);
      pace.journaled(23);
      pace.folded(40);
      assertThat(pace.dirtyPages()).isEqualTo(3);
      assertThat(pace.wholePages()).isEqualTo(1);
      assertThat(pace.lines()).isEqualTo(12);
      assertThat(pace.journalBytes()).isEqualTo(123);
      assertThat(pace.imageBytes()).isEqualTo(40);
      assertThat(pace.restNanos()).isZero();
      assertThat(slices).isZero();
      for (int i = 3; i < SLICE_PAGES; i++) {
        pace.copied(1, false);
      }
      assertThat(slices).isEqualTo(1);
      pace.folded(SLICE_BYTES - 41);
      assertThat(slices).isEqualTo(1);
      pace.folded(1);
      assertThat(slices).isEqualTo(2);
      pace.folded(SLICE_BYTES - 1);
    }
  }

  @Test
  void aStoreThatClosesGivesUpACopyAndEndsAFoldWithoutRests() {
    pace.start(100);
    logBytes++;
    for (int i = 0; i < SLICE_PAGES - 1; i++) {
      pace.copied(1, false);
    }
    isCancelled = true;
    assertThatThrownBy(() -> pace.copied(1, false)).isInstanceOf(CancellationException.class);
    now += MILLI;
    assertThat(last(() -> pace.folded(SLICE_BYTES))).isZero();
  }

  @Test
  void aGoalBecomesAsMuchLogAsIsReplayedInTheTime() {
    assertThat(CheckpointOptions.forGoal(1_000_000_000L).logBytes()).isEqualTo(200L << 20);
    assertThat(CheckpointOptions.forGoal(1).logBytes()).isEqualTo(4L << 20);
    assertThat(CheckpointOptions.replayNanos(50L << 20)).isEqualTo(250 * MILLI);
    assertThat(new CheckpointOptions(1).logBytes()).isEqualTo(1);
    assertThatThrownBy(() -> new CheckpointOptions(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
