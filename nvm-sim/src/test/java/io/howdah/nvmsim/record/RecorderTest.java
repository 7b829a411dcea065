package io.howdah.nvmsim.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.queue.PersistentQueue;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueRecovery;
import io.howdah.nvmsim.queue.QueueSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RecorderTest {
  private static final int THREADS = 4;
  private static final int INCREMENTS = 50_000;

  @Test
  void traceTellsWhatRealThreadsDid() throws InterruptedException {
    assertThat(RecorderSelfTest.run(THREADS, INCREMENTS, true).faithful()).isTrue();
  }

  /** Threads race for real here, so one run may happen to come out right; many do not. */
  @Test
  void withoutTheLockBankItDoesNot() throws InterruptedException {
    boolean unfaithful = false;
    for (int attempt = 0; attempt < 50 && !unfaithful; attempt++) {
      unfaithful = !RecorderSelfTest.run(THREADS, INCREMENTS, false).faithful();
    }
    assertThat(unfaithful).isTrue();
  }

  @Test
  void recordedQueueHasTheCriticalPathOfTheScheduledOne() throws InterruptedException {
    int inserts = 200;
    QueueSpec spec = QueueSpec.cwl().withRoomChecked().withCapacity(1024);
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, THREADS))) {
      RealThreadRecorder recorder = new RealThreadRecorder(memory, 8, 1 << 20);
      QueueMemory queue = QueueMemory.allocate(spec, THREADS, memory, recorder.setUp());
      List<RealThreadRecorder.Body> bodies = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        PersistentQueue view = PersistentQueue.of(queue);
        bodies.add(
            port -> {
              for (int op = 0; op < inserts; op++) {
                view.insert(port, op);
              }
            });
      }
      recorder.run(bodies);
      CriticalPathAnalyzer strict =
          new CriticalPathAnalyzer(Models.STRICT, AnalysisOptions.DEFAULT);
      CriticalPathAnalyzer epoch = new CriticalPathAnalyzer(Models.EPOCH, AnalysisOptions.DEFAULT);
      recorder.merge(
          batch -> {
            strict.accept(batch);
            epoch.accept(batch);
          });
      assertThat(strict.result().perOperation()).isEqualTo(14);
      assertThat(epoch.result().perOperation()).isEqualTo(2);
      QueueRecovery.Outcome recovered = QueueRecovery.recover(memory::getLong, queue);
      assertThat(recovered.damage()).isEmpty();
      assertThat(recovered.entries()).hasSize(THREADS * inserts).doesNotHaveDuplicates();
    }
  }

  @Test
  void aThreadThatRecordsTooMuchFails() {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      RealThreadRecorder recorder = new RealThreadRecorder(memory, 2, 100);
      long word = memory.allocateVolatile(8, 8);
      assertThatThrownBy(
              () ->
                  recorder.run(
                      List.of(
                          port -> {
                            for (int i = 0; i < 10_000; i++) {
                              port.load(word, 0);
                            }
                          })))
          .hasMessageContaining("a recorded thread failed")
          .hasRootCauseMessage("thread 0 recorded more than 100 events");
    }
  }

  @Test
  void kolmogorovSmirnovKnowsItsDistribution() {
    // Critical values of Kolmogorov's distribution: 5 % at 1.3581, 1 % at 1.6276.
    assertThat(KolmogorovSmirnov.tail(1.3581)).isCloseTo(0.05, within(1e-4));
    assertThat(KolmogorovSmirnov.tail(1.6276)).isCloseTo(0.01, within(1e-4));
    long[] low = LongStream.range(0, 100).toArray();
    long[] shifted = LongStream.range(50, 150).toArray();
    assertThat(KolmogorovSmirnov.compare(low, low).statistic()).isZero();
    assertThat(KolmogorovSmirnov.compare(low, low).probability()).isEqualTo(1);
    assertThat(KolmogorovSmirnov.compare(low, shifted).statistic()).isCloseTo(0.5, within(1e-9));
    assertThat(KolmogorovSmirnov.compare(low, shifted).probability()).isLessThan(1e-9);
    assertThatThrownBy(() -> KolmogorovSmirnov.compare(low, new long[0]))
        .hasMessageContaining("must have values");
  }

  @Test
  void interleavingIsComparedOnSamplesOfBoth() throws InterruptedException {
    InterleavingCheck check = InterleavingCheck.run(QueueSpec.cwl(), 2, 200, 2);
    assertThat(check.nativeDistances()).hasSizeBetween(16, 80).allMatch(d -> d >= 1);
    assertThat(check.tracedDistances()).hasSizeBetween(16, 80).allMatch(d -> d >= 1);
    assertThat(check.test().probability()).isBetween(0.0, 1.0);
  }
}
