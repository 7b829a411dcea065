package io.howdah.core.layout;

import java.util.List;

/**
 * Names of types within the names of codecs, and so within the types of collections: {@code map of
 * enum shop.State to record shop.Order}. A name that holds what separates types there stands in
 * quotes, and a quote in it is doubled: {@code record "bread and butter"}. All others stand as they
 * are.
 */
public final class TypeNameText {

  /** Before and behind a name that holds a separator. */
  public static final char QUOTE = '"';

  /** Before a "to" that separates no two types: {@code reference to shop.Order}. */
  public static final String REFERENCE = "reference";

  private static final String MARKS = "()[]" + QUOTE;
  private static final List<String> SEPARATORS = List.of(", ", " to ", " and ");

  private TypeNameText() {}

  /** Returns a name as it stands in the name of a codec. */
  public static String described(String name) {
    String between = " " + name + " "; // with what stands beside it, it must be no separator
    boolean isPlain =
        name.strip().length() == name.length() && !between.endsWith(" " + REFERENCE + " ");
    for (int i = 0; isPlain && i < between.length(); i++) {
      isPlain = !isEnd(between, i);
    }
    return isPlain
        ? name
        : QUOTE + name.replace(String.valueOf(QUOTE), String.valueOf(QUOTE) + QUOTE) + QUOTE;
  }

  private static boolean isEnd(String text, int at) {
    return MARKS.indexOf(text.charAt(at)) >= 0
        || SEPARATORS.stream().anyMatch(each -> text.startsWith(each, at));
  }

  /** Returns where a name ends that begins at an index of the name of a codec. */
  public static int end(String text, int at) {
    int end = at;
    if (end < text.length() && text.charAt(end) == QUOTE) {
      end++;
      while (end < text.length()) {
        boolean isQuote = text.charAt(end++) == QUOTE;
        if (isQuote && (end == text.length() || text.charAt(end) != QUOTE)) {
          return end;
        }
        end += isQuote ? 1 : 0;
      }
      return end;
    }
    while (end < text.length() && !isEnd(text, end)) {
      end++;
    }
    return end;
  }

  /** Returns the name that stands so in the name of a codec. */
  public static String name(String described) {
    boolean isQuoted =
        described.length() > 1
            && described.charAt(0) == QUOTE
            && described.charAt(described.length() - 1) == QUOTE;
    return isQuoted
        ? described
            .substring(1, described.length() - 1)
            .replace(String.valueOf(QUOTE) + QUOTE, String.valueOf(QUOTE))
        : described;
  }
}
