package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Reports the largest files, packages, constructors and classes, and fails for none: a design
 * decides how large they are. It only fails if it finds nothing to report. The shapes that are
 * rules, circles of packages and of classes, are in {@link ArchitectureTest}.
 */
final class ShapeTest {

  private static final Path ROOT = Path.of("..");
  private static final int REPORTED = 10;

  /** As {@code mvn} and {@code mvn -Dquick} place them. */
  private static final List<String> CLASSES = List.of("target/classes", "target/quick/classes");

  @Test
  void reportsTheLargestFilesAndPackages() throws IOException {
    Map<String, Integer> lines = new HashMap<>();
    Map<String, Integer> files = new HashMap<>();
    for (Path file : all("src/main/java", ".java")) {
      try (Stream<String> all = Files.lines(file)) {
        lines.put(ROOT.relativize(file).toString(), (int) all.count());
      }
      files.merge(ROOT.relativize(file.getParent()).toString(), 1, Integer::sum);
    }
    assertThat(lines).hasSizeGreaterThan(100);
    report("lines of a file", lines);
    report("files of a package", files);
  }

  @Test
  void reportsTheLargestConstructorsAndClasses() throws IOException {
    Map<String, Integer> parameters = new HashMap<>();
    Map<String, Integer> fields = new HashMap<>();
    for (String folder : CLASSES) {
      for (Path file : all(folder, ".class")) {
        if (file.toString().contains("jmh_generated")) {
          continue;
        }
        ClassModel type = parse(file);
        String name = type.thisClass().asInternalName().replace('/', '.');
        int own =
            (int)
                type.fields().stream()
                    .filter(field -> !field.flags().has(AccessFlag.STATIC))
                    .count();
        fields.merge(name, own, Math::max);
        type.methods().stream()
            .filter(method -> method.methodName().equalsString("<init>"))
            .filter(method -> !method.flags().has(AccessFlag.SYNTHETIC))
            .forEach(
                method ->
                    parameters.merge(name, method.methodTypeSymbol().parameterCount(), Math::max));
      }
    }
    assertThat(fields).hasSizeGreaterThan(100);
    report("parameters of a constructor", parameters);
    report("fields of an object, without those of its superclasses", fields);
  }

  @SuppressWarnings("SystemOut") // the report is what this test is for
  private static void report(String what, Map<String, Integer> counts) {
    StringBuilder text = new StringBuilder("The most " + what + ":");
    counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(REPORTED)
        .forEach(each -> text.append("%n%,8d  %s".formatted(each.getValue(), each.getKey())));
    System.out.println(text);
  }

  private static ClassModel parse(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return ClassFile.of().parse(in.readAllBytes());
    }
  }

  /** Returns the files below a folder of each module. */
  private static List<Path> all(String folder, String ending) throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules
          .map(module -> module.resolve(folder))
          .filter(Files::isDirectory)
          .flatMap(each -> below(each, ending))
          .toList();
    }
  }

  private static Stream<Path> below(Path folder, String ending) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).toList().stream();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
