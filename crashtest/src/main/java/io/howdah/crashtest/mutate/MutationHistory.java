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
 * Results of earlier runs, one file for each class, so that a run goes on where the last one
 * stopped. A result counts as long as neither the class nor one of its judges has changed; what it
 * calls may have, so {@code --again} exists. For one thread.
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

  /** Returns the mutants of a class as they were judged under a key, or null. */
  @Nullable List<Mutant> find(String className, String key) throws IOException {
    Path file = file(className);
    if (!Files.exists(file)) {
      return null;
    }
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty() || !lines.getFirst().equals(key)) {
      return null;
    }
    List<Mutant> mutants = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      mutants.add(Mutant.parse(line));
    }
    return mutants;
  }

  void keep(String className, String key, List<Mutant> mutants) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(key);
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
