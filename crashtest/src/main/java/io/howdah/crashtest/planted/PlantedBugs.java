package io.howdah.crashtest.planted;

import io.howdah.crashtest.process.JudgeClassPath;
import io.howdah.crashtest.process.SourceCompiler;
import io.howdah.crashtest.scenario.ScenarioMain;
import io.howdah.process.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Proves that the tests can fail: plants one bug at a time in a copy of a source file, compiles it,
 * and runs the bug's judge, a crash scenario or a test class, with the broken classes first on the
 * class path, in a JVM of its own. A bug that its judge does not notice is a hole in the tests.
 *
 * <p>One thread at a time.
 */
public final class PlantedBugs implements AutoCloseable {

  /** The modules whose tests start the command, which the class path must have then. */
  private static final Set<String> COMMANDS = Set.of("cli", "lab");

  /** The modules whose libraries the command does not have. */
  static final Set<String> OTHERS =
      Set.of("archive-s3", "importers", "jcache", "replica/ratis", "spring-data");

  /** Where Maven writes the class path of the tests of such a module. */
  private static final String LIBRARIES = "test-class-path.txt";

  private static final String FOLDER = "crashtest/src/main/planted";

  private static final int NEVER = -1;

  /** Long enough for a class that is missing, or a scenario that always fails. */
  private static final double CONTROL_SECONDS = 1;

  private final Path root;
  private final double secondsEach;
  private final long seed;

  /** Judges that were seen to pass without a bug. */
  private final Set<PlantedBug.Judge> sound = new HashSet<>();

  /** The compiled tests of each module that was asked for, in folders of their own. */
  private final Map<String, Path> testClasses = new HashMap<>();

  /** The class paths of modules whose libraries the command does not have. */
  private final Map<String, String> classPaths = new HashMap<>();

  /** Folders with the classes of such modules. */
  private final List<Path> otherClasses = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param root the project's folder, with its sources
   * @param secondsEach how long a scenario may look for one bug; a test class runs once, for at
   *     most three times as long
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
   * @param caught whether the judge failed
   * @param seconds how long that took
   * @param report the judge's last lines
   */
  public record Outcome(String bug, String rule, boolean caught, double seconds, String report) {}

  /** Returns the names of all bugs. */
  public List<String> names() {
    return names(root);
  }

