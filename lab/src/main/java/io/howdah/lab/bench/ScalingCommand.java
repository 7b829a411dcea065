package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.bytes;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.study.ScalingModel;
import io.howdah.jmh.study.ScalingStudy;
import io.howdah.jmh.study.ScalingStudy.Baseline;
import io.howdah.plot.PlotFiles;
import io.howdah.process.AtExit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench scaling}: what more threads gain, and which cache lines they lose it to. */
@Command(
    name = "scaling",
    mixinStandardHelpOptions = true,
    description =
        "Transactions of six random words over 1 to 16 threads, without a log, with a partitioned"
            + " and with a single one; the cost of each cache line that threads share; and a model"
            + " that says where a machine with more processors would saturate. All take turns in"
            + " one process. See docs/scaling.md.%n")
final class ScalingCommand extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int MAX_THREADS = 1024;
  private static final int MAX_LINE_THREADS = 16;
  private static final int MAX_PROCESSORS = 1024;
  private static final int MAX_PARTITIONS_BY_DEFAULT = 64;
  private static final long MIB = 1 << 20;
  private static final long LOG_BYTES_PER_SECOND = 500_000_000;

  /** Hand-overs of other machines, in nanoseconds: within a chip, between chips, and sockets. */
  private static final List<Double> OTHER_HAND_OVERS = List.of(50.0, 100.0, 200.0);

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "256",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,2,4,8,16",
      description = "Thread counts, one after the other (${DEFAULT-VALUE}).")
  private List<Integer> threadCounts;

  @Option(
      names = "--line-threads",
      paramLabel = "N",
      description =
          "Threads that share a line (one for each processor, from 2 to " + MAX_LINE_THREADS + ").")
  private @Nullable Integer lineThreads;

  @Option(
      names = "--processors",
      paramLabel = "N",
      defaultValue = "64",
      description = "The model goes up to this number of processors (${DEFAULT-VALUE}).")
  private int processors;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write the plots as SVG and PNG into this folder.")
  private @Nullable Path out;

  private final Table rates =
      new Table()
          .figure("threads", 7)
          .text("subject", 18)
          .figure("per second", 10)
          .figure("of 1 thread", 11)
          .figure("CPU/txn", 9)
          .figure("CPU share", 9)
          .figure("aborts/txn", 10);

  private final Table lines =
      new Table()
          .text("shared", 26)
          .figure("CPU/txn", 9)
          .figure("costs", 9)
          .figure("range", 18)
          .figure("per second", 10);

  private final Table predictions =
      new Table()
          .figure("hand-over", 9)
          .figure("processors", 10)
          .figure("per second", 10)
          .figure("of 1", 6)
          .text("limit", 14);

  ScalingCommand() {}

  @Override
  String commandName() {
    return "bench scaling";
  }

  @Override
  long neededBytes() {
    long heap = require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
    long turns = (threadCounts.size() + 1L) * (rounds() + 3) * roundMillis();
    return 2 * (turns / 1000 + 1) * LOG_BYTES_PER_SECOND + 4 * heap;
  }

  private int lineThreads() {
    int wanted =
        lineThreads == null
            ? Math.clamp(Runtime.getRuntime().availableProcessors(), 2, MAX_LINE_THREADS)
            : lineThreads;
    return require("--line-threads", wanted, 2, MAX_LINE_THREADS);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (int threads : threadCounts) {
      require("--threads", threads, 1, MAX_THREADS);
    }
    require("--processors", processors, 1, MAX_PROCESSORS);
    int sharing = lineThreads();
    metrics.param("heapMiB", heapMib);
    if (out != null) {
      Files.createDirectories(out);
    }
    screen().line("");
    screen()
        .line(
            "  @|bold Scaling:|@ six random words of %d MiB, read and written; %d rounds of %d ms"
                .formatted(heapMib, rounds(), roundMillis()));
    ScalingStudy study = new ScalingStudy(folder, heapMib * MIB, effort(), this);
    AtExit.close(study);
    List<ScalingStudy.ByThreads> found = new ArrayList<>();
    try (study) {
      for (int threads : threadCounts) {
        ScalingStudy.ByThreads one = study.measure(threads, this);
        found.add(one);
        report(one, ofOneThread(found), study.partitions(), metrics);
      }
      List<ScalingStudy.UntilDurable> durable =
          study.untilDurable(PublishedScaling.LATENCY_THREADS, this);
      List<Double> busy = processorPercent(found);
      besideThePaper(durable, busy, metrics);
      ScalingStudy.Lines shared = study.lines(sharing, this);
      report(shared, metrics);
      ScalingModel model = model(study.modelInput(this), shared, metrics);
      predict(model, found, study.partitions(), metrics);
      study.verify(this);
      if (out != null) {
        ScalingPlots.writeBesideThePaper(metrics.finish(), out);
        PlotFiles.write(out, "scaling-lines", ScalingPlots.lines(shared));
        PlotFiles.write(
            out, "scaling-model", ScalingPlots.model(model, OTHER_HAND_OVERS, processors));
      }
    } finally {
      AtExit.forget(study);
    }
    screen().line("");
  }

  private void report(
      ScalingStudy.ByThreads found,
      ScalingStudy.@Nullable ByThreads single,
      int partitions,
      MetricsRun metrics) {
    int threads = found.threads();
    screen().line("");
    screen()
        .line(
            "  %d thread%s: empty loop %s/s, memcpy %s/s, raw six words %s/s, raw force %s/s"
                .formatted(
                    threads,
                    threads == 1 ? "" : "s",
                    rate(baseline(found, Baseline.EMPTY_LOOP, "emptyLoop.perSec", "1/s", metrics)),
                    bytes(baseline(found, Baseline.COPY, "memcpy.bytesPerSec", "B/s", metrics)),
                    rate(baseline(found, Baseline.RAW_WORDS, "rawSixWords.perSec", "1/s", metrics)),
                    rate(baseline(found, Baseline.FORCE, "force.perSec", "1/s", metrics))));
    screen().line("@|faint " + rates.head() + "|@");
    screen().line("@|faint " + rates.rule() + "|@");
    for (int i = 0; i < found.figures().size(); i++) {
      ScalingStudy.Figures figures = found.figures().get(i);
      Map<String, Object> params = new LinkedHashMap<>();
      params.put("threads", threads);
      params.put("subject", figures.way().text());
      if (figures.way() != ScalingStudy.Way.VOLATILE) {
        params.put("partitions", figures.way() == ScalingStudy.Way.ASYNC ? partitions : 1);
      }
      Metric perSecond = add(metrics, "scaling.txnPerSec", "txn/s", figures.perSecond(), params);
      Metric cpu =
          add(metrics, "scaling.cpuMicrosPerTxn", "us", micros(figures.cpuNanos()), params);
      Metric share = add(metrics, "scaling.cpuShare", "ratio", figures.cpuShares(), params);
      add(metrics, "scaling.engineMicrosPerTxn", "us", micros(figures.engineNanos()), params);
      addSingle(metrics, "scaling.aborts.perTxn", "ratio", figures.abortsPerTransaction(), params);
      String gain =
          single == null
              ? ""
              : ratio(perSecond.value() / median(single.figures().get(i).perSecond()));
      screen()
          .line(
              rates.row(
                  Integer.toString(threads),
                  figures.way().text(),
                  rate(perSecond.value()),
                  gain,
                  "%.0f ns".formatted(cpu.value() * 1000),
                  ratio(share.value()),
                  "%.4f".formatted(figures.abortsPerTransaction())));
    }
    for (Baseline baseline : List.of(Baseline.EMPTY_LOOP, Baseline.RAW_WORDS)) {
      judgeNoise(
          metrics,
          "%s, %d thread%s".formatted(baseline.text(), threads, threads == 1 ? "" : "s"),
          found.baselines().getOrDefault(baseline, List.of()));
    }
  }

  /** Returns what one thread scored, or null if that was not measured, at least not yet. */
  private static ScalingStudy.@Nullable ByThreads ofOneThread(List<ScalingStudy.ByThreads> found) {
    return found.stream().filter(each -> each.threads() == 1).findFirst().orElse(null);
  }

  /**
   * Returns the share of all processors that the paper's ways had, or nothing without its threads.
   */
  private static List<Double> processorPercent(List<ScalingStudy.ByThreads> found) {
    return found.stream()
        .filter(each -> each.threads() == PublishedScaling.PROCESSOR_THREADS)
        .flatMap(each -> each.figures().stream())
        .filter(figures -> PublishedScaling.WAYS.contains(figures.way()))
        .map(figures -> 100 * median(figures.cpuShares()))
        .toList();
  }

  private void besideThePaper(
      List<ScalingStudy.UntilDurable> durable, List<Double> busy, MetricsRun metrics) {
    screen().line("");
    for (int i = 0; i < durable.size(); i++) {
      ScalingStudy.UntilDurable each = durable.get(i);
      Map<String, Object> params =
          Map.of("threads", PublishedScaling.LATENCY_THREADS, "subject", each.way().text());
      Metric millis =
          add(metrics, "scaling.untilDurable.meanMillis", "ms", each.meanMillis(), params);
      screen()
          .line(
              "  %s, %d threads: durable after %.1f ms (%.1f … %.1f); Hathi: %.0f ms"
                  .formatted(
                      each.way().text(),
                      PublishedScaling.LATENCY_THREADS,
                      millis.value(),
                      millis.min(),
                      millis.max(),
                      PublishedScaling.LATENCY_MILLIS.get(i)));
    }
    for (int i = 0; i < busy.size(); i++) {
      screen()
          .line(
              "  %s, %d threads: %.0f %% of all processors; Hathi: %s%.0f %%"
                  .formatted(
                      PublishedScaling.WAYS.get(i).text(),
                      PublishedScaling.PROCESSOR_THREADS,
                      busy.get(i),
                      i == 0 ? "" : "less than ",
                      PublishedScaling.PROCESSOR_PERCENT.get(i)));
    }
  }

  private static double baseline(
      ScalingStudy.ByThreads found,
      Baseline baseline,
      String name,
      String unit,
      MetricsRun metrics) {
    List<Double> samples = found.baselines().getOrDefault(baseline, List.of());
    return add(metrics, "baseline." + name, unit, samples, Map.of("threads", found.threads()))
        .value();
  }

  private static List<Double> micros(List<Double> nanos) {
    return nanos.stream().map(each -> each / 1000).toList();
  }

  private void report(ScalingStudy.Lines shared, MetricsRun metrics) {
    Metric handOver =
        add(
            metrics,
            "baseline.lineHandOver.nanos",
            "ns",
            shared.handOverNanos(),
            Map.of("threads", 2));
    int here = Runtime.getRuntime().availableProcessors();
    if (shared.threads() > here) {
      screen()
          .line(
              ("  @|yellow doubtful:|@ %d threads share lines on %d processors, so the costs have"
                      + " turns of the scheduler in them")
                  .formatted(shared.threads(), here));
    }
    screen().line("");
    screen()
        .line(
            "  @|bold Shared lines|@, %d threads, one word a transaction; a line changes hands in"
                    .formatted(shared.threads())
                + " %.0f ns (%.0f … %.0f)"
                    .formatted(handOver.value(), handOver.min(), handOver.max()));
    screen().line("@|faint " + lines.head() + "|@");
    screen().line("@|faint " + lines.rule() + "|@");
    for (ScalingStudy.LineCost cost : shared.costs()) {
      Map<String, Object> params = Map.of("threads", shared.threads(), "line", cost.line().text());
      Metric cpu = add(metrics, "scaling.line.cpuNanosPerTxn", "ns", cost.cpuNanos(), params);
      String costs = "";
      String range = "";
      if (!cost.costNanos().isEmpty()) {
        Metric more = add(metrics, "scaling.line.costNanos", "ns", cost.costNanos(), params);
        costs = "%.0f ns".formatted(more.value());
        range = "%.0f … %.0f".formatted(more.min(), more.max());
      }
      screen()
          .line(
              lines.row(
                  cost.line().text(),
                  "%.0f ns".formatted(cpu.value()),
                  costs,
                  range,
                  rate(median(cost.perSecond()))));
    }
  }

  private ScalingModel model(
      ScalingStudy.ModelInput input, ScalingStudy.Lines shared, MetricsRun metrics) {
    Metric own = add(metrics, "scaling.model.ownNanos", "ns", input.ownNanos(), Map.of());
    Metric window = add(metrics, "scaling.model.windowNanos", "ns", input.windowNanos(), Map.of());
    Metric flusher =
        add(metrics, "scaling.model.flusherNanos", "ns", input.engineNanos(), Map.of());
    screen().line("");
    screen()
        .line(
            ("  @|bold Model:|@ a transaction takes %.0f ns, of these at most %.0f with a lane; the"
                    + " flusher takes %.0f ns for it")
                .formatted(own.value(), window.value(), flusher.value()));
    return new ScalingModel(
        own.value(),
        Math.clamp(window.value(), 0, own.value()),
        flusher.value(),
        median(shared.handOverNanos()));
  }

  private void predict(
      ScalingModel model, List<ScalingStudy.ByThreads> found, int partitions, MetricsRun metrics) {
    int here = Runtime.getRuntime().availableProcessors();
    validate(model, found, here, partitions, metrics);
    screen().line("@|faint " + predictions.head() + "|@");
    screen().line("@|faint " + predictions.rule() + "|@");
    List<Double> handOvers = new ArrayList<>(List.of(model.handOverNanos()));
    handOvers.addAll(OTHER_HAND_OVERS);
    for (double handOver : handOvers) {
      ScalingModel each = model.withHandOverNanos(handOver);
      double one = each.predict(1, 2).perSecond();
      for (int count = 2; count <= processors; count *= 2) {
        ScalingModel.Prediction prediction = each.predict(count, lanes(count));
        addSingle(
            metrics,
            "scaling.model.txnPerSec",
            "txn/s",
            prediction.perSecond(),
            Map.of(
                "processors",
                count,
                "handOverNanos",
                handOver,
                "limit",
                prediction.limit().text()));
        screen()
            .line(
                predictions.row(
                    "%.0f ns".formatted(handOver),
                    Integer.toString(count),
                    rate(prediction.perSecond()),
                    ratio(prediction.perSecond() / one),
                    prediction.limit().text()));
      }
      screen()
          .line(
              "  at %.0f ns, more than %.0f processors gain little"
                  .formatted(
                      handOver, each.predict(processors, lanes(processors)).kneeProcessors()));
    }
  }

  /** Compares with what was measured on this machine, where the model can be wrong. */
  private void validate(
      ScalingModel model,
      List<ScalingStudy.ByThreads> found,
      int here,
      int partitions,
      MetricsRun metrics) {
    ScalingStudy.ByThreads single = ofOneThread(found);
    for (ScalingStudy.ByThreads each : found) {
      if (each.threads() != here || here == 1 || single == null) {
        continue;
      }
      for (int i = 1; i < each.figures().size(); i++) {
        ScalingStudy.Figures figures = each.figures().get(i);
        int lanes = figures.way() == ScalingStudy.Way.SINGLE_LOG ? 1 : partitions;
        double measured = median(figures.perSecond()) / median(single.figures().get(i).perSecond());
        double modelled =
            model.predict(here, lanes).perSecond() / model.predict(1, lanes).perSecond();
        addSingle(
            metrics,
            "scaling.model.overMeasuredGain",
            "ratio",
            modelled / measured,
            Map.of("processors", here, "subject", figures.way().text()));
        screen()
            .line(
                "  %s, %d processors over one: measured %.2f, by the model %.2f"
                    .formatted(figures.way().text(), here, measured, modelled));
      }
    }
  }

  /** Returns how many partitions a store has by default on so many processors. */
  static int lanes(int processors) {
    return Math.min(MAX_PARTITIONS_BY_DEFAULT, 2 * processors);
  }
}
