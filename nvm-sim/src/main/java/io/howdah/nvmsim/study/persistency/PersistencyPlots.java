package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.AnalysisOptions;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.study.persistency.QueueExperiment.Cell;
import io.howdah.nvmsim.trace.TraceBuffer;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Points;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** Draws Figures 2 to 5, each as SVG and PNG, and writes the persist DAGs behind Figure 2. */
final class PersistencyPlots {
  private static final Map<String, String> COLORS =
      Map.of(
          "strict",
          "#c0392b",
          "buffered-strict",
          "#d98880",
          "epoch",
          "#2471a3",
          "bpfs",
          "#7fb3d5",
          "strand",
          "#1e8449",
          PersistencyRuns.STRAND_LIMITED,
          "#1e8449");
  private static final String OTHER_COLOR = "#7d3c98";
  private static final String PAPER_COLOR = "#000000";
  private static final double MILLION = 1e6;

  /** Small entries keep Figure 2 readable: four words and the head per insert. */
  private static final int DRAWN_ENTRY_LENGTH = 28;

  private PersistencyPlots() {}

  static void write(Path folder, List<Cell> cells) throws IOException {
    PlotFiles.write(folder, "figure3", figure3(cells));
    PlotFiles.write(
        folder,
        "figure4",
        sweep(
            cells,
            "Figure 4: atomic persist size; CWL, 1 thread, 100-byte entries, tracking 8 bytes",
            "atomic persist size (bytes)",
            AnalysisOptions::persistGranularity,
            AnalysisOptions::trackingGranularity));
    PlotFiles.write(
        folder,
        "figure5",
        sweep(
            cells,
            "Figure 5: conflict tracking; CWL, 1 thread, 100-byte entries, persists of 8 bytes",
            "tracking granularity (bytes)",
            AnalysisOptions::trackingGranularity,
            AnalysisOptions::persistGranularity));
    figure2(
        folder,
        "figure2-cwl",
        QueueSpec.cwl(),
        1,
        3,
        "Copy While Locked, 1 thread, 28-byte entries");
    figure2(
        folder,
        "figure2-2lc",
        QueueSpec.twoLockPaper(),
        2,
        4,
        "Two-Lock Concurrent (2LC-paper), 2 threads, 28-byte entries");
  }

