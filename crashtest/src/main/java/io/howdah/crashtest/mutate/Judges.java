package io.howdah.crashtest.mutate;

import io.howdah.process.AtExit;
import io.howdah.process.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Picks the test classes that are quick enough to judge: a mutant that survives costs a run of all
 * tests that reach it. The time of each test class is measured once and kept until the class
 * changes. For one thread.
 */
final class Judges {

  /**
   * A class is given up after this multiple of the bound by the clock: other processes may have the
   * processors.
   */
  private static final int GIVE_UP_FACTOR = 10;

  /** Test classes in one JVM, so that what they leave behind does not add up. */
  private static final int CLASSES_A_PROCESS = 40;

  private final Path file;
  private final Path temporary;
  private final String classPath;
  private final List<String> jvmOptions;
  private final Map<String, String> known = new HashMap<>();

  /**
   * Reads what is known.
   *
   * @param file with the times of earlier runs
   * @param temporary folder for the files of the tests
   * @param classPath of the tests
   * @param jvmOptions of the process that runs them
   */
  Judges(Path file, Path temporary, String classPath, List<String> jvmOptions) throws IOException {
    this.file = file;
    this.temporary = temporary;
    this.classPath = classPath;
    this.jvmOptions = List.copyOf(jvmOptions);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        known.put(line.substring(0, line.lastIndexOf('\t')), line);
      }
    }
  }

  /**
   * Returns the names of those that pass within a time, sorted.
   *
   * @param tests class files by full name
   * @param folder of the module they are from, which they run in
   * @param maxMillis longest time of a test class that judges
   * @param measuring is told each class that is measured
   */
  List<String> quick(
      Map<String, Path> tests, Path folder, long maxMillis, Consumer<String> measuring)
      throws IOException, InterruptedException {
    Map<String, String> keys = new LinkedHashMap<>();
    for (Map.Entry<String, Path> test : tests.entrySet()) {
      keys.put(
          test.getKey(),
          test.getKey() + "\t" + MutationHistory.key(List.of(test.getValue())).substring(0, 16));
    }
    List<String> unknown =
        new ArrayList<>(
            keys.entrySet().stream()
                .filter(test -> !isKnown(test.getValue(), maxMillis))
                .map(Map.Entry::getKey)
                .toList());
    while (!unknown.isEmpty()) {
      List<String> part = unknown.subList(0, Math.min(CLASSES_A_PROCESS, unknown.size()));
      Map<String, Long> times = measure(part, folder, maxMillis * GIVE_UP_FACTOR, measuring);
      // The process ended in this class without a word about it.
      String first = part.getFirst();
      if (times.isEmpty()) {
        times.put(first, JudgeTimesMain.FAILED);
      }
      times.forEach(
          (name, millis) -> {
            String key = keys.getOrDefault(name, name);
            known.put(key, key + "\t" + millis);
          });
      unknown.removeAll(times.keySet());
      keep();
    }
    return keys.entrySet().stream()
        .filter(test -> isQuick(millis(test.getValue()), maxMillis))
        .map(Map.Entry::getKey)
        .sorted(Comparator.naturalOrder())
        .toList();
  }

  private static boolean isQuick(long millis, long maxMillis) {
    return millis >= 0 && millis <= maxMillis;
  }

  /** Returns whether a time is there; one that was given up under a lower bound says nothing. */
  private boolean isKnown(String key, long maxMillis) {
    return known.containsKey(key)
        && (millis(key) >= JudgeTimesMain.FAILED || -millis(key) >= maxMillis * GIVE_UP_FACTOR);
  }

  private long millis(String key) {
    String line = known.getOrDefault(key, "\t" + JudgeTimesMain.FAILED);
    return Long.parseLong(line.substring(line.lastIndexOf('\t') + 1));
  }

  private Map<String, Long> measure(
      List<String> names, Path folder, long giveUpMillis, Consumer<String> measuring)
      throws IOException, InterruptedException {
    List<String> flags = new ArrayList<>(jvmOptions);
    flags.add("-Djava.io.tmpdir=" + temporary);
    List<String> arguments = new ArrayList<>(List.of(Long.toString(giveUpMillis)));
    arguments.addAll(names);
    Process process =
        new JavaCommand(flags, classPath, JudgeTimesMain.class.getName(), arguments)
            .builder()
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    AutoCloseable end = AtExit.close(() -> PitestProcess.end(process));
    Map<String, Long> times = new LinkedHashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      measuring.accept(names.getFirst());
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split("\t", -1);
        if (parts.length == 3 && parts[0].equals(JudgeTimesMain.MARK)) {
          times.put(parts[1], Long.parseLong(parts[2]));
          measuring.accept(parts[1]);
        }
      }
      return times;
    } finally {
      PitestProcess.end(process);
      AtExit.forget(end);
    }
  }

  private void keep() throws IOException {
    Files.createDirectories(file.getParent());
    Path written = file.resolveSibling(file.getFileName() + ".part");
    Files.write(written, known.values().stream().sorted().toList());
    Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
