package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.AblationStudy;
import io.howdah.jmh.study.AblationStudy.Ablation;
import io.howdah.jmh.workload.SixWords;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code howdah bench ablations}: what single decisions of the engine gain. */
@Command(
    name = "ablations",
    mixinStandardHelpOptions = true,
    description =
        "Transactions of six random words in stores that differ in one option: what single"
            + " decisions of the engine gain. The variants of a decision take turns in one"
            + " process. Decisions of the hot paths have no option; a memory of the same algorithm"
            + " in C stands in for them.%n")
final class AblationsCommand extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 16;
  private static final int MAX_VARIANTS = 4;
  private static final long MIB = 1 << 20;
  private static final long LOG_BYTES_PER_SECOND = 500_000_000;

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "128",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Mixin private ThreadsOption threads;

  @Option(
      names = "--only",
      paramLabel = "NAME",
      split = ",",
      description = "Only these: ${COMPLETION-CANDIDATES}.")
  private @Nullable Set<Ablation> only;

  private final Table table =
      new Table()
          .text("decision", 34)
          .text("variant", 26)
          .figure("per second", 10)
          .figure("of default", 10)
          .figure("range", 13)
          .figure("CPU of default", 14)
          .figure("dependent", 9);

  AblationsCommand() {}

  @Override
  String commandName() {
    return "bench ablations";
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  @Override
  long neededBytes() {
    long seconds = (rounds() + 3L) * roundMillis() / 1000 + 1;
    return MAX_VARIANTS * (2 * SixWords.maxSize(heapBytes()) + seconds * LOG_BYTES_PER_SECOND);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    metrics.param("heapMiB", heapMib).param("threads", threads.count());
    screen().line("");
    screen()
        .line(
            "  @|bold Ablations:|@ six random words of %d MiB, %d threads, 8 where they wait; %d"
                    .formatted(heapMib, threads.count(), rounds())
                + " rounds of %d ms".formatted(roundMillis()));
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    AblationStudy study = new AblationStudy(folder, heapBytes(), threads.count(), effort());
    Set<Ablation> wanted = only == null ? EnumSet.allOf(Ablation.class) : EnumSet.copyOf(only);
    for (Ablation ablation : wanted) {
      AblationStudy.Result found = study.measure(ablation, this);
      if (found.figures().isEmpty()) {
        screen().line("  %s: not measured: %s".formatted(ablation.text(), found.unavailable()));
        continue;
      }
      report(ablation, found.figures(), metrics);
      Map<String, Object> params = Map.of("decision", ablation.text());
      add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), params);
      judgeNoise(metrics, "raw force, " + ablation.text(), found.forcesPerSecond());
      judgeNoise(
          metrics, "the default of " + ablation.text(), found.figures().getFirst().perSecond());
    }
    screen().line("");
  }

  private void report(Ablation ablation, List<AblationStudy.Figures> found, MetricsRun metrics) {
    for (int i = 0; i < found.size(); i++) {
      AblationStudy.Figures figures = found.get(i);
      Map<String, Object> params =
          Map.of("decision", ablation.text(), "variant", figures.variant());
      Metric perSecond = add(metrics, "ablation.txnPerSec", "txn/s", figures.perSecond(), params);
      String dependent = "";
      if (figures.dependentShare().isPresent()) {
        double share = figures.dependentShare().getAsDouble();
        addSingle(metrics, "ablation.dependentShare", "ratio", share, params);
        dependent = "%.3f".formatted(share);
      }
      String over = "";
      String range = "";
      String cpu = "";
      if (i > 0) {
        Metric ratio = add(metrics, "ablation.overDefault", "ratio", figures.overDefault(), params);
        over = ratio(ratio.value());
        range = ratio(ratio.min()) + " … " + ratio(ratio.max());
        cpu =
            figures.cpuOverDefault().isEmpty()
                ? ""
                : ratio(
                    add(
                            metrics,
                            "ablation.cpuOverDefault",
                            "ratio",
                            figures.cpuOverDefault(),
                            params)
                        .value());
      }
      screen()
          .line(
              table.row(
                  i == 0 ? ablation.text() : "",
                  figures.variant(),
                  rate(perSecond.value()),
                  over,
                  range,
                  cpu,
                  dependent));
    }
  }
}
