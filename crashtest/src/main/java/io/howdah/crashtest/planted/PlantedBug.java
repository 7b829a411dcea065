package io.howdah.crashtest.planted;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bug to plant: in one source file, each {@code find} is replaced by its {@code replace}. Its
 * judge, a crash scenario or a test class, must then fail.
 *
 * <p>In a {@code .bug} file, described here, keys come first, one a line, then the edits:
 *
 * <pre>
 * rule: R5, the LSN is taken before validation
 * file: txn/src/main/java/io/howdah/txn/stm/Attempt.java
 * scenario: serial-cut
 * &lt;&lt;&lt;&lt; find
 * text that occurs exactly once
 * ==== replace
 * what stands there instead
 * &gt;&gt;&gt;&gt;
 * </pre>
 *
 * <p>In place of {@code scenario: NAME}, a bug that needs no crash names a test class of a module:
 * {@code test: MODULE CLASS}.
 *
 * @param name of the bug: the file's name without its ending
 * @param rule what it breaks
 * @param file path of the source from the project's root
 * @param judge what must go red
 * @param edits in the order they are made
 */
record PlantedBug(String name, String rule, String file, Judge judge, List<Edit> edits) {

  private static final Pattern TEST = Pattern.compile("test: ([a-z0-9/-]+) ([\\w.]+)");

  /** One replacement. */
  record Edit(String find, String replace) {}

  /** What is run to notice the bug. */
  sealed interface Judge {}

  /** A crash scenario, by its name. */
  record OfScenario(String name) implements Judge {}

  /**
   * A JUnit test class.
   *
   * @param module folder of the module whose test it is
   * @param className its full name
   */
  record OfTest(String module, String className) implements Judge {}

  PlantedBug {
    edits = List.copyOf(edits);
  }

  /** Reads a {@code .bug} file. */
  static PlantedBug parse(String name, String text) {
    String rule = null;
    String file = null;
    Judge judge = null;
    List<Edit> edits = new ArrayList<>();
    StringBuilder find = null;
    StringBuilder replace = null;
    for (String line : text.lines().toList()) {
      if (line.equals("<<<< find")) {
        find = new StringBuilder();
      } else if (line.equals("==== replace")) {
        replace = new StringBuilder();
      } else if (line.equals(">>>>") && find != null && replace != null) {
        edits.add(new Edit(find.toString(), replace.toString()));
        find = null;
        replace = null;
      } else if (replace != null) {
        replace.append(line).append('\n');
      } else if (find != null) {
        find.append(line).append('\n');
      } else if (line.startsWith("rule: ")) {
        rule = line.substring(6);
      } else if (line.startsWith("file: ")) {
        file = line.substring(6);
      } else if (line.startsWith("scenario: ")) {
        judge = new OfScenario(line.substring(10));
      } else if (line.startsWith("test: ")) {
        judge = test(line);
      } else if (!line.isBlank()) {
        throw new IllegalArgumentException("planted bug " + name + ": unexpected line: " + line);
      }
    }
    if (rule == null || file == null || judge == null || edits.isEmpty() || find != null) {
      throw new IllegalArgumentException(
          "planted bug " + name + " lacks its rule, file, scenario or test, or a complete edit");
    }
    return new PlantedBug(name, rule, file, judge, edits);
  }

  private static OfTest test(String line) {
    Matcher test = TEST.matcher(line);
    if (!test.matches()) {
      throw new IllegalArgumentException("a test is named as 'test: MODULE CLASS', not: " + line);
    }
    return new OfTest(test.group(1), test.group(2));
  }

  /**
   * Returns the source with the bug in it.
   *
   * @throws IllegalStateException if the text to find does not occur exactly once: the source has
   *     moved on, and the bug must be planted anew
   */
  String plantIn(String source) {
    String planted = source;
    for (Edit edit : edits) {
      int at = planted.indexOf(edit.find());
      if (at < 0 || planted.indexOf(edit.find(), at + 1) >= 0) {
        throw new IllegalStateException(
            "planted bug "
                + name
                + " is out of date: in "
                + file
                + " this does not occur exactly once:\n"
                + edit.find());
      }
      planted =
          planted.substring(0, at) + edit.replace() + planted.substring(at + edit.find().length());
    }
    return planted;
  }
}
