package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.CoreConfig;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.ProtocolProvider;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.workload.AccessTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Every protocol on a machine and on transactions of the user's choice. Nothing is compared with
 * the paper, and nothing is gated. For one thread.
 */
public final class LocTrial {
  private final LocMachine machine;
  private final String load;
  private final List<ProtocolProvider> own;
  private final Map<String, Map<String, TraceRun>> results = new LinkedHashMap<>();

  /**
   * @param load what runs, for the report's first line
   * @param own protocols to run beside the paper's
   */
  public LocTrial(LocMachine machine, String load, List<ProtocolProvider> own) {
    this.machine = machine;
    this.load = load;
    this.own = List.copyOf(own);
  }

  /** Runs one trace under all protocols. */
  public void run(String name, AccessTrace trace) {
    Map<String, TraceRun> runs = new LinkedHashMap<>();
    for (Protocol protocol : Protocol.values()) {
      runs.put(protocol.text(), machine.setting(protocol).run(trace));
    }
    CoreConfig config = machine.setting(Protocol.BASE).config(trace.lines());
    for (ProtocolProvider provider : own) {
      if (runs.containsKey(provider.name())) {
        throw new IllegalArgumentException("two protocols have the name " + provider.name());
      }
      runs.put(
          provider.name(), TraceRun.of(trace, provider.create(config, machine.degree(), null)));
    }
    results.put(name, runs);
  }

  /**
   * What all traces so far gave, and power cuts of the own protocols that recover; a cut after
   * which the data is not a prefix of the transactions is a violation. Its file is {@code
   * loc-trial.csv}.
   */
  public StudyOutcome outcome() {
    StudyReport report = new StudyReport();
    report.line("Machine: %s, %s", machine.describe(), load);
    report.line("Throughput over Base, and lines written to memory per transaction");
    report.line("%-14s%14s%10s%8s%8s", "workload", "protocol", "over Base", "lines", "waits");
    StringBuilder csv =
        new StringBuilder(
            "workload,protocol,speculationDegree,banks,latencyNanos,cachePercent,transactions,timePs,overBase,linesPerTransaction\n");
    results.forEach(
        (name, runs) ->
            runs.forEach(
                (protocol, result) -> {
                  double overBase =
                      result.throughput() / result(name, Protocol.BASE.text()).throughput();
                  double lines = (double) result.traffic().written() / result.transactions();
                  add(report, name, protocol, overBase, lines);
                  report.line(
                      "%-14s%14s%10.3f%8.2f%8.2f",
                      name,
                      protocol,
                      overBase,
                      lines,
                      (double) result.traffic().waits() / result.transactions());
                  csv.append(row(name, protocol, result, overBase, lines));
                }));
    own.forEach(provider -> LocPowerCuts.own(provider, machine.degree(), report));
    return report.outcome(folder -> write(folder, csv));
  }

  private TraceRun result(String name, String protocol) {
    TraceRun result = results.getOrDefault(name, Map.of()).get(protocol);
    if (result == null) {
      throw new IllegalStateException("not run: " + name + ", " + protocol);
    }
    return result;
  }

  private void add(
      StudyReport report, String name, String protocol, double overBase, double lines) {
    Map<String, Object> params = new TreeMap<>(machine.params());
    params.put("workload", name);
    params.put("protocol", protocol);
    params.put("speculationDegree", degree(protocol));
    report.add(StudyValue.single("loc.normalizedThroughput", "ratio", overBase, params));
    report.add(StudyValue.single("loc.linesPerTransaction", "lines", lines, params));
  }

  private String row(String name, String protocol, TraceRun result, double overBase, double lines) {
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%d,%d,%d,%d,%d,%.6f,%.4f%n",
        name,
        protocol,
        degree(protocol),
        machine.banks(),
        machine.latencyNs(),
        machine.cachePercent(),
        result.transactions(),
        result.timePs(),
        overBase,
        lines);
  }

  /** A protocol of the user is told the degree, and may not need it. */
  private int degree(String protocol) {
    for (Protocol one : Protocol.values()) {
      if (one.text().equals(protocol)) {
        return machine.setting(one).degree();
      }
    }
    return machine.degree();
  }

  private static void write(Path folder, StringBuilder csv) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("loc-trial.csv"), csv);
  }
}
