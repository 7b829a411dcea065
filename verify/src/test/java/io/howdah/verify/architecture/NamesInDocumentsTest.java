package io.howdah.verify.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Classes, and members of classes, that documents name exist. Decisions and the changelog name what
 * was there at their time, and the simulator's documents are its own; they are left out.
 */
final class NamesInDocumentsTest {

  private static final Path ROOT = Path.of("..");
  private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");
  private static final Pattern NAME =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\([^`]*\\))?`");
  private static final Pattern NESTED =
      Pattern.compile("\\b(?:class|record|enum|interface) ([A-Z]\\w*)");
  private static final List<String> JDK =
      List.of("java.lang.", "java.util.", "java.util.concurrent.");

  /** Of libraries, and attributes of the management bean. */
  private static final Set<String> OTHERS =
      Set.of(
          "Unsafe",
          "BytesMarshallable",
          "TArray",
          "DataAccessResourceFailureException",
          "DuplicateKeyException",
          "InvalidDataAccessApiUsageException",
          "InvalidDataAccessResourceUsageException",
          "OptimisticLockingFailureException",
          "QueryTimeoutException",
          "TransactionSystemException",
          "TransientDataAccessResourceException",
          "Stalled",
          "StalledSinceMillis",
          "StallReason",
          "StallPartition");

  @Test
  void theClassesAndMembersThatDocumentsNameExist() throws IOException {
    Map<String, String> sources = sources();
    Set<String> missing = new TreeSet<>();
    int found = 0;
    for (Path document : documents()) {
      String text = BLOCK.matcher(Files.readString(document)).replaceAll("");
      for (MatchResult name : NAME.matcher(text).results().toList()) {
        if (exists(name.group(1), name.group(2), sources)) {
          found++;
        } else {
          missing.add(name.group() + " in " + ROOT.relativize(document));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(300);
  }

  private static boolean exists(String type, String member, Map<String, String> sources) {
    String source = sources.get(type);
    if (source == null) {
      return OTHERS.contains(type) || JDK.stream().anyMatch(name -> isClass(name + type));
    }
    return member == null || Pattern.compile("\\b" + member + "\\b").matcher(source).find();
  }

  private static boolean isClass(String name) {
    try {
      Class.forName(name, false, NamesInDocumentsTest.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
        Stream<Path> models = Files.list(ROOT.resolve("docs/models"));
        Stream<Path> others =
            Stream.of("README.md", "jcstress/README.md", "examples/README.md").map(ROOT::resolve)) {
      return Stream.of(docs, models, others)
          .flatMap(files -> files)
          .filter(file -> file.toString().endsWith(".md"))
          .filter(file -> !file.getFileName().toString().matches("(nvm-sim|reproduction).*"))
          .toList();
    }
  }

  /** Returns the sources of main and test classes by simple names, nested classes included. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file :
          files
              .filter(
                  path ->
                      path.toString().matches(".*/src/(main|test)/(java|kotlin)/.*\\.(java|kt)"))
              .filter(path -> !path.toString().contains("/target/"))
              .filter(path -> !path.startsWith(ROOT.resolve("nvm-sim")))
              .toList()) {
        String source = Files.readString(file);
        for (MatchResult type : NESTED.matcher(source).results().toList()) {
          sources.merge(type.group(1), source, String::concat);
        }
      }
    }
    return sources;
  }
}
