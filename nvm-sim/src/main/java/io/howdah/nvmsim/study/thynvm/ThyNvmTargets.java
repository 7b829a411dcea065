package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.List;
import java.util.Map;

/** What the paper publishes: read from the vector figures of its PDF, or printed in its text. */
final class ThyNvmTargets {
  /** How far a bar of Figure 7 may be off. */
  static final double BAND = 0.12;

  private static final List<SystemKind> BARS =
      List.of(SystemKind.IDEAL_NVM, SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM);

  private static final Map<String, double[]> EXECUTION_TIME =
      Map.of(
          "random", new double[] {1.176, 1.383, 2.004, 1.250},
          "streaming", new double[] {1.195, 1.373, 1.269, 1.241});

  private static final Map<String, double[]> CHECKPOINT_SHARE =
      Map.of(
          "random", new double[] {Double.NaN, 0.128, 0.452, 0.025},
          "streaming", new double[] {Double.NaN, 0.174, 0.090, 0.041});

  /** Bars that the paper does not print: they follow from its means and the bars above. */
  private static final Map<String, double[]> DERIVED_EXECUTION_TIME =
      Map.of("sliding", new double[] {1.25, 1.36, 1.21, 1.16});

  private static final Map<String, double[]> DERIVED_CHECKPOINT_SHARE =
      Map.of("sliding", new double[] {Double.NaN, 0.350, Double.NaN, Double.NaN});

  /**
   * Megabytes at the paper's scale. Shadow's bar of random writes is cut off; the bars of {@code
   * sliding} are not in the copies that we have.
   */
  private static final Map<String, Map<SystemKind, Written>> WRITTEN =
      Map.of(
          "random",
              Map.of(
                  SystemKind.JOURNAL, new Written(283, 621, 0),
                  SystemKind.SHADOW, new Written(272, Double.NaN, 0),
                  SystemKind.THYNVM, new Written(287, 726, 0)),
          "streaming",
              Map.of(
                  SystemKind.JOURNAL, new Written(288, 630, 0),
                  SystemKind.SHADOW, new Written(288, 291, 0),
                  SystemKind.THYNVM, new Written(289, 264, 585)));

  /** A bar of Figure 8 in megabytes: what the caches wrote back, checkpoints, migration. */
  private record Written(double cpu, double checkpoint, double migration) {
    double of(String source) {
      return switch (source) {
        case "cpu" -> cpu;
        case "checkpoint" -> checkpoint;
        case "migration" -> migration;
        case "total" -> cpu + checkpoint + migration;
        default -> Double.NaN;
      };
    }
  }

  /** Means over the request sizes, hash and tree: printed in §5.3. */
  private static final Map<String, double[]> REQUEST_MEANS =
      Map.of(
          "thynvm.kvMean.overIdealDram", new double[] {0.951, 0.962},
          "thynvm.kvMean.overJournal", new double[] {1.088, 1.043},
          "thynvm.kvMean.overShadow", new double[] {1.299, 1.431},
          "thynvm.kvMean.writesOfJournalOverThyNvm", new double[] {0.810, 0.860},
          "thynvm.kvMean.writesOverShadow", new double[] {0.566, 0.358});

  private static final double PAPER_SCALE = 3;

  /** Thousands of transactions per second, by request size. */
  private static final Map<SystemKind, double[]> HASH_THROUGHPUT =
      Map.of(
          SystemKind.IDEAL_DRAM, new double[] {314, 284, 181, 74, 22},
          SystemKind.IDEAL_NVM, new double[] {287, 265, 171, 71, 21},
          SystemKind.JOURNAL, new double[] {259, 241, 158, 67, 20},
          SystemKind.SHADOW, new double[] {104, 156, 116, 62, 20},
          SystemKind.THYNVM, new double[] {288, 262, 173, 73, 22});

  private ThyNvmTargets() {}

  /** Figure 7, over Ideal DRAM. */
  static double executionTime(String workload, SystemKind system) {
    return bar(EXECUTION_TIME, workload, system);
  }

  /** Figure 8, right axis. */
  static double checkpointShare(String workload, SystemKind system) {
    return bar(CHECKPOINT_SHARE, workload, system);
  }

  /** Bars of Figure 7 that follow from the published means; NaN if there is none. */
  static double derivedExecutionTime(String workload, SystemKind system) {
    return bar(DERIVED_EXECUTION_TIME, workload, system);
  }

  /** Bars of Figure 8, right axis, that follow from the published means; NaN if there is none. */
  static double derivedCheckpointShare(String workload, SystemKind system) {
    return bar(DERIVED_CHECKPOINT_SHARE, workload, system);
  }

  /**
   * Figure 8 in MB; work and so writes grow with the scale.
   *
   * @param source {@code cpu}, {@code checkpoint}, {@code migration} or {@code total}
   */
  static double writtenMegabytes(String workload, SystemKind system, String source, int scale) {
    Written bar = WRITTEN.getOrDefault(workload, Map.of()).get(system);
    return bar == null ? Double.NaN : bar.of(source) * scale / PAPER_SCALE;
  }

  /** A mean over the request sizes; NaN if the text has none of this name. */
  static double requestMean(String name, Structure structure) {
    double[] row = REQUEST_MEANS.get(name);
    return row == null ? Double.NaN : row[structure == Structure.HASH ? 0 : 1];
  }

  private static double bar(Map<String, double[]> bars, String workload, SystemKind system) {
    double[] row = bars.get(workload);
    int at = BARS.indexOf(system);
    return row == null || at < 0 ? Double.NaN : row[at];
  }

  /** Figure 9 (a) over Ideal DRAM. */
  static double hashOverIdealDram(int size, SystemKind system) {
    double[] row = HASH_THROUGHPUT.get(system);
    double[] dram = HASH_THROUGHPUT.get(SystemKind.IDEAL_DRAM);
    return row == null || dram == null ? Double.NaN : row[size] / dram[size];
  }
}