  static List<String> names(Path root) {
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

  /**
   * Plants one bug and looks for it.
   *
   * @throws IllegalStateException if its judge fails without the bug, or ends neither as passed nor
   *     as failed with it; other bugs can still be hunted
   */
  public Outcome hunt(String name) throws IOException, InterruptedException {
    PlantedBug bug =
        PlantedBug.parse(name, Files.readString(root.resolve(FOLDER).resolve(name + ".bug")));
    Path work = Files.createTempDirectory("howdah-planted");
    try {
      Path source = work.resolve("src").resolve(root.resolve(bug.file()).getFileName());
      Files.createDirectories(source.getParent());
      Files.writeString(source, bug.plantIn(Files.readString(root.resolve(bug.file()))));
      Path classes = Files.createDirectories(work.resolve("classes"));
      SourceCompiler.compile(
          "planted bug " + bug.name(),
          List.of(source),
          classes,
          withLibraries(moduleOf(bug), System.getProperty("java.class.path")));
      requireSound(bug.judge(), work);
      return run(bug, classes, work);
    } finally {
      delete(work);
    }
  }

  /** Deletes what was compiled on the way. */
  @Override
  public void close() throws IOException {
    for (Path classes : testClasses.values()) {
      delete(classes);
    }
    testClasses.clear();
    for (Path classes : otherClasses) {
      delete(classes);
    }
    otherClasses.clear();
    classPaths.clear();
  }

  private static String moduleOf(PlantedBug bug) {
    return bug.file().substring(0, bug.file().indexOf("/src/"));
  }

  /** Returns a class path with what a module needs and the command does not have. */
  private String withLibraries(String module, String command) throws IOException {
    if (!OTHERS.contains(module)) {
      return command;
    }
    String known = classPaths.get(module);
    if (known == null) {
      String libraries = libraries(module);
      Path classes = Files.createTempDirectory("howdah-planted-main");
      otherClasses.add(classes);
      SourceCompiler.compileTree(
          module,
          root.resolve(module).resolve("src").resolve("main"),
          classes,
          command + File.pathSeparator + libraries);
      known = classes + File.pathSeparator + libraries;
      classPaths.put(module, known);
    }
    return command + File.pathSeparator + known;
  }

  private String libraries(String module) throws IOException {
    for (String folder : List.of("target", "target/quick")) {
      Path file = root.resolve(module).resolve(folder).resolve(LIBRARIES);
      if (Files.exists(file)) {
        return Files.readString(file).strip();
      }
    }
    throw new IllegalStateException(
        "the command has not the libraries of "
            + module
            + "; mvn -DskipTests process-test-classes -pl "
            + module
            + " -am writes where they are");
  }

  private Path testsOf(String module) throws IOException {
    Path known = testClasses.get(module);
    if (known != null) {
      return known;
    }
    Path classes = Files.createTempDirectory("howdah-planted-tests");
    testClasses.put(module, classes);
    SourceCompiler.compileTree(
        "the tests of " + module,
        root.resolve(module).resolve("src").resolve("test"),
        classes,
        withLibraries(module, System.getProperty("java.class.path")));
    return classes;
  }

  /** A judge that finds a bug where none is planted would find every one. */
  private void requireSound(PlantedBug.Judge judge, Path work)
      throws IOException, InterruptedException {
    if (!sound.contains(judge)) {
      Ended control = run(judge, CONTROL_SECONDS, List.of(), work);
      if (control.exit() != 0) {
        throw new IllegalStateException(
            judge + " fails without a planted bug:\n" + control.report());
      }
      sound.add(judge);
    }
  }

  private Outcome run(PlantedBug bug, Path classes, Path work)
      throws IOException, InterruptedException {
    long started = System.nanoTime();
    Ended ended = run(bug.judge(), secondsEach, List.of(classes), work);
    double seconds = (System.nanoTime() - started) / 1e9;
    boolean caught = ended.exit() == ScenarioMain.VIOLATED || ended.exit() == NEVER;
    if (!caught && ended.exit() != 0) {
      throw new IllegalStateException(
          bug.judge() + " itself failed under " + bug.name() + ":\n" + ended.report());
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

  private Ended run(PlantedBug.Judge judge, double seconds, List<Path> broken, Path work)
      throws IOException, InterruptedException {
    Path output = work.resolve("output");
    List<String> flags =
        List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + work);
    String own = JavaCommand.ownClassPath();
    Path folder =
        switch (judge) {
          case PlantedBug.OfScenario _ -> work;
          case PlantedBug.OfTest test -> root.resolve(test.module());
        };
    JavaCommand command =
        switch (judge) {
          case PlantedBug.OfScenario scenario ->
              new JavaCommand(
                  flags,
                  classPath(broken, own),
                  ScenarioMain.class.getName(),
                  List.of(scenario.name(), Long.toString(seed), Double.toString(seconds)));
          case PlantedBug.OfTest test -> {
            List<Path> first = new ArrayList<>(broken);
            first.add(testsOf(test.module()));
            String rest =
                COMMANDS.contains(test.module())
                    ? own
                    : withLibraries(test.module(), JudgeClassPath.withoutLoggerFinders(own));
            yield new JavaCommand(
                flags,
                classPath(first, rest),
                TestClassMain.class.getName(),
                List.of(test.className()));
          }
        };
    Process process =
        command
            .builder()
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    // A broken engine may hang; that its judge never ends is a finding too.
    double patience = judge instanceof PlantedBug.OfTest ? secondsEach : seconds;
    boolean ended = process.waitFor((long) (patience * 3) + 30, TimeUnit.SECONDS);
    if (!ended) {
      process.destroyForcibly().waitFor();
    }
    String report = lastLines(Files.readString(output));
    return ended
        ? new Ended(process.exitValue(), report)
        : new Ended(NEVER, "never ended\n" + report);
  }

  private static String classPath(List<Path> first, String rest) {
    return Stream.concat(first.stream().map(Path::toString), Stream.of(rest))
        .collect(Collectors.joining(System.getProperty("path.separator")));
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
