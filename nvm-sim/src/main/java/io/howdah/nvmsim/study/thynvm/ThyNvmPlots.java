package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.thynvm.workload.Kernel;
import io.howdah.nvmsim.thynvm.workload.MicroBenchmark;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import io.howdah.plot.BarChart;
import io.howdah.plot.BarChart.Bars;
import io.howdah.plot.BarChart.Mark;
import io.howdah.plot.Canvas;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToDoubleBiFunction;

/** Draws Figures 7 to 12 of one mode, each as SVG and PNG, with the paper's values as rings. */
final class ThyNvmPlots {
  private static final String PAPER = "paper";
  private static final String PAPER_AND_MEANS = "paper (sliding: from its means)";
  private static final Map<SystemKind, String> COLORS =
      Map.of(
          SystemKind.IDEAL_DRAM, "#5d6d7e",
          SystemKind.IDEAL_NVM, "#b7950b",
          SystemKind.JOURNAL, "#e08e4b",
          SystemKind.SHADOW, "#c0392b",
          SystemKind.THYNVM, "#2471a3");
  private static final List<SystemKind> BESIDE_DRAM =
      List.of(SystemKind.IDEAL_NVM, SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM);

  private final ThyNvmResult result;
  private final Mode mode;
  private final Path folder;

  private ThyNvmPlots(ThyNvmResult result, Mode mode, Path folder) {
    this.result = result;
    this.mode = mode;
    this.folder = folder;
  }

  /** Draws into a folder that exists. */
  static void write(ThyNvmResult result, Mode mode, Path folder) throws IOException {
    ThyNvmPlots plots = new ThyNvmPlots(result, mode, folder);
    plots.executionTime();
    plots.traffic();
    plots.checkpointShare();
    plots.stalls();
    for (Structure structure : Structure.values()) {
      plots.throughput(structure);
      plots.bandwidth(structure);
    }
    plots.kernels();
    plots.sweep();
  }

  private String title(String text) {
    ThyNvmPlan plan = result.plan();
    return text
        + " (mode "
        + mode.text()
        + ", BTT "
        + plan.blockEntries()
        + ", PTT "
        + plan.dramPages()
        + ", scale "
        + plan.scale()
        + ")";
  }

  private static List<String> micros() {
    List<String> names = new ArrayList<>();
    for (MicroBenchmark micro : MicroBenchmark.values()) {
      names.add(micro.text());
    }
    return names;
  }

  private Optional<StudyValue> find(String name, String workload, SystemKind system) {
    return result.micro(name, mode, workload, system);
  }

  private void microBars(
      String file,
      String title,
      String axis,
      String metric,
      List<SystemKind> systems,
      ToDoubleBiFunction<String, SystemKind> derived)
      throws IOException {
    List<Bars> series = new ArrayList<>();
    List<Mark> marks = new ArrayList<>();
    double top = 0.01;
    for (SystemKind system : systems) {
      List<Double> values = new ArrayList<>();
      for (String workload : micros()) {
        StudyValue figure = find(metric, workload, system).orElseThrow();
        double paper =
            figure.isPublished() ? figure.published() : derived.applyAsDouble(workload, system);
        if (!Double.isNaN(paper)) {
          marks.add(new Mark(values.size(), series.size(), paper));
          top = Math.max(top, paper);
        }
        values.add(figure.value());
        top = Math.max(top, figure.value());
      }
      series.add(new Bars(system.text(), COLORS.getOrDefault(system, "#000000"), values));
    }
    bars(file, title, axis, top, micros(), series, PAPER_AND_MEANS, marks);
  }

  private void bars(
      String file,
      String title,
      String axis,
      double top,
      List<String> groups,
      List<Bars> series,
      String marksName,
      List<Mark> marks)
      throws IOException {
    draw(
        file,
        BarChart.WIDTH,
        BarChart.HEIGHT,
        new BarChart(title(title), axis, roundUp(top), groups, series, marksName, marks)::draw);
  }

