package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The size of files and packages, and how far the classes of a package hang together. */
final class ShapeTest {

  private static final Path ROOT = Path.of("..");
  private static final int MAX_LINES = 600;
  private static final int MAX_FILES = 40;
  private static final int MAX_CIRCLE = 6;

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

  @Test
  void noCircleOfClassesIsTooLarge() {
    List<Set<String>> circles =
        Circles.of(
            new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.howdah"));
    assertThat(circles).isNotEmpty().noneMatch(circle -> circle.size() > MAX_CIRCLE);
  }

  @Test
  void aCircleIsFoundWhateverLeadsToIt() {
    Map<String, Set<String>> graph = new TreeMap<>();
    IntStream.range(0, 7).forEach(i -> graph.put("c" + i, Set.of("c" + (i + 1) % 7, "alone")));
    graph.put("outside", Set.of("c3", "other"));
    graph.put("other", Set.of("outside"));
    assertThat(Circles.of(graph))
        .containsExactlyInAnyOrder(
            Set.of("c0", "c1", "c2", "c3", "c4", "c5", "c6"), Set.of("other", "outside"));
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
