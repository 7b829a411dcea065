package io.howdah.crashtest.planted;

import io.howdah.crashtest.scenario.ScenarioMain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Proves that the crash tests can fail: plants one bug at a time in a copy of a source file,
 * compiles it, and runs a scenario with the broken classes first on the class path, in a JVM of its
 * own. A bug that no scenario notices is a hole in the tests.
 */
public final class PlantedBugs {

  private static final String FOLDER = "crashtest/src/main/planted";

  private static final int NEVER = -1;

  /** Long enough for a class that is missing, or a scenario that always fails. */
  private static final double CONTROL_SECONDS = 1;

  private final Path root;
  private final double secondsEach;
  private final long seed;

  /** Scenarios that were seen to pass without a bug. */
  private final Set<String> sound = new HashSet<>();

  /**
   * Prepares a run.
   *
   * @param root the project's folder, with its sources
   * @param secondsEach how long a scenario may look for one bug
   * @param seed of the scenarios
   */
  public PlantedBugs(Path root, double secondsEach, long seed) {
    this.root = root;
    this.secondsEach = secondsEach;
    this.seed = seed;
  }

  /**
   * The fate of one bug.
   *
   * @param bug its name
   * @param rule what it breaks
   * @param caught whether the scenario reported a violation
   * @param seconds how long that took
   * @param report the scenario's last lines
   */
  public record Outcome(String bug, String rule, boolean caught, double seconds, String report) {}

  /** Returns the names of all bugs. */
  public List<String> names() {
    try (Stream<Path> files = Files.list(root.resolve(FOLDER))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".bug"))
          .map(name -> name.substring(0, name.length() - 4))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the planted bugs are read from the sources in " + root, e);
    }
  }

  /** Plants one bug and looks for it. */
  public Outcome hunt(String name) throws IOException, InterruptedException {
    PlantedBug bug =
        PlantedBug.parse(name, Files.readString(root.resolve(FOLDER).resolve(name + ".bug")));
    Path work = Files.createTempDirectory("howdah-planted");
    try {
      Path source = work.resolve("src").resolve(root.resolve(bug.file()).getFileName());
      Files.createDirectories(source.getParent());
      Files.writeString(source, bug.plantIn(Files.readString(root.resolve(bug.file()))));
      Path classes = Files.createDirectories(work.resolve("classes"));
      compile(bug, source, classes);
      requireSound(bug.scenario(), work);
      return run(bug, classes, work);
    } finally {
      delete(work);
    }
  }

  private static void compile(PlantedBug bug, Path source, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IllegalStateException("planting bugs takes a JDK; this runtime has no compiler");
    }
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(problems, null, null)) {
      boolean done =
          compiler
              .getTask(
                  null,
                  files,
                  problems,
                  List.of(
                      "-proc:none",
                      "-nowarn",
                      "-d",
                      classes.toString(),
                      "-cp",
                      System.getProperty("java.class.path")),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      if (!done) {
        throw new IllegalStateException(
            "planted bug "
                + bug.name()
                + " does not compile: "
                + problems.getDiagnostics().stream()
                    .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
                    .toList());
      }
    }
  }

  /** A scenario that finds a bug where none is planted would find every one. */
  private void requireSound(String scenario, Path work) throws IOException, InterruptedException {
    if (!sound.contains(scenario)) {
      Ended control = run(scenario, CONTROL_SECONDS, System.getProperty("java.class.path"), work);
      if (control.exit() != 0) {
        throw new IllegalStateException(
            "scenario " + scenario + " fails without a planted bug:\n" + control.report());
      }
      sound.add(scenario);
    }
  }

  private Outcome run(PlantedBug bug, Path classes, Path work)
      throws IOException, InterruptedException {
    long started = System.nanoTime();
    Ended ended =
        run(
            bug.scenario(),
            secondsEach,
            classes + System.getProperty("path.separator") + System.getProperty("java.class.path"),
            work);
    double seconds = (System.nanoTime() - started) / 1e9;
    boolean caught = ended.exit() == ScenarioMain.VIOLATED || ended.exit() == NEVER;
    if (!caught && ended.exit() != 0) {
      throw new IllegalStateException(
          "scenario "
              + bug.scenario()
              + " itself failed under "
              + bug.name()
              + ":\n"
              + ended.report());
    }
    return new Outcome(bug.name(), bug.rule(), caught, seconds, ended.report());
  }

  /**
   * How a JVM ended.
   *
   * @param exit its exit code, or {@link #NEVER}
   * @param report its last lines
   */
  private record Ended(int exit, String report) {}

  private Ended run(String scenario, double seconds, String classPath, Path work)
      throws IOException, InterruptedException {
    Path output = work.resolve("output");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + work,
            "-cp",
            classPath,
            ScenarioMain.class.getName(),
            scenario,
            Long.toString(seed),
            Double.toString(seconds));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    // A broken engine may hang; that a scenario never ends is a finding too.
    boolean ended = process.waitFor((long) (seconds * 3) + 30, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String report = lastLines(Files.readString(output));
    return ended
        ? new Ended(process.exitValue(), report)
        : new Ended(NEVER, "never ended\n" + report);
  }

  private static String lastLines(String text) {
    List<String> lines = text.lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 12), lines.size()));
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
