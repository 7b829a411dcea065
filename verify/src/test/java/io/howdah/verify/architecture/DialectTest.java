package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Reports words that have a standard term, with the places where they occur, and fails for none of
 * them: a word may be right in its place. It only fails if it finds nothing to read. The counts by
 * module are printed; the places are in {@code target/dialect.txt} of this module, one a line.
 *
 * <p>The words are searched in comments, texts and identifiers of main sources and of tests, and in
 * the documents.
 */
final class DialectTest {

  private static final Path ROOT = Path.of("..");
  private static final Path PLACES = Path.of("target/dialect.txt");
  private static final int REPORTED = 10;

  /** Words of the dialect, in lower case. */
  private static final List<String> WORDS =
      List.of(
          "look",
          "looks",
          "looked",
          "looking",
          "hold",
          "holds",
          "held",
          "met",
          "meets",
          "hasty",
          "parted",
          "wanted",
          "wants",
          "due",
          "taken",
          "going",
          "goes",
          "who",
          "whoever",
          "somebody",
          "nobody",
          "anybody",
          "owe",
          "owes",
          "forsaken",
          "told",
          "tells",
          "anew",
          "likewise",
          "meanwhile");

  /** Phrases of the dialect, in lower case. */
  private static final List<String> PHRASES =
      List.of(
          "goes on",
          "comes about",
          "is to be",
          "are to be",
          "so many",
          "so much",
          "so long as",
          "at once",
          "by itself",
          "gives back",
          "given back",
          "takes back",
          "for want of",
          "late part",
          "cannot be had",
          "can be had",
          "on its way",
          "of its own");

  /**
   * A word of a text or a part of an identifier: {@code lastLook} has two, {@code LOOK_NANOS} too.
   */
  private static final Pattern WORD = Pattern.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+");

  private static final Pattern PHRASE =
      Pattern.compile("\\b(" + String.join("|", PHRASES) + ")\\b");

  private enum Kind {
    MAIN,
    TEST,
    DOCUMENT
  }

  private record Finding(Path file, int line, String word) {

    @Override
    public String toString() {
      return file + ":" + line + ": " + word;
    }
  }

  @Test
  void reportsDialectWordsByModule() throws IOException {
    StringBuilder report = new StringBuilder();
    List<Finding> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      List<Path> files = files(kind);
      assertThat(files).as("%s", kind).hasSizeGreaterThan(kind == Kind.DOCUMENT ? 10 : 100);
      List<Finding> findings = new ArrayList<>();
      for (Path file : files) {
        findings.addAll(find(ROOT.relativize(file), Files.readAllLines(file)));
      }
      all.addAll(findings);
      report.append("%,d dialect words, kind %s:%n".formatted(findings.size(), kind));
      appendMost(report, findings.stream().map(each -> module(each.file, kind)).toList());
      report.append("most frequent:%n".formatted());
      appendMost(report, findings.stream().map(Finding::word).toList());
    }
    Files.createDirectories(PLACES.getParent());
    Files.write(PLACES, all.stream().map(Finding::toString).toList());
    print(report);
  }

  @Test
  void findsWordsInIdentifiersAndPhrasesInText() {
    assertThat(
            find(
                Path.of("A.java"),
                List.of("int lastLook = LOOK_NANOS; // goes on", "lookup, beholder, takenness")))
        .map(Finding::toString)
        .containsExactly("A.java:1: look", "A.java:1: look", "A.java:1: goes", "A.java:1: goes on");
  }

  private static List<Finding> find(Path file, List<String> lines) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher words = WORD.matcher(lines.get(i));
      while (words.find()) {
        String word = words.group().toLowerCase(Locale.ROOT);
        if (WORDS.contains(word)) {
          findings.add(new Finding(file, i + 1, word));
        }
      }
      Matcher phrases = PHRASE.matcher(lines.get(i).toLowerCase(Locale.ROOT));
      while (phrases.find()) {
        findings.add(new Finding(file, i + 1, phrases.group()));
      }
    }
    return findings;
  }

  /** Returns the module of a source; a document is its own. */
  private static String module(Path file, Kind kind) {
    return kind == Kind.DOCUMENT ? file.toString() : file.getName(0).toString();
  }

  private static void appendMost(StringBuilder report, List<String> names) {
    Map<String, Integer> counts = new TreeMap<>();
    names.forEach(name -> counts.merge(name, 1, Integer::sum));
    counts.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(REPORTED)
        .forEach(each -> report.append("%,8d  %s%n".formatted(each.getValue(), each.getKey())));
  }

  @SuppressWarnings("SystemOut") // the report is the purpose of this test
  private static void print(StringBuilder report) {
    System.out.println(report);
  }

  private static List<Path> files(Kind kind) throws IOException {
    if (kind == Kind.DOCUMENT) {
      return below(ROOT.resolve("docs"), ".md");
    }
    try (Stream<Path> modules = Files.list(ROOT)) {
      List<Path> files = new ArrayList<>();
      for (Path module : modules.sorted().toList()) {
        Path folder = module.resolve(kind == Kind.MAIN ? "src/main/java" : "src/test/java");
        if (Files.isDirectory(folder)) {
          files.addAll(below(folder, ".java"));
        }
      }
      return files;
    }
  }

  private static List<Path> below(Path folder, String ending) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }
}
