package io.howdah.lab.bench;

import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerWorkload;
import io.howdah.plot.BarChart;
import io.howdah.plot.BarChart.Bars;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Draws each store's rate over Howdah's sorted map, by workload; ceilings as outlines. */
final class PeersPlot {

  /** Higher bars are cut and labelled with their value. */
  private static final double TOP = 5;

  /** From here on labels of bars are whole numbers. */
  private static final double WHOLE = 10;

  private static final List<String> CEILING_COLORS = List.of("#b8860b", "#333333", "#808080");
  private static final List<String> COLORS =
      List.of(
          "#1f77b4", "#aec7e8", "#ff7f0e", "#8c564b", "#2ca02c", "#d62728", "#9467bd", "#e377c2");

  private PeersPlot() {}

  /** Draws what {@code howdah bench peers} has found. */
  static BarChart of(PeersResult found) {
    Map<String, String> groups = groups(found);
    List<Bars> series = new ArrayList<>();
    int ceilings = 0;
    for (PeerKind kind : found.kinds()) {
      List<Double> heights = groups.keySet().stream().map(name -> over(found, kind, name)).toList();
      String name = kind == PeerKind.HOWDAH ? "Howdah, sorted map" : kind.text();
      series.add(
          kind.isCeiling()
              ? Bars.outlined(name, CEILING_COLORS.get(ceilings++ % CEILING_COLORS.size()), heights)
              : new Bars(name, COLORS.get(series.size() % COLORS.size()), heights));
    }
    return new BarChart(
        ("Rates over those of Howdah's sorted map\n"
                + "%,d entries of %d bytes, %s unless named; what a commit survives differs: see"
                + " the table. Outlined: no transactions, not compared\n%s")
            .formatted(
                found.number("entries"),
                found.number("valueBytes"),
                PeersResult.threads(found.number("threads")),
                found.file().origin()),
        "rate over Howdah's sorted map",
        TOP,
        List.copyOf(groups.values()),
        series,
        "",
        List.of(),
        List.of());
  }

  /** Returns the operations as the findings name them, with their names in the chart. */
  private static Map<String, String> groups(PeersResult found) {
    Map<String, String> groups = new LinkedHashMap<>();
    groups.put("LOAD", "load");
    groups.put(PeerWorkload.GET.name(), "get");
    groups.put(PeerWorkload.SCAN.name(), "scan");
    groups.put(PeerWorkload.PUT.name(), "put");
    groups.put(PeerWorkload.PUT_8.name(), "8 puts");
    groups.put(PeerWorkload.MIXED_50.name(), "50/50");
    groups.put(PeerWorkload.MIXED_95.name(), "95/5");
    for (int threads : found.syncThreads()) {
      groups.put(PeerFindings.sync(threads), "sync, " + PeersResult.threads(threads));
    }
    return groups;
  }

  /** Returns NaN if one of both was not measured. */
  private static double over(PeersResult found, PeerKind kind, String name) {
    double over = found.rate(kind, name) / found.rate(PeerKind.HOWDAH, name);
    if (Double.isNaN(over) || over <= TOP) {
      return over;
    }
    return over >= WHOLE ? Math.rint(over) : Math.rint(over * 100) / 100;
  }
}
