package io.howdah.crashtest.mutate;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/**
 * Patterns for full names of classes: {@code *} stands for any text, <code>{a,b}</code> for one of
 * several. A name matches if one of the patterns does. Immutable.
 */
public final class NamePatterns {

  private final List<PathMatcher> matchers;

  private NamePatterns(List<PathMatcher> matchers) {
    this.matchers = matchers;
  }

  /**
   * Reads patterns. Commas separate patterns where they are outside braces, so a pattern may have
   * been cut at the commas in its braces, as a command line does.
   *
   * @throws IllegalArgumentException if one is no pattern, such as one with an open brace
   */
  public static NamePatterns of(List<String> patterns) {
    return new NamePatterns(
        apart(String.join(",", patterns)).stream().map(NamePatterns::matcher).toList());
  }

  /** Returns whether this is the name of a class that is meant. */
  public boolean matches(String className) {
    Path name = Path.of(className);
    return matchers.stream().anyMatch(matcher -> matcher.matches(name));
  }

  private static List<String> apart(String patterns) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < patterns.length(); i++) {
      char c = patterns.charAt(i);
      if (c == '{') {
        depth++;
      } else if (c == '}') {
        depth = Math.max(0, depth - 1);
      } else if (c == ',' && depth == 0) {
        parts.add(patterns.substring(start, i));
        start = i + 1;
      }
    }
    parts.add(patterns.substring(start));
    return parts;
  }

  private static PathMatcher matcher(String pattern) {
    if (pattern.isEmpty() || pattern.indexOf('/') >= 0) {
      throw new IllegalArgumentException("'" + pattern + "' matches no name of a class");
    }
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "'" + pattern + "' is no pattern: " + e.getDescription(), e);
    }
  }
}
