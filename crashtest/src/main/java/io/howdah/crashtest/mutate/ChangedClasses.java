package io.howdah.crashtest.mutate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The classes of a module that have changed, and the tests beside them. */
public final class ChangedClasses {

  private static final String SOURCE = ".java";
  private static final String TEST = "Test" + SOURCE;
  private static final long GIT_SECONDS = 60;

  private ChangedClasses() {}

  /**
   * Returns the full names of the top-level classes of a module whose sources differ from those of
   * a revision, or are new, sorted. Changes that are not committed count.
   *
   * @param root the project's folder, in a work tree of git
   * @param revision as git names it
   * @param module folder of the module
   * @throws IOException if git is not there, or says that it cannot; with its words
   */
  public static List<String> since(Path root, String revision, String module)
      throws IOException, InterruptedException {
    return changed(root, revision, module + "/src/main/java/", SOURCE);
  }

  /**
   * Returns the full names of a module's test classes that differ from those of a revision, or are
   * new, sorted.
   *
   * @throws IOException if git is not there, or says that it cannot; with its words
   */
  public static List<String> testsSince(Path root, String revision, String module)
      throws IOException, InterruptedException {
    return changed(root, revision, module + "/src/test/java/", TEST);
  }

  private static List<String> changed(Path root, String revision, String sources, String end)
      throws IOException, InterruptedException {
    List<String> files =
        new ArrayList<>(
            git(
                root,
                "diff",
                "--name-only",
                "--relative",
                "--diff-filter=d",
                "--end-of-options",
                revision,
                "--",
                sources));
    files.addAll(git(root, "ls-files", "--others", "--exclude-standard", "--", sources));
    TreeSet<String> names = new TreeSet<>();
    for (String file : files) {
      if (file.startsWith(sources) && file.endsWith(end) && !file.endsWith("package-info.java")) {
        names.add(
            file.substring(sources.length(), file.length() - SOURCE.length()).replace('/', '.'));
      }
    }
    return List.copyOf(names);
  }

  /** Returns the full names of a module's test classes in the packages of some classes, sorted. */
  public static List<String> testsBeside(Path root, String module, Collection<String> classes)
      throws IOException {
    TreeSet<String> packages = new TreeSet<>();
    for (String name : classes) {
      packages.add(name.substring(0, Math.max(0, name.lastIndexOf('.'))));
    }
    TreeSet<String> tests = new TreeSet<>();
    for (String name : packages) {
      Path folder = root.resolve(module).resolve("src/test/java").resolve(name.replace('.', '/'));
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.list(folder)) {
          files
              .map(file -> file.getFileName().toString())
              .filter(file -> file.endsWith(TEST))
              .map(file -> name + "." + file.substring(0, file.length() - SOURCE.length()))
              .forEach(tests::add);
        }
      }
    }
    return List.copyOf(tests);
  }

  private static List<String> git(Path root, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile("howdah-git", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(root.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      try {
        if (!process.waitFor(GIT_SECONDS, TimeUnit.SECONDS)) {
          throw new IOException("git does not end: " + String.join(" ", command));
        }
      } finally {
        process.destroyForcibly();
      }
      String words = Files.readString(output, StandardCharsets.UTF_8);
      if (process.exitValue() != 0) {
        throw new IOException("git: " + words.strip());
      }
      return words.lines().toList();
    } finally {
      Files.deleteIfExists(output);
    }
  }
}
