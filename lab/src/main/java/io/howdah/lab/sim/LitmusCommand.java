package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.nvmsim.litmus.LitmusParser;
import io.howdah.nvmsim.litmus.LitmusRunner;
import io.howdah.nvmsim.litmus.LitmusSuite;
import io.howdah.nvmsim.litmus.LitmusSyntaxException;
import io.howdah.nvmsim.litmus.LitmusTest;
import io.howdah.nvmsim.px86.Quirk;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah sim litmus}: litmus tests of persistency against their published outcomes. */
@Command(
    name = "litmus",
    mixinStandardHelpOptions = true,
    description = {
      "Litmus tests of persistency, compared with published outcomes.",
      "Runs litmus tests of persistency in full, on a machine of x86 with persistent memory and"
          + " under the models of Memory Persistency (ISCA 2014), and compares the states a"
          + " failure can leave with the published ones. Exit code 1 if any differs."
    })
public final class LitmusCommand implements Callable<Integer> {
  private static final String ROW = "%-28s %-7s %10s %6s  %s%n";

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;

  @Option(
      names = "--test",
      split = ",",
      paramLabel = "NAME",
      description = "Only these tests (default: all).")
  private List<String> names = List.of();

  @Option(
      names = "--show-states",
      description = "Print every outcome found, and where the expected ones come from.")
  private boolean showStates;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "Run the tests of this file instead of the built-in ones.")
  private @Nullable Path file;

  @Option(
      names = "--quirk",
      split = ",",
      paramLabel = "QUIRK",
      description =
          "Make the x86 machine wrong in these ways, to see the tests notice:"
              + " ${COMPLETION-CANDIDATES}.")
  private Set<Quirk> quirks = EnumSet.noneOf(Quirk.class);

  /** Creates it, for the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the fields before it calls
  public LitmusCommand() {}

  @Override
  public Integer call() throws IOException {
    List<LitmusTest> tests = chosen(read());
    PrintWriter out = spec.commandLine().getOut();
    StatusLine progress = new StatusLine(spec.commandLine().getErr());
    MetricsRun run = MetricsRun.start("sim litmus").param("tests", tests.size());
    LitmusRunner runner = new LitmusRunner(quirks);
    List<LitmusRunner.Result> results = new ArrayList<>();
    long mismatches = 0;
    out.printf(Locale.ROOT, ROW, "test", "model", "explored", "states", "");
    for (LitmusTest test : tests) {
      progress.show(test.name(), (double) results.size() / Math.max(1, tests.size()));
      for (LitmusRunner.Result result : run(runner, test)) {
        results.add(result);
        progress.clear();
        print(out, result);
        mismatches += result.mismatches().size();
        for (String mismatch : result.mismatches()) {
          run.violation(test.name() + " under " + result.model() + ": " + mismatch);
        }
      }
    }
    out.printf(
        Locale.ROOT,
        "%n%d %s, %d %s%n",
        tests.size(),
        tests.size() == 1 ? "test" : "tests",
        mismatches,
        mismatches == 1 ? "mismatch" : "mismatches");
    out.flush();
    run.add(Metric.single("litmus.tests", "count", tests.size(), Map.of()));
    run.add(Metric.single("litmus.mismatches", "count", (double) mismatches, Map.of()));
    run.add(
        Metric.single(
            "litmus.explored",
            "count",
            (double) results.stream().mapToLong(LitmusRunner.Result::explored).sum(),
            Map.of()));
    for (LitmusRunner.Result result : results) {
      run.add(
          Metric.single(
              "litmus.states",
              "count",
              result.durable(),
              Map.of("test", result.test().name(), "model", result.model().toString())));
    }
    json.write(run);
    return run.exitCode();
  }

  private List<LitmusRunner.Result> run(LitmusRunner runner, LitmusTest test) {
    try {
      return runner.run(test);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "test " + test.name() + " cannot be run: " + e.getMessage());
    }
  }

  private List<LitmusTest> read() throws IOException {
    if (file == null) {
      return LitmusSuite.load();
    }
    if (!Files.isReadable(file)) {
      throw new ParameterException(spec.commandLine(), "cannot read " + file);
    }
    try {
      return LitmusParser.parse(file.toString(), Files.readString(file));
    } catch (LitmusSyntaxException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    }
  }

  private List<LitmusTest> chosen(List<LitmusTest> tests) {
    if (names.isEmpty()) {
      return tests;
    }
    List<LitmusTest> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          tests.stream()
              .filter(test -> test.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new ParameterException(
                          spec.commandLine(),
                          "no test "
                              + name
                              + "; there are "
                              + String.join(", ", tests.stream().map(LitmusTest::name).toList()))));
    }
    return chosen;
  }

  private void print(PrintWriter out, LitmusRunner.Result result) {
    out.printf(
        Locale.ROOT,
        ROW,
        result.test().name(),
        result.model(),
        result.explored(),
        result.durable(),
        result.mismatches().isEmpty()
            ? file == null ? "as published" : "as the file says"
            : "MISMATCH");
    for (String mismatch : result.mismatches()) {
      out.println("    " + mismatch);
    }
    if (showStates) {
      out.println("    source " + result.test().source());
      result.states().forEach(state -> out.println("    " + state));
    }
  }
}
