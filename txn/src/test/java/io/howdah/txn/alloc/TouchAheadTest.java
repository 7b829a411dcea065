package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.core.layout.PageLayout;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.testkit.disk.ForwardingRegion;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.testkit.schedule.SimulatedExecution;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory above the top is touched when the top comes near, within a bound, and never changed. */
@Timeout(60)
final class TouchAheadTest {

  private static final long PAGE = PageLayout.PAGE_BYTES;
  private static final long STEP = 4 * PAGE;
  private static final long MAX_AHEAD = 12 * PAGE;
  private static final long FIRST = RegionHeaderLayout.BLOCKS_ADDRESS;
  private static final long CAPACITY = FIRST + 64 * PAGE;
  private static final int SEEDS = 200;

  /** Too short for the thread to wake up by itself. */
  private static final long A_WHILE_NANOS = 100_000_000;

  private SimulatedExecution execution = execution(1, 0);

  private Touches region = new Touches(memory());
  private boolean mayTouch = true;

  private static SimulatedExecution execution(int seed, int spuriousOneIn) {
    return SimulatedExecution.builder(Schedule.random(seed, 4))
        .spuriousOneIn(spuriousOneIn)
        .build();
  }

  private Region memory() {
    return SimulatedDisk.builder(1).execution(execution).build().storage().allocate(CAPACITY);
  }

  /** Notes the words that a compare-and-set has met, which nobody else uses here. */
  private static class Touches extends ForwardingRegion {
    final List<Long> met = new ArrayList<>();
    boolean isClosed;
    boolean isUsedAfterwards;

    Touches(Region memory) {
      super(memory);
    }

    @Override
    public boolean compareAndSetLong(long address, long expected, long value) {
      isUsedAfterwards |= isClosed;
      met.add(address);
      boolean isSet = super.compareAndSetLong(address, expected, value);
      isUsedAfterwards |= isClosed;
      return isSet;
    }

    @Override
    public long getLongOpaque(long address) {
      isUsedAfterwards |= isClosed;
      return super.getLongOpaque(address);
    }
  }

  private TouchAhead begin(BooleanSupplier mayTouch) {
    TouchAhead ahead = new TouchAhead(execution, region, mayTouch, STEP, MAX_AHEAD);
    ahead.begin();
    return ahead;
  }

  private TouchAhead begin() {
    return begin(() -> mayTouch);
  }

  /**
   * A transaction takes pages up to a new top, and commits. The thread may have looked before the
   * commit; then the next transaction that takes pages wakes it again.
   */
  private void grow(TouchAhead ahead, long top) {
    ahead.reached(top);
    region.setLongOpaque(RegionHeaderLayout.TOP_ADDRESS, top);
    ahead.reached(top);
  }

  /** Lets the thread do what it has to do. */
  private void settle() {
    execution.parkNanos(this, A_WHILE_NANOS);
  }

  private static List<Long> pages(long from, long to) {
    return LongStream.iterate(from, page -> page < to, page -> page + PAGE).boxed().toList();
  }

