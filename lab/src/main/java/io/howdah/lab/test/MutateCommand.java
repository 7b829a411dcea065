package io.howdah.lab.test;

import io.howdah.cli.json.JsonOption;
import io.howdah.cli.json.MetricsRun;
import io.howdah.cli.terminal.StatusLine;
import io.howdah.crashtest.mutate.ChangedClasses;
import io.howdah.crashtest.mutate.Mutant;
import io.howdah.crashtest.mutate.MutationRun;
import io.howdah.crashtest.mutate.NamePatterns;
import io.howdah.crashtest.mutate.Operators;
import io.howdah.lab.run.SourcesOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code howdah test mutate}: changes single instructions, and counts those that no test notices.
 */
@Command(
    name = "mutate",
    mixinStandardHelpOptions = true,
    description =
        "Changes one instruction at a time (with pitest) and runs the tests that reach it. A change"
            + " that no test notices has survived. The folder .howdah/mutate keeps the results: a"
            + " run continues where the last one stopped, and judges again classes that have"
            + " changed since, and mutants that no test has noticed if there are new tests.")
public final class MutateCommand implements Callable<Integer> {

  /** Modules that need libraries which are not on this command's class path. */
  private static final Set<String> WITH_LIBRARIES = Set.of("chronicle-bytes");

  @Option(
      names = "--module",
      paramLabel = "M",
      split = ",",
      defaultValue = "txn",
      description = "Modules whose classes are changed; default: ${DEFAULT-VALUE}.")
  private List<String> modules = List.of();

  @Option(
      names = "--classes",
      paramLabel = "GLOB",
      defaultValue = "*",
      description = "Full names of the classes, * for any text; default: all of the module.")
  private String classes = "*";

  @Option(
      names = "--since",
      paramLabel = "REV",
      description =
          "Only classes whose sources differ from those of this revision of git (HEAD: what is not"
              + " committed yet). Without --tests, the module's own tests in their packages judge,"
              + " and those of the module and of store that have changed since, too.")
  private @Nullable String since;

  @Option(
      names = "--tests",
      paramLabel = "GLOB",
      split = ",",
      description =
          "Full names of the tests that may judge, of the module and of store; default: all that"
              + " are quick.")
  private List<String> tests = List.of();

  @Option(
      names = "--judge-seconds",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Longest time of a test class that judges, measured once; default: ${DEFAULT-VALUE}. A"
              + " survivor costs a run of all tests that reach it.")
  private double secondsPerJudge;

  @Option(
      names = "--timeout-seconds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "A test that takes twice its usual time and this much longer does not end; default:"
              + " ${DEFAULT-VALUE}. More on a busy machine: a test that is only slow detects"
              + " nothing.")
  private double timeoutSeconds;

