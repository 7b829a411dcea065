package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents point to is there. */
final class DocumentationTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern TEST_NAME =
      Pattern.compile("`(?:([A-Z]\\w*Test)\\.?)?([a-z]\\w+)?`");

  @Test
  void linksWithinTheProjectLeadSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      for (MatchResult link : LINK.matcher(Files.readString(document)).results().toList()) {
        if (!link.group(1).matches("[a-z]+:.*") && !leadsSomewhere(document, link.group(1))) {
          broken.add(ROOT.relativize(document) + " -> " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void theIndexNamesEveryPage() throws IOException {
    Path docs = ROOT.resolve("docs");
    String index = Files.readString(docs.resolve("README.md"));
    try (Stream<Path> pages = Files.list(docs)) {
      assertThat(pages.map(page -> page.getFileName().toString()))
          .filteredOn(name -> name.endsWith(".md") && !name.equals("README.md"))
          .allSatisfy(name -> assertThat(index).contains("(" + name + ")"));
    }
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> examples = Files.walk(ROOT.resolve("examples"), 2)) {
      return Stream.of(top, docs, examples)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .toList();
    }
  }

  private static boolean leadsSomewhere(Path document, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty()
            ? document
            : document.resolveSibling(parts[0]).toAbsolutePath().normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return parts.length == 1 || anchors(target).contains(parts[1]);
  }

  /** Headings as their anchors: in lower case, spaces as hyphens, without punctuation. */
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(Files.readString(document))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(text -> text.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  /** Each lesson, and each mistake that is refused, names tests that show the answer. */
  @ParameterizedTest
  @ValueSource(strings = {"docs/ten-lessons.md", "docs/objects.md"})
  void theTestsThatADocumentNamesExist(String document) throws IOException {
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (String line : testLines(ROOT.resolve(document))) {
      String source = "";
      for (MatchResult name : TEST_NAME.matcher(line).results().toList()) {
        String type = name.group(1);
        String method = name.group(2);
        if (type != null) {
          source = source(type);
        }
        if (source.isEmpty() || (method != null && !source.contains("void " + method + "("))) {
          if (type != null || (method != null && method.matches("[a-z]+[A-Z]\\w*"))) {
            missing.add(name.group());
          }
        } else {
          found++;
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(10);
  }

  /** Returns the lines that name tests; in them other code is written otherwise. */
  private static List<String> testLines(Path document) throws IOException {
    return Files.readAllLines(document).stream()
        .filter(line -> document.endsWith("ten-lessons.md") || line.contains("Test"))
        .toList();
  }

  private static String source(String test) throws IOException {
    for (Path tests : testFolders()) {
      try (Stream<Path> files = Files.walk(tests)) {
        Optional<Path> found =
            files.filter(file -> file.getFileName().toString().equals(test + ".java")).findFirst();
        if (found.isPresent()) {
          return Files.readString(found.get());
        }
      }
    }
    return "";
  }

  private static List<Path> testFolders() throws IOException {
    try (Stream<Path> modules = Files.list(ROOT)) {
      return modules.map(module -> module.resolve("src/test")).filter(Files::isDirectory).toList();
    }
  }
}
