package io.howdah.lab.bench;

import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.jmh.ycsb.MemcachedDb;
import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** YCSB's own client, in a process of its own, with the binding to memcached's protocol. */
final class YcsbClient {

  /** A line of its report, for instance {@code [READ], AverageLatency(us), 113.2}. */
  private static final Pattern FIGURE =
      Pattern.compile("\\[([A-Z-]+)], ([A-Za-z0-9.]+)(?:\\(([^)]*)\\))?, ([0-9.E+-]+)");

  private final Screen screen;
  private final MetricsRun metrics;
  private final Path workload;
  private final List<String> properties;
  private final int threads;

  /**
   * Describes the runs.
   *
   * @param workload a file of properties as YCSB's own
   * @param properties more of them, each {@code name=value}, which win over those of the file
   */
  YcsbClient(
      Screen screen, MetricsRun metrics, Path workload, List<String> properties, int threads) {
    this.screen = screen;
    this.metrics = metrics;
    this.workload = workload;
    this.properties = List.copyOf(properties);
    this.threads = threads;
  }

  /** Loads the records, then runs the operations. */
  void run(InetSocketAddress server) throws IOException, InterruptedException {
    phase("load", server);
    phase("run", server);
  }

  private void phase(String phase, InetSocketAddress server)
      throws IOException, InterruptedException {
    screen.line("");
    screen.line("  @|bold YCSB %s|@ %s".formatted(phase, workload));
    List<String> arguments = new ArrayList<>();
    arguments.add(phase.equals("load") ? "-load" : "-t");
    arguments.addAll(List.of("-db", MemcachedDb.class.getName(), "-P", workload.toString()));
    arguments.addAll(List.of("-threads", Integer.toString(threads)));
    String host = server.getAddress().getHostAddress();
    arguments.addAll(List.of("-p", MemcachedDb.HOSTS + "=" + host + ":" + server.getPort()));
    for (String property : properties) {
      arguments.addAll(List.of("-p", property));
    }
    Process client =
        new JavaCommand(List.of(), JavaCommand.ownClassPath(), "site.ycsb.Client", arguments)
            .builder()
            .redirectErrorStream(true)
            .start();
    int figures = 0;
    try (BufferedReader lines = client.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        screen.line("  " + line.replace("@|", "@ |"));
        figures += add(phase, line) ? 1 : 0;
      }
      int code = client.waitFor();
      if (code != 0 || figures == 0) {
        throw new IOException("YCSB's client ended with exit code " + code + "; see above");
      }
    } finally {
      client.destroy();
    }
  }

  /** Adds the figure of a line if it is one, and returns whether it is. */
  private boolean add(String phase, String line) {
    Matcher figure = FIGURE.matcher(line);
    if (!figure.matches()) {
      return false;
    }
    try {
      double value = Double.parseDouble(figure.group(4));
      if (Double.isFinite(value)) {
        String unit = figure.group(3) == null ? "count" : figure.group(3);
        String name = "ycsb.client." + phase + "." + figure.group(1).toLowerCase(Locale.ROOT);
        BenchRun.addSingle(
            metrics,
            name + "." + figure.group(2),
            unit.isBlank() ? "count" : unit,
            value,
            Map.of("clientThreads", threads));
      }
      return true;
    } catch (NumberFormatException _) {
      return false; // a line of a workload's own
    }
  }
}
