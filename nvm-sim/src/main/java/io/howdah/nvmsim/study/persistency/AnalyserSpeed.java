package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.CriticalPathAnalyzer;
import io.howdah.nvmsim.persistency.PersistencyModel;
import io.howdah.nvmsim.queue.PersistentQueue;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.BlockingProgram;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.study.StudyProgress;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.nvmsim.trace.TraceSink;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * How fast traces are made and analysed, per second of one core: time the thread spent waiting for
 * a processor that other work held is not counted.
 *
 * @param name metric
 * @param model the model analysed under; empty for generation
 * @param eventsPerSecond a sample each
 */
record AnalyserSpeed(String name, String model, List<Double> eventsPerSecond) {
  private static final int INSERTS = 40_000;
  private static final int THREADS = 8;
  private static final int WARM_UP = 4;
  private static final int RECORDED_THREADS = 2;
  private static final int RECORDED_INSERTS = 16_000;
  private static final int SAMPLES = 7;

  static List<AnalyserSpeed> measure(List<PersistencyModel> models, StudyProgress progress) {
    TraceBuffer trace = new TraceBuffer(INSERTS * 64);
    QueueRun.trace(QueueSpec.cwl(), THREADS, INSERTS, Policies.roundRobin(1), trace);
    List<AnalyserSpeed> speeds = new ArrayList<>();
    for (PersistencyModel model : models) {
      progress.show("analyser under " + model.name(), (double) speeds.size() / models.size());
      speeds.add(
          new AnalyserSpeed(
              "persistency.analyserEventsPerSec",
              model.name(),
              sample(
                  () -> {
                    trace.replay(new CriticalPathAnalyzer(model, AnalysisOptions.DEFAULT));
                    return trace.count();
                  })));
    }
    TraceSink nothing = batch -> {};
    speeds.add(
        new AnalyserSpeed(
            "persistency.generatorEventsPerSec",
            "",
            sample(
                () ->
                    QueueRun.trace(
                        QueueSpec.cwl(), THREADS, INSERTS, Policies.random(1), nothing))));
    speeds.add(new AnalyserSpeed("persistency.recordedEventsPerSec", "", sampleRecorded(progress)));
    return speeds;
  }

  /**
   * Copy While Locked as ordinary code, which runs on virtual threads that hand over to one
   * another. Their time is that of the process: all of its threads count.
   */
  private static List<Double> sampleRecorded(StudyProgress progress) {
    double[] samples = new double[SAMPLES];
    for (int i = -WARM_UP; i < SAMPLES; i++) {
      progress.show("a recorded program", Math.max(0, i) / (double) SAMPLES);
      long from = processNs();
      long events = recordedRun();
      long ns = Math.max(1, processNs() - from);
      if (i >= 0) {
        samples[i] = events * 1e9 / ns;
      }
    }
    return Arrays.stream(samples).boxed().toList();
  }

  private static long processNs() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(Duration::toNanos)
        .orElseGet(System::nanoTime);
  }

  private static long recordedRun() {
    QueueSpec queue = QueueSpec.cwl().withCapacity(RECORDED_INSERTS);
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(queue, RECORDED_THREADS))) {
      DeterministicScheduler scheduler =
          new DeterministicScheduler(memory, Policies.random(1), batch -> {});
      QueueMemory q = QueueMemory.allocate(queue, RECORDED_THREADS, memory, scheduler.setUp());
      for (int i = 0; i < RECORDED_THREADS; i++) {
        PersistentQueue view = PersistentQueue.of(q);
        scheduler.add(
            new BlockingProgram(
                port -> {
                  for (int op = 0; op < RECORDED_INSERTS / RECORDED_THREADS; op++) {
                    view.insert(port, op);
                  }
                }));
      }
      return scheduler.run();
    }
  }

  /** Work that returns the number of events it handled. */
  private interface Work {
    long run();
  }

  private static List<Double> sample(Work work) {
    for (int i = 0; i < WARM_UP; i++) {
      work.run();
    }
    ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    double[] samples = new double[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
      long from = clock.getCurrentThreadCpuTime();
      long events = work.run();
      samples[i] = events * 1e9 / (clock.getCurrentThreadCpuTime() - from);
    }
    return Arrays.stream(samples).boxed().toList();
  }

  StudyValue value() {
    return StudyValue.median(
        name,
        "events/s",
        eventsPerSecond.stream().mapToDouble(Double::doubleValue).toArray(),
        model.isEmpty() ? Map.of() : Map.of("model", model));
  }
}
