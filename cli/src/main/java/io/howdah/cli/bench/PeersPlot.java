package io.howdah.cli.bench;

import io.howdah.jmh.peers.PeerAnswer;
import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerWorkload;
import io.howdah.jmh.peers.PeersPlan;
import io.howdah.jmh.peers.PeersStudy;
import io.howdah.nvmsim.plot.BarChart;
import io.howdah.nvmsim.plot.BarChart.Bars;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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

  static BarChart of(PeersPlan plan, PeersStudy.Result found) {
    Map<String, String> groups = new TreeMap<>();
    List<String> names = new ArrayList<>(List.of("LOAD"));
    groups.put("LOAD", "load");
    for (PeerWorkload workload : PeerWorkload.values()) {
      names.add(workload.name());
    }
    for (int each : plan.syncThreads()) {
      names.add(PeerFindings.sync(each));
    }
    groups.put(PeerWorkload.GET.name(), "get");
    groups.put(PeerWorkload.SCAN.name(), "scan");
    groups.put(PeerWorkload.PUT.name(), "put");
    groups.put(PeerWorkload.PUT_8.name(), "8 puts");
    groups.put(PeerWorkload.MIXED_50.name(), "50/50");
    groups.put(PeerWorkload.MIXED_95.name(), "95/5");
    for (int each : plan.syncThreads()) {
      groups.put(PeerFindings.sync(each), "sync, " + each);
    }
    List<Bars> series = new ArrayList<>();
    int ceilings = 0;
    for (PeerKind kind : plan.kinds()) {
      List<Double> heights = names.stream().map(name -> over(found, kind, name)).toList();
      series.add(
          kind.isCeiling()
              ? Bars.outlined(
                  kind.text(), CEILING_COLORS.get(ceilings++ % CEILING_COLORS.size()), heights)
              : new Bars(kind.text(), COLORS.get(series.size() % COLORS.size()), heights));
    }
    return new BarChart(
        ("Rates over those of Howdah's sorted map\n"
                + "%,d entries of %d bytes, %d thread%s; what a commit survives differs: see the"
                + " table. Outlined: no transactions, not compared")
            .formatted(
                plan.size().entries(),
                plan.size().valueBytes(),
                plan.threads(),
                plan.threads() == 1 ? "" : "s"),
        "rate over Howdah's sorted map",
        TOP,
        names.stream().map(name -> groups.getOrDefault(name, name)).toList(),
        series,
        "",
        List.of(),
        List.of());
  }

  private static double over(PeersStudy.Result found, PeerKind kind, String name) {
    double own = rate(found.peers().get(PeerKind.HOWDAH), name);
    double over = own == 0 ? 0 : rate(found.peers().get(kind), name) / own;
    return over > TOP && over >= WHOLE ? Math.rint(over) : Math.rint(over * 100) / 100;
  }

  private static double rate(@Nullable PeerFindings findings, String name) {
    if (findings == null || findings.answers(name).isEmpty()) {
      return 0;
    }
    return BenchRun.median(findings.answers(name).stream().map(PeerAnswer::perSecond).toList());
  }
}
