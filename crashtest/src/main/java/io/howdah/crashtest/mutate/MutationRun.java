package io.howdah.crashtest.mutate;

import io.howdah.crashtest.process.JudgeClassPath;
import io.howdah.crashtest.process.SourceCompiler;
import io.howdah.process.AtExit;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs pitest over classes of a module: changes one instruction at a time, runs the tests that
 * reach the instruction, and notes whether one of them fails. Classes and tests are compiled from
 * the checkout's sources. The judges are the quick tests of the module and of {@code store}, whose
 * tests run the engine as a whole; pitest finds out itself which of them reach a class.
 *
 * <p>pitest 1.30 has no history of its own any more (it is a paid addition), so the results of each
 * class are kept by {@link MutationHistory} as soon as they are there. One thread at a time.
 */
public final class MutationRun implements AutoCloseable {

  /** The module whose tests judge those below it, too. */
  private static final String WHOLE_ENGINE = "store";

  private static final String EXTENSION = "crashtest/src/main/pitest";

  private static final long POLL_MILLIS = 2_000;

  private final Path root;
  private final List<Path> jars;
  private final String module;
  private final Options options;
  private final Path work;

  /**
   * Where tests have their files: in the same folder when they are measured and when they judge. A
   * test whose socket has too long a path in only one of them would be skipped without a word.
   */
  private final Path temporary;

  private final Path mainClasses;
  private final Set<String> failing = new TreeSet<>();

  /** Compiled tests and the module they are from. */
  private final Map<Path, String> testClasses = new LinkedHashMap<>();

  private final MutationHistory history;

  /**
   * How to judge.
   *
   * @param tests full names of the test classes that may judge
   * @param maxJudgeMillis longest time of a test class that judges
   * @param timeoutMillis a test that takes twice its usual time and this much longer does not end.
   *     On a busy machine a short time takes slow tests for endless ones, and counts their mutants
   *     as detected; a long one makes each mutant that hangs expensive
   * @param memoryMegabytes heap of a process that runs tests: a mutant that fills it is expensive
   * @param jobs processes that judge at a time
   * @param again whether to judge also what has not changed since the last run
   * @param operators which changes are made
   * @param part of the changes that are judged, above 0 and at most 1
   * @param seed of this sample
   */
  public record Options(
      NamePatterns tests,
      long maxJudgeMillis,
      long timeoutMillis,
      int memoryMegabytes,
      int jobs,
      boolean again,
      Operators operators,
      double part,
      long seed) {

    private static final int MILLION = 1_000_000;

    /** Checks. */
    public Options {
      if (maxJudgeMillis < 1 || timeoutMillis < 1 || memoryMegabytes < 1 || jobs < 1) {
        throw new IllegalArgumentException(
            "every bound must be above 0: %s ms, %s ms, %s MB, %s jobs"
                .formatted(maxJudgeMillis, timeoutMillis, memoryMegabytes, jobs));
      }
      if (!(part > 0 && part <= 1)) {
        throw new IllegalArgumentException("a part must be above 0 and at most 1: " + part);
      }
    }

    /** Returns the part of a million and the seed, as the extension of pitest reads them. */
    String sample() {
      return Math.max(1, Math.round(part * MILLION)) + "," + seed;
    }

    /** Returns the name of what is judged, for a folder of results. */
    String folder(String module) {
      String kind =
          operators == Operators.PITEST ? "" : "-" + operators.name().toLowerCase(Locale.ROOT);
      return module + kind + (part == 1 ? "" : "-" + sample().replace(',', '-'));
    }
  }

  /**
   * What became of one class.
   *
   * @param className its binary name
   * @param mutants every change that was judged
   */
  public record Result(String className, List<Mutant> mutants) {

    /** Checks and copies. */
    public Result {
      mutants = List.copyOf(mutants);
    }

    /** Returns the package's name. */
    public String packageName() {
      return className.substring(0, Math.max(0, className.lastIndexOf('.')));
    }
  }

  /**
   * What became of a run.
   *
   * @param unjudged binary names of the classes that were not judged in full
   * @param judges how many test classes were allowed to judge
   * @param failing tests of these that failed in pitest's process without any change, and judged
   *     nothing
   * @param problem why pitest stopped early; empty if it did not, or if its time was over
   */
  public record Outcome(List<String> unjudged, int judges, List<String> failing, String problem) {

    /** Checks and copies. */
    public Outcome {
      unjudged = List.copyOf(unjudged);
      failing = List.copyOf(failing);
    }
  }

