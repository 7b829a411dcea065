package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.nanos;
import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.core.storage.file.MachineMemory;
import io.howdah.jmh.peers.PeerAnswer;
import io.howdah.jmh.peers.PeerFindings;
import io.howdah.jmh.peers.PeerJars;
import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerNeeds;
import io.howdah.jmh.peers.PeerSize;
import io.howdah.jmh.peers.PeerWorkload;
import io.howdah.jmh.peers.PeersPlan;
import io.howdah.jmh.peers.PeersRanking;
import io.howdah.jmh.peers.PeersStudy;
import io.howdah.plot.PlotFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench peers}: other embedded stores beside Howdah. */
@Command(
    name = "peers",
    mixinStandardHelpOptions = true,
    description =
        "Loads the same entries into Howdah and other embedded stores, each in a JVM of its own,"
            + " and runs the same workloads in turns. The tables name what a commit survives: only"
            + " stores of one class compare.%n",
    defaultValueProvider = PeersCommand.Defaults.class)
final class PeersCommand extends BenchRun {

  /** Ten JVMs and eleven workloads: shorter than other benchmarks, so that all ends in minutes. */
  static final class Defaults implements CommandLine.IDefaultValueProvider {
    private static final Map<String, String> VALUES =
        Map.of("--rounds", "5", "--round-millis", "150");

    @Override
    public @Nullable String defaultValue(CommandLine.Model.ArgSpec argument) {
      return argument instanceof CommandLine.Model.OptionSpec option
          ? VALUES.get(option.longestName())
          : null;
    }
  }

