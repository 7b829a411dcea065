package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The size of files and packages. */
final class ShapeTest {

  private static final Path ROOT = Path.of("..");
  private static final int MAX_LINES = 600;
  private static final int MAX_FILES = 40;

  @Test
  void noMainFileIsTooLong() throws IOException {
    Map<Path, Long> tooLong = new TreeMap<>();
    for (Path file : mainFiles()) {
      try (Stream<String> lines = Files.lines(file)) {
        long count = lines.count();
        if (count > MAX_LINES) {
          tooLong.put(file, count);
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void noPackageHasTooManyFiles() throws IOException {
    Map<Path, Integer> files = new TreeMap<>();
    for (Path file : mainFiles()) {
      files.merge(file.getParent(), 1, Integer::sum);
    }
    files.values().removeIf(count -> count <= MAX_FILES);
    assertThat(files).isEmpty();
  }

  private static List<Path> mainFiles() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> found =
          modules
              .map(module -> module.resolve("src/main/java"))
              .filter(Files::isDirectory)
              .flatMap(ShapeTest::javaFiles)
              .toList();
      assertThat(found).hasSizeGreaterThan(100);
      return found;
    }
  }

  private static Stream<Path> javaFiles(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
