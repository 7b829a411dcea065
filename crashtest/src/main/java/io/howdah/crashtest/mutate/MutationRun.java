package io.howdah.crashtest.mutate;

import io.howdah.crashtest.process.AtExit;
import io.howdah.crashtest.process.SourceCompiler;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs pitest over one class at a time: changes one instruction of it, runs the tests that reach
 * the instruction, and notes whether one of them fails. Classes and tests are compiled from the
 * checkout's sources. The judges are the tests of the class's package, in its own module and in
 * {@code store}, whose tests run the engine as a whole.
 *
 * <p>pitest 1.30 has no history of its own any more (it is a paid addition), so the results of each
 * class are kept by {@link MutationHistory}. One thread at a time.
 */
public final class MutationRun implements AutoCloseable {

  /** The module whose tests judge those below it, too. */
  private static final String WHOLE_ENGINE = "store";

  private static final int MAX_REPORT_LINES = 12;

  private final Path root;
  private final Path jars;
  private final String module;
  private final List<String> tests;
  private final long secondsPerClass;
  private final Path work;
  private final Path mainClasses;

  /** Compiled tests and the module they are from. */
  private final Map<Path, String> testClasses = new LinkedHashMap<>();

  private final MutationHistory history;

  /**
   * Compiles a module and its tests.
   *
   * @param root the project's folder, with its sources
   * @param jars folder with pitest and what it needs
   * @param module folder of the module whose classes are changed
   * @param tests patterns for full names of the test classes that judge, with {@code *} for any
   *     text; empty for those of the class's package
   * @param secondsPerClass after which pitest is stopped; what it has found until then is reported
   */
  public MutationRun(Path root, Path jars, String module, List<String> tests, long secondsPerClass)
      throws IOException {
    this.root = root.toAbsolutePath().normalize();
    this.jars = jars.toAbsolutePath().normalize();
    this.module = module;
    this.tests = List.copyOf(tests);
    this.secondsPerClass = secondsPerClass;
    this.work = Files.createTempDirectory("howdah-mutate");
    AtExit.close(this);
    this.mainClasses = work.resolve("main");
    this.history = new MutationHistory(this.root.resolve(".howdah/mutate").resolve(module));
    String classPath = System.getProperty("java.class.path");
    SourceCompiler.compileTree(
        module, root.resolve(module).resolve("src/main"), mainClasses, classPath);
    List<String> judges =
        List.of("core", "log", "checkpoint", "txn", "collections").contains(module)
            ? List.of(module, WHOLE_ENGINE)
            : List.of(module);
    for (String judge : judges) {
      Path tree = root.resolve(judge).resolve("src/test");
      if (Files.exists(tree.resolve("java"))) {
        Path classes = work.resolve("test-" + judge);
        SourceCompiler.compileTree(
            "the tests of " + judge, tree, classes, mainClasses + File.pathSeparator + classPath);
        testClasses.put(classes, judge);
      }
    }
  }

  /**
   * What became of one class.
   *
   * @param className its full name
   * @param mutants every change that was judged
   * @param remembered whether the results are those of an earlier run
   * @param problem why it is not judged, or not in full; empty if nothing is
   */
  public record Result(String className, List<Mutant> mutants, boolean remembered, String problem) {

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
   * Returns the full names of the module's top-level classes that a pattern matches, sorted.
   *
   * @param pattern with {@code *} for any text
   */
  public List<String> classes(String pattern) throws IOException {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    try (Stream<Path> files = Files.walk(mainClasses)) {
      return files
          .map(file -> mainClasses.relativize(file).toString())
          .filter(name -> name.endsWith(".class") && !name.contains("$"))
          .filter(name -> !name.endsWith("package-info.class"))
          .map(name -> name.substring(0, name.length() - 6).replace(File.separatorChar, '.'))
          .filter(name -> matcher.matches(Path.of(name)))
          .sorted()
          .toList();
    }
  }

