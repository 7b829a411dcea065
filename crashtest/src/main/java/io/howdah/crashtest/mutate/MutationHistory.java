package io.howdah.crashtest.mutate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Results of earlier runs, one file for each class file, so that a run goes on where the last one
 * stopped. The results of a class count until the class changes. Its mutants that were not detected
 * are judged again, by the judges that are new or changed since. What the class and the judges call
 * may change without notice, so {@code --again} exists. For one thread.
 */
final class MutationHistory {

  /** Begins a file; the digest of the class follows. */
  private static final String FORMAT = "2\t";

  private static final String JUDGE = "judge\t";

  private final Path folder;

  MutationHistory(Path folder) {
    this.folder = folder;
  }

  /**
   * Returns a digest of a test class and of the files beside it that are no classes: a test may
   * read there what it asks for, and expects.
   */
  static String judgeKey(Path testClass) throws IOException {
    List<Path> all = new ArrayList<>(List.of(testClass));
    try (Stream<Path> files = Files.list(testClass.resolveSibling(""))) {
      files
          .filter(file -> !file.toString().endsWith(".class") && Files.isRegularFile(file))
          .sorted()
          .forEach(all::add);
    }
    return key(all);
  }

  /** Returns a digest of files, in the order given. */
  static String key(List<Path> keyed) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path file : keyed) {
        digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
        digest.update(Files.readAllBytes(file));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * What is known of a class.
   *
   * @param judges digests of the tests that have judged it, by full name
   */
  record Known(List<Mutant> mutants, Map<String, String> judges) {

    /** Returns the names of tests that may notice what no test has noticed: new or changed ones. */
    Set<String> newJudges(Map<String, String> current) {
      Set<String> names = new TreeSet<>();
      if (!mutants.stream().allMatch(Mutant::isDetected)) {
        current.forEach(
            (name, key) -> {
              if (!key.equals(judges.get(name))) {
                names.add(name);
              }
            });
      }
      return names;
    }

    /** Returns what is known after further tests have judged the mutants that were not detected. */
    List<Mutant> with(List<Mutant> judgedAgain) {
      Map<String, Mutant> later =
          judgedAgain.stream().collect(Collectors.toMap(Mutant::name, mutant -> mutant));
      return mutants.stream().map(m -> m.or(later.getOrDefault(m.name(), m))).toList();
    }
  }

  /** Returns what is known of a class, or null if that does not count. */
  @Nullable Known find(String className, String key) throws IOException {
    Path file = file(className);
    if (!Files.exists(file)) {
      return null;
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty() || !lines.getFirst().equals(FORMAT + key)) {
      return null;
    }
    List<Mutant> mutants = new ArrayList<>();
    Map<String, String> judges = new TreeMap<>();
    for (String line : lines.subList(1, lines.size())) {
      if (line.startsWith(JUDGE)) {
        String[] parts = line.split("\t", -1);
        judges.put(parts[1], parts[2]);
      } else {
        mutants.add(Mutant.parse(line));
      }
    }
    return new Known(mutants, judges);
  }

  void keep(String className, String key, Known known) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(FORMAT + key);
    known.judges.forEach((name, digest) -> lines.add(JUDGE + name + "\t" + digest));
    known.mutants.forEach(mutant -> lines.add(mutant.toLine()));
    Files.createDirectories(folder);
    Path written = folder.resolve(className + ".part");
    Files.write(written, lines);
    Files.move(written, file(className), StandardCopyOption.REPLACE_EXISTING);
  }

  private Path file(String className) {
    return folder.resolve(className + ".tsv");
  }
}
