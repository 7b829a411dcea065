package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.Screen;
import io.howdah.core.HowdahException;
import io.howdah.lab.run.SourcesOption;
import io.howdah.process.AtExit;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code howdah test units}. */
@Command(
    name = "units",
    mixinStandardHelpOptions = true,
    description =
        "Runs the unit tests at their full length, and those that mvn verify leaves out (mvn"
            + " -Dcampaign test): half an hour on two processors. Exit code 1 if one fails.")
public final class UnitsCommand implements Callable<Integer> {

  @Mixin private SourcesOption sources = new SourcesOption();

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public UnitsCommand() {}

  @Override
  public Integer call() throws Exception {
    Path root = sources.withSources();
    Screen screen = Screen.of(spec.commandLine());
    MetricsRun run = MetricsRun.start("test units");
    Path log = root.resolve(".howdah").resolve("units.log").toAbsolutePath().normalize();
    Files.createDirectories(log.getParent());
    TestReports reports = new TestReports();
    int exit = runMaven(root, log, reports, screen);
    if (reports.failed().isEmpty() && (exit != 0 || reports.ran() == 0)) {
      throw new HowdahException(
          "Maven ended with exit code %d after %d tests, of which none failed; its log is %s"
              .formatted(exit, reports.ran(), log));
    }
    reports.failed().forEach(test -> run.violation(test + " failed"));
    run.add(Metric.single("units.ran", "count", reports.ran(), Map.of()));
    run.add(Metric.single("units.failed", "count", reports.failures(), Map.of()));
    run.add(Metric.single("units.skipped", "count", reports.skipped(), Map.of()));
    screen.plainLine(
        "%,d tests of %,d classes ran, %d failed, %d skipped; Maven's log is %s"
            .formatted(
                reports.ran(), reports.classes(), reports.failures(), reports.skipped(), log));
    json.write(run);
    return run.exitCode();
  }

  private int runMaven(Path root, Path log, TestReports reports, Screen screen)
      throws IOException, InterruptedException {
    Process maven =
        new ProcessBuilder(
                "mvn",
                "-B",
                "-fae",
                "-T",
                "2",
                "-Dcampaign",
                "-Dformat.skip",
                "-Dstyle.color=never",
                "test")
            .directory(root.toFile())
            .redirectErrorStream(true)
            .start();
    maven.getOutputStream().close();
    AutoCloseable end = AtExit.close(() -> endAll(maven));
    try (BufferedReader lines = maven.inputReader(StandardCharsets.UTF_8);
        BufferedWriter copy = Files.newBufferedWriter(log)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        copy.write(line);
        copy.newLine();
        if (reports.accept(line)) {
          screen.plainLine("FAILED " + reports.failed().getLast());
        }
        screen.status("%,d tests of %,d classes".formatted(reports.ran(), reports.classes()));
      }
    }
    int exit = maven.waitFor();
    AtExit.forget(end);
    return exit;
  }

  /** The tests run in processes of Maven's, and have processes of their own. */
  private static void endAll(Process maven) {
    maven.descendants().forEach(ProcessHandle::destroy);
    maven.destroy();
  }
}