  /**
   * Judges one class.
   *
   * @param again whether to run pitest even if nothing has changed since the last run
   */
  public Result judge(String className, boolean again) throws IOException, InterruptedException {
    List<String> patterns =
        tests.isEmpty()
            ? List.of(className.substring(0, className.lastIndexOf('.')) + ".*Test")
            : tests;
    List<Path> judging = judging(patterns);
    if (judging.isEmpty()) {
      return new Result(className, List.of(), false, "no test class matches " + patterns);
    }
    List<Path> key = new ArrayList<>(filesOf(className));
    key.addAll(judging);
    String digest = MutationHistory.key(key);
    if (!again) {
      List<Mutant> known = history.find(className, digest);
      if (known != null) {
        return new Result(className, known, true, "");
      }
    }
    Path report = Files.createDirectories(work.resolve("report-" + className));
    Path output = work.resolve("output");
    boolean ended = pitest(className, patterns, judging, report, output);
    PitestReport read = PitestReport.read(report.resolve("mutations.xml"));
    if (!ended) {
      return new Result(
          className, read.mutants(), false, "stopped after " + secondsPerClass + " s");
    }
    boolean isEmpty = Files.readString(output).contains("No mutations found");
    if (!read.isComplete() && !isEmpty) {
      return new Result(className, read.mutants(), false, "pitest failed: " + lastLines(output));
    }
    history.keep(className, digest, read.mutants());
    return new Result(className, read.mutants(), false, "");
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

  private boolean pitest(
      String className, List<String> patterns, List<Path> judging, Path report, Path output)
      throws IOException, InterruptedException {
    Path temporary = Files.createDirectories(work.resolve("tmp"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx256m", "-cp", classPath()));
    command.add("org.pitest.mutationtest.commandline.MutationCoverageReport");
    command.addAll(List.of("--reportDir", report.toString()));
    command.addAll(
        List.of("--sourceDirs", root.resolve(module).resolve("src/main/java").toString()));
    command.addAll(List.of("--targetClasses", className + "," + className + "$*"));
    command.addAll(List.of("--targetTests", String.join(",", patterns)));
    command.addAll(List.of("--mutableCodePaths", mainClasses.toString()));
    command.addAll(List.of("--outputFormats", "XML", "--timestampedReports=false"));
    command.addAll(List.of("--threads", "1", "--timeoutConst", "4000"));
    command.addAll(List.of("--excludedGroups", "campaign", "--failWhenNoMutations=false"));
    command.add("--jvmArgs");
    command.add("-XX:+UseSerialGC,-XX:TieredStopAtLevel=1,-Xmx400m,-Djava.io.tmpdir=" + temporary);
    Process process =
        new ProcessBuilder(command)
            .directory(root.resolve(moduleOf(judging)).toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    AutoCloseable end = AtExit.close(() -> end(process));
    try {
      return process.waitFor(secondsPerClass, TimeUnit.SECONDS);
    } finally {
      end(process);
      AtExit.forget(end);
    }
  }

  /** Ends pitest and its own children: each runs the tests of one class. */
  private static void end(Process process) throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }

  /**
   * Tests read files of their module: pitest runs in the folder of the module with most of them.
   */
  private String moduleOf(List<Path> judging) {
    Map<String, Integer> counts = new HashMap<>();
    testClasses.forEach(
        (folder, from) ->
            judging.stream()
                .filter(file -> file.startsWith(folder))
                .forEach(_ -> counts.merge(from, 1, Integer::sum)));
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(module);
  }

  private String classPath() throws IOException {
    List<String> parts = new ArrayList<>();
    parts.add(mainClasses.toString());
    testClasses.keySet().forEach(folder -> parts.add(folder.toString()));
    try (Stream<Path> files = Files.list(jars)) {
      files.filter(f -> f.toString().endsWith(".jar")).map(Path::toString).forEach(parts::add);
    }
    parts.add(System.getProperty("java.class.path"));
    return String.join(File.pathSeparator, parts);
  }

  private List<Path> filesOf(String className) throws IOException {
    Path file = mainClasses.resolve(className.replace('.', '/') + ".class");
    String simple = className.substring(className.lastIndexOf('.') + 1);
    try (Stream<Path> files = Files.list(file.getParent())) {
      return files
          .filter(f -> f.equals(file) || f.getFileName().toString().startsWith(simple + "$"))
          .sorted()
          .toList();
    }
  }

  private List<Path> judging(List<String> patterns) throws IOException {
    PathMatcher matcher =
        FileSystems.getDefault().getPathMatcher("glob:{" + String.join(",", patterns) + "}");
    List<Path> found = new ArrayList<>();
    for (Path folder : testClasses.keySet()) {
      try (Stream<Path> files = Files.walk(folder)) {
        files
            .filter(file -> file.toString().endsWith("Test.class"))
            .filter(
                file -> {
                  String name = folder.relativize(file).toString();
                  String full = name.substring(0, name.length() - 6);
                  return matcher.matches(Path.of(full.replace(File.separatorChar, '.')));
                })
            .sorted()
            .forEach(found::add);
      }
    }
    return found;
  }

  private static String lastLines(Path output) throws IOException {
    List<String> lines = Files.readAllLines(output);
    return lines.subList(Math.max(0, lines.size() - MAX_REPORT_LINES), lines.size()).stream()
        .collect(Collectors.joining("\n"));
  }
}
