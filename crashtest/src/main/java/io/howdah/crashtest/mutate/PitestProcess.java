package io.howdah.crashtest.mutate;

import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One run of pitest in a process of its own. It first runs all judges once, to learn which lines
 * they reach and how long they take; then it changes the classes, and writes a class into its
 * report when all mutants of the class are judged.
 */
final class PitestProcess {

  /**
   * Off-heap memory of a process that judges. A store that a failed test has not closed keeps its
   * own, and a process judges hundreds of mutants. With the JVM's default, the size of the heap,
   * the process would run out of memory, and the mutant of that moment would count as detected.
   */
  private static final String MAX_OFF_HEAP = "8g";

  /**
   * Part of the heap that a process begins with. pitest ends a process, and calls the mutant a
   * memory error, if nine tenths of the old generation are used after any collection; garbage
   * counts. A heap of its full size from the start (the JVM begins with a 64th of the machine's
   * memory) is collected only when it is full, so garbage alone would end processes. A small one is
   * collected before it grows.
   */
  private static final int START_DIVISOR = 8;

  /** Room for compiled code: the watch of nine tenths is on that, too. */
  private static final String MAX_CODE = "256m";

  /** Returns the options of the processes that run tests. */
  static List<String> jvmOptions(int memoryMegabytes) {
    return List.of(
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:ReservedCodeCacheSize=" + MAX_CODE,
        "-Xms" + Math.max(1, memoryMegabytes / START_DIVISOR) + "m",
        "-Xmx" + memoryMegabytes + "m",
        "-XX:MaxDirectMemorySize=" + MAX_OFF_HEAP);
  }

  private static final String PITEST = "org.pitest.mutationtest.commandline.MutationCoverageReport";
  private static final String TIMEOUT_FACTOR = "2";
  private static final Pattern FAILING =
      Pattern.compile("SEVERE : (?:Description )?(.*?) did not pass without mutation\\.");
  private static final int MAX_REPORT_LINES = 12;

  /**
   * What to run.
   *
   * @param classNames binary names of the classes to change
   * @param judges full names of the test classes
   * @param open names of the mutants to judge; empty for all
   */
  record Task(List<String> classNames, List<String> judges, List<String> open) {

    /** Checks and copies. */
    Task {
      classNames = List.copyOf(classNames);
      judges = List.copyOf(judges);
      open = List.copyOf(open);
    }
  }

  private final Process process;
  private final AutoCloseable end;
  private final Path output;
  private final Path report;

  /**
   * Starts it.
   *
   * @param classPath of pitest, the changed classes, the judges, and what they need
   * @param mainClasses folder of the classes that may be changed
   * @param directory that the tests run in
   * @param work an empty folder for the report
   * @param temporary folder for the files of the tests
   */
  PitestProcess(
      String classPath,
      Path mainClasses,
      Task task,
      Path directory,
      Path work,
      Path temporary,
      MutationRun.Options options)
      throws IOException {
    Path reports = Files.createDirectories(work.resolve("report"));
    this.report = reports.resolve("mutations.xml");
    this.output = work.resolve("output");
    List<String> flags = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx512m"));
    flags.add("-Dhowdah.sample=" + options.sample());
    if (!task.open.isEmpty()) {
      Path open = Files.write(work.resolve("open"), task.open);
      flags.add("-Dhowdah.open=" + open);
    }
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--reportDir", reports.toString()));
    arguments.addAll(List.of("--sourceDirs", directory.toString()));
    arguments.addAll(List.of("--targetClasses", String.join(",", task.classNames)));
    arguments.addAll(List.of("--targetTests", String.join(",", task.judges)));
    arguments.addAll(List.of("--mutators", options.operators().mutators()));
    arguments.addAll(List.of("--mutableCodePaths", mainClasses.toString()));
    arguments.addAll(List.of("--outputFormats", "XML", "--timestampedReports=false"));
    arguments.addAll(List.of("--threads", Integer.toString(options.jobs())));
    arguments.addAll(List.of("--timeoutConst", Long.toString(options.timeoutMillis())));
    arguments.addAll(List.of("--timeoutFactor", TIMEOUT_FACTOR));
    arguments.addAll(List.of("--excludedGroups", "campaign", "--failWhenNoMutations=false"));
    arguments.addAll(List.of("--skipFailingTests=true", "--verbosity", "NO_SPINNER", "--jvmArgs"));
    arguments.add(
        String.join(",", jvmOptions(options.memoryMegabytes())) + ",-Djava.io.tmpdir=" + temporary);
    process =
        new JavaCommand(flags, classPath, PITEST, arguments)
            .builder()
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    end = AtExit.close(() -> end(process));
  }

  /** Waits; returns whether it has ended within the time. */
  boolean await(long millis) throws InterruptedException {
    return process.waitFor(millis, TimeUnit.MILLISECONDS);
  }

  /** Returns what it has found so far. */
  PitestReport report() throws IOException {
    return PitestReport.read(report);
  }

  /** Returns whether it has judged everything; only after it has ended. */
  boolean isDone() throws IOException {
    return report().isComplete() || Files.readString(output).contains("No mutations found");
  }

  /** Returns the end of what it has printed. */
  String lastLines() throws IOException {
    List<String> lines = Files.readAllLines(output);
    return lines.subList(Math.max(0, lines.size() - MAX_REPORT_LINES), lines.size()).stream()
        .collect(Collectors.joining("\n"));
  }

  /** Returns the tests that failed there without any change: pitest lets them judge nothing. */
  List<String> failing() throws IOException {
    return failing(Files.readAllLines(output));
  }

  /** Finds the tests in what pitest has printed. */
  static List<String> failing(List<String> lines) {
    return lines.stream()
        .map(FAILING::matcher)
        .filter(Matcher::find)
        .map(found -> found.group(1))
        .distinct()
        .toList();
  }

  /** Ends it, if it has not ended. */
  void end() throws InterruptedException {
    end(process);
    AtExit.forget(end);
  }

  /** Ends a process and its children: pitest judges in those. */
  static void end(Process process) throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
  }
}
