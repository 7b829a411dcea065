package io.howdah.cli.sim;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.loc.Protocol;
import io.howdah.nvmsim.loc.Setting;
import io.howdah.nvmsim.loc.TraceRun;
import io.howdah.nvmsim.workload.AccessTrace;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Every protocol on a machine and on transactions that the user chose: nothing is compared with the
 * paper, and nothing is gated.
 */
final class LocTrial {
  private final LocMachine machine;
  private final MetricsRun run;
  private final PrintWriter out;
  private final Map<String, Map<Protocol, TraceRun>> results = new LinkedHashMap<>();

  LocTrial(LocMachine machine, MetricsRun run, PrintWriter out) {
    this.machine = machine;
    this.run = run;
    this.out = out;
  }

  /** Runs one trace under all protocols. */
  void run(String name, AccessTrace trace) {
    Map<Protocol, TraceRun> runs = new LinkedHashMap<>();
    for (Protocol protocol : Protocol.values()) {
      Setting setting = machine.setting(protocol);
      runs.put(protocol, setting.run(trace));
    }
    results.put(name, runs);
    runs.forEach(
        (protocol, result) -> {
          Map<String, Object> params = new TreeMap<>(machine.params());
          params.put("workload", name);
          params.put("protocol", protocol.text());
          params.put("speculationDegree", machine.setting(protocol).degree());
          run.add(
              Metric.single("loc.normalizedThroughput", "ratio", overBase(name, protocol), params));
          run.add(Metric.single("loc.linesPerTransaction", "lines", lines(name, protocol), params));
        });
  }

  private TraceRun result(String name, Protocol protocol) {
    TraceRun result = results.getOrDefault(name, Map.of()).get(protocol);
    if (result == null) {
      throw new IllegalStateException("not run: " + name + ", " + protocol);
    }
    return result;
  }

  private double overBase(String name, Protocol protocol) {
    return result(name, protocol).throughput() / result(name, Protocol.BASE).throughput();
  }

  private double lines(String name, Protocol protocol) {
    TraceRun result = result(name, protocol);
    return (double) result.traffic().written() / result.transactions();
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be one more dependency
  private void line(String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
  }

  void print() {
    line("Machine: %s", machine.describe());
    line("Throughput over Base, and lines written to memory per transaction");
    line("%-14s%14s%10s%8s%8s", "workload", "protocol", "over Base", "lines", "waits");
    results.forEach(
        (name, runs) ->
            runs.forEach(
                (protocol, result) ->
                    line(
                        "%-14s%14s%10.3f%8.2f%8.2f",
                        name,
                        protocol.text(),
                        overBase(name, protocol),
                        lines(name, protocol),
                        (double) result.traffic().waits() / result.transactions())));
  }

  void writeCsv(Path folder) throws IOException {
    StringBuilder csv =
        new StringBuilder(
            "workload,protocol,speculationDegree,banks,latencyNanos,cachePercent,transactions,timePs,overBase,linesPerTransaction\n");
    results.forEach(
        (name, runs) ->
            runs.forEach(
                (protocol, result) -> {
                  Setting setting = machine.setting(protocol);
                  csv.append(
                      String.format(
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
                          overBase(name, protocol),
                          lines(name, protocol)));
                }));
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("loc-trial.csv"), csv);
  }
}