  @Option(
      names = "--memory-mb",
      paramLabel = "N",
      defaultValue = "1500",
      description =
          "Heap of a process that runs tests, in MB; default: ${DEFAULT-VALUE}, for all tests of"
              + " store. A mutant that fills it is expensive: 400 do for the tests of log.")
  private int memoryMegabytes;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "3600",
      description =
          "Judging stops after this time, and the next run continues; default: ${DEFAULT-VALUE}.")
  private long seconds;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1",
      description = "Processes that judge at a time; default: ${DEFAULT-VALUE}.")
  private int jobs;

  @Option(
      names = "--min-score",
      paramLabel = "PERCENT",
      defaultValue = "0",
      description =
          "Exit code 1 if less than this part of the mutants that a test runs is detected, of 20 or"
              + " more; default: ${DEFAULT-VALUE}.")
  private double minPercent;

  @Option(
      names = "--operators",
      paramLabel = "NAME",
      description =
          "pitest: its usual changes; planters: also those of a reader who plants a bug, of which"
              + " there are several times as many; default: pitest.")
  private Operators operators = Operators.PITEST;

  @Option(
      names = "--part",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Part of the changes that are judged, at random by --seed, above 0 and at most 1;"
              + " default: ${DEFAULT-VALUE}.")
  private double part;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of --part; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(names = "--again", description = "Judge also what has not changed since the last run.")
  private boolean again;

  @Option(names = "--survivors", description = "List every survivor.")
  private boolean survivors;

  @Mixin private SourcesOption sources = new SourcesOption();

  @Option(
      names = "--pitest",
      paramLabel = "DIR",
      description = "Folder with the jars of pitest; default: target/pitest, which Maven fills.")
  private Path pitest = Path.of("");

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  /** Creates it, for the command line. */
  public MutateCommand() {}

  @Override
  public Integer call() throws Exception {
    if (!(minPercent >= 0 && minPercent <= 100)) {
      throw new ParameterException(
          spec.commandLine(), "--min-score must be at least 0 and at most 100: " + minPercent);
    }
    if (seconds < 1
        || jobs < 1
        || memoryMegabytes < 1
        || !(secondsPerJudge >= 0.001)
        || !(timeoutSeconds >= 0.001)) {
      throw new ParameterException(
          spec.commandLine(),
          "--seconds, --judge-seconds, --timeout-seconds, --memory-mb and --jobs must be above 0: "
              + List.of(seconds, secondsPerJudge, timeoutSeconds, memoryMegabytes, jobs));
    }
    if (!(part > 0 && part <= 1)) {
      throw new ParameterException(
          spec.commandLine(), "--part must be above 0 and at most 1: " + part);
    }
    for (String module : modules) {
      if (!Files.isDirectory(sources.folder().resolve(module).resolve("src/main/java"))) {
        throw new ParameterException(
            spec.commandLine(),
            "--module: "
                + sources.folder().resolve(module).toAbsolutePath().normalize()
                + " has no sources; name the project's folder with --sources");
      }
    }
    NamePatterns topLevel = patterns("--classes", List.of(classes));
    NamePatterns judges = patterns("--tests", tests.isEmpty() ? List.of("*") : tests);
    MetricsRun run =
        MetricsRun.start("test mutate")
            .param("modules", String.join(",", modules))
            .param("classes", classes);
    Path jars =
        pitest.toString().isEmpty() ? ToolJars.of(sources.folder(), "pitest", "mutate") : pitest;
    PrintWriter out = spec.commandLine().getOut();
    MutationScores scores = new MutationScores();
    List<String> notes = new ArrayList<>();
    long deadline = System.nanoTime() + seconds * 1_000_000_000L;
    for (String module : modules) {
      if (System.nanoTime() - deadline < 0) {
        judge(module, topLevel, judges, jars, deadline, scores, notes);
      } else {
        notes.add(module + ": not judged, the time was over");
      }
    }
    scores.print(run, out);
    scores
        .complaint(minPercent)
        .ifPresent(
            complaint -> {
              run.violation(complaint);
              out.println(complaint);
            });
    notes.forEach(out::println);
    out.flush();
    json.write(run);
    return run.exitCode();
  }

  private void judge(
      String module,
      NamePatterns topLevel,
      NamePatterns judges,
      Path jars,
      long deadline,
      MutationScores scores,
      List<String> notes)
      throws IOException, InterruptedException {
    String revision = since;
    if (revision == null) {
      judgeAll(module, topLevel, judges, jars, deadline, scores, notes);
      return;
    }
    List<String> changed =
        changed(() -> ChangedClasses.since(sources.folder(), revision, module)).stream()
            .filter(topLevel::matches)
            .toList();
    List<String> beside = tests.isEmpty() ? judgesSince(revision, module, changed) : tests;
    if (changed.isEmpty()) {
      notes.add(module + ": no class has changed since " + revision);
    } else if (beside.isEmpty()) {
      notes.add(module + ": no tests beside " + String.join(", ", changed) + ", and none changed");
    } else {
      NamePatterns exactly = NamePatterns.of(changed);
      judgeAll(module, exactly, NamePatterns.of(beside), jars, deadline, scores, notes);
    }
  }

  /** A change often comes with its tests, which may be in a module above. */
  private List<String> judgesSince(String revision, String module, List<String> changed)
      throws IOException, InterruptedException {
    Set<String> judges =
        new TreeSet<>(ChangedClasses.testsBeside(sources.folder(), module, changed));
    for (String judging : MutationRun.judgingModules(module)) {
      judges.addAll(changed(() -> ChangedClasses.testsSince(sources.folder(), revision, judging)));
    }
    return List.copyOf(judges);
  }

  private NamePatterns patterns(String option, List<String> names) {
    try {
      return NamePatterns.of(names);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
    }
  }

  /** Asks git. */
  private interface Changes {
    List<String> names() throws IOException, InterruptedException;
  }

  private List<String> changed(Changes changes) throws InterruptedException {
    try {
      return changes.names();
    } catch (IOException e) {
      throw new ParameterException(spec.commandLine(), "--since: " + e.getMessage(), e);
    }
  }

  private void judgeAll(
      String module,
      NamePatterns topLevel,
      NamePatterns judges,
      Path jars,
      long deadline,
      MutationScores scores,
      List<String> notes)
      throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    StatusLine status = new StatusLine(out);
    long maxJudgeMillis = Math.round(secondsPerJudge * 1000);
    long timeoutMillis = Math.round(timeoutSeconds * 1000);
    MutationRun.Options options =
        new MutationRun.Options(
            judges,
            maxJudgeMillis,
            timeoutMillis,
            memoryMegabytes,
            jobs,
            again,
            operators,
            part,
            seed);
    List<Path> libraries = new ArrayList<>(List.of(jars));
    if (WITH_LIBRARIES.contains(module)) {
      libraries.add(ToolJars.of(sources.folder(), module, "mutate"));
    }
    try (MutationRun mutations = new MutationRun(sources.folder(), libraries, module, options)) {
      MutationRun.Outcome outcome =
          mutations.judge(
              topLevel,
              deadline,
              what -> status.show(module + ": " + what),
              result -> {
                status.clear();
                scores.add(result);
                list(result, out);
              });
      status.clear();
      notes.add(module + ": " + outcome.judges() + " test classes could judge");
      if (!outcome.failing().isEmpty()) {
        notes.add(
            module
                + ": failed without any change in pitest's process, and judged nothing: "
                + String.join("; ", outcome.failing()));
      }
      if (!outcome.unjudged().isEmpty()) {
        notes.add("not judged: " + String.join(", ", outcome.unjudged()));
      }
      if (!outcome.problem().isEmpty()) {
        notes.add(outcome.problem());
      }
    }
  }

  private void list(MutationRun.Result result, PrintWriter out) {
    for (Mutant mutant : result.mutants()) {
      if (survivors && !mutant.isDetected()) {
        out.println(mutant);
      }
    }
    out.flush();
  }
}
