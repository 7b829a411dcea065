package io.howdah.verify.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** An API written down: the file's form, and how two of them differ. */
final class ApiDiff {

  private static final String INDENT = "  ";

  private ApiDiff() {}

  static String write(SortedMap<String, List<String>> api) {
    StringBuilder text = new StringBuilder();
    api.forEach(
        (type, lines) -> {
          text.append(type).append('\n');
          lines.forEach(line -> text.append(INDENT).append(line).append('\n'));
        });
    return text.toString();
  }

  static SortedMap<String, List<String>> read(String text) {
    SortedMap<String, List<String>> api = new TreeMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith(INDENT)) {
        lines.add(line.substring(INDENT.length()));
      } else {
        lines = new ArrayList<>();
        api.put(line, lines);
      }
    }
    return api;
  }

  /** Returns what a person has to know of the change, or nothing if there is none. */
  static String describe(
      SortedMap<String, List<String>> agreed, SortedMap<String, List<String>> now) {
    Map<String, List<String>> gone = minus(agreed, now);
    Map<String, List<String>> added = minus(now, agreed);
    return section("Gone or changed, which breaks programs that use it:", "-", gone)
        + section("New; what is abstract breaks programs that implement it:", "+", added);
  }

  private static Map<String, List<String>> minus(
      SortedMap<String, List<String>> from, SortedMap<String, List<String>> what) {
    Map<String, List<String>> rest = new LinkedHashMap<>();
    from.forEach(
        (type, lines) -> {
          Set<String> left = new LinkedHashSet<>(lines);
          left.removeAll(what.getOrDefault(type, List.of()));
          if (!left.isEmpty()) {
            rest.put(type, List.copyOf(left));
          }
        });
    return rest;
  }

  private static String section(String title, String sign, Map<String, List<String>> types) {
    if (types.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder(title).append('\n');
    types.forEach(
        (type, lines) -> {
          text.append(INDENT).append(type).append('\n');
          lines.forEach(
              line -> text.append(INDENT).append(sign).append(' ').append(line).append('\n'));
        });
    return text.toString();
  }
}