  @Test
  void nothingIsTouchedBeforeTheStoreHasGrownByAStep() {
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          grow(ahead, FIRST + STEP - PAGE);
          settle();
          assertThat(region.met).isEmpty();
          ahead.close();
        });
  }

  @Test
  void asMuchIsTouchedAsTheStoreHasGrownAndNoMoreThanTheMaximum() {
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          grow(ahead, FIRST + STEP);
          settle();
          assertThat(region.met).isEqualTo(pages(FIRST + STEP, FIRST + 2 * STEP));
          for (long top = FIRST + STEP; top <= FIRST + 30 * PAGE; top += PAGE) {
            grow(ahead, top);
            settle();
            long end = region.met.getLast() + PAGE;
            assertThat(end).isLessThanOrEqualTo(top + Math.min(top - FIRST, MAX_AHEAD));
            assertThat(end).as("near enough").isGreaterThan(top);
          }
          assertThat(region.met)
              .as("each once")
              .isEqualTo(pages(FIRST + STEP, region.met.getLast() + PAGE));
          ahead.close();
        });
  }

  @Test
  void nothingIsTouchedBeyondTheCapacity() {
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          grow(ahead, CAPACITY - 3 * PAGE);
          settle();
          assertThat(region.met).isEqualTo(pages(CAPACITY - 3 * PAGE, CAPACITY));
          grow(ahead, CAPACITY);
          settle();
          assertThat(region.met).hasSize(3);
          ahead.close();
        });
  }

  @Test
  void growthCountsFromTheTopOfTheOpening() {
    execution.run(
        () -> {
          region.setLongOpaque(RegionHeaderLayout.TOP_ADDRESS, FIRST + 20 * PAGE);
          TouchAhead ahead = begin();
          grow(ahead, FIRST + 20 * PAGE + STEP - PAGE);
          settle();
          assertThat(region.met).isEmpty();
          grow(ahead, FIRST + 20 * PAGE + STEP);
          settle();
          assertThat(region.met)
              .isEqualTo(pages(FIRST + 20 * PAGE + STEP, FIRST + 20 * PAGE + 2 * STEP));
          ahead.close();
        });
  }

  @Test
  void aTopThatWasNotCommittedTouchesNothingAndHidesNoLaterOne() {
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          ahead.reached(FIRST + 40 * PAGE);
          settle();
          assertThat(region.met).isEmpty();
          grow(ahead, FIRST + STEP);
          settle();
          assertThat(region.met).isEqualTo(pages(FIRST + STEP, FIRST + 2 * STEP));
          ahead.close();
        });
  }

  @Test
  void nothingIsTouchedWhileTheRestOfTheStoreWaitsForItsReplayOrMemoryIsShort() {
    execution.run(
        () -> {
          mayTouch = false;
          TouchAhead ahead = begin();
          grow(ahead, FIRST + STEP);
          settle();
          grow(ahead, FIRST + 2 * STEP);
          settle();
          assertThat(region.met).isEmpty();
          mayTouch = true;
          grow(ahead, FIRST + 3 * STEP);
          settle();
          assertThat(region.met).isEqualTo(pages(FIRST + 3 * STEP, FIRST + 6 * STEP));
          ahead.close();
        });
  }

  /** The thread reads the top, and then transactions move it and commit words to its pages. */
  @Test
  void aTouchLosesNoWordOfACommitThatMeetsIt() {
    for (int seed = 0; seed < SEEDS; seed++) {
      execution = execution(seed, 0);
      region = new Touches(memory());
      execution.run(
          () -> {
            TouchAhead ahead = begin();
            grow(ahead, FIRST + STEP);
            List<Long> pages = pages(FIRST + STEP, FIRST + 2 * STEP);
            for (long page : pages) {
              region.setLongOpaque(page, page);
            }
            settle();
            for (long page : pages) {
              assertThat(region.getLongOpaque(page)).isEqualTo(page);
            }
            assertThat(region.met).isEqualTo(pages);
            ahead.close();
          });
    }
  }

  @Test
  void closingWaitsForATouchUnderWayAndForNoMore() {
    for (int seed = 0; seed < SEEDS; seed++) {
      execution = execution(seed, 2);
      region = new Touches(memory());
      int pause = seed % 40;
      execution.run(
          () -> {
            TouchAhead ahead = begin();
            grow(ahead, FIRST + 2 * STEP);
            for (int i = 0; i < pause; i++) {
              execution.yieldNow();
            }
            int before = region.met.size();
            ahead.close();
            assertThat(region.met).as("no further page").hasSize(before);
            region.isClosed = true;
            ahead.close();
            ahead.reached(CAPACITY);
            settle();
            assertThat(region.isUsedAfterwards).isFalse();
          });
    }
  }

  @Test
  void noThreadIsStartedAfterTheEnd() {
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          ahead.close();
          region.isClosed = true;
          ahead.reached(FIRST + STEP);
          settle();
          assertThat(region.isUsedAfterwards).isFalse();
        });
  }

  @Test
  void withOneProcessorNothingIsTouched() {
    execution = SimulatedExecution.builder(Schedule.random(1, 8)).processors(1).build();
    region = new Touches(memory());
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          grow(ahead, FIRST + 4 * STEP);
          settle();
          assertThat(region.met).isEmpty();
          ahead.close();
        });
  }

  @Test
  void aPageThatCannotBeHadEndsItQuietly() {
    region =
        new Touches(memory()) {
          @Override
          public boolean compareAndSetLong(long address, long expected, long value) {
            met.add(address);
            throw new InternalError("a fault occurred in an unsafe memory access operation");
          }
        };
    execution.run(
        () -> {
          TouchAhead ahead = begin();
          grow(ahead, FIRST + STEP);
          settle();
          grow(ahead, FIRST + 4 * STEP);
          settle();
          assertThat(region.met).hasSize(1);
          ahead.close();
        });
  }

  @Test
  void whatAsksForMemoryMayThrow() {
    execution.run(
        () -> {
          TouchAhead ahead =
              begin(
                  () -> {
                    throw new OutOfMemoryError("no memory, by the test");
                  });
          grow(ahead, FIRST + STEP);
          settle();
          assertThat(region.met).isEmpty();
          ahead.close();
        });
  }
}