  /**
   * Compiles a module and its tests.
   *
   * @param root the project's folder, with its sources
   * @param jars folders with pitest and what it needs, and with libraries of the module that are
   *     not on this JVM's class path
   * @param module folder of the module whose classes are changed
   */
  public MutationRun(Path root, List<Path> jars, String module, Options options)
      throws IOException {
    this.root = root.toAbsolutePath().normalize();
    this.jars = List.copyOf(jars);
    this.module = module;
    this.options = options;
    this.work = Files.createTempDirectory("howdah-mutate");
    this.temporary = Files.createDirectory(work.resolve("tmp"));
    AtExit.close(this);
    this.mainClasses = work.resolve("main");
    this.history =
        new MutationHistory(this.root.resolve(".howdah/mutate").resolve(options.folder(module)));
    String classPath = System.getProperty("java.class.path") + File.pathSeparator + jarPath();
    SourceCompiler.compileTree(
        "the extension of pitest", root.resolve(EXTENSION), work.resolve("pitest"), jarPath());
    SourceCompiler.compileTree(
        module, root.resolve(module).resolve("src/main"), mainClasses, classPath);
    for (String judge : judgingModules(module)) {
      Path tree = root.resolve(judge).resolve("src/test");
      if (hasJudge(tree.resolve("java"))) {
        Path classes = work.resolve("test-" + judge);
        SourceCompiler.compileTree(
            "the tests of " + judge, tree, classes, mainClasses + File.pathSeparator + classPath);
        testClasses.put(classes, judge);
      }
    }
  }

  /** Returns the folders of the modules whose tests judge a module's classes. */
  public static List<String> judgingModules(String module) {
    return List.of("core", "log", "checkpoint", "txn", "collections").contains(module)
        ? List.of(module, WHOLE_ENGINE)
        : List.of(module);
  }

  /** Returns whether a test class among these sources may judge, so that they must be compiled. */
  private boolean hasJudge(Path sources) throws IOException {
    if (!Files.exists(sources)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .map(file -> sources.relativize(file).toString().replace(File.separatorChar, '.'))
          .filter(file -> file.endsWith("Test.java"))
          .map(file -> file.substring(0, file.length() - ".java".length()))
          .anyMatch(options.tests::matches);
    }
  }

