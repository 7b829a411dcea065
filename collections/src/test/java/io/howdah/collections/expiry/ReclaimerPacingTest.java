package io.howdah.collections.expiry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.expiry.ReclaimTask.Progress;
import io.howdah.core.Execution;
import io.howdah.core.StoreClosedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the reclaimer works and how long it rests, on a clock that only its own waits move. */
final class ReclaimerPacingTest {

  private static final long SECOND = 1_000_000_000;
  private static final long MIN_REST = 50_000;

  private final Clock clock = new Clock();
  private final Reclaimer reclaimer = new Reclaimer(clock);

  /** Waits take no time but on this clock. The body of a thread is run by the test. */
  private static final class Clock implements Execution {
    private long now = -5 * SECOND; // only differences mean anything
    private final List<Long> parks = new ArrayList<>();
    private final List<Runnable> bodies = new ArrayList<>();
    private final List<Thread> unparked = new ArrayList<>();
    private int parksLeft = Integer.MAX_VALUE;
    private boolean hasNoThreads;

    void run(int parks) {
      parksLeft = parks;
      bodies.getLast().run();
    }

    @Override
    public long nanoTime() {
      return now;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      parks.add(nanos);
      now += nanos;
      if (--parksLeft == 0) {
        throw new StoreClosedException("the test has seen enough");
      }
    }

    @Override
    public void unpark(Thread thread) {
      unparked.add(thread);
    }

    @Override
    public void spinWait() {}

    @Override
    public void yieldNow() {}

    @Override
    public Thread start(String name, Runnable body) {
      if (hasNoThreads) {
        throw new OutOfMemoryError("no thread");
      }
      bodies.add(body);
      return Thread.currentThread();
    }

    @Override
    public int availableProcessors() {
      return 1;
    }
  }

  /** A map that does as it is told, and notes the times at which its passes begin. */
  private final class Task implements ReclaimTask {
    private final String name;
    private final List<Long> begins = new ArrayList<>();

    /** Of each pass that has failed, whether the one before had not. */
    private final List<Boolean> failures = new ArrayList<>();

    private int steps;
    private long stepNanos;
    private Progress progress = Progress.PASS_ENDED;
    private long looked;
    private long reclaimedNow;
    private LongPredicate isWorthwhileAt = _ -> true;
    private Runnable onStep = () -> {};

    Task(String name) {
      this.name = name;
    }

    /** Returns the nanoseconds between the end of each pass, which take no time, and the next. */
    List<Long> gaps() {
      List<Long> gaps = new ArrayList<>();
      for (int i = 1; i < begins.size(); i++) {
        gaps.add(begins.get(i) - begins.get(i - 1));
      }
      return gaps;
    }

    @Override
    public Progress step() {
      steps++;
      clock.now += stepNanos;
      onStep.run();
      return progress;
    }

    @Override
    public void passFailed(Throwable thrown, boolean isFirst) {
      failures.add(isFirst);
    }

    @Override
    public long looked() {
      return looked;
    }

    @Override
    public long reclaimed() {
      return reclaimedNow;
    }

    @Override
    public void begin() {
      begins.add(clock.now);
    }

    @Override
    public boolean isWorthwhile() {
      return isWorthwhileAt.test(clock.now);
    }

    @Override
    public String name() {
      return name;
    }
  }

  private Task added(String name) {
    Task task = new Task(name);
    reclaimer.add(task);
    return task;
  }

  @ParameterizedTest
  @CsvSource({"0, 50000", "7142, 50000", "7143, 50001", "1000000, 7000000"})
  void aStepIsFollowedByARestOfSevenTimesItsTime(long stepNanos, long rest) {
    Task task = added("map");
    task.progress = Progress.MORE;
    task.stepNanos = stepNanos;

    clock.run(3);

    assertThat(clock.parks).containsExactly(rest, rest, rest);
    assertThat(task.steps).isEqualTo(3);
    assertThat(task.begins).as("one pass").hasSize(1);
  }

  @Test
  void passesThatFindLittleAreTwiceAsFarApartEachTime() {
    Task task = added("map");
    task.looked = 32;
    task.reclaimedNow = 1;

    clock.run(300);

    assertThat(task.gaps())
        .startsWith(
            2 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            8 * SECOND + MIN_REST,
            16 * SECOND + MIN_REST,
            32 * SECOND + MIN_REST,
            60 * SECOND + MIN_REST,
            60 * SECOND + MIN_REST);
  }

  @Test
  void passesThatFindMuchAreHalfAsFarApartEachTime() {
    Task task = added("map");
    task.looked = 32;
    task.onStep = () -> task.reclaimedNow = task.steps <= 3 ? 1 : 9;

    clock.run(30);

    assertThat(task.gaps())
        .startsWith(
            2 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            8 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            2 * SECOND + MIN_REST,
            SECOND + MIN_REST,
            SECOND + MIN_REST);
  }

  @ParameterizedTest
  @CsvSource({"2", "8"}) // a sixteenth and a quarter of 32
  void passesThatFindAModerateShareKeepTheirPause(long reclaimed) {
    Task task = added("map");
    task.looked = 32;
    task.onStep = () -> task.reclaimedNow = task.steps <= 2 ? 0 : reclaimed;

    clock.run(30);

    assertThat(task.gaps())
        .startsWith(
            2 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST);
  }

  @Test
  void aPassWaitsUntilAnEntryHasExpired() {
    Task task = added("map");
    long start = clock.now;
    task.isWorthwhileAt = now -> now - start >= 100 * SECOND;

    clock.run(120);

    assertThat(task.gaps()).first().isEqualTo(100 * SECOND + MIN_REST);
  }