  /** The next number at which an axis may end. */
  private static double roundUp(double top) {
    double unit = Math.pow(10, Math.floor(Math.log10(top)));
    for (double steps : new double[] {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8}) {
      if (steps * unit >= top * 1.03) {
        return steps * unit;
      }
    }
    return 10 * unit;
  }

  private void draw(String file, int width, int height, Consumer<Canvas> drawing)
      throws IOException {
    String suffix = mode == Mode.PAPER ? "" : "-" + mode.text();
    PlotFiles.write(folder, file + suffix, width, height, drawing);
  }

  private void executionTime() throws IOException {
    microBars(
        "figure7",
        "Figure 7: execution time",
        "time over Ideal DRAM",
        "thynvm.overIdealDram",
        BESIDE_DRAM,
        ThyNvmTargets::derivedExecutionTime);
  }

  private void checkpointShare() throws IOException {
    microBars(
        "figure8-share",
        "Figure 8: waiting for checkpoints",
        "share of execution time",
        "thynvm.checkpointShare",
        List.of(SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM),
        ThyNvmTargets::derivedCheckpointShare);
  }

  /** What ThyNVM's waits are for. */
  private void stalls() throws IOException {
    List<Double> begin = new ArrayList<>();
    List<Double> inProgress = new ArrayList<>();
    double top = 0.01;
    for (String workload : micros()) {
      begin.add(find("thynvm.stall.begin", workload, SystemKind.THYNVM).orElseThrow().value());
      inProgress.add(find("thynvm.stall.wait", workload, SystemKind.THYNVM).orElseThrow().value());
      top = Math.max(top, begin.getLast() + inProgress.getLast());
    }
    String color = COLORS.getOrDefault(SystemKind.THYNVM, "#000000");
    BarChart chart =
        new BarChart(
            title("ThyNVM's waits"),
            "share of execution time",
            roundUp(top),
            micros(),
            List.of(new Bars("to begin a checkpoint", color, begin, inProgress)),
            PAPER,
            List.of(),
            List.of("for a checkpoint in progress"));
    draw("stalls", BarChart.WIDTH, BarChart.HEIGHT, chart::draw);
  }

  private void traffic() throws IOException {
    List<Bars> series = new ArrayList<>();
    List<Mark> marks = new ArrayList<>();
    double top = 1;
    for (SystemKind system : List.of(SystemKind.JOURNAL, SystemKind.SHADOW, SystemKind.THYNVM)) {
      List<Double> cpu = new ArrayList<>();
      List<Double> checkpoint = new ArrayList<>();
      List<Double> migration = new ArrayList<>();
      for (String workload : micros()) {
        double published =
            ThyNvmTargets.writtenMegabytes(workload, system, "total", result.plan().scale());
        if (result.plan().isPublished() && !Double.isNaN(published)) {
          marks.add(new Mark(cpu.size(), series.size(), published));
          top = Math.max(top, published);
        }
        cpu.add(megabytes(workload, system, "cpu"));
        checkpoint.add(megabytes(workload, system, "checkpoint"));
        migration.add(megabytes(workload, system, "migration"));
        top = Math.max(top, cpu.getLast() + checkpoint.getLast() + migration.getLast());
      }
      String color = COLORS.getOrDefault(system, "#000000");
      series.add(new Bars(system.text() + ", CPU", color, cpu, checkpoint, migration));
    }
    BarChart chart =
        new BarChart(
            title("Figure 8: NVM writes"),
            "MB",
            roundUp(top),
            micros(),
            series,
            "paper's total for this scale",
            marks,
            List.of("checkpoint", "migration"));
    draw("figure8", BarChart.WIDTH, BarChart.HEIGHT, chart::draw);
  }

  private double megabytes(String workload, SystemKind system, String source) {
    return ThyNvmResult.number(result.megabytes(mode, workload, system, source));
  }

  private void throughput(Structure structure) throws IOException {
    requestBars(
        structure == Structure.HASH ? "figure9a" : "figure9b",
        "Figure 9: throughput, " + structure.text(),
        "requests over Ideal DRAM's",
        "thynvm.kvOverIdealDram",
        structure);
  }