  private static final int STORE_WIDTH = 22;
  private static final int MAX_ENTRIES = 100_000_000;
  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final int MAX_THREADS = 64;
  private static final int MIN_HEAP_MIB = 64;
  private static final int MAX_HEAP_MIB = 1 << 20;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "50000",
      description = "Entries that each store is loaded with (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--value-bytes",
      paramLabel = "N",
      defaultValue = "100",
      description = "Bytes of a value (${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--keys",
      paramLabel = "KIND",
      defaultValue = "LONG",
      description =
          "${COMPLETION-CANDIDATES}: numbers of 8 bytes or strings of 20 (${DEFAULT-VALUE}).")
  private PeerKeys keys;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Threads of the workloads (${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "1024",
      description =
          "Largest Java heap of each JVM (${DEFAULT-VALUE}); maps of the Java library get the room of"
              + " their data besides. All run at the same time: a run that may need more memory than"
              + " is free is refused. A store that needs more heap ends and is named as missing.")
  private int heapMib;

  @Option(
      names = "--sync-threads",
      paramLabel = "N,N",
      split = ",",
      defaultValue = "1,8",
      description = "Threads of synchronous commits, one setting each (${DEFAULT-VALUE}).")
  private List<Integer> syncThreads = new ArrayList<>();

  @Option(
      names = "--peer",
      paramLabel = "NAME",
      split = ",",
      description = "Only these: ${COMPLETION-CANDIDATES}.")
  private @Nullable Set<PeerKind> only;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Write the rates as a chart (SVG and PNG) into this folder.")
  private @Nullable Path out;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description =
          "Write the tables, and the sentences that follow from them, for documents, as bench draw"
              + " does of a result.")
  private @Nullable Path markdown;

  PeersCommand() {}

  @Override
  String commandName() {
    return "bench peers";
  }

  private List<PeerKind> kinds() {
    return only == null ? List.of(PeerKind.values()) : List.copyOf(EnumSet.copyOf(only));
  }

  private PeersPlan plan() {
    for (int each : syncThreads) {
      require("--sync-threads", each, 1, MAX_THREADS);
    }
    PeerSize size =
        new PeerSize(
            require("--entries", entries, 100, MAX_ENTRIES),
            require("--value-bytes", valueBytes, 1, MAX_VALUE_BYTES),
            keys);
    return PeersPlan.of(
        kinds(),
        size,
        require("--threads", threads, 1, MAX_THREADS),
        syncThreads,
        require("--heap-mib", heapMib, MIN_HEAP_MIB, MAX_HEAP_MIB),
        effort());
  }

  @Override
  long neededBytes() {
    return plan().diskBytes();
  }

  private PeerJars jars() throws IOException {
    return PeersFolder.jars()
        .orElseThrow(
            () ->
                usage(
                    "the other stores are not here: start this as ./howdah from a checkout, which"
                        + " downloads them (130 MB) and builds the module peers"));
  }

  /** Refuses a run that would make the machine swap, which would be all that is measured. */
  private void requireMemory(PeersPlan plan) {
    long needed = plan.memoryBytes();
    long there = Math.min(MachineMemory.usableBytes(), MachineMemory.availableBytes());
    if (needed > there) {
      List<String> each = new ArrayList<>();
      for (PeerKind kind : plan.kinds()) {
        long bytes = PeerNeeds.memoryBytes(kind, plan.size(), heapMib);
        each.add("%s %,d".formatted(kind, bytes >> 20));
      }
      throw usage(
          ("all stores run at the same time and may take %,d MiB of memory (%s), and this machine"
                  + " can give %,d: choose fewer of them by --peer, or smaller --heap-mib, --entries"
                  + " or --value-bytes")
              .formatted(needed >> 20, String.join(", ", each), there >> 20));
    }
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    PeersPlan plan = plan();
    requireMemory(plan);
    PeerJars jars = jars();
    metrics
        .param("heapMiB", heapMib)
        .param("entries", entries)
        .param("keys", keys.name())
        .param("valueBytes", valueBytes)
        .param("threads", threads)
        .param("batch", plan.batch());
    for (PeerKind kind : plan.kinds()) {
      kind.version(jars).ifPresent(version -> metrics.param("version." + kind, version));
    }
    if (out != null) {
      Files.createDirectories(out);
    }
    PeersStudy.Result found;
    try {
      found = PeersStudy.run(plan, folder, jars.classPath(), this);
    } finally {
      PeersStudy.clean(folder);
    }
    report(plan, jars, found, metrics);
    report(PeersRanking.of(plan, found), metrics);
    PeersResult result = new PeersResult(metrics.finish());
    if (out != null) {
      PlotFiles.write(out, "peers", PeersPlot.of(result));
    }
    if (markdown != null) {
      Files.writeString(markdown, new PeersMarkdown(result).text());
    }
  }

  private void report(PeersPlan plan, PeerJars jars, PeersStudy.Result found, MetricsRun metrics) {
    screen().line("");
    screen()
        .line(
            "  @|bold Peers:|@ %,d entries, keys %s of %d bytes, values of %d; %s; %d rounds of %d ms"
                .formatted(
                    entries,
                    keys,
                    keys.bytes(),
                    valueBytes,
                    threads(threads),
                    rounds(),
                    roundMillis()));
    List<String> versions = new ArrayList<>();
    for (PeerKind kind : plan.kinds()) {
      kind.version(jars).ifPresent(version -> versions.add(kind.text() + " " + version));
    }
    screen().line("  versions: " + String.join(", ", versions));
    operations(plan, found, metrics);
    commits(plan, found, metrics);
    space(plan, found, metrics);
    for (Map.Entry<PeerKind, String> each : found.absent().entrySet()) {
      screen().line("  @|yellow missing:|@ " + each.getValue());
    }
    found
        .peers()
        .forEach(
            (kind, findings) -> {
              if (!findings.complaint().isEmpty()) {
                screen().line("  %s said: %s".formatted(kind.text(), findings.complaint()));
              }
            });
    screen().line("");
    baselines(plan, found, metrics);
  }

  private void operations(PeersPlan plan, PeersStudy.Result found, MetricsRun metrics) {
    Table table =
        new Table()
            .text("store", STORE_WIDTH)
            .text("survives", 12)
            .figure("load", 8)
            .figure("bulk", 8)
            .figure("get", 8)
            .figure("scan 100", 8)
            .figure("put", 8)
            .figure("8 puts", 8)
            .figure("50/50", 8)
            .figure("95/5", 8);
    head("Operations per second; commits do not wait for the disk (Zipf: 50/50, 95/5)", table);
    for (PeerKind kind : plan.kinds()) {
      PeerFindings findings = findings(found, kind);
      List<String> cells = new ArrayList<>(List.of(kind.text(), kind.async().text()));
      cells.add(rateOf("LOAD", kind, findings, metrics));
      cells.add(rateOf(PeerFindings.BULK, kind, findings, metrics));
      for (PeerWorkload workload : PeerWorkload.values()) {
        cells.add(rateOf(workload.name(), kind, findings, metrics));
      }
      screen().line(table.row(cells.toArray(new String[0])));
    }
    Table processor =
        new Table()
            .text("store", STORE_WIDTH)
            .figure("load", 9)
            .figure("bulk", 9)
            .figure("get", 9)
            .figure("scan 100", 9)
            .figure("put", 9)
            .figure("8 puts", 9)
            .figure("50/50", 9)
            .figure("95/5", 9);
    head("Processor time of an operation, background threads included", processor);
    for (PeerKind kind : plan.kinds()) {
      List<String> cells = new ArrayList<>(List.of(kind.text()));
      cells.add(processorOf("LOAD", kind, found, metrics));
      cells.add(processorOf(PeerFindings.BULK, kind, found, metrics));
      for (PeerWorkload workload : PeerWorkload.values()) {
        cells.add(processorOf(workload.name(), kind, found, metrics));
      }
      screen().line(processor.row(cells.toArray(new String[0])));
    }
  }

  /** Shows Howdah beside the fastest of each operation, with the project's goals. */
  private void report(PeersRanking ranking, MetricsRun metrics) {
    Table table =
        new Table()
            .text("operation", 30)
            .figure("Howdah", 8)
            .text("fastest other", 16)
            .figure("its rate", 8)
            .figure("ratio", 6)
            .figure("range", 15)
            .figure("goal", 5);
    head("Howdah's sorted map beside the fastest store whose commits survive as much", table);
    for (PeersRanking.Row row : ranking.rows()) {
      Map<String, Object> params = new LinkedHashMap<>();
      params.put("store", row.fastest().text());
      params.put("valueBytes", valueBytes);
      params.put("threads", threads);
      String name = "peers." + row.operation().metric() + ".overFastest";
      Metric ratio = add(metrics, name, "ratio", row.ratios(), params);
      screen()
          .line(
              table.row(
                  row.operation().text(),
                  rate(row.own()),
                  row.fastest().text(),
                  rate(row.other()),
                  ratio(ratio.value()),
                  ratio(ratio.min()) + " … " + ratio(ratio.max()),
                  row.operation().goal().isPresent()
                      ? ratio(row.operation().goal().getAsDouble())
                      : ""));
    }
    screen().line("");
  }

  private void commits(PeersPlan plan, PeersStudy.Result found, MetricsRun metrics) {
    Table table = new Table().text("store", STORE_WIDTH);
    for (int each : plan.syncThreads()) {
      table.figure(threads(each), 12).figure("of raw force", 12);
    }
    table.figure("lost by kill", 12);
    head("Commits that survive a power loss, per second; async commits undone by a kill", table);
    double force = median0(found.forcesPerSecond());
    for (PeerKind kind : plan.kinds()) {
      if (kind.isInMemory()) {
        continue;
      }
      PeerFindings findings = findings(found, kind);
      List<String> cells = new ArrayList<>(List.of(kind.text()));
      for (int each : plan.syncThreads()) {
        String name = PeerFindings.sync(each);
        cells.add(rateOf(name, kind, findings, metrics));
        double rate = median0(rates(findings.answers(name)));
        cells.add(rate > 0 && force > 0 ? ratio(rate / force) : "");
      }
      OptionalDouble lost = figure(PeerFindings.LOST_BY_A_KILL, "ratio", kind, findings, metrics);
      cells.add(lost.isPresent() ? "%.1f %%".formatted(100 * lost.getAsDouble()) : "");
      screen().line(table.row(cells.toArray(new String[0])));
    }
  }

  private void space(PeersPlan plan, PeersStudy.Result found, MetricsRun metrics) {
    Table table =
        new Table()
            .text("store", STORE_WIDTH)
            .figure("heap MB", 8)
            .figure("disk/data", 9)
            .figure("written/put", 11)
            .figure("close ms", 9)
            .figure("open ms", 9)
            .figure("after kill", 10);
    head("Space; time to a first get in a new JVM, after a close and after a kill", table);
    for (PeerKind kind : plan.kinds()) {
      PeerFindings findings = findings(found, kind);
      screen()
          .line(
              table.row(
                  kind.text(),
                  text("%.1f", figure(PeerFindings.HEAP_BYTES, "B", kind, findings, metrics), 1e6),
                  text(
                      "%.1f",
                      figure(PeerFindings.DISK_OVER_DATA, "ratio", kind, findings, metrics), 1),
                  text(
                      "%.1f",
                      figure(PeerFindings.WRITE_AMPLIFICATION, "ratio", kind, findings, metrics),
                      1),
                  millis("CLOSE", kind, findings, metrics),
                  kind.isInMemory() ? "" : millis("OPEN", kind, findings, metrics),
                  kind.isInMemory() ? "" : millis("OPEN_KILLED", kind, findings, metrics)));
    }
  }

  private static String threads(int count) {
    return count == 1 ? "1 thread" : count + " threads";
  }

  private void head(String title, Table table) {
    screen().line("");
    screen().line("  " + title);
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
  }

  private static PeerFindings findings(PeersStudy.Result found, PeerKind kind) {
    PeerFindings findings = found.peers().get(kind);
    if (findings == null) {
      throw new IllegalStateException("nothing was noted of " + kind);
    }
    return findings;
  }

  private static List<Double> rates(List<PeerAnswer> answers) {
    return answers.stream().map(PeerAnswer::perSecond).toList();
  }

  /** As {@link BenchRun#median}, but 0 where nothing was measured. */
  private static double median0(List<Double> samples) {
    return samples.isEmpty() ? 0 : BenchRun.median(samples);
  }

  private String rateOf(String name, PeerKind kind, PeerFindings findings, MetricsRun metrics) {
    List<Double> samples = rates(findings.answers(name));
    if (samples.isEmpty()) {
      return "-";
    }
    PeerOperation operation = PeerOperation.of(name);
    Metric metric =
        add(
            metrics,
            "peers." + operation.metric() + ".perSec",
            "1/s",
            samples,
            operation.params(kind, threads, valueBytes));
    return rate(metric.value());
  }

  /** Over all rounds together: the system counts processor time in steps of 10 ms. */
  private String processorOf(
      String name, PeerKind kind, PeersStudy.Result found, MetricsRun metrics) {
    List<PeerAnswer> answers = findings(found, kind).answers(name);
    double operations = answers.stream().mapToDouble(PeerAnswer::operations).sum();
    if (operations == 0) {
      return "-";
    }
    double cpu = answers.stream().mapToDouble(PeerAnswer::cpuNanos).sum() / operations;
    PeerOperation operation = PeerOperation.of(name);
    addSingle(
        metrics,
        "peers." + operation.metric() + ".cpuNanos",
        "ns",
        cpu,
        operation.params(kind, threads, valueBytes));
    return nanos(cpu);
  }

  private static String millis(
      String name, PeerKind kind, PeerFindings findings, MetricsRun metrics) {
    List<Double> samples = findings.answers(name).stream().map(each -> each.nanos() / 1e6).toList();
    if (samples.isEmpty()) {
      return "-";
    }
    String step =
        switch (name) {
          case "OPEN" -> "reopenAfterClose";
          case "OPEN_KILLED" -> "reopenAfterKill";
          default -> "close";
        };
    Metric metric =
        add(metrics, "peers." + step + "Millis", "ms", samples, Map.of("store", kind.text()));
    return "%.0f".formatted(metric.value());
  }

  private static OptionalDouble figure(
      String name, String unit, PeerKind kind, PeerFindings findings, MetricsRun metrics) {
    OptionalDouble value = findings.figure(name);
    if (value.isPresent()) {
      String metric = name.equals(PeerFindings.DISK_OVER_DATA) ? "diskBytesPerUserByte" : name;
      addSingle(
          metrics, "peers." + metric, unit, value.getAsDouble(), Map.of("store", kind.text()));
    }
    return value;
  }

  private static String text(String format, OptionalDouble value, double unit) {
    return value.isPresent() ? format.formatted(value.getAsDouble() / unit) : "-";
  }

  private void baselines(PeersPlan plan, PeersStudy.Result found, MetricsRun metrics) {
    if (!found.forcesPerSecond().isEmpty()) {
      add(metrics, "baseline.force.perSec", "1/s", found.forcesPerSecond(), Map.of());
      judgeNoise(metrics, "raw force", found.forcesPerSecond());
    }
    for (PeerKind kind : plan.kinds()) {
      List<Double> gets = rates(findings(found, kind).answers(PeerWorkload.GET.name()));
      if (kind.isInMemory() && !gets.isEmpty()) {
        judgeNoise(metrics, kind.text(), gets);
      }
    }
  }
}
