package io.howdah.cli.catalogue;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Which names a person may have meant. */
public final class NearNames {

  private static final int MAX_SHOWN = 5;

  private NearNames() {}

  /** Returns the end of a message: the names that are like one, or some of all. */
  public static String suggest(String wrong, Collection<String> names) {
    if (names.isEmpty()) {
      return ": it has no structures";
    }
    int limit = Math.max(2, wrong.length() / 3);
    List<String> near =
        names.stream()
            .filter(name -> isNear(wrong, name, limit))
            .sorted(Comparator.comparingInt(name -> distance(lower(wrong), lower(name))))
            .limit(MAX_SHOWN)
            .toList();
    if (!near.isEmpty()) {
      return "; is it " + quoted(near) + "?";
    }
    String more = names.size() > MAX_SHOWN ? " and " + (names.size() - MAX_SHOWN) + " more" : "";
    return ", but " + quoted(names.stream().limit(MAX_SHOWN).toList()) + more;
  }

  private static boolean isNear(String wrong, String name, int limit) {
    String a = lower(wrong);
    String b = lower(name);
    return (!a.isEmpty() && b.contains(a)) || distance(a, b) <= limit;
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static String quoted(List<String> names) {
    return names.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "));
  }

  /** Returns how many characters to add, remove or change (Levenshtein). */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
