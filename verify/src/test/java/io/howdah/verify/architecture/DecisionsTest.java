package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The decisions in docs/adr are all listed, and say of each other what they change. */
final class DecisionsTest {

  private static final int MAX_WORDS = 500;
  private static final Path DECISIONS = Path.of("../docs/adr");
  private static final Pattern RELATION =
      Pattern.compile(
          "(?s)(Extends|Changes|Supersedes|Extended by|Changed by|Superseded by)\\s(.*?)\\.\\s");
  private static final Pattern NUMBER = Pattern.compile("\\[(\\d{4})]");
  private static final Map<String, String> INVERSE =
      Map.of("Extends", "Extended by", "Changes", "Changed by", "Supersedes", "Superseded by");

  @Test
  void everyNumberIsListedOrExplained() throws IOException {
    String list = Files.readString(DECISIONS.resolve("README.md"));
    Map<Integer, Path> files = files();
    int last = files.keySet().stream().mapToInt(number -> number).max().orElseThrow();
    Set<String> missing = new TreeSet<>();
    for (int number = 1; number <= last; number++) {
      Path file = files.get(number);
      String name = "%04d".formatted(number);
      boolean told =
          file == null
              ? list.contains(name + ",") || list.contains(name + " ")
              : list.contains("[" + name + "](" + file.getFileName() + ") | " + title(file) + " |");
      if (!told) {
        missing.add(name);
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void relationsAreSaidInBothDirections() throws IOException {
    Set<String> said = new TreeSet<>();
    for (Map.Entry<Integer, Path> decision : files().entrySet()) {
      String text = Files.readString(decision.getValue());
      String head = text.substring(0, text.indexOf("\n## "));
      for (MatchResult relation : RELATION.matcher(head).results().toList()) {
        NUMBER
            .matcher(relation.group(2))
            .results()
            .forEach(
                other ->
                    said.add(
                        "%04d %s %s"
                            .formatted(decision.getKey(), relation.group(1), other.group(1))));
      }
    }
    assertThat(said).hasSizeGreaterThan(10);
    for (String relation : List.copyOf(said)) {
      INVERSE.forEach(
          (verb, inverse) -> {
            String[] parts = relation.split(" ", 2);
            if (parts[1].startsWith(verb + " ")) {
              String other = parts[1].substring(verb.length() + 1);
              assertThat(said).contains(other + " " + inverse + " " + parts[0]);
              said.remove(other + " " + inverse + " " + parts[0]);
              said.remove(relation);
            }
          });
    }
    assertThat(said).as("said by one side only").isEmpty();
  }

  @Test
  void aDecisionHasAtMost500Words() throws IOException {
    Set<String> longer = new TreeSet<>();
    for (Path file : files().values()) {
      int words = Files.readString(file).strip().split("\\s+", -1).length;
      if (words > MAX_WORDS) {
        longer.add(file.getFileName() + ": " + words);
      }
    }
    assertThat(longer).isEmpty();
  }

  private static String title(Path file) throws IOException {
    return Files.readAllLines(file).getFirst().replaceFirst("^# \\d{4}: ", "");
  }

  private static Map<Integer, Path> files() throws IOException {
    Map<Integer, Path> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(DECISIONS)) {
      all.filter(file -> file.getFileName().toString().matches("\\d{4}-.*\\.md"))
          .forEach(
              file ->
                  files.put(Integer.parseInt(file.getFileName().toString().substring(0, 4)), file));
    }
    return files;
  }
}
