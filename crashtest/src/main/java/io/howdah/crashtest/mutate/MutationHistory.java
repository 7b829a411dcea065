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
import org.jspecify.annotations.Nullable;

/**
 * Results of earlier runs, one file for each class file, so that a run goes on where the last one
 * stopped. The results of a class count until the class changes; if it has mutants that were not
 * detected, until a judge changes, too. What the class calls may change without notice, so {@code
 * --again} exists. For one thread.
 */
final class MutationHistory {

  private final Path folder;

  MutationHistory(Path folder) {
    this.folder = folder;
  }

  /** Returns a digest of class files, in the order given. */
  static String key(List<Path> classFiles) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Path file : classFiles) {
        digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
        digest.update(Files.readAllBytes(file));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns the mutants of a class as they were judged, or null if that does not count. */
  @Nullable List<Mutant> find(String className, String key, String judgesKey) throws IOException {
    Path file = file(className);
    if (!Files.exists(file)) {
      return null;
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.size() < 2 || !lines.get(0).equals(key)) {
      return null;
    }
    List<Mutant> mutants = lines.stream().skip(2).map(Mutant::parse).toList();
    boolean all = mutants.stream().allMatch(Mutant::isDetected);
    return all || lines.get(1).equals(judgesKey) ? mutants : null;
  }

  void keep(String className, String key, String judgesKey, List<Mutant> mutants)
      throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(key);
    lines.add(judgesKey);
    mutants.forEach(mutant -> lines.add(mutant.toLine()));
    Files.createDirectories(folder);
    Path written = folder.resolve(className + ".part");
    Files.write(written, lines);
    Files.move(written, file(className), StandardCopyOption.REPLACE_EXISTING);
  }

  private Path file(String className) {
    return folder.resolve(className + ".tsv");
  }
}
