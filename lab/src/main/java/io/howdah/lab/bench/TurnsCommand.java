package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.TurnsStudy;
import io.howdah.jmh.study.TurnsStudy.Result;
import io.howdah.jmh.study.TurnsStudy.Subject;
import io.howdah.jmh.workload.Transfers.Figures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench turns}: many virtual threads that commit without a pause. */
@Command(
    name = "turns",
    mixinStandardHelpOptions = true,
    description =
        "Transfers between accounts by virtual threads that never pause: how many of them had no"
            + " turn in a round, and the longest time between two turns of one. Beside them: as many"
            + " threads as processors; a thread that adds up all accounts and two that answer each"
            + " other by retry; commits that wait until they are durable, and forces of one write"
            + " without a store. The accounts are added up after each round.%n")
final class TurnsCommand extends BenchRun {

  private static final int MAX_THREADS = 1_000_000;
  private static final double NANOS_PER_MILLI = 1e6;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "10000",
      description = "How many virtual threads transfer (${DEFAULT-VALUE}).")
  private int threads;

  private final Table table =
      new Table()
          .text("transfers", 44)
          .figure("threads", 9)
          .figure("a second", 10)
          .figure("no turn", 8)
          .figure("longest wait", 14)
          .figure("longest read", 14)
          .figure("longest answer", 16);

  TurnsCommand() {}

  @Override
  String commandName() {
    return "bench turns";
  }

  @Override
  long neededBytes() {
    return TurnsStudy.neededBytes();
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    int count = require("--threads", threads, 1, MAX_THREADS);
    metrics.param("threads", count);
    Files.createDirectories(folder);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    try (TurnsStudy study = new TurnsStudy(folder.resolve("store"), count, effort())) {
      List<Result> results = study.run(this);
      for (Result result : results) {
        report(result, metrics);
      }
      List<Double> over = new ArrayList<>();
      List<Double> few = of(results, Subject.FEW);
      List<Double> many = of(results, Subject.MANY);
      for (int i = 0; i < few.size(); i++) {
        over.add(many.get(i) / few.get(i));
      }
      Metric ratio = add(metrics, "turns.manyOverFew", "1", over, Map.of("threads", count));
      screen()
          .line(
              String.format(
                  Locale.ROOT,
                  "%n  %,d threads over as many as processors: %.2f (%.2f … %.2f)",
                  count,
                  ratio.value(),
                  ratio.min(),
                  ratio.max()));
      List<Double> forces = study.forcesPerSecond();
      List<Double> sync = of(results, Subject.SYNC);
      List<Double> overForce = new ArrayList<>();
      for (int i = 0; i < forces.size(); i++) {
        overForce.add(sync.get(i) / forces.get(i));
      }
      Metric force = add(metrics, "baseline.forcesPerSec", "force/s", forces, Map.of());
      Metric each = add(metrics, "turns.syncOverForce", "1", overForce, Map.of("threads", count));
      screen()
          .line(
              String.format(
                  Locale.ROOT,
                  "  %,d threads with SYNC: %.1f (%.1f … %.1f) transfers for each force of one write;"
                      + " the disk makes %s a second",
                  count,
                  each.value(),
                  each.min(),
                  each.max(),
                  rate(force.value())));
      judgeNoise(metrics, "turns.few", few);
      judgeNoise(metrics, "raw force", forces);
    }
    screen().line("");
  }

  private static List<Double> of(List<Result> results, Subject subject) {
    for (Result result : results) {
      if (result.subject() == subject) {
        return result.all(Figures::perSecond);
      }
    }
    throw new IllegalStateException("not measured: " + subject);
  }

  private void report(Result result, MetricsRun metrics) {
    Map<String, Object> params =
        Map.of("subject", result.subject().name(), "threads", result.threads());
    Metric perSecond =
        add(metrics, "turns.txnPerSec", "txn/s", result.all(Figures::perSecond), params);
    Metric without =
        add(metrics, "turns.threadsWithout", "count", result.all(Figures::withoutTurn), params);
    boolean isAccompanied = result.subject() == Subject.ACCOMPANIED;
    screen()
        .line(
            table.row(
                text(result.subject()),
                Integer.toString(result.threads()),
                rate(perSecond.value()),
                String.format(Locale.ROOT, "%.0f", without.max()),
                millis(metrics, "turns.longestWaitMs", result, Figures::longestNanos, params),
                isAccompanied
                    ? millis(metrics, "turns.longestReadMs", result, Figures::readNanos, params)
                    : "",
                isAccompanied
                    ? millis(metrics, "turns.longestAnswerMs", result, Figures::answerNanos, params)
                    : ""));
  }

  /** Adds a time, and returns the longest of all rounds. */
  private static String millis(
      MetricsRun metrics,
      String name,
      Result result,
      ToDoubleFunction<Figures> nanos,
      Map<String, Object> params) {
    List<Double> samples =
        result.all(nanos).stream().map(sample -> sample / NANOS_PER_MILLI).toList();
    return String.format(Locale.ROOT, "%.0f ms", add(metrics, name, "ms", samples, params).max());
  }

  private static String text(Subject subject) {
    return switch (subject) {
      case FEW -> "ASYNC, a thread for each processor";
      case MANY -> "ASYNC";
      case ACCOMPANIED -> "ASYNC, beside a reader and two that retry";
      case SYNC -> "SYNC";
    };
  }
}
