package io.howdah.cli.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.Metric;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.history.Histories;
import io.howdah.crashtest.history.Threads;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
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
            + " that are wrong on purpose: if one passes, it ends at once. Threads are real, so a"
            + " run with the same seed differs; a finding prints the part of the history that is"
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
    PrintWriter out = spec.commandLine().getOut();
    MetricsRun run = MetricsRun.start("test histories").param("seed", seed);
    List<String> unnoticed = Histories.unnoticed(seed);
    if (!unnoticed.isEmpty()) {
      run.violation("the judges pass histories that are wrong: " + unnoticed);
      out.println(run.finish().violations().getFirst());
      out.flush();
      return run.exitCode();
    }
    Histories histories = new Histories(seed);
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
        out.println(text);
        run.violation(text);
      }
    }
    status.clear();
    out.printf(
        "%,d rounds: %,d attempts of transactions, %,d operations of collections, %d violations%n",
        round, histories.transactions(), histories.operations(), run.finish().violations().size());
    out.flush();
    run.add(
        Metric.single(
            "histories.transactions", "count", (double) histories.transactions(), Map.of()));
    run.add(
        Metric.single("histories.operations", "count", (double) histories.operations(), Map.of()));
    run.add(
        Metric.single("histories.violations", "count", run.finish().violations().size(), Map.of()));
    json.write(run);
    return run.exitCode();
  }
}
