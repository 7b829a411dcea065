package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.cache.CacheKills;
import io.howdah.lab.run.RunFolder;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah test cache}: a cache under kills, held to a model. */
@Command(
    name = "cache",
    mixinStandardHelpOptions = true,
    description =
        "Lets processes use a cache that evicts, kills each (SIGKILL), and holds what is left to a"
            + " model: every entry has the value of its last acknowledged put, of a transaction"
            + " there is all or nothing, the entries are within the bound, and the account agrees"
            + " with them.%n")
public final class CacheKillCommand implements Callable<Integer> {

  private static final int MAX_THREADS = 64;
  private static final int MAX_KEYS = 10_000_000;
  private static final long MAX_LIFE = 1_000_000_000;
  private static final long NEEDED_BYTES = 2L << 30;

  /** Bytes of the bound for each entry of it, so that either bound is reached at times. */
  private static final long BYTES_PER_ENTRY = 136;

  @Option(
      names = "--operations",
      paramLabel = "N",
      defaultValue = "2000000",
      description = "End after so many acknowledged operations (${DEFAULT-VALUE}).")
  private long operations;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "End after so many kills (${DEFAULT-VALUE}).")
  private long maxKills;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "86400",
      description = "Begin no process after this time (${DEFAULT-VALUE}).")
  private double seconds;

  @Option(
      names = "--life",
      paramLabel = "N",
      defaultValue = "200000",
      description = "Operations of a process before its kill, on average (${DEFAULT-VALUE}).")
  private long life;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads of the process (${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Keys of each thread (${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--entries",
      paramLabel = "N",
      defaultValue = "8000",
      description = "Bound of the cache (${DEFAULT-VALUE}).")
  private int entries;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the operations; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Folder for the store, absent or empty; it stays.")
  private @Nullable Path dir;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public CacheKillCommand() {}

  private void require(String option, long value, long min, long max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(),
          String.format(Locale.ROOT, "%s must be from %,d to %,d: %,d", option, min, max, value));
    }
  }

  @Override
  public Integer call() throws Exception {
    require("--operations", operations, 1, Long.MAX_VALUE);
    require("--kills", maxKills, 1, Long.MAX_VALUE);
    require("--life", life, 1, MAX_LIFE);
    require("--threads", threads, 1, MAX_THREADS);
    require("--keys", keys, 1, MAX_KEYS);
    require("--entries", entries, 100, MAX_KEYS);
    if (!(seconds > 0)) {
      throw new ParameterException(spec.commandLine(), "--seconds must be above 0");
    }
    PrintWriter out = spec.commandLine().getOut();
    MetricsRun run =
        MetricsRun.start("test cache")
            .param("seed", seed)
            .param("threads", threads)
            .param("keys", keys)
            .param("entries", entries);
    try (RunFolder folder = RunFolder.choose(dir, NEEDED_BYTES, spec)) {
      Files.createDirectories(folder.path());
      CacheKills.Plan plan =
          new CacheKills.Plan(seed, threads, keys, entries, BYTES_PER_ENTRY * entries);
      try (CacheKills kills = new CacheKills(folder.path(), plan)) {
        run(kills, out);
        kills.problems().forEach(run::violation);
        report(kills, run, out);
        if (!kills.problems().isEmpty()) {
          folder.keep();
          out.println("the store stays in " + folder.path());
        }
      }
    }
    out.flush();
    json.write(run);
    return run.exitCode();
  }

  private void run(CacheKills kills, PrintWriter out) throws Exception {
    StatusLine status = new StatusLine(out);
    long started = System.nanoTime();
    while (kills.operations() < operations
        && kills.kills() < maxKills
        && kills.problems().isEmpty()
        && System.nanoTime() - started < (long) (seconds * 1e9)) {
      status.show(
          "%,d operations, %,d kills, %,d evictions"
              .formatted(kills.operations(), kills.kills(), kills.evictions()));
      kills.life(life);
    }
    status.clear();
  }

  private void report(CacheKills kills, MetricsRun run, PrintWriter out) {
    kills.problems().forEach(out::println);
    out.println(
        "%,d operations, %,d kills, %,d evictions, %,d entries checked, %,d violations"
            .formatted(
                kills.operations(),
                kills.kills(),
                kills.evictions(),
                kills.entriesChecked(),
                kills.problems().size()));
    count(run, "operations", kills.operations());
    count(run, "kills", kills.kills());
    count(run, "evictions", kills.evictions());
    count(run, "entriesChecked", kills.entriesChecked());
    count(run, "violations", kills.problems().size());
  }

  private static void count(MetricsRun run, String name, long value) {
    run.add(Metric.single("cache." + name, "1", (double) value, Map.of()));
  }
}
