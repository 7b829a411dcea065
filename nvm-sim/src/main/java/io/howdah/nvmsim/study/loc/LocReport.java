package io.howdah.nvmsim.study.loc;

import static io.howdah.nvmsim.study.loc.LocCells.paper;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.study.report.Discrepancy;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.timing.DeviceTiming;
import io.howdah.nvmsim.workload.WorkloadKind;
import java.util.List;
import java.util.Locale;

/** Prints the study for a person. */
final class LocReport {
  private final LocCells cells;
  private final List<LocVariant> variants;
  private final StudyReport report;

  LocReport(LocCells cells, List<LocVariant> variants, StudyReport report) {
    this.cells = cells;
    this.variants = variants;
    this.report = report;
  }

  void figures() {
    report.title("Throughput over Base (Figures 6 to 8; paper: only means are published)");
    StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "%-14s", "protocol"));
    cells.workloads().forEach(kind -> head.append(String.format(Locale.ROOT, "%8s", kind.text())));
    report.line("%s%8s%8s", head, "mean", "paper");
    for (Protocol protocol : Protocol.values()) {
      if (protocol != Protocol.BASE && protocol != Protocol.LOC_WAL) {
        row(protocol.text(), paper(protocol));
      }
      if (protocol == Protocol.LOC_WAL) {
        for (int degree : LocRuns.DEGREES) {
          row("LOC-WAL, SD " + degree, Setting.paper(protocol, degree));
        }
      }
    }
    report.line(
        "The mean is over the paper's six workloads; tpcb is ours. What the paper does not name");
    report.line("and we chose:");
    report.line(
        "  operations per transaction   %d     by H-WAL's mean alone", LocVariant.OPERATIONS);
    report.line(
        "  memory banks                 %d    by all published means", DeviceTiming.LOC_BANKS);
    report.line("  data                         768 KB, which fits the last level of 1 MB");
    report.line(
        "  last level's port            12 ns per flushed line, and the caches' other times");
    report.line("  home writes                  waited for at the end of each window");
  }

  private void row(String name, Setting setting) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-14s", name));
    for (WorkloadKind workload : cells.workloads()) {
      row.append(
          String.format(Locale.ROOT, "%8.3f", cells.value(workload, LocVariant.HEADLINE, setting)));
    }
    String published =
        LocTargets.mean(setting.protocol().text(), setting.degree())
            .map(mean -> String.format(Locale.ROOT, "%.3f", mean.normalizedThroughput()))
            .orElse("-");
    report.line("%s%8.3f%8s", row, cells.mean(LocVariant.HEADLINE, setting), published);
  }

  void ratios() {
    report.title("What the text derives from the figures");
    double h = cells.mean(LocVariant.HEADLINE, paper(Protocol.H_WAL));
    double ec = cells.mean(LocVariant.HEADLINE, paper(Protocol.EC_WAL));
    double first = cells.mean(LocVariant.HEADLINE, Setting.paper(Protocol.LOC_WAL, 1));
    double last = cells.mean(LocVariant.HEADLINE, Setting.paper(Protocol.LOC_WAL, 32));
    report.line("EC-WAL over H-WAL           %+6.1f %%   paper  +6.4 %%", (ec / h - 1) * 100);
    report.line("LOC-WAL, SD 32 over SD 1    %+6.1f %%   paper +95.5 %%", (last / first - 1) * 100);
    double worst = 0;
    String where = "";
    for (Protocol protocol : List.of(Protocol.S_WAL, Protocol.H_WAL)) {
      for (WorkloadKind workload : cells.workloads()) {
        double slowdown = 1 / cells.value(workload, LocVariant.HEADLINE, paper(protocol));
        if (slowdown > worst) {
          worst = slowdown;
          where = protocol.text() + ", " + workload.text();
        }
      }
    }
    report.line(
        "worst slowdown by strict ordering: %.1f times (%s); paper: up to %.0f times",
        worst, where, LocTargets.WORST_SLOWDOWN);
  }

  void latencies() {
    report.title("Figure 9: mean over Base at other memory latencies");
    for (int latencyNs : LocRuns.LATENCIES_NS) {
      DeviceTiming memory = DeviceTiming.fixed(latencyNs);
      StringBuilder row = new StringBuilder();
      for (Protocol protocol : LocRuns.protocolsAtEveryLatency(LocVariant.HEADLINE)) {
        if (protocol != Protocol.BASE) {
          double mean = cells.mean(LocVariant.HEADLINE, paper(protocol).withMemory(memory));
          row.append(String.format(Locale.ROOT, "   %s %.3f", protocol.text(), mean));
        }
      }
      double h = cells.mean(LocVariant.HEADLINE, paper(Protocol.H_WAL).withMemory(memory));
      double loc = cells.mean(LocVariant.HEADLINE, paper(Protocol.LOC_WAL).withMemory(memory));
      report.line("%4d ns%s   LOC-WAL over H-WAL %.2f", latencyNs, row, loc / h);
    }
  }

  void devices(List<DeviceTiming> devices) {
    if (devices.isEmpty()) {
      return;
    }
    report.title("Other memory devices, beyond the paper: mean over Base on the same device");
    for (DeviceTiming device : devices) {
      double h = cells.mean(LocVariant.HEADLINE, paper(Protocol.H_WAL).withMemory(device));
      double loc = cells.mean(LocVariant.HEADLINE, paper(Protocol.LOC_WAL).withMemory(device));
      report.line(
          "%-11s H-WAL %.3f   LOC-WAL %.3f   LOC-WAL over H-WAL %.2f",
          device.name(), h, loc, loc / h);
    }
  }

  void costs() {
    report.title("What the paper leaves open");
    double free = cells.mean(LocVariant.HEADLINE, paper(Protocol.S_WAL));
    double slow =
        cells.mean(
            LocVariant.HEADLINE,
            paper(Protocol.S_WAL).withSoftwareWaitNs(LocRuns.SOFTWARE_WAIT_NS));
    report.line(
        "S-WAL, mean: %.3f; with the %d ns of clflush and mfence the paper quotes (II-C): %.3f",
        free, LocRuns.SOFTWARE_WAIT_NS, slow);
    for (Protocol protocol : List.of(Protocol.H_WAL, Protocol.EC_WAL, Protocol.LOC_WAL)) {
      report.line(
          "%-8s block groups atomic (as published): %.3f; only 8-byte words atomic: %.3f",
          protocol.text(),
          cells.mean(LocVariant.HEADLINE, paper(protocol)),
          cells.mean(LocVariant.HEADLINE, paper(protocol).withAtomicGroups(false)));
    }
    report.line("Without atomic groups META waits for its blocks, as a commit record does.");
  }

  /** What banks and operations were chosen from, and by which rule. */
  void calibration() {
    report.title("Choice of banks and operations per transaction: means over Base, 168 ns");
    report.line(
        "%-16s%8s%8s%8s%8s%8s%8s%9s%14s",
        "", "S-WAL", "H-WAL", "EC-WAL", "SD 16", "SD 32", "Kiln", "LOC-Kiln", "off published");
    for (LocVariant variant : LocRuns.calibration()) {
      report.line(
          "%-16s%8.3f%8.3f%8.3f%8.3f%8.3f%8.3f%9.3f%14.3f",
          variant.name(),
          cells.mean(variant, paper(Protocol.S_WAL)),
          cells.mean(variant, paper(Protocol.H_WAL)),
          cells.mean(variant, paper(Protocol.EC_WAL)),
          cells.mean(variant, paper(Protocol.LOC_WAL)),
          cells.mean(variant, Setting.paper(Protocol.LOC_WAL, 32)),
          cells.mean(variant, paper(Protocol.KILN)),
          cells.mean(variant, paper(Protocol.LOC_KILN)),
          offPublished(variant));
    }
    report.line(
        "Operations: for each number of banks, those whose H-WAL is nearest to the published %.3f.",
        LocTargets.H_WAL_MEAN);
    report.line(
        "Banks: of these three, the one least off all %d published means (root of the mean square).",
        LocTargets.means().size());
  }

  private double offPublished(LocVariant variant) {
    return Math.sqrt(
        LocTargets.means().stream()
            .mapToDouble(
                target ->
                    cells.mean(
                            variant, Setting.paper(Protocol.of(target.protocol()), target.degree()))
                        - target.normalizedThroughput())
            .map(off -> off * off)
            .average()
            .orElseThrow());
  }

  void traffic() {
    report.title("Lines written to memory per transaction");
    Setting hardware = paper(Protocol.H_WAL);
    for (Protocol protocol : Protocol.values()) {
      Setting setting = paper(protocol);
      String beyond =
          protocol == Protocol.BASE
              ? ""
              : String.format(
                  Locale.ROOT,
                  "%+8.1f %% over the data written twice",
                  100 * cells.overDataTwice(LocVariant.HEADLINE, setting, hardware));
      report.line(
          "%-10s %6.2f %s",
          protocol.text(), cells.linesPerTransaction(LocVariant.HEADLINE, setting), beyond);
    }
    report.line(
        "The data are the lines that H-WAL's transactions change. LOC-WAL writes fewer of them; over");
    Setting loc = paper(Protocol.LOC_WAL);
    report.line(
        "its own data written twice it has %+.1f %%. The journal version's abstract has %+.1f %% for",
        100 * cells.overDataTwice(LocVariant.HEADLINE, loc, loc), 100 * LocTargets.H_WAL_TRAFFIC);
    report.line(
        "H-WAL and %+.1f %% for LOC-WAL, and does not say over what.",
        100 * LocTargets.LOC_TRAFFIC);
    report.line(
        "LOC-WAL over H-WAL: %.2f; paper %.2f",
        cells.linesPerTransaction(LocVariant.HEADLINE, loc)
            / cells.linesPerTransaction(LocVariant.HEADLINE, hardware),
        (1 + LocTargets.LOC_TRAFFIC) / (1 + LocTargets.H_WAL_TRAFFIC));
  }

  void sensitivity() {
    report.title("Sensitivity: means with other caches, banks, transaction sizes, data and waits");
    report.line(
        "%-16s%8s%8s%8s%8s%8s%8s%8s%9s   %s",
        "",
        "S-WAL",
        "H-WAL",
        "EC-WAL",
        "SD 1",
        "SD 16",
        "SD 32",
        "Kiln",
        "LOC-Kiln",
        "LOC/H at 35, 95, 168, 1000 ns");
    for (LocVariant variant : variants) {
      StringBuilder ratios = new StringBuilder();
      for (int latencyNs : LocRuns.LATENCIES_NS) {
        DeviceTiming memory = DeviceTiming.fixed(latencyNs);
        ratios.append(
            String.format(
                Locale.ROOT,
                " %5.2f",
                cells.mean(variant, paper(Protocol.LOC_WAL).withMemory(memory))
                    / cells.mean(variant, paper(Protocol.H_WAL).withMemory(memory))));
      }
      report.line(
          "%-16s%8.3f%8.3f%8.3f%8.3f%8.3f%8.3f%8.3f%9.3f   %s",
          variant.name(),
          cells.mean(variant, paper(Protocol.S_WAL)),
          cells.mean(variant, paper(Protocol.H_WAL)),
          cells.mean(variant, paper(Protocol.EC_WAL)),
          cells.mean(variant, Setting.paper(Protocol.LOC_WAL, 1)),
          cells.mean(variant, paper(Protocol.LOC_WAL)),
          cells.mean(variant, Setting.paper(Protocol.LOC_WAL, 32)),
          cells.mean(variant, paper(Protocol.KILN)),
          cells.mean(variant, paper(Protocol.LOC_KILN)),
          ratios);
    }
  }

  void gates(LocGates gates) {
    report.title("Outside the range we hold it to, and orders that other sizes do not keep");
    if (gates.misses().isEmpty()) {
      report.line("none");
    }
    gates.misses().forEach(miss -> report.line("%s", miss));
    report.discrepancies(Discrepancy.looseOrdering());
  }
}
