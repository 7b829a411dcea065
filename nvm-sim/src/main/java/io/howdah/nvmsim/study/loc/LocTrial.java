package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Setting;
import io.howdah.nvmsim.loc.TraceRun;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.workload.AccessTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
  private final Map<String, Map<Protocol, TraceRun>> results = new LinkedHashMap<>();

  /**
   * @param load what runs, for the report's first line
   */
  public LocTrial(LocMachine machine, String load) {
    this.machine = machine;
    this.load = load;
  }

  /** Runs one trace under all protocols. */
  public void run(String name, AccessTrace trace) {
    Map<Protocol, TraceRun> runs = new LinkedHashMap<>();
    for (Protocol protocol : Protocol.values()) {
      runs.put(protocol, machine.setting(protocol).run(trace));
    }
    results.put(name, runs);
  }

  /** What all traces so far gave; its file is {@code loc-trial.csv}. */
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
                  double overBase = result.throughput() / result(name, Protocol.BASE).throughput();
                  double lines = (double) result.traffic().written() / result.transactions();
                  add(report, name, protocol, overBase, lines);
                  report.line(
                      "%-14s%14s%10.3f%8.2f%8.2f",
                      name,
                      protocol.text(),
                      overBase,
                      lines,
                      (double) result.traffic().waits() / result.transactions());
                  csv.append(row(name, protocol, result, overBase, lines));
                }));
    return report.outcome(folder -> write(folder, csv));
  }

  private TraceRun result(String name, Protocol protocol) {
    TraceRun result = results.getOrDefault(name, Map.of()).get(protocol);
    if (result == null) {
      throw new IllegalStateException("not run: " + name + ", " + protocol);
    }
    return result;
  }

  private void add(
      StudyReport report, String name, Protocol protocol, double overBase, double lines) {
    Map<String, Object> params = new TreeMap<>(machine.params());
    params.put("workload", name);
    params.put("protocol", protocol.text());
    params.put("speculationDegree", machine.setting(protocol).degree());
    report.add(StudyValue.single("loc.normalizedThroughput", "ratio", overBase, params));
    report.add(StudyValue.single("loc.linesPerTransaction", "lines", lines, params));
  }

  private String row(
      String name, Protocol protocol, TraceRun result, double overBase, double lines) {
    Setting setting = machine.setting(protocol);
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%d,%d,%d,%d,%d,%.6f,%.4f%n",
        name,
        protocol.text(),
        setting.degree(),
        setting.memory().banks(),
        setting.memory().readNs(),
        setting.cachePercent(),
        result.transactions(),
        result.timePs(),
        overBase,
        lines);
  }

  private static void write(Path folder, StringBuilder csv) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("loc-trial.csv"), csv);
  }
}
