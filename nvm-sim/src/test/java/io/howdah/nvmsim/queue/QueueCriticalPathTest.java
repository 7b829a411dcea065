package io.howdah.nvmsim.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPath;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.nvmsim.trace.TraceSink;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueueCriticalPathTest {
  private static final int INSERTS = 600;
  private static final Map<String, QueueSpec> QUEUES =
      Map.of(
          "CWL", QueueSpec.cwl(),
          "CWL-racing", QueueSpec.cwlRacing(),
          "2LC-listed", QueueSpec.twoLockListed(),
          "2LC-paper", QueueSpec.twoLockPaper());

  private static QueueSpec queue(String name) {
    return Objects.requireNonNull(QUEUES.get(name));
  }

  private static CriticalPath analyse(
      QueueSpec queue,
      int threads,
      SchedulePolicy policy,
      PersistencyModel model,
      AnalysisOptions options) {
    CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(model, options);
    QueueRun.trace(queue, threads, INSERTS, policy, analyzer);
    assertThat(analyzer.result().operations()).isEqualTo(INSERTS);
    return analyzer.result();
  }

  /** Twenty levels before the region of interest, one per operation in it. */
  @Test
  void levelsPerOperationCountTheRegionOfInterestAlone() {
    TraceBuffer trace = new TraceBuffer(1000);
    trace.add(Event.marker(Event.ROI_OFF, 0, 0), 0, 0);
    persistInOrder(trace, 20, false);
    trace.add(Event.marker(Event.ROI_ON, 0, 0), 0, 0);
    persistInOrder(trace, 5, true);
    trace.add(Event.marker(Event.ROI_OFF, 0, 0), 0, 0);
    persistInOrder(trace, 20, false);
    trace.add(Event.marker(Event.ROI_ON, 0, 0), 0, 0);
    persistInOrder(trace, 5, true);
    CriticalPathAnalyzer analyzer = new CriticalPathAnalyzer(Models.EPOCH, AnalysisOptions.DEFAULT);
    trace.replay(analyzer);
    assertThat(analyzer.result().operations()).isEqualTo(10);
    assertThat(analyzer.result().length()).isEqualTo(50);
    assertThat(analyzer.result().perOperation()).isEqualTo(1);
  }

  private static void persistInOrder(TraceBuffer trace, int count, boolean operations) {
    for (int i = 0; i < count; i++) {
      trace.add(Event.access(Event.STORE, 0, 8, true, 0), 64L * trace.count(), 0);
      trace.add(Event.marker(Event.PERSIST_BARRIER, 0, 0), 0, 0);
      if (operations) {
        trace.add(Event.marker(Event.OP_END, 0, 0), 0, 0);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "CWL,        1, strict, 14",
    "CWL,        1, epoch,   2",
    "CWL-racing, 1, epoch,   2",
    "CWL,        8, strict, 14",
    "CWL,        8, epoch,   2",
    "CWL-racing, 8, epoch,   0.25",
    "2LC-listed, 1, strict, 14",
    "2LC-listed, 1, epoch,   1",
    "2LC-paper,  1, strict, 14",
    "2LC-paper,  1, epoch,   2",
  })
  void exactRowsAreExactUnderAnySchedule(
      String queue, int threads, String model, double levelsPerInsert) {
    PersistencyModel under = model.equals("strict") ? Models.STRICT : Models.EPOCH;
    for (SchedulePolicy policy : List.of(Policies.roundRobin(1), Policies.random(7))) {
      CriticalPath path = analyse(queue(queue), threads, policy, under, AnalysisOptions.DEFAULT);
      assertThat(path.perOperation())
          .as(policy.name())
          .isBetween(levelsPerInsert, levelsPerInsert + 2.0 / INSERTS);
      assertThat(path.persistsIssued()).isEqualTo(14L * INSERTS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CWL", "CWL-racing", "2LC-listed", "2LC-paper"})
  void strandsNeedTwoLevelsForAnyNumberOfInserts(String queue) {
    for (int threads : new int[] {1, 8}) {
      assertThat(
              analyse(
                      queue(queue),
                      threads,
                      Policies.random(1),
                      Models.STRAND,
                      AnalysisOptions.DEFAULT)
                  .length())
          .isEqualTo(2);
    }
  }

  @Test
  void twoLockBandsHoldAtEqualSpeed() {
    CriticalPath strict =
        analyse(
            QueueSpec.twoLockPaper(),
            8,
            Policies.roundRobin(1),
            Models.STRICT,
            AnalysisOptions.DEFAULT);
    CriticalPath epoch =
        analyse(
            QueueSpec.twoLockPaper(),
            8,
            Policies.roundRobin(1),
            Models.EPOCH,
            AnalysisOptions.DEFAULT);
    assertThat(strict.perOperation()).isCloseTo(2.0, within(0.01));
    assertThat(epoch.perOperation()).isBetween(0.246, 0.251);
  }

  @ParameterizedTest
  @CsvSource({"8,14", "16,8", "32,5", "64,3", "128,2", "256,2"})
  void largerPersistsShortenTheStrictPathOnly(int granularity, int strictLevels) {
    AnalysisOptions options = AnalysisOptions.DEFAULT.withGranularity(granularity, 8);
    CriticalPath strict =
        analyse(QueueSpec.cwl(), 1, Policies.roundRobin(1), Models.STRICT, options);
    CriticalPath epoch = analyse(QueueSpec.cwl(), 1, Policies.roundRobin(1), Models.EPOCH, options);
    assertThat(strict.perOperation()).isCloseTo(strictLevels, within(2.0 / INSERTS));
    assertThat(epoch.perOperation()).isCloseTo(2, within(2.0 / INSERTS));
  }

  @ParameterizedTest
  @CsvSource({"8,2", "16,3", "32,5", "64,9", "128,14", "256,14"})
  void coarserTrackingLengthensTheEpochPathOnly(int granularity, int epochLevels) {
    AnalysisOptions options = AnalysisOptions.DEFAULT.withGranularity(8, granularity);
    CriticalPath strict =
        analyse(QueueSpec.cwl(), 1, Policies.roundRobin(1), Models.STRICT, options);
    CriticalPath epoch = analyse(QueueSpec.cwl(), 1, Policies.roundRobin(1), Models.EPOCH, options);
    assertThat(strict.perOperation()).isCloseTo(14, within(2.0 / INSERTS));
    assertThat(epoch.perOperation()).isCloseTo(epochLevels, within(2.0 / INSERTS));
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 100, 4096})
  void resultsDoNotDependOnTheCapacity(int capacity) {
    for (QueueSpec queue : QUEUES.values()) {
      for (PersistencyModel model : Models.all()) {
        assertThat(
                analyse(
                        queue.withCapacity(capacity),
                        8,
                        Policies.random(3),
                        model,
                        AnalysisOptions.DEFAULT)
                    .length())
            .as("%s under %s", queue.name(), model.name())
            .isEqualTo(
                analyse(queue, 8, Policies.random(3), model, AnalysisOptions.DEFAULT).length());
      }
    }
  }

  @Test
  void limitOnMergingGivesOneStrandLevelPerThatManyInserts() {
    CriticalPath path =
        analyse(
            QueueSpec.cwl(),
            1,
            Policies.roundRobin(1),
            Models.STRAND,
            AnalysisOptions.DEFAULT.withMaxStoresPerPersist(26));
    assertThat(path.perOperation()).isCloseTo(1 / 26.0, within(2.0 / INSERTS));
  }

  @ParameterizedTest
  @CsvSource({"CWL, 26", "2LC-listed, 41"})
  void anInsertTakesTheseManyEvents(String queue, int events) {
    long few = QueueRun.trace(queue(queue), 1, 10, Policies.roundRobin(1), sink());
    long more = QueueRun.trace(queue(queue), 1, 110, Policies.roundRobin(1), sink());
    int marks = 2;
    assertThat(more - few).isEqualTo(100L * (events + marks));
  }

  private static TraceSink sink() {
    return batch -> {};
  }
}
