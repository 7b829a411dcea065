package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ToDoubleFunction;

/**
 * Results of the runs, found by what was run. Methods that take a variant put the setting on its
 * machine. Filled once, then only read.
 */
final class LocCells {

  /**
   * What a trace is made of.
   *
   * @param operations per transaction
   * @param footprintScale times the workloads' usual size
   */
  record TraceKey(WorkloadKind workload, int operations, int footprintScale, long seed) {}

  private record Key(TraceKey trace, Setting setting) {}

  private final Map<Key, TraceRun> runs = new LinkedHashMap<>();
  private final List<WorkloadKind> workloads;
  private final int seeds;

  LocCells(List<WorkloadKind> workloads, int seeds) {
    this.workloads = List.copyOf(workloads);
    this.seeds = seeds;
  }

  synchronized void put(TraceKey trace, Setting setting, TraceRun run) {
    runs.put(new Key(trace, setting), run);
  }

  /** Calls with every run, sorted by workload, transaction size, data size and seed. */
  synchronized void forEach(BiConsumer<TraceKey, Setting> each) {
    runs.keySet().stream()
        .sorted(
            Comparator.comparing((Key key) -> key.trace.workload)
                .thenComparingInt(key -> key.trace.operations)
                .thenComparingInt(key -> key.trace.footprintScale)
                .thenComparingLong(key -> key.trace.seed))
        .forEach(key -> each.accept(key.trace, key.setting));
  }

  List<WorkloadKind> workloads() {
    return workloads;
  }

  /** The paper's six; transfers are ours, and no part of a mean. */
  List<WorkloadKind> inMean() {
    return workloads.stream().filter(kind -> kind != WorkloadKind.TPCB).toList();
  }

  int seeds() {
    return seeds;
  }

  TraceRun run(TraceKey trace, Setting setting) {
    TraceRun run = runs.get(new Key(trace, setting));
    if (run == null) {
      throw new IllegalStateException("not run: " + trace + ", " + setting);
    }
    return run;
  }

  double normalized(TraceKey trace, Setting setting) {
    return run(trace, setting).throughput() / run(trace, setting.base()).throughput();
  }

  /** One sample per seed. */
  double[] samples(WorkloadKind workload, LocVariant variant, Setting setting) {
    Setting on = variant.on(setting);
    return perSeed(seed -> normalized(variant.trace(workload, seed), on), variant);
  }

  /** The mean over the paper's workloads, one sample per seed. */
  double[] meanSamples(LocVariant variant, Setting setting) {
    Setting on = variant.on(setting);
    return perSeed(
        seed ->
            inMean().stream()
                .mapToDouble(kind -> normalized(variant.trace(kind, seed), on))
                .average()
                .orElseThrow(),
        variant);
  }

  private double[] perSeed(ToDoubleFunction<Long> sample, LocVariant variant) {
    double[] samples = new double[variant.allSeeds() ? seeds : 1];
    for (int seed = 1; seed <= samples.length; seed++) {
      samples[seed - 1] = sample.applyAsDouble((long) seed);
    }
    return samples;
  }

  double value(WorkloadKind workload, LocVariant variant, Setting setting) {
    return StudyValue.medianOf(samples(workload, variant, setting));
  }

  double mean(LocVariant variant, Setting setting) {
    return StudyValue.medianOf(meanSamples(variant, setting));
  }

  /** The run with the first seed. */
  TraceRun first(WorkloadKind workload, LocVariant variant, Setting setting) {
    return run(variant.trace(workload, 1), variant.on(setting));
  }

  /** Lines written to memory in the run with the first seed. */
  long written(WorkloadKind workload, LocVariant variant, Setting setting) {
    return first(workload, variant, setting).traffic().written();
  }

  /** Lines written to memory per transaction, in the run with the first seed. */
  double linesPerTransaction(WorkloadKind workload, LocVariant variant, Setting setting) {
    return (double) written(workload, variant, setting)
        / first(workload, variant, setting).transactions();
  }

  double linesPerTransaction(LocVariant variant, Setting setting) {
    return inMean().stream()
        .mapToDouble(kind -> linesPerTransaction(kind, variant, setting))
        .average()
        .orElseThrow();
  }

  /**
   * Lines written beyond twice the data, over twice the data, summed over the paper's workloads:
   * what a log costs besides the two copies that it is made of.
   *
   * @param data whose home writes are the data
   */
  double overDataTwice(LocVariant variant, Setting setting, Setting data) {
    long twice = 0;
    long written = 0;
    for (WorkloadKind workload : inMean()) {
      twice += 2 * first(workload, variant, data).traffic().homeWrites();
      written += written(workload, variant, setting);
    }
    return (double) (written - twice) / twice;
  }

  /** The setting of a protocol at the paper's degree. */
  static Setting paper(Protocol protocol) {
    return Setting.paper(protocol, protocol.speculative() ? Protocol.DEFAULT_DEGREE : 1);
  }
}
