package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.history.Histories;
import io.howdah.crashtest.history.HistoryFiles;
import io.howdah.crashtest.history.SecondOpinion;
import io.howdah.crashtest.history.Threads;
import io.howdah.lab.run.RunFolder;
import io.howdah.lab.run.SourcesOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code howdah test histories}: opacity of transactions, linearizability of collections. */
@Command(
    name = "histories",
    mixinStandardHelpOptions = true,
    description =
        "Records what concurrent transactions read and write, and what operations on maps and"
            + " queues return, and checks opacity and linearizability. First it checks histories"
            + " that are wrong on purpose: if one passes, it ends immediately. Threads are real, so"
            + " a run with the same seed differs; a finding prints the part of the history that is"
            + " wrong.")
public final class HistoriesCommand implements Callable<Integer> {

  private static final int[] THREADS = {2, 3, 4, 8, 16};

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "End after so many attempts and operations; default: no limit.")
  private long maxOperations = Long.MAX_VALUE;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "No round is begun after this time; default: ${DEFAULT-VALUE}.")
  private double seconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the choices of each thread; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--export",
      paramLabel = "DIR",
      description = "Write the histories that are judged to DIR, as JSON lines for other checkers.")
  private @Nullable Path export;

  @Option(
      names = "--export-mb",
      paramLabel = "N",
      defaultValue = "64",
      description =
          "How much to write, in MB; rounds behind that are left out; default: ${DEFAULT-VALUE}.")
  private int exportMb;

  @Option(
      names = "--second-opinion",
      description =
          "Have the histories that were written judged by porcupine, too; needs the project's"
              + " sources, and Go.")
  private boolean secondOpinion;

  @Mixin private SourcesOption sources = new SourcesOption();

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public HistoriesCommand() {}

  @Override
  public Integer call() throws Exception {
    if (!(seconds > 0) || maxOperations < 1) {
      throw new ParameterException(
          spec.commandLine(), "--seconds and --operations must be above 0");
    }
    if (exportMb < 1) {
      throw new ParameterException(spec.commandLine(), "--export-mb must be above 0: " + exportMb);
    }
    long maxBytes = exportMb * 1_000_000L;
    if (export == null && !secondOpinion) {
      return call(null);
    }
    try (RunFolder folder = RunFolder.choose("--export", export, maxBytes, spec)) {
      Files.createDirectories(folder.path());
      return call(new Export(folder, new HistoryFiles(folder.path(), maxBytes)));
    }
  }

  private record Export(RunFolder folder, HistoryFiles files) {}

  private int call(@Nullable Export export) throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    MetricsRun run = MetricsRun.start("test histories").param("seed", seed);
    HistoryFiles files = export == null ? null : export.files;
    List<String> unnoticed = Histories.unnoticed(seed, files);
    if (!unnoticed.isEmpty()) {
      run.violation("the judges pass histories that are wrong: " + unnoticed);
      print(out, "%s", run.finish().violations().getFirst());
      return run.exitCode();
    }
    runRounds(new Histories(seed, files), run, out);
    if (export != null) {
      show(export, run, out);
      if (secondOpinion) {
        askAnother(export, run, out);
      }
    }
    if (export != null && run.exitCode() != 0) {
      export.folder.keep();
      print(out, "the histories stay in %s", export.folder.path());
    }
    json.write(run);
    return run.exitCode();
  }

  private void runRounds(Histories histories, MetricsRun run, PrintWriter out)
      throws IOException, InterruptedException {
    StatusLine status = new StatusLine(out);
    long started = System.nanoTime();
    int round = 0;
    for (;
        System.nanoTime() - started < (long) (seconds * 1e9)
            && histories.transactions() + histories.operations() < maxOperations;
        round++) {
      Threads threads = new Threads(THREADS[round / 2 % THREADS.length], round % 2 == 1);
      status.show(
          "%,d attempts, %,d operations, %d %s threads"
              .formatted(
                  histories.transactions(),
                  histories.operations(),
                  threads.count(),
                  threads.virtual() ? "virtual" : "platform"));
      String violation = histories.round(round, threads);
      if (violation != null) {
        status.clear();
        String text = "round " + round + ", " + threads + ": " + violation;
        print(out, "%s", text);
        run.violation(text);
      }
    }
    status.clear();
    int violations = run.finish().violations().size();
    print(
        out,
        "%,d rounds: %,d attempts of transactions, %,d operations of collections, %d violations",
        round,
        histories.transactions(),
        histories.operations(),
        violations);
    count(run, "transactions", histories.transactions());
    count(run, "operations", histories.operations());
    count(run, "violations", violations);
  }

  private static void show(Export export, MetricsRun run, PrintWriter out) {
    HistoryFiles files = export.files;
    print(
        out,
        "%,d rounds written to %s, %,d bytes; %,d left out",
        files.rounds(),
        export.folder.path(),
        files.bytes(),
        files.leftOut());
    count(run, "export.rounds", files.rounds());
    count(run, "export.leftOut", files.leftOut());
  }

  private void askAnother(Export export, MetricsRun run, PrintWriter out)
      throws IOException, InterruptedException {
    SecondOpinion other = new SecondOpinion(sources.folder());
    Optional<String> whyNot = other.whyNot();
    if (whyNot.isPresent()) {
      print(out, "skipped: %s", whyNot.get());
      run.param("skipped", whyNot.get());
      return;
    }
    SecondOpinion.Verdict verdict;
    try {
      verdict = other.judge(export.folder.path(), line -> print(out, "second opinion: %s", line));
    } catch (IOException e) {
      String text = "no second opinion: " + e.getMessage();
      print(out, "%s", text);
      run.violation(text);
      return;
    }
    verdict.counts().forEach((name, value) -> count(run, "secondOpinion." + name, value));
    if (!verdict.isPassed()) {
      run.violation(
          "the second opinion: not all histories are as they should be: " + verdict.counts());
    }
  }

  private static void count(MetricsRun run, String name, long value) {
    run.add(Metric.single("histories." + name, "count", (double) value, Map.of()));
  }

  private static void print(PrintWriter out, String format, Object... values) {
    out.printf(Locale.ROOT, format + "%n", values);
    out.flush();
  }
}
