package io.howdah.cli.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of a line. Blanks separate them. A word in quotes, ' or ", may have blanks; in ", and
 * outside of quotes, \ takes away the meaning of the next character. A word that begins with { or [
 * goes on to the bracket that closes it and stands as it is, so JSON needs no quotes.
 */
final class Words {

  private final String line;
  private int at;

  private Words(String line) {
    this.line = line;
  }

  /**
   * Returns the words.
   *
   * @throws IllegalArgumentException if a quote or bracket is not closed; says which
   */
  static List<String> of(String line) {
    Words words = new Words(line);
    List<String> all = new ArrayList<>();
    while (words.skipBlanks()) {
      all.add(words.next());
    }
    return all;
  }

  /** Returns a word as it has to be written. */
  static String quoted(String word) {
    boolean isPlain =
        word.chars().noneMatch(c -> Character.isWhitespace(c) || "'\"\\{[".indexOf(c) >= 0);
    return isPlain && !word.isEmpty()
        ? word
        : '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private boolean skipBlanks() {
    while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
      at++;
    }
    return at < line.length();
  }

  private String next() {
    char first = line.charAt(at);
    return first == '{' || first == '[' ? json() : plain();
  }

  private String plain() {
    StringBuilder word = new StringBuilder();
    while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
      char c = line.charAt(at++);
      switch (c) {
        case '\'', '"' -> quote(c, word);
        case '\\' -> word.append(at < line.length() ? line.charAt(at++) : c);
        default -> word.append(c);
      }
    }
    return word.toString();
  }

  private void quote(char quote, StringBuilder word) {
    int start = at;
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (c == quote) {
        return;
      }
      boolean isEscape = c == '\\' && quote == '"' && at < line.length();
      word.append(isEscape ? line.charAt(at++) : c);
    }
    throw new IllegalArgumentException(
        "the quote " + quote + " in column " + start + " is not closed");
  }

  private String json() {
    int start = at;
    int open = 0;
    boolean isString = false;
    while (at < line.length()) {
      char c = line.charAt(at++);
      if (isString) {
        at += c == '\\' ? 1 : 0;
        isString = c != '"';
      } else if (c == '"') {
        isString = true;
      } else if (c == '{' || c == '[') {
        open++;
      } else if ((c == '}' || c == ']') && --open == 0) {
        return line.substring(start, at);
      }
    }
    throw new IllegalArgumentException(
        "the bracket " + line.charAt(start) + " in column " + (start + 1) + " is not closed");
  }
}
