package io.howdah.lab.bench;

import static io.howdah.cli.terminal.Figures.rate;
import static io.howdah.cli.terminal.Figures.ratio;

import io.howdah.StoreOptions;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Table;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.jmh.peers.PeerJars;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.study.W6Study;
import io.howdah.jmh.workload.SixWords;
import io.howdah.lab.json.MetricsReader;
import io.howdah.process.AtExit;
import io.howdah.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench w6}: what durability costs. */
@Command(
    name = "w6",
    mixinStandardHelpOptions = true,
    description =
        "Transactions that read and write six random words: without a log, with one, and beside"
            + " them the same words without transactions, in a transactional memory written in C if"
            + " there is a C compiler, and in ScalaSTM. All take turns; ratios are medians of the"
            + " ratios within a round. One process without native access, one with it, which gives"
            + " large pages.%n")
final class W6Command extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int MAX_THREADS = 1024;
  private static final int MIN_OREC_BITS = 6;
  private static final int MAX_OREC_BITS = 26;
  private static final long MIB = 1 << 20;

  /** A little more than two cores were seen to log. */
  private static final long LOG_BYTES_PER_SECOND = 500_000_000;

  private static final String RAW = "raw words";

  /** Where to measure. */
  enum Jvm {
    /** In a JVM without native access, then in one with it. */
    BOTH,
    /** In a JVM without native access. */
    PLAIN,
    /** In a JVM with native access. */
    NATIVE,
    /** In this JVM, as it was started. */
    THIS
  }

  @Option(
      names = "--heap-mib",
      paramLabel = "N",
      defaultValue = "1024",
      description = "Size of the data in each store (${DEFAULT-VALUE}).")
  private int heapMib;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      defaultValue = "1,2",
      description = "Thread counts, one after the other (${DEFAULT-VALUE}).")
  private List<Integer> threadCounts;

  @Option(
      names = "--orec-bits",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "The stores have 2^N ownership records (${DEFAULT-VALUE}): fewer stay in the caches, more"
              + " make false conflicts and false dependencies rarer.")
  private int orecBits;

  @Option(
      names = "--jvm",
      paramLabel = "WHICH",
      defaultValue = "BOTH",
      description = "${COMPLETION-CANDIDATES}: JVMs to measure in (${DEFAULT-VALUE}).")
  private Jvm jvm;

  private final Table table =
      new Table()
          .figure("threads", 7)
          .text("subject", 22)
          .figure("per second", 10)
          .figure("of volatile", 11)
          .figure("of raw", 6)
          .figure("of native", 9)
          .figure("of ScalaSTM", 11)
          .figure("aborts/txn", 10)
          .figure("bytes/txn", 9);

  W6Command() {}

  @Override
  String commandName() {
    return "bench w6";
  }

  @Override
  long neededBytes() {
    long seconds =
        (long) threadCounts.size() * (rounds() + W6Study.WARM_UPS) * roundMillis() / 1000 + 1;
    return 3 * (seconds * LOG_BYTES_PER_SECOND + 2 * heapBytes());
  }

  private long heapBytes() {
    return require("--heap-mib", heapMib, 1, MAX_HEAP_MIB) * MIB;
  }

  @Override
  void measure(Path folder, MetricsRun metrics) throws Exception {
    for (int threads : threadCounts) {
      require("--threads", threads, 1, MAX_THREADS);
    }
    int orecs = 1 << require("--orec-bits", orecBits, MIN_OREC_BITS, MAX_OREC_BITS);
    metrics.param("heapMiB", heapMib).param("orecs", orecs);
    Files.createDirectories(folder);
    switch (jvm) {
      case BOTH -> {
        measureIn(Jvm.PLAIN, folder, metrics);
        measureIn(Jvm.NATIVE, folder, metrics);
      }
      case PLAIN, NATIVE -> measureIn(jvm, folder, metrics);
      case THIS -> measureHere(folder, orecs, metrics);
    }
  }

  /** Measures in a JVM of its own and takes its figures over. */
  private void measureIn(Jvm which, Path folder, MetricsRun metrics) throws Exception {
    Path stores = folder.resolve(which.name());
    Path figures = folder.resolve(which.name() + ".json");
    List<String> arguments = new ArrayList<>(List.of("bench", "w6", "--jvm", Jvm.THIS.name()));
    arguments.addAll(List.of("--heap-mib", Integer.toString(heapMib)));
    arguments.addAll(
        List.of(
            "--threads", String.join(",", threadCounts.stream().map(String::valueOf).toList())));
    arguments.addAll(List.of("--orec-bits", Integer.toString(orecBits)));
    arguments.addAll(List.of("--rounds", Integer.toString(rounds())));
    arguments.addAll(List.of("--round-millis", Integer.toString(roundMillis())));
    arguments.addAll(List.of("--dir", stores.toString(), "--json", figures.toString()));
    List<String> flags = new ArrayList<>(PeersFolder.flags());
    if (which == Jvm.NATIVE) {
      flags.add("--enable-native-access=ALL-UNNAMED");
    }
    int code = ChildJvm.run(flags, mainClass(), arguments, divertedOutput());
    Folders.delete(stores); // the next JVM needs the room
    if (!Files.exists(figures)) {
      throw new HowdahException("the JVM that was to measure ended with exit code " + code);
    }
    MetricsReader.addTo(metrics, figures);
  }

  private void measureHere(Path folder, int orecs, MetricsRun metrics) throws Exception {
    boolean nativeAccess = W6Command.class.getModule().isNativeAccessEnabled();
    StoreOptions options =
        StoreOptions.defaults()
            .withMaxSize(SixWords.maxSize(heapBytes()))
            .withOrecs(orecs)
            // A mapped image has small pages, whatever the JVM may do.
            .withBacking(nativeAccess ? Backing.RESIDENT : Backing.MAPPED);
    screen().line("");
    screen()
        .line(
            "  @|bold W6:|@ six random words of %d MiB, read and written; %s; %d rounds of %d ms"
                .formatted(
                    heapMib,
                    nativeAccess ? "large pages by native access" : "no flags, pages of 4 KiB",
                    rounds(),
                    roundMillis()));
    screen().line("");
    begins("filling the heaps");
    Optional<PeerJars> jars = PeersFolder.jars();
    jars.flatMap(found -> found.version("scala-stm_2.13"))
        .ifPresent(version -> metrics.param("version.SCALA_STM", version));
    W6Study study =
        new W6Study(
            folder,
            heapBytes(),
            options,
            Collections.max(threadCounts),
            jars.map(PeerJars::classPath).orElse(null));
    AtExit.close(study);
    try (study) {
      study.fill(nativeAccess);
      for (String missing : study.missing()) {
        screen().line("  @|yellow missing:|@ " + missing);
      }
      for (int threads : threadCounts) {
        report(study.measure(threads, effort(), this), nativeAccess, metrics);
      }
      study.verify(this);
    } finally {
      AtExit.forget(study);
    }
    screen().line("");
  }

  private void report(W6Study.Result result, boolean nativeAccess, MetricsRun metrics) {
    screen().line("@|faint " + table.head() + "|@");
    screen().line("@|faint " + table.rule() + "|@");
    Map<String, Object> params = Map.of("threads", result.threads(), "nativeAccess", nativeAccess);
    Metric perSecond =
        add(metrics, "baseline.rawSixWords.perSec", "1/s", result.rawPerSecond(), params);
    screen()
        .line(
            table.row(
                Integer.toString(result.threads()),
                RAW,
                rate(perSecond.value()),
                "",
                "",
                "",
                "",
                "",
                ""));
    if (!result.nativePerSecond().isEmpty()) {
      Metric tl2 =
          add(metrics, "baseline.nativeTl2.txnPerSec", "txn/s", result.nativePerSecond(), params);
      screen().line(table.row("", "native TL2", rate(tl2.value()), "", "", "", "", "", ""));
    }
    if (!result.scalaStmPerSecond().isEmpty()) {
      Metric scala =
          add(metrics, "baseline.scalaStm.txnPerSec", "txn/s", result.scalaStmPerSecond(), params);
      screen().line(table.row("", "ScalaSTM", rate(scala.value()), "", "", "", "", "", ""));
    }
    for (W6Study.Figures figures : result.figures()) {
      report(figures, params, metrics);
    }
    judgeNoise(metrics, RAW, result.rawPerSecond());
  }

  private void report(W6Study.Figures figures, Map<String, Object> shared, MetricsRun metrics) {
    Map<String, Object> params = new LinkedHashMap<>(shared);
    boolean isVolatile = figures.way() == W6Study.Way.VOLATILE;
    if (figures.way().isDurable()) {
      params.put("partitions", figures.partitions());
    }
    params.put("path", figures.way().isPrimitive() ? "primitive" : "lambda");
    String metric = metric(figures.way());
    Metric perSecond = add(metrics, metric + ".txnPerSec", "txn/s", figures.perSecond(), params);
    if (isVolatile) {
      add(metrics, "w6.volatile.overRaw", "ratio", figures.overRaw(), params);
    } else if (figures.way() == W6Study.Way.WORD_BY_WORD) {
      add(metrics, "w6.wordByWord.overBatch", "ratio", figures.overBatch(), params);
    } else {
      String ratio = figures.partitions() == 1 ? ".singleLogOverVolatile" : ".overVolatile";
      add(metrics, metric + ratio, "ratio", figures.overVolatile(), params);
    }
    if (!figures.overNative().isEmpty()) {
      add(metrics, metric + ".overNative", "ratio", figures.overNative(), params);
    }
    if (!figures.overScalaStm().isEmpty()) {
      add(metrics, metric + ".overScalaStm", "ratio", figures.overScalaStm(), params);
    }
    if (figures.way().isDurable()) {
      // Two random words of so many are hardly ever the same: what depends does so by its orecs.
      add(metrics, "w6.falseDependency.share", "ratio", figures.dependentShares(), params);
    }
    addSingle(metrics, "w6.aborts.perTxn", "ratio", figures.abortsPerTransaction(), params);
    Metric bytes =
        add(metrics, "w6.allocatedBytesPerTxn", "bytes", figures.allocatedBytes(), params);
    add(metrics, "w6.cpuShare", "ratio", figures.cpuShares(), params);
    screen()
        .line(
            table.row(
                "",
                name(figures),
                rate(perSecond.value()),
                isVolatile ? "" : ratio(median(figures.overBatch())),
                ratio(median(figures.overRaw())),
                ratioOf(figures.overNative()),
                ratioOf(figures.overScalaStm()),
                "%.4f".formatted(figures.abortsPerTransaction()),
                "%.1f".formatted(bytes.value())));
  }

  /** Returns the median, or nothing where the yardstick did not run. */
  private static String ratioOf(List<Double> ratios) {
    return ratios.isEmpty() ? "" : ratio(median(ratios));
  }

  private static String metric(W6Study.Way way) {
    return switch (way) {
      case VOLATILE -> "w6.volatile";
      case WORD_BY_WORD -> "w6.wordByWord";
      case PARTITIONED, PARTITIONED_WORD_BY_WORD, SINGLE_LOG -> "w6.async";
      case AS_PUBLISHED -> "w6.asPublished";
    };
  }

  private static String name(W6Study.Figures figures) {
    return switch (figures.way()) {
      case VOLATILE -> "volatile";
      case WORD_BY_WORD -> "volatile, word by word";
      case PARTITIONED -> "async, %d partitions".formatted(figures.partitions());
      case PARTITIONED_WORD_BY_WORD -> "async, word by word";
      case SINGLE_LOG -> "async, single log";
      case AS_PUBLISHED -> "async, as published";
    };
  }
}