  private static Chart figure3(List<Cell> cells) {
    double insertNs = PersistencyTargets.insertNs("CWL", 1).orElseThrow();
    List<Series> series = new ArrayList<>();
    for (Cell cell : cells) {
      if (!cell.queue().equals("CWL")
          || cell.threads() != 1
          || !PersistencyValues.base(cell)
          || cell.label().equals("buffered-strict")
          || cell.label().equals("bpfs")
          || cell.label().equals(PersistencyRuns.RACING)) {
        continue;
      }
      int steps = 400;
      List<Point> curve = new ArrayList<>();
      for (int i = 0; i <= steps; i++) {
        double latencyNs = 10 * Math.pow(1e4, (double) i / steps);
        double rate =
            ThroughputRule.achievableRate(insertNs, cell.path().perOperation(), latencyNs);
        curve.add(new Point(latencyNs, rate / MILLION));
      }
      boolean limited = cell.label().equals(PersistencyRuns.STRAND_LIMITED);
      String name = limited ? "strand, 26 stores per persist" : cell.label();
      series.add(
          new Series(name, curve, color(cell.label()), limited ? Dash.DASHED : Dash.SOLID, false));
    }
    double flat = 1e3 / insertNs;
    Points paper =
        new Points(
            "paper's break-evens: 17 ns, 119 ns, 6 µs",
            List.of(new Point(17, flat), new Point(119, flat), new Point(6000, flat)),
            PAPER_COLOR);
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i <= 5; i++) {
      ticks.add(new Tick(i, Integer.toString(i)));
    }
    return new Chart(
        String.format(
            Locale.ROOT,
            "Figure 3: persist latency; CWL, 1 thread, %.0f ns per insert, 8-byte granularity",
            insertNs),
        new Axis(
            "persist latency",
            10,
            100_000,
            true,
            List.of(
                new Tick(10, "10 ns"),
                new Tick(100, "100 ns"),
                new Tick(1000, "1 µs"),
                new Tick(10_000, "10 µs"),
                new Tick(100_000, "100 µs"))),
        new Axis("million inserts per second", 0, 5, false, ticks),
        series,
        List.of(paper));
  }

  /** Whether a cell belongs to Figure 4 or 5. */
  static boolean isSweep(Cell cell) {
    return cell.queue().equals("CWL")
        && cell.threads() == 1
        && !cell.label().equals(PersistencyRuns.RACING)
        && cell.path().options().maxStoresPerPersist() == 0;
  }

  private static Chart sweep(
      List<Cell> cells,
      String title,
      String label,
      ToIntFunction<AnalysisOptions> swept,
      ToIntFunction<AnalysisOptions> fixed) {
    Map<String, TreeMap<Integer, Double>> rows = new TreeMap<>();
    for (Cell cell : cells) {
      boolean drawn =
          cell.label().equals("strict") || cell.label().equals("epoch") || isOwn(cell.label());
      AnalysisOptions options = cell.path().options();
      if (drawn && isSweep(cell) && fixed.applyAsInt(options) == 8) {
        rows.computeIfAbsent(cell.label(), _ -> new TreeMap<>())
            .put(swept.applyAsInt(options), cell.path().perOperation());
      }
    }
    List<Series> series = new ArrayList<>();
    List<Tick> sizes = new ArrayList<>();
    for (int bytes = 8; bytes <= 256; bytes *= 2) {
      sizes.add(new Tick(bytes, Integer.toString(bytes)));
    }
    rows.forEach(
        (model, row) ->
            series.add(
                new Series(
                    model,
                    row.entrySet().stream()
                        .map(entry -> new Point(entry.getKey(), entry.getValue()))
                        .toList(),
                    color(model),
                    Dash.SOLID,
                    true)));
    List<Tick> levels = new ArrayList<>();
    for (int i = 0; i <= 16; i += 2) {
      levels.add(new Tick(i, Integer.toString(i)));
    }
    return new Chart(
        title,
        new Axis(label, 7, 290, true, sizes),
        new Axis("critical path per insert (levels)", 0, 16, false, levels),
        series,
        List.of());
  }

  /** A model that came with the model path. */
  private static boolean isOwn(String label) {
    return Models.all().stream().noneMatch(model -> model.name().equals(label))
        && !label.equals(PersistencyRuns.RACING)
        && !label.equals(PersistencyRuns.STRAND_LIMITED);
  }

  private static String color(String model) {
    return COLORS.getOrDefault(model, OTHER_COLOR);
  }

  private static void figure2(
      Path folder, String name, QueueSpec spec, int threads, int inserts, String title)
      throws IOException {
    QueueSpec queue = spec.withEntryLength(DRAWN_ENTRY_LENGTH);
    TraceBuffer trace = QueueOrder.trace(queue, threads, inserts);
    OrderDiagram diagram = new OrderDiagram("Figure 2: " + title, QueueOrder.classify(trace));
    PlotFiles.write(folder, name, diagram.width(), diagram.height(), diagram::draw);
    Files.writeString(
        folder.resolve(name + "-classes.dot"), DagExport.toDot(QueueOrder.classify(trace)));
    for (var model : List.of(Models.STRICT, Models.EPOCH, Models.STRAND)) {
      var dag = PersistDagBuilder.of(trace, model);
      Files.writeString(folder.resolve(name + "-" + model.name() + ".dot"), DagExport.toDot(dag));
      Files.writeString(
          folder.resolve(name + "-" + model.name() + ".graphml"), DagExport.toGraphMl(dag));
    }
  }
}
