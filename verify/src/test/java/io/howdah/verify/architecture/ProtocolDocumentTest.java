package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The protocol's document and the sources speak of the same rules, classes, tests and models. */
final class ProtocolDocumentTest {

  private static final Path ROOT = Path.of("..");
  private static final Path PROTOCOL = ROOT.resolve("docs/protocol.md");
  private static final Path PLANTED = ROOT.resolve("crashtest/src/main/planted");

  private static final Pattern RULE = Pattern.compile("\\bR\\d{1,2}[a-z]?\\b");
  private static final Pattern DEFINITION = Pattern.compile("(?m)^- (R\\d{1,2}[a-z]?)\\. ");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern ANYTHING = Pattern.compile("(.*)");
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)`");
  private static final Pattern MUTATIONS =
      Pattern.compile(
          "\\b(?:dlog|dlogp|dlog3|tl2|table|ckpt|generations|ring|cuts|gate|wake|summary|warm): ([^;]+)");
  private static final Pattern MUTATION = Pattern.compile("\\b([a-zL]\\w*[A-Z0]\\w*)\\b");
  private static final Pattern PLANTED_BUGS = Pattern.compile("planted: ([a-z, -]+)");
  private static final Pattern BUG = Pattern.compile("([a-z][a-z-]+)");
  private static final Pattern LITMUS_TESTS = Pattern.compile("litmus ([^;]+)");
  private static final Pattern LITMUS = Pattern.compile("\\b([A-Za-z]\\w*_)(?=[,; |]|$)");
  private static final Pattern SECTION =
      Pattern.compile("docs/([\\w-]+\\.md)(?:, sections? |, | §)(\\d+)\\b");
  private static final Pattern UNBUILT =
      Pattern.compile(
          "(?i)\\bunbuilt\\b|\\b(?:is|are|was|were) planned\\b|\\bto be built\\b"
              + "|\\bnot (?:yet )?(?:built|implemented)\\b");

  @Test
  void everyRuleThatTheSourcesCiteIsDefined() throws IOException {
    Set<String> defined = definitions();
    assertThat(defined).hasSizeGreaterThan(30);
    Set<String> undefined = new TreeSet<>();
    int cited = 0;
    for (Path source : sources()) {
      for (String line : Files.readAllLines(source)) {
        if (speaksOfRules(source, line)) {
          for (MatchResult rule : RULE.matcher(line).results().toList()) {
            cited++;
            if (!defined.contains(rule.group())) {
              undefined.add(rule.group() + " in " + ROOT.relativize(source));
            }
          }
        }
      }
    }
    assertThat(undefined).isEmpty();
    assertThat(cited).isGreaterThan(40);
  }

  private static boolean speaksOfRules(Path source, String line) {
    String text = line.strip();
    return source.toString().endsWith(".bug")
        ? text.startsWith("rule:")
        : text.startsWith("*") || text.startsWith("/*") || text.startsWith("//");
  }

  /** The engine's sources and tests, and its planted bugs; the simulator has rules of its own. */
  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().matches(".*/src/.*\\.(java|bug)"))
          .filter(file -> !file.startsWith(ROOT.resolve("nvm-sim")))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  private static Set<String> definitions() throws IOException {
    return DEFINITION
        .matcher(Files.readString(PROTOCOL))
        .results()
        .map(rule -> rule.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void everyRuleHasOneRowOfEvidenceAndCode() throws IOException {
    List<String> rows = new ArrayList<>();
    for (List<String> row : table()) {
      if (RULE.matcher(row.getFirst()).matches()) {
        rows.add(row.getFirst());
      }
      assertThat(row).as("%s", row).hasSize(3).noneMatch(String::isBlank);
    }
    assertThat(rows).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(definitions());
  }

  @Test
  void theRulesOfTheTextAreDefined() throws IOException {
    Set<String> defined = definitions();
    Set<String> undefined = new TreeSet<>();
    try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
      for (Path document :
          documents
              .filter(file -> file.toString().endsWith(".md"))
              .filter(file -> !file.getFileName().toString().startsWith("nvm-sim"))
              .toList()) {
        for (MatchResult rule : RULE.matcher(Files.readString(document)).results().toList()) {
          if (!defined.contains(rule.group())) {
            undefined.add(rule.group() + " in " + ROOT.relativize(document));
          }
        }
      }
    }
    assertThat(undefined).isEmpty();
  }

  @Test
  void everyClassOfTheCodeColumnExistsAndHasWhatIsNamed() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path source : sources()) {
      if (source.toString().contains("/src/main/java/")) {
        sources.add(source);
      }
    }
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (List<String> row : table()) {
      for (MatchResult code : CODE.matcher(row.get(2)).results().toList()) {
        String[] parts = code.group(1).split("\\.", 2);
        if (!exists(sources, parts)) {
          missing.add(code.group(1));
        } else {
          found++;
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(50);
  }

  /** Returns whether a class of the name exists that has the method; several may have the name. */
  private static boolean exists(List<Path> sources, String[] nameAndMethod) throws IOException {
    for (Path source : sources) {
      if (source.getFileName().toString().equals(nameAndMethod[0] + ".java")
          && (nameAndMethod.length == 1 || declares(source, nameAndMethod[1]))) {
        return true;
      }
    }
    return false;
  }

  private static boolean declares(Path source, String method) throws IOException {
    return Pattern.compile("(?m)^  [\\w@<][^;=*/]*\\b" + method + "\\(")
        .matcher(Files.readString(source))
        .find();
  }

  @Test
  void theTestsMutationsAndPlantedBugsOfTheEvidenceExist() throws IOException {
    Map<String, Path> tests = classes("test");
    tests.putAll(classes("main")); // jcstress has its tests there
    String models = Files.readString(ROOT.resolve("docs/models/run-all.sh"));
    String litmus = Files.readString(ROOT.resolve("docs/models/litmus/tests.py"));
    Set<String> named = new TreeSet<>();
    Set<String> missing = new TreeSet<>();
    for (List<String> row : table()) {
      String evidence = row.get(1);
      names(ANYTHING, TEST, evidence)
          .forEach(name -> note(name, tests.containsKey(name), named, missing));
      names(PLANTED_BUGS, BUG, evidence)
          .forEach(
              name -> note(name, Files.exists(PLANTED.resolve(name + ".bug")), named, missing));
      names(MUTATIONS, MUTATION, evidence)
          .forEach(name -> note(name, hasWord(models, name), named, missing));
      names(LITMUS_TESTS, LITMUS, evidence)
          .forEach(name -> note(name, litmus.contains(name), named, missing));
    }
    assertThat(missing).isEmpty();
    assertThat(named).hasSizeGreaterThan(100);
  }

  private static void note(String name, boolean exists, Set<String> named, Set<String> missing) {
    named.add(name);
    if (!exists) {
      missing.add(name);
    }
  }

  private static Stream<String> names(Pattern list, Pattern name, String text) {
    return list.matcher(text)
        .results()
        .flatMap(found -> name.matcher(found.group(1)).results())
        .map(found -> found.group(1));
  }

  private static boolean hasWord(String text, String word) {
    return Pattern.compile("\\b" + word + "\\b").matcher(text).find();
  }

  @Test
  void sectionsThatTheSourcesCiteExist() throws IOException {
    Set<String> missing = new TreeSet<>();
    int cited = 0;
    for (Path source : sources()) {
      for (MatchResult place : SECTION.matcher(Files.readString(source)).results().toList()) {
        cited++;
        Path document = ROOT.resolve("docs").resolve(place.group(1));
        if (!Files.exists(document)
            || !Files.readString(document).contains("\n## " + place.group(2) + ". ")) {
          missing.add(place.group() + " in " + ROOT.relativize(source));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(cited).isGreaterThan(5);
  }

  /** Decisions and the changelog tell of the past; every other document tells what is. */
  @Test
  void noDocumentCallsAThingNotBuilt() throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    try (Stream<Path> documents = Files.walk(ROOT.resolve("docs"))) {
      for (Path document :
          Stream.concat(documents, Stream.of(ROOT.resolve("README.md")))
              .filter(file -> file.toString().endsWith(".md"))
              .filter(file -> !file.startsWith(ROOT.resolve("docs/adr")))
              .toList()) {
        UNBUILT
            .matcher(Files.readString(document))
            .results()
            .forEach(words -> found.put(ROOT.relativize(document).toString(), words.group()));
      }
    }
    assertThat(found).isEmpty();
  }

  /** Returns the rows of section 9, each as its cells. */
  private static List<List<String>> table() throws IOException {
    String text = Files.readString(PROTOCOL);
    String section = text.substring(text.indexOf("\n## 9. "), text.indexOf("\n## 10. "));
    return section
        .lines()
        .filter(line -> line.startsWith("| ") && !line.startsWith("| rule "))
        .map(line -> Stream.of(line.split("\\|")).skip(1).map(String::strip).toList())
        .toList();
  }

  /** Returns the source files of a kind, {@code main} or {@code test}, by their simple names. */
  private static Map<String, Path> classes(String kind) throws IOException {
    Map<String, Path> classes = new LinkedHashMap<>();
    for (Path source : sources()) {
      String name = source.getFileName().toString();
      if (name.endsWith(".java") && source.toString().contains("/src/" + kind + "/java/")) {
        classes.put(name.substring(0, name.length() - ".java".length()), source);
      }
    }
    return classes;
  }
}