  private void bandwidth(Structure structure) throws IOException {
    requestBars(
        structure == Structure.HASH ? "figure10a" : "figure10b",
        "Figure 10: NVM writes, " + structure.text(),
        "MB/s",
        "thynvm.nvmWriteMBPerSec",
        structure);
  }

  private void requestBars(
      String file, String title, String axis, String metric, Structure structure)
      throws IOException {
    List<String> groups = new ArrayList<>();
    List<Bars> series = new ArrayList<>();
    List<Mark> marks = new ArrayList<>();
    double top = 0.01;
    for (SystemKind system : BESIDE_DRAM) {
      List<Double> values = new ArrayList<>();
      for (int bytes : ThyNvmRuns.REQUEST_BYTES) {
        Optional<StudyValue> found = result.keyValue(metric, mode, structure, bytes, system);
        if (found.isPresent()) {
          StudyValue figure = found.get();
          if (series.isEmpty()) {
            groups.add(bytes + " B");
          }
          if (figure.isPublished()) {
            marks.add(new Mark(values.size(), series.size(), figure.published()));
            top = Math.max(top, figure.published());
          }
          values.add(figure.value());
          top = Math.max(top, figure.value());
        }
      }
      series.add(new Bars(system.text(), COLORS.getOrDefault(system, "#000000"), values));
    }
    bars(file, title, axis, top, groups, series, PAPER, marks);
  }

  private void kernels() throws IOException {
    List<String> groups = new ArrayList<>();
    for (Kernel kernel : Kernel.values()) {
      groups.add(kernel.text());
    }
    List<Bars> series = new ArrayList<>();
    for (SystemKind system : List.of(SystemKind.IDEAL_NVM, SystemKind.THYNVM)) {
      List<Double> values = new ArrayList<>();
      for (String kernel : groups) {
        values.add(find("thynvm.ipcOverIdealDram", kernel, system).orElseThrow().value());
      }
      series.add(new Bars(system.text(), COLORS.getOrDefault(system, "#000000"), values));
    }
    bars(
        "figure11",
        "Figure 11, stand-ins for SPEC",
        "IPC over Ideal DRAM's",
        1.25,
        groups,
        series,
        PAPER,
        List.of());
  }

  private void sweep() throws IOException {
    List<Series> lines = new ArrayList<>();
    for (int bytes : new int[] {64, 1024}) {
      line(lines, bytes, "thynvm.bttSweep", "throughput", Dash.SOLID);
      line(lines, bytes, "thynvm.bttSweep.nvmWriteMB", "NVM writes", Dash.DASHED);
    }
    if (lines.isEmpty()) {
      return;
    }
    List<Tick> entries = new ArrayList<>();
    for (int tick : ThyNvmRuns.BTT_SWEEP) {
      entries.add(new Tick(tick, Integer.toString(tick)));
    }
    double top = 1;
    for (Series line : lines) {
      for (Point point : line.points()) {
        top = Math.max(top, point.y());
      }
    }
    double high = Math.ceil(top * 5) / 5;
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= Math.round(high * 5); i++) {
      ticks.add(new Tick(i / 5.0, i == 0 ? "0" : Double.toString(i / 5.0)));
    }
    Chart chart =
        new Chart(
            "Figure 12: BTT entries (hash, mode " + mode.text() + ")",
            new Axis("BTT entries", 256, 8192, true, entries),
            new Axis("over 256 entries", 0, high, false, ticks),
            lines,
            List.of());
    draw("figure12", Chart.WIDTH, Chart.HEIGHT, chart::draw);
  }

  private void line(List<Series> lines, int bytes, String metric, String what, Dash dash) {
    List<Point> points = new ArrayList<>();
    double first = Double.NaN;
    for (int entries : ThyNvmRuns.BTT_SWEEP) {
      double value = ThyNvmResult.number(result.sweep(metric, mode, entries, bytes));
      if (Double.isNaN(value)) {
        return;
      }
      first = Double.isNaN(first) ? value : first;
      points.add(new Point(entries, value / first));
    }
    String color = bytes == 64 ? "#2471a3" : "#c0392b";
    lines.add(new Series(what + ", " + bytes + " B", points, color, dash, true));
  }
}