  /**
   * Judges classes.
   *
   * @param topLevel full names of the top-level classes to judge, with those in them
   * @param deadline of {@link System#nanoTime}, after which pitest is stopped; classes that it has
   *     judged in full until then are kept
   * @param progress is told what happens
   * @param results is told each class as soon as it is judged
   */
  public Outcome judge(
      NamePatterns topLevel, long deadline, Consumer<String> progress, Consumer<Result> results)
      throws IOException, InterruptedException {
    Map<String, Path> classes = classes(topLevel);
    Map<String, Path> judging = judges(progress);
    if (judging.isEmpty()) {
      return new Outcome(
          List.copyOf(classes.keySet()), 0, List.of(), "no quick test class to judge");
    }
    Map<String, String> judgeKeys = new TreeMap<>();
    for (Map.Entry<String, Path> judge : judging.entrySet()) {
      judgeKeys.put(judge.getKey(), MutationHistory.judgeKey(judge.getValue()));
    }
    Map<String, String> keys = new TreeMap<>();
    Map<String, MutationHistory.Known> known = new TreeMap<>();
    Set<String> fresh = new LinkedHashSet<>();
    Set<String> newJudges = new TreeSet<>();
    List<String> openMutants = new ArrayList<>();
    for (Map.Entry<String, Path> entry : classes.entrySet()) {
      String name = entry.getKey();
      String key = MutationHistory.key(List.of(entry.getValue()));
      keys.put(name, key);
      MutationHistory.Known kept = options.again ? null : history.find(name, key);
      if (kept == null) {
        fresh.add(name);
        continue;
      }
      Set<String> judges = kept.newJudges(judgeKeys);
      if (judges.isEmpty()) {
        results.accept(new Result(name, kept.mutants()));
      } else {
        known.put(name, kept);
        newJudges.addAll(judges);
        kept.mutants().stream()
            .filter(mutant -> !mutant.isDetected())
            .forEach(mutant -> openMutants.add(mutant.name()));
      }
    }
    Set<String> open = new TreeSet<>(fresh);
    open.addAll(known.keySet());
    Consumer<Result> keeping =
        result -> {
          String name = result.className();
          MutationHistory.Known before = known.get(name);
          Map<String, String> judges = new TreeMap<>(before == null ? Map.of() : before.judges());
          judges.putAll(judgeKeys);
          List<Mutant> mutants = before == null ? result.mutants() : before.with(result.mutants());
          try {
            history.keep(
                name, keys.getOrDefault(name, ""), new MutationHistory.Known(mutants, judges));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          open.remove(name);
          results.accept(new Result(name, mutants));
        };
    List<PitestProcess.Task> tasks =
        List.of(
            new PitestProcess.Task(
                List.copyOf(known.keySet()), List.copyOf(newJudges), openMutants),
            new PitestProcess.Task(List.copyOf(fresh), List.copyOf(judging.keySet()), List.of()));
    String problem = "";
    for (PitestProcess.Task task : tasks) {
      if (problem.isEmpty() && !task.classNames().isEmpty()) {
        problem = runPitest(task, open, deadline, progress, keeping);
      }
    }
    return new Outcome(List.copyOf(open), judging.size(), List.copyOf(failing), problem);
  }

  private String runPitest(
      PitestProcess.Task task,
      Set<String> open,
      long deadline,
      Consumer<String> progress,
      Consumer<Result> keeping)
      throws IOException, InterruptedException {
    progress.accept("pitest runs " + task.judges().size() + " test classes for coverage");
    Path folder = Files.createTempDirectory(work, "run");
    PitestProcess pitest =
        new PitestProcess(
            classPath(),
            mainClasses,
            task,
            root.resolve(testClasses.containsValue(WHOLE_ENGINE) ? WHOLE_ENGINE : module),
            folder,
            temporary,
            options);
    try {
      boolean ended = false;
      while (!ended && System.nanoTime() - deadline < 0) {
        ended = pitest.await(POLL_MILLIS);
        for (Result result : pitest.report().finished()) {
          if (open.contains(result.className())) {
            keeping.accept(result);
            progress.accept(result.className() + "; " + open.size() + " classes left");
          }
        }
      }
      if (!ended) {
        return "";
      }
      if (!pitest.isDone()) {
        return "pitest failed: " + pitest.lastLines();
      }
      for (String empty : task.classNames()) {
        if (open.contains(empty)) {
          keeping.accept(new Result(empty, List.of()));
        }
      }
      return "";
    } finally {
      failing.addAll(pitest.failing());
      pitest.end();
    }
  }

  @Override
  public void close() throws IOException {
    AtExit.forget(this);
    if (!Files.exists(work)) {
      return;
    }
    try (Stream<Path> files = Files.walk(work)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Returns the class files of the top-level classes that match, nested ones too, by name. */
  private Map<String, Path> classes(NamePatterns topLevel) throws IOException {
    Map<String, Path> found = new TreeMap<>();
    classFiles(mainClasses)
        .forEach(
            (name, file) -> {
              String top = name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
              if (!name.endsWith("package-info") && topLevel.matches(top)) {
                found.put(name, file);
              }
            });
    return found;
  }

  private Map<String, Path> judges(Consumer<String> progress)
      throws IOException, InterruptedException {
    Judges times =
        new Judges(
            root.resolve(".howdah/mutate/judges.tsv"),
            temporary,
            classPath(),
            PitestProcess.jvmOptions(options.memoryMegabytes));
    Map<String, Path> quick = new TreeMap<>();
    for (Map.Entry<Path, String> folder : testClasses.entrySet()) {
      Map<String, Path> tests = classFiles(folder.getKey());
      tests.keySet().removeIf(name -> !name.endsWith("Test") || !options.tests.matches(name));
      List<String> names =
          times.quick(
              tests,
              root.resolve(folder.getValue()),
              options.maxJudgeMillis,
              name -> progress.accept("measuring " + name));
      names.forEach(name -> quick.put(name, tests.get(name)));
    }
    return quick;
  }

  private static Map<String, Path> classFiles(Path folder) throws IOException {
    Map<String, Path> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .filter(file -> file.toString().endsWith(".class"))
          .forEach(
              file -> {
                String name = folder.relativize(file).toString().replace(File.separatorChar, '.');
                found.put(name.substring(0, name.length() - ".class".length()), file);
              });
    }
    return found;
  }

  private String classPath() throws IOException {
    List<String> parts = new ArrayList<>();
    parts.add(mainClasses.toString());
    testClasses.keySet().forEach(folder -> parts.add(folder.toString()));
    parts.add(work.resolve("pitest").toString());
    parts.add(jarPath());
    parts.add(JudgeClassPath.withoutLoggerFinders(System.getProperty("java.class.path")));
    return String.join(File.pathSeparator, parts);
  }

  private String jarPath() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path folder : jars) {
      try (Stream<Path> files = Files.list(folder.toAbsolutePath().normalize())) {
        files.map(Path::toString).filter(name -> name.endsWith(".jar")).forEach(found::add);
      }
    }
    return String.join(File.pathSeparator, found);
  }
}
