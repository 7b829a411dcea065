package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.lab.run.RunFolder;
import io.howdah.lab.suite.SuiteFile;
import io.howdah.lab.suite.SuiteFolder;
import io.howdah.lab.suite.SuiteResult;
import io.howdah.process.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code howdah test memcached}: memcached's own test suite against {@code howdah serve}. */
@Command(
    name = "memcached",
    mixinStandardHelpOptions = true,
    description =
        "Runs memcached's own test suite, in Perl, against howdah serve, with a new server for each"
            + " file. Exit code 1 if a file is red that is not known to be.")
public final class MemcachedSuiteCommand implements Callable<Integer> {

  private static final long NEEDED_BYTES = 4L << 30;
  private static final int MAX_PROBLEMS = 12;

  @Option(
      names = "--suite",
      paramLabel = "DIR",
      required = true,
      description = "The folder of memcached's sources, release 1.6.45: it has a folder t.")
  private Path suite = Path.of(".");

  @Option(
      names = "--tier",
      paramLabel = "N",
      defaultValue = "2",
      description = "1 the protocol alone, 2 the server's options, too; default: ${DEFAULT-VALUE}.")
  private int tier;

  @Option(names = "--list", description = "Only show the files, their tiers and reasons.")
  private boolean list;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "Files of the suite, without .t; all of the tiers if none is named.")
  private List<String> names = List.of();

  @Mixin private JsonOption json;

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public MemcachedSuiteCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    List<SuiteFile> files = chosen();
    if (list) {
      files.forEach(file -> print(out, "%d  %-24s %s", file.tier(), file.name(), file.reason()));
      return 0;
    }
    if (!Files.isDirectory(suite.resolve("t"))) {
      throw new ParameterException(
          spec.commandLine(),
          suite + " has no folder t; name the folder of memcached's sources with --suite");
    }
    try (RunFolder folder = RunFolder.choose(null, NEEDED_BYTES, spec)) {
      Files.createDirectories(folder.path());
      MetricsRun metrics = MetricsRun.start("test memcached");
      run(files, new SuiteFolder(folder.path(), suite, serve()), out, metrics);
      json.write(metrics);
      return metrics.exitCode();
    }
  }

  private List<SuiteFile> chosen() {
    List<SuiteFile> all = SuiteFile.all();
    if (names.isEmpty()) {
      return all.stream().filter(file -> list || file.tier() <= tier).toList();
    }
    List<SuiteFile> chosen = all.stream().filter(file -> names.contains(file.name())).toList();
    for (String name : names) {
      if (chosen.stream().noneMatch(file -> file.name().equals(name))) {
        throw new ParameterException(
            spec.commandLine(), name + " is no file of the suite; --list names them");
      }
    }
    return chosen;
  }

  /** Returns the command that starts {@code howdah serve} as this program was started. */
  private List<String> serve() {
    return JavaCommand.of(
            List.of(
                "-XX:TieredStopAtLevel=1", // a new server for each file: short starts
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED"),
            spec.root().userObject().getClass(), // which names this class
            List.of("serve"))
        .words();
  }

  private static void run(
      List<SuiteFile> files, SuiteFolder folder, PrintWriter out, MetricsRun metrics)
      throws IOException, InterruptedException {
    int unexpected = 0;
    int green = 0;
    for (SuiteFile file : files) {
      SuiteResult result = folder.run(file.name());
      boolean isKnown = !file.reason().isEmpty();
      String verdict = result.isGreen() ? "green" : isKnown ? "known" : "RED";
      print(
          out,
          "%d  %-24s %6d ok %4d not ok  %s%s",
          file.tier(),
          file.name(),
          result.passed(),
          result.failed(),
          verdict,
          isKnown ? ": " + file.reason() : "");
      metrics.add(count("memcached.passed", result.passed(), Map.of("file", file.name())));
      metrics.add(count("memcached.failed", result.failed(), Map.of("file", file.name())));
      if (result.isGreen()) {
        green++;
      } else if (!isKnown) {
        unexpected++;
        metrics.violation(file.name() + " is red: " + result.failed() + " not ok");
        result.problems().stream()
            .limit(MAX_PROBLEMS)
            .forEach(line -> print(out, "      %s", line));
      }
    }
    print(
        out,
        "%d of %d files green, %d red without a known reason",
        green,
        files.size(),
        unexpected);
    metrics.add(count("memcached.files", files.size(), Map.of()));
    metrics.add(count("memcached.green", green, Map.of()));
    metrics.add(count("memcached.unexpected", unexpected, Map.of()));
  }

  private static Metric count(String name, int value, Map<String, Object> params) {
    return Metric.single(name, "count", value, params);
  }

  private static void print(PrintWriter out, String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
    out.flush();
  }
}
