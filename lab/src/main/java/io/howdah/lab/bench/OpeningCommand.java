package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.jmh.peers.OpeningStudy;
import io.howdah.jmh.peers.OpeningStudy.Case;
import io.howdah.jmh.peers.PeerAnswer;
import io.howdah.jmh.peers.PeerJars;
import io.howdah.jmh.peers.PeerKeys;
import io.howdah.jmh.peers.PeerKind;
import io.howdah.jmh.peers.PeerSize;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench opening}: the first moment of a new JVM, beside another embedded store. */
@Command(
    name = "opening",
    mixinStandardHelpOptions = true,
    description =
        "Opens a store in a new JVM and reads an entry: processor time of the whole JVM and time"
            + " that passed, from before the opening until the entry is there, after a close and"
            + " after a kill. H2 MVStore does the same in turns. With a cache, the JVM takes its"
            + " classes from a file that an earlier run has made (-XX:AOTCache).%n",
    defaultValueProvider = OpeningCommand.Defaults.class)
final class OpeningCommand extends BenchRun {

  /** A round starts a dozen JVMs. */
  static final class Defaults implements CommandLine.IDefaultValueProvider {
    @Override
    public @Nullable String defaultValue(CommandLine.Model.ArgSpec argument) {
      return argument instanceof CommandLine.Model.OptionSpec option
              && option.longestName().equals("--rounds")
          ? "11"
          : null;
    }
  }

  /** The goal: at most so many times what MVStore takes. */
  private static final double GOAL = 1.5;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final int MAX_ENTRIES = 10_000_000;
  private static final int VALUE_BYTES = 100;

  /** Of each entry in all its copies on disk, and what an empty store takes. */
  private static final long DISK_BYTES_PER_ENTRY = 1_000;

  private static final long DISK_BYTES_PER_STORE = 256L << 20;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Entries of each store, with values of 100 bytes (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--peer",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "HOWDAH,MVSTORE",
      description = "These stores: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private Set<PeerKind> peers = EnumSet.noneOf(PeerKind.class);

  OpeningCommand() {}

  @Override
  String commandName() {
    return "bench opening";
  }

  private int entries() {
    return require("--entries", entries, 100, MAX_ENTRIES);
  }

  private List<PeerKind> kinds() {
    List<PeerKind> kinds = List.copyOf(EnumSet.copyOf(peers));
    for (PeerKind kind : kinds) {
      if (kind.isInMemory()) {
        throw usage("--peer " + kind + " has no files that could be opened");
      }
    }
    return kinds;
  }

  @Override
  long neededBytes() {
    return kinds().size() * (DISK_BYTES_PER_STORE + entries() * DISK_BYTES_PER_ENTRY);
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    List<PeerKind> kinds = kinds();
    PeerJars jars =
        PeersFolder.jars()
            .orElseThrow(
                () ->
                    usage(
                        "the other stores are not here: start this as ./howdah from a checkout,"
                            + " which downloads them (130 MB) and builds the module peers"));
    metrics.param("entries", entries());
    for (PeerKind kind : kinds) {
      kind.version(jars).ifPresent(version -> metrics.param("version." + kind, version));
    }
    Files.createDirectories(folder);
    OpeningStudy.Result found =
        OpeningStudy.run(
            kinds,
            new PeerSize(entries(), VALUE_BYTES, PeerKeys.LONG),
            rounds(),
            folder,
            jars.classPath(),
            this);
    Table table =
        new Table()
            .text("store", 16)
            .text("opened after", 22)
            .figure("processor", 10)
            .figure("range", 18)
            .figure("elapsed", 10)
            .figure("range", 18);
    screen().line("");
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    for (PeerKind kind : kinds) {
      for (Case each : Case.values()) {
        List<PeerAnswer> answers = of(found, kind, each);
        if (!answers.isEmpty()) {
          screen().line(row(table, kind, each, answers, metrics));
        }
      }
    }
    screen().line("");
    for (Case each : Case.values()) {
      over(found, each, metrics);
    }
    for (Map.Entry<PeerKind, String> each : found.absent().entrySet()) {
      screen().line("  @|yellow missing:|@ " + each.getValue());
    }
    screen().line("");
  }

  private static List<PeerAnswer> of(OpeningStudy.Result found, PeerKind kind, Case which) {
    return found.answers().getOrDefault(kind, Map.of()).getOrDefault(which, List.of());
  }

  private static String row(
      Table table, PeerKind kind, Case which, List<PeerAnswer> answers, MetricsRun metrics) {
    Map<String, Object> params = Map.of("store", kind.name(), "case", which.name());
    Metric processor =
        add(metrics, "opening.processorMs", "ms", millis(answers, PeerAnswer::cpuNanos), params);
    Metric elapsed =
        add(metrics, "opening.elapsedMs", "ms", millis(answers, PeerAnswer::nanos), params);
    return table.row(
        kind.text(),
        text(which),
        millis(processor.value()),
        range(processor),
        millis(elapsed.value()),
        range(elapsed));
  }

  /** Howdah's times over those of MVStore, round by round. */
  private void over(OpeningStudy.Result found, Case which, MetricsRun metrics) {
    List<PeerAnswer> own = of(found, PeerKind.HOWDAH, which);
    List<PeerAnswer> other = of(found, PeerKind.MVSTORE, which);
    if (own.isEmpty() || other.size() != own.size()) {
      return;
    }
    Map<String, Object> params = Map.of("case", which.name());
    Metric processor =
        add(
            metrics,
            "opening.processorOverMvStore",
            "ratio",
            ratios(own, other, PeerAnswer::cpuNanos),
            params);
    Metric elapsed =
        add(
            metrics,
            "opening.elapsedOverMvStore",
            "ratio",
            ratios(own, other, PeerAnswer::nanos),
            params);
    screen()
        .line(
            "  Howdah over H2 MVStore after %s: %s of the processor time (goal %s: %s), %s elapsed"
                .formatted(
                    text(which),
                    ratio(processor.value()),
                    ratio(GOAL),
                    processor.value() <= GOAL ? "met" : "missed",
                    ratio(elapsed.value())));
  }

  private static List<Double> ratios(
      List<PeerAnswer> own, List<PeerAnswer> other, ToDoubleFunction<PeerAnswer> figure) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      // A processor time may be less than a tick.
      ratios.add(
          figure.applyAsDouble(own.get(i))
              / Math.max(NANOS_PER_MILLI, figure.applyAsDouble(other.get(i))));
    }
    return ratios;
  }

  private static List<Double> millis(List<PeerAnswer> answers, ToDoubleFunction<PeerAnswer> nanos) {
    return answers.stream().map(one -> nanos.applyAsDouble(one) / NANOS_PER_MILLI).toList();
  }

  private static String millis(double value) {
    return String.format(Locale.ROOT, "%.0f ms", value);
  }

  private static String range(Metric metric) {
    return String.format(Locale.ROOT, "%.0f … %.0f", metric.min(), metric.max());
  }

  private static String text(Case which) {
    return (which.isKilled() ? "a kill" : "a close") + (which.isCached() ? ", with a cache" : "");
  }
}
