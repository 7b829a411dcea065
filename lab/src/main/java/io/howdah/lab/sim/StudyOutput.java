package io.howdah.lab.sim;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Prints what a study found and writes its metrics and files. */
final class StudyOutput {
  private StudyOutput() {}

  /**
   * Prints the text, writes the files if there is a folder, prints the violations, and writes the
   * metrics if they were asked for.
   *
   * @param folder where the files go, or null for none
   * @param files what the files are, for the line that names the folder
   * @return the command's exit code
   */
  static int write(
      CommandSpec command,
      MetricsRun run,
      StudyOutcome outcome,
      @Nullable Path folder,
      String files,
      JsonOption json)
      throws IOException {
    PrintWriter print = command.commandLine().getOut();
    outcome.lines().forEach(print::println);
    outcome.violations().forEach(run::violation);
    outcome.values().forEach(value -> run.add(metric(value)));
    if (outcome.noisy()) {
      run.markNoisy();
    }
    if (folder != null) {
      outcome.writeFiles(folder);
      print.println();
      print.println(files + " are in " + folder + ".");
    }
    run.finish().violations().forEach(violation -> print.println("VIOLATION: " + violation));
    print.flush();
    json.write(run);
    return run.exitCode();
  }

  static Metric metric(StudyValue value) {
    return Metric.median(
        value.name(),
        value.unit(),
        value.samples().stream().mapToDouble(Double::doubleValue).toArray(),
        value.params());
  }
}
