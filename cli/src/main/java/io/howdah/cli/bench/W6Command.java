package io.howdah.cli.bench;

import io.howdah.StoreOptions;
import io.howdah.cli.json.MetricsReader;
import io.howdah.cli.json.MetricsRun;
import io.howdah.core.Backing;
import io.howdah.core.HowdahException;
import io.howdah.crashtest.process.ChildJvm;
import io.howdah.jmh.study.Folders;
import io.howdah.jmh.workload.SixWords;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code howdah bench w6}: what durability costs. */
@Command(
    name = "w6",
    mixinStandardHelpOptions = true,
    description =
        "Transactions that read and write six random words: without a log, with one, and beside"
            + " them the same words without transactions. All take turns in one process; ratios are"
            + " medians of the ratios within a round. One process without native access, one with"
            + " it, which gives large pages.%n")
final class W6Command extends BenchRun {

  private static final int MAX_HEAP_MIB = 1 << 20;
  private static final int MAX_THREADS = 1024;
  private static final int MIN_OREC_BITS = 6;
  private static final int MAX_OREC_BITS = 26;
  private static final long MIB = 1 << 20;

  /** A little more than two cores were seen to log. */
  private static final long LOG_BYTES_PER_SECOND = 500_000_000;

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

  W6Command() {}

  @Override
  String commandName() {
    return "bench w6";
  }

  @Override
  long neededBytes() {
    long seconds =
        (long) threadCounts.size() * (rounds() + W6Rounds.WARM_UPS) * roundNanos() / 1_000_000_000
            + 1;
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
    arguments.addAll(List.of("--round-millis", Long.toString(roundNanos() / 1_000_000)));
    arguments.addAll(List.of("--dir", stores.toString(), "--json", figures.toString()));
    List<String> flags =
        which == Jvm.NATIVE ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
    int code = ChildJvm.run(flags, mainClass(), arguments);
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
            .maxSize(SixWords.maxSize(heapBytes()))
            .orecs(orecs)
            // A mapped image has small pages, whatever the JVM may do.
            .backing(nativeAccess ? Backing.RESIDENT : Backing.MAPPED);
    screen().line("");
    screen()
        .line(
            "  @|bold W6:|@ six random words of %d MiB, read and written; %s; %d rounds of %d ms"
                .formatted(
                    heapMib,
                    nativeAccess ? "large pages by native access" : "no flags, pages of 4 KiB",
                    rounds(),
                    roundNanos() / 1_000_000));
    screen().line("");
    screen().status("  filling the heaps");
    int mostThreads = Collections.max(threadCounts);
    try (W6Rounds w6 =
        W6Rounds.fill(this, folder, heapBytes(), options, mostThreads, nativeAccess)) {
      for (int threads : threadCounts) {
        w6.measure(threads, metrics);
      }
    }
    screen().line("");
  }
}
