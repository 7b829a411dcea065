package io.howdah.nvmsim.study.loc;

import static io.howdah.nvmsim.study.loc.LocCells.paper;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;
import io.howdah.plot.BarChart;
import io.howdah.plot.BarChart.Bars;
import io.howdah.plot.BarChart.Mark;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws Figures 6 to 9 and the write traffic, each as SVG and PNG, for every variation. */
final class LocPlots {
  private static final String MEAN = "mean of six";
  private static final String PAPER = "paper's mean";
  private static final String AXIS = "throughput over Base";
  private static final Map<Protocol, String> COLORS =
      Map.of(
          Protocol.BASE, "#5d6d7e",
          Protocol.S_WAL, "#c0392b",
          Protocol.H_WAL, "#e08e4b",
          Protocol.EC_WAL, "#b7950b",
          Protocol.LOC_WAL, "#2471a3",
          Protocol.KILN, "#7d3c98",
          Protocol.LOC_KILN, "#1e8449");
  private static final String[] SHADES = {
    "#d6eaf8", "#aed6f1", "#85c1e9", "#5499c7", "#2471a3", "#154360"
  };

  private final Path folder;
  private final LocCells cells;
  private final LocVariant variant;

  private LocPlots(Path folder, LocCells cells, LocVariant variant) {
    this.folder = folder;
    this.cells = cells;
    this.variant = variant;
  }

  static void write(Path folder, LocCells cells, List<LocVariant> variants) throws IOException {
    for (LocVariant variant : variants) {
      LocPlots figures = new LocPlots(folder, cells, variant);
      figures.throughput(
          "figure6",
          "Figure 6: transaction protocols",
          List.of(
              paper(Protocol.S_WAL),
              paper(Protocol.H_WAL),
              paper(Protocol.LOC_WAL),
              paper(Protocol.KILN),
              paper(Protocol.LOC_KILN)));
      figures.throughput(
          "figure7",
          "Figure 7: Eager Commit",
          List.of(paper(Protocol.H_WAL), paper(Protocol.EC_WAL)));
      List<Setting> degrees = new ArrayList<>();
      LocRuns.DEGREES.forEach(degree -> degrees.add(Setting.paper(Protocol.LOC_WAL, degree)));
      figures.throughput("figure8", "Figure 8: LOC-WAL with speculation degrees 1 to 32", degrees);
      figures.latencies();
      figures.traffic();
    }
  }

  private String title(String title) {
    return title(title, " of " + LocMachine.HEADLINE.latencyNs() + " ns");
  }

  private String title(String title, String latency) {
    return String.format(
        Locale.ROOT,
        "%s\n"
            + "%d banks%s, windows of %d unless said, %d %s per transaction, %d KB of data,"
            + " caches x %s%s",
        title,
        variant.banks(),
        latency,
        LocMachine.HEADLINE.degree(),
        variant.operations(),
        variant.operations() == 1 ? "operation" : "operations",
        (WorkloadKind.FOOTPRINT_BYTES >> 10) * variant.footprintScale(),
        variant.cachePercent() / 100.0,
        variant.homeOverlap() ? ", home writes beside the next window" : "");
  }

  private String file(String name) {
    return variant.equals(LocVariant.HEADLINE)
        ? name
        : name + "-" + variant.name().replace(" ", "").replace(",", "-");
  }

  private List<String> groups() {
    List<String> groups = new ArrayList<>();
    cells.workloads().forEach(kind -> groups.add(kind.text()));
    groups.add(MEAN);
    return groups;
  }

  private List<Double> bars(Setting setting) {
    List<Double> values = new ArrayList<>();
    for (WorkloadKind workload : cells.workloads()) {
      values.add(cells.value(workload, variant, setting));
    }
    values.add(cells.mean(variant, setting));
    return values;
  }

  private void throughput(String name, String title, List<Setting> settings) throws IOException {
    List<Bars> series = new ArrayList<>();
    List<Mark> marks = new ArrayList<>();
    for (Setting setting : settings) {
      boolean degrees = settings.size() == LocRuns.DEGREES.size();
      String label = degrees ? "SD " + setting.degree() : setting.protocol().text();
      int place = series.size();
      String color = degrees ? SHADES[place] : COLORS.getOrDefault(setting.protocol(), SHADES[0]);
      series.add(new Bars(label, color, bars(setting)));
      LocTargets.mean(setting.protocol().text(), setting.degree())
          .ifPresent(
              mean ->
                  marks.add(
                      new Mark(cells.workloads().size(), place, mean.normalizedThroughput())));
    }
    draw(name, new BarChart(title(title), AXIS, 1, groups(), series, PAPER, marks));
  }

  /** As in the paper: H-WAL below, what LOC-WAL adds above it in grey. */
  private void latencies() throws IOException {
    List<Bars> series = new ArrayList<>();
    List<String> slower = new ArrayList<>();
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      List<Double> h = bars(paper(Protocol.H_WAL).withMemory(memory));
      List<Double> loc = bars(paper(Protocol.LOC_WAL).withMemory(memory));
      List<Double> gain = new ArrayList<>();
      for (int i = 0; i < h.size(); i++) {
        if (loc.get(i) < h.get(i)) {
          slower.add(groups().get(i) + " at " + latencyNs + " ns");
        }
        gain.add(Math.max(0, loc.get(i) - h.get(i)));
      }
      series.add(new Bars("H-WAL, " + latencyNs + " ns", SHADES[series.size() + 2], h, gain));
    }
    draw(
        "figure9",
        new BarChart(
            title(
                "Figure 9: H-WAL, and what LOC-WAL adds, by memory latency"
                    + (slower.isEmpty() ? "" : "; LOC-WAL is slower for " + slower),
                ""),
            AXIS,
            1,
            groups(),
            series,
            PAPER,
            List.of(),
            List.of("what LOC-WAL adds")));
  }

  private void traffic() throws IOException {
    List<Bars> series = new ArrayList<>();
    double top = 1;
    for (Protocol protocol : Protocol.values()) {
      Setting setting = paper(protocol);
      List<Double> values = new ArrayList<>();
      for (WorkloadKind workload : cells.workloads()) {
        double lines = cells.linesPerTransaction(workload, variant, setting);
        values.add(lines);
        top = Math.max(top, lines);
      }
      values.add(cells.linesPerTransaction(variant, setting));
      series.add(new Bars(protocol.text(), COLORS.getOrDefault(protocol, SHADES[0]), values));
    }
    draw(
        "traffic",
        new BarChart(
            title("Lines written to memory"),
            "lines per transaction",
            Math.ceil(top / 5) * 5,
            groups(),
            series,
            PAPER,
            List.of()));
  }

  private void draw(String name, BarChart chart) throws IOException {
    PlotFiles.write(folder, file(name), chart);
  }
}
