package io.howdah.nvmsim.study.thynvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.thynvm.ThyNvmGates.Gate;
import io.howdah.nvmsim.study.thynvm.ThyNvmRuns.Run;
import io.howdah.nvmsim.thynvm.system.CoreResult;
import io.howdah.nvmsim.thynvm.system.SystemStats;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** The demands and figures of a study whose runs are made up. */
final class ThyNvmGatesTest {
  private static final ThyNvmPlan PLAN =
      new ThyNvmPlan(List.of(Mode.PAPER), 2048, 4096, 10, 3, 1, false);
  private static final long MS = 1_000_000_000L;

  /** Blocks: 100,000 by the CPU, 50,000 for checkpoints, 10,000 of them tables, 5000 migrated. */
  private static final SystemStats STATS = new SystemStats(100_000, 50_000, 10_000, 5000, 1, 0, 0);

  private static ThyNvmResult result(ToLongFunction<Run> elapsedPs) {
    Map<Run, CoreResult> results = new LinkedHashMap<>();
    for (Run run : new ThyNvmRuns(PLAN).runs()) {
      results.put(run, new CoreResult(elapsedPs.applyAsLong(run), 1, 1, 1, 1000, STATS));
    }
    return new ThyNvmResult(PLAN, results, 1, 1);
  }

  private static long slowerThanDram(Run run) {
    return run.system() == SystemKind.IDEAL_DRAM ? 1000 * MS : 1100 * MS;
  }

  private static List<Gate> beatDram(ThyNvmResult result) {
    return ThyNvmGates.check(result, Mode.PAPER).stream()
        .filter(gate -> gate.demand().endsWith("no system beats Ideal DRAM"))
        .toList();
  }

  @Test
  void noSystemMayBeFasterThanIdealDramInAnyWorkload() {
    List<Gate> all = beatDram(result(ThyNvmGatesTest::slowerThanDram));
    assertThat(all).hasSizeGreaterThan(3 + 2 * 5).allMatch(Gate::holds);
    for (String workload : List.of("random", "streaming", "sliding", "hash", "stencil")) {
      List<Gate> missed =
          beatDram(
                  result(
                      run ->
                          run.system() == SystemKind.THYNVM && run.program().name().equals(workload)
                              ? 960 * MS
                              : slowerThanDram(run)))
              .stream()
              .filter(gate -> !gate.holds())
              .toList();
      assertThat(missed).as(workload).isNotEmpty();
      assertThat(missed)
          .allSatisfy(
              gate -> {
                assertThat(gate.demand()).startsWith(workload);
                assertThat(gate.found()).isEqualTo("ThyNVM 0.960 of its time");
              });
    }
  }

  @Test
  void theBarsOfSlidingAreDemanded() {
    assertThat(
            ThyNvmGates.check(result(ThyNvmGatesTest::slowerThanDram), Mode.PAPER).stream()
                .map(Gate::demand)
                .filter(demand -> demand.startsWith("Figure 7, sliding")))
        .hasSize(4);
  }

  /** Figure 8's rule counts the CPU's writes of Journal and Shadow, so all other figures do. */
  @Test
  void allFiguresCountTheSameWrites() {
    ThyNvmResult result = result(ThyNvmGatesTest::slowerThanDram);
    double written = SystemStats.megabytes(100_000 + 50_000 - 10_000 + 5000);
    for (SystemKind system : List.of(SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM)) {
      double bars = 0;
      for (String source : List.of("cpu", "checkpoint", "migration")) {
        bars += ThyNvmResult.number(result.megabytes(Mode.PAPER, "random", system, source));
      }
      assertThat(bars).as("Figure 8, %s", system).isCloseTo(written, within(1e-9));
      for (Structure structure : Structure.values()) {
        double perSec =
            ThyNvmResult.number(
                result.keyValue("thynvm.nvmWriteMBPerSec", Mode.PAPER, structure, 64, system));
        assertThat(perSec * 1.1).as("Figure 10, %s", system).isCloseTo(written, within(1e-9));
      }
    }
    assertThat(result.sweep("thynvm.bttSweep.nvmWriteMB", Mode.PAPER, 256, 64))
        .hasValueSatisfying(value -> assertThat(value.value()).isEqualTo(written));
    assertThat(result.variant("thynvm.variant.nvmWriteMB", Mode.PAPER, "pages only", "sliding"))
        .hasValueSatisfying(value -> assertThat(value.value()).isEqualTo(written));
  }

  @Test
  void writtenMegabytesStandBesideThePaperBars() {
    ThyNvmResult result = result(ThyNvmGatesTest::slowerThanDram);
    assertThat(result.megabytes(Mode.PAPER, "streaming", SystemKind.THYNVM, "migration"))
        .map(StudyValue::published)
        .hasValue(585.0);
    assertThat(result.megabytes(Mode.PAPER, "random", SystemKind.JOURNAL, "total"))
        .map(StudyValue::published)
        .hasValue(904.0);
  }

  /** Figure 9 (b): our copies have the means of the tree, not its bars. */
  @Test
  void theTreeIsComparedWithTheMeansOfTheText() {
    ThyNvmResult result = result(ThyNvmGatesTest::slowerThanDram);
    assertThat(result.mean("thynvm.kvMean.overIdealDram", Mode.PAPER, Structure.RBTREE))
        .hasValueSatisfying(
            mean -> {
              assertThat(mean.published()).isEqualTo(0.962);
              assertThat(mean.value()).isCloseTo(1 / 1.1, within(1e-9));
            });
    assertThat(
            ThyNvmGates.check(result, Mode.PAPER).stream()
                .map(Gate::demand)
                .filter(demand -> demand.startsWith(Structure.RBTREE.text() + ", mean")))
        .hasSize(5);
  }

  @Test
  void hashedBanksAreASensitivityOfAllSystems() {
    ThyNvmResult result = result(ThyNvmGatesTest::slowerThanDram);
    for (SystemKind system : SystemKind.values()) {
      assertThat(result.micro("thynvm.hashedBanks.overIdealDram", Mode.PAPER, "streaming", system))
          .as("%s", system)
          .isPresent();
    }
  }
}
