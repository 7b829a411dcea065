package io.howdah.nvmsim.persistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.study.persistency.CoherenceCycle;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RaceDetectorTest {
  private static final long LOCK = 0x1000;
  private static final long DATA = 0x10000;

  private static List<RaceDetector.Race> races(QueueSpec queue) {
    RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
    QueueRun.trace(queue, 4, 100, Policies.random(1), detector);
    assertThat(detector.complete()).isTrue();
    return detector.races();
  }

  @Test
  void barriersRoundLocksLeaveNoRace() {
    assertThat(races(QueueSpec.cwl())).isEmpty();
    assertThat(races(QueueSpec.twoLockFenced())).isEmpty();
  }

  @Test
  void withoutThemEpochsRaceAndBothSidesAreNamed() {
    assertThat(races(QueueSpec.cwlRacing()))
        .anySatisfy(
            race -> {
              assertThat(race.first().thread()).isNotEqualTo(race.second().thread());
              assertThat(race.toString()).contains("lock queue (Algorithm 1:4)", "races with");
            });
    assertThat(races(QueueSpec.twoLockListed())).isNotEmpty();
  }

  @Test
  void epochsMustBothPersist() {
    assertThat(detect(false)).isEmpty();
    assertThat(detect(true))
        .singleElement()
        .satisfies(
            race -> {
              assertThat(race.first().epoch()).isZero();
              assertThat(race.first().sequence()).isEqualTo(1);
              assertThat(race.second().thread()).isEqualTo(1);
              assertThat(race.second().sequence()).isEqualTo(2);
            });
  }

  /** Thread 0 persists and stores a lock word, thread 1 loads it; it may persist afterwards. */
  private static List<RaceDetector.Race> detect(boolean secondPersists) {
    TraceBuffer trace = new TraceBuffer(10);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), DATA, 0);
    trace.add(Event.access(Event.STORE, 0, 8, false, 0), LOCK, 0);
    trace.add(Event.access(Event.LOAD, 1, 8, false, 0), LOCK, 0);
    if (secondPersists) {
      trace.add(Event.access(Event.STORE, 1, 8, true, 0), DATA + 64, 0);
    }
    RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
    trace.replay(detector);
    return detector.races();
  }

  /** A later access outside a persisting epoch does not hide the one before it. */
  @ParameterizedTest
  @CsvSource({
    "LOAD, false",
    "LOAD, true",
    "STORE, false",
    "STORE, true",
  })
  void aRaceIsFoundWhateverTheThreadDoesAfterwards(String kind, boolean again) {
    long access = Event.access(kind.equals("LOAD") ? Event.LOAD : Event.STORE, 0, 8, false, 0);
    TraceBuffer trace = new TraceBuffer(10);
    trace.add(Event.access(Event.STORE, 0, 8, true, 0), DATA, 0);
    trace.add(access, LOCK, 0);
    trace.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
    if (again) {
      trace.add(access, LOCK, 0);
    }
    addRacingThread(trace, 1);
    assertRacesWithFirstEpoch(trace, 1);
  }

  @Test
  void aRaceIsFoundBehindAnotherThreadsAccess() {
    for (int kind : new int[] {Event.LOAD, Event.STORE}) {
      TraceBuffer trace = new TraceBuffer(10);
      trace.add(Event.access(Event.STORE, 0, 8, true, 0), DATA, 0);
      trace.add(Event.access(kind, 0, 8, false, 0), LOCK, 0);
      trace.add(Event.access(Event.STORE, 2, 8, false, 0), LOCK, 0);
      trace.add(Event.marker(Event.PERSIST_BARRIER, 2, 0), 0, 0);
      addRacingThread(trace, 1);
      assertRacesWithFirstEpoch(trace, 1);
    }
  }

  private static void addRacingThread(TraceBuffer trace, int thread) {
    trace.add(Event.access(Event.STORE, thread, 8, false, 0), LOCK, 0);
    trace.add(Event.access(Event.STORE, thread, 8, true, 0), DATA + 64, 0);
  }

  private static void assertRacesWithFirstEpoch(TraceBuffer trace, int thread) {
    RaceDetector detector = new RaceDetector(AnalysisOptions.DEFAULT);
    trace.replay(detector);
    assertThat(detector.complete()).isTrue();
    assertThat(detector.races())
        .singleElement()
        .satisfies(
            race -> {
              assertThat(race.first().thread()).isZero();
              assertThat(race.first().epoch()).isZero();
              assertThat(race.second().thread()).isEqualTo(thread);
            });
    PersistDag dag = PersistDagBuilder.of(trace, Models.EPOCH);
    assertThat(dag.ordered(0, 1)).as("the order of the two persists").isFalse();
  }

  @Test
  void figureOneIsACycleUntilEitherResolution() {
    assertThat(new CoherenceCycle(true, true).search())
        .hasValueSatisfying(found -> assertThat(found.cycle()).hasSize(4));
    assertThat(new CoherenceCycle(false, true).search()).isEmpty();
    assertThat(new CoherenceCycle(true, false).search()).isEmpty();
  }

  @Test
  void granularityMustBeAPowerOfTwo() {
    for (int bytes : new int[] {0, 4, 12, 8192}) {
      assertThatThrownBy(() -> AnalysisOptions.DEFAULT.withGranularity(bytes, 8))
          .hasMessageContaining("persist granularity must be a power of two from 8 to 4096");
      assertThatThrownBy(() -> AnalysisOptions.DEFAULT.withGranularity(8, bytes))
          .hasMessageContaining("tracking granularity must be a power of two");
    }
  }

  @Test
  void analyserRefusesMoreBlocksThanItsBound() {
    TraceBuffer trace = new TraceBuffer(100);
    for (int i = 0; i < 100; i++) {
      trace.add(Event.access(Event.STORE, 0, 8, true, 0), DATA + 8L * i, 0);
    }
    AnalysisOptions few = new AnalysisOptions(8, 8, false, 0, 50);
    assertThatThrownBy(() -> trace.replay(new CriticalPathAnalyzer(Models.EPOCH, few)))
        .hasMessageContaining("more than 50 memory blocks");
  }
}