  @Test
  void aPassWaitsForAnExpiredEntryNoLongerThanAnHour() {
    Task task = added("map");
    task.isWorthwhileAt = _ -> false;

    clock.run(2 * 3602);

    assertThat(task.gaps()).containsExactly(3600 * SECOND + MIN_REST, 3600 * SECOND + MIN_REST);
  }

  @Test
  void passesThatFailAreTwiceAsFarApartEachTimeUpToAnHour() {
    Task task = added("map");
    task.isWorthwhileAt = _ -> false;
    task.onStep =
        () -> {
          throw new NoClassDefFoundError("of a codec");
        };

    clock.run(20_000);

    assertThat(task.gaps())
        .startsWith(2 * SECOND + MIN_REST, 4 * SECOND + MIN_REST, 8 * SECOND + MIN_REST)
        .endsWith(3600 * SECOND + MIN_REST, 3600 * SECOND + MIN_REST);
    assertThat(task.failures.removeFirst()).isTrue();
    assertThat(task.failures).as("those after the first").containsOnly(false);
  }

  @Test
  void aPassThatSucceedsAfterFailuresIsFollowedByTheUsualPause() {
    Task task = added("map");
    task.looked = 32;
    task.reclaimedNow = 4;
    task.onStep =
        () -> {
          if (task.steps % 3 != 0) {
            throw new IllegalStateException("of a codec");
          }
        };

    clock.run(40);

    assertThat(task.gaps())
        .startsWith(
            2 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST,
            SECOND + MIN_REST,
            2 * SECOND + MIN_REST,
            4 * SECOND + MIN_REST);
    assertThat(task.failures).startsWith(true, false, true, false);
  }

  @Test
  void aClockThatFailsIsAskedAgain() {
    Task task = added("map");
    boolean[] fails = {false};
    task.onStep = () -> fails[0] = true;
    task.isWorthwhileAt =
        _ -> {
          if (fails[0]) {
            fails[0] = false;
            throw new IllegalStateException("of a clock");
          }
          return true;
        };

    clock.run(20);

    assertThat(task.failures).isNotEmpty();
    assertThat(task.steps).isGreaterThan(1);
  }

  @Test
  void aMapThatIsAddedAfterTheThreadHasEndedStartsAnother() {
    Task task = added("map");
    clock.run(1);
    Task later = added("later");
    clock.run(3);

    assertThat(clock.bodies).as("threads").hasSize(2);
    assertThat(List.of(task.steps, later.steps)).as("steps").allMatch(steps -> steps > 0);
  }

  @Test
  void handlesOfAMapShareTheEarliestTime() {
    reclaimer.earliest("map").set(3);
    assertThat(reclaimer.earliest("map")).hasValue(3);
    assertThat(reclaimer.earliest("other")).hasValue(Long.MAX_VALUE);
  }

  @Test
  void aMapThatHasGoneIsLeftAlone() {
    Task gone = added("gone");
    Task stays = added("stays");
    gone.progress = Progress.GONE;

    clock.run(10);

    assertThat(gone.steps).isEqualTo(1);
    assertThat(stays.steps).isGreaterThan(1);
  }

  @Test
  void aLaterHandleTakesThePlaceOfAnEarlierOneAlsoIfThatOneHasGone() {
    Task earlier = added("map");
    earlier.progress = Progress.GONE;
    Task later = new Task("map");
    earlier.onStep = () -> reclaimer.add(later);

    clock.run(5);

    assertThat(earlier.steps).isEqualTo(1);
    assertThat(later.steps).isGreaterThan(0);
    assertThat(clock.bodies).as("threads").hasSize(1);
  }

  @Test
  void closingWaitsTenSecondsForAStepAndNoFurtherOneBegins() {
    Task first = added("a");
    Task second = added("b");
    long[] waited = new long[1];
    Runnable closing =
        () -> {
          long started = clock.now;
          reclaimer.close();
          waited[0] = clock.now - started;
        };
    first.onStep = closing;
    second.onStep = closing;

    clock.run(Integer.MAX_VALUE);

    assertThat(waited[0]).isEqualTo(10 * SECOND);
    assertThat(clock.unparked).containsExactly(Thread.currentThread());
    assertThat(first.steps + second.steps).isEqualTo(1);
    long before = clock.now;
    reclaimer.close();
    assertThat(clock.now).as("it no longer runs").isEqualTo(before);
    Task late = added("late");
    assertThat(clock.bodies).hasSize(1);
    assertThat(late.steps).isZero();
  }

  @Test
  void withoutAThreadTheNextMapTriesAgain() {
    clock.hasNoThreads = true;
    assertThatThrownBy(() -> added("a")).isInstanceOf(OutOfMemoryError.class);
    reclaimer.close();
    assertThat(clock.parks).as("nothing to wait for").isEmpty();

    Reclaimer other = new Reclaimer(clock);
    assertThatThrownBy(() -> other.add(new Task("a"))).isInstanceOf(OutOfMemoryError.class);
    clock.hasNoThreads = false;
    other.add(new Task("b"));
    assertThat(clock.bodies).hasSize(1);
  }

  @Test
  void whatIsReclaimedIsCounted() {
    assertThat(reclaimer.reclaimed()).isZero();
    reclaimer.reclaimed(3);
    reclaimer.reclaimed(4);
    assertThat(reclaimer.reclaimed()).isEqualTo(7);
  }
}
