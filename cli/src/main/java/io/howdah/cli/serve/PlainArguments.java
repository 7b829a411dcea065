package io.howdah.cli.serve;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments of {@code howdah serve} that need no help: options with their values, and the
 * directory. What it does not understand it leaves to the command line's library, whose meaning and
 * messages count.
 *
 * <p>This second reader of arguments exists for the time of a start alone. With the cache of linked
 * classes that the start script makes, and trained with picocli, a start that parses by picocli
 * takes 1.5 times the processor time, median of 15 pairs of runs to the line "ready": 0.83 s
 * instead of 0.55 s on two busy processors.
 */
final class PlainArguments {

  private static final String WITH_VALUE = "plsamIctRBYobP";
  private static final String WITHOUT_VALUE = "MFv";
  private static final String REPEATABLE = "lov";

  private static final Map<String, Character> NAMES =
      Map.ofEntries(
          Map.entry("--port", 'p'),
          Map.entry("--listen", 'l'),
          Map.entry("--unix-socket", 's'),
          Map.entry("--unix-mask", 'a'),
          Map.entry("--memory-limit", 'm'),
          Map.entry("--max-item-size", 'I'),
          Map.entry("--conn-limit", 'c'),
          Map.entry("--threads", 't'),
          Map.entry("--max-reqs-per-event", 'R'),
          Map.entry("--protocol", 'B'),
          Map.entry("--auth-file", 'Y'),
          Map.entry("--extended", 'o'),
          Map.entry("--listen-backlog", 'b'),
          Map.entry("--pidfile", 'P'));

  private static final Set<String> OWN_NAMES =
      Set.of("--mode", "--force-interval", "--transport", "--log-format");

  private final ServeArguments result = new ServeArguments();
  private final Set<String> seen = new HashSet<>();

  private PlainArguments() {}

  /** Returns what the arguments of {@code howdah} say, or null if they are not plain. */
  static @Nullable ServeArguments parse(String[] arguments) {
    if (arguments.length == 0 || !arguments[0].equals("serve")) {
      return null;
    }
    PlainArguments reader = new PlainArguments();
    try {
      return reader.read(arguments) ? reader.result : null;
    } catch (NumberFormatException | InvalidPathException _) {
      return null;
    }
  }

  private boolean read(String[] arguments) {
    for (int i = 1; i < arguments.length; i++) {
      String word = arguments[i];
      if (!word.startsWith("-")) {
        if (!isPlain(word) || !seen.add("")) {
          return false;
        }
        result.takeDirectory(Path.of(word));
        continue;
      }
      int equals = word.startsWith("--") ? word.indexOf('=') : -1;
      String name =
          equals > 0
              ? word.substring(0, equals)
              : word.startsWith("--") ? word : word.substring(0, Math.min(2, word.length()));
      String value =
          equals > 0
              ? word.substring(equals + 1)
              : word.startsWith("--") || word.length() == 2 ? null : word.substring(2);
      if (takesValue(name)) {
        if (value == null && ++i < arguments.length) {
          value = arguments[i];
        }
        if (value == null || !isPlain(value) || !take(name, value)) {
          return false;
        }
      } else if (word.startsWith("--") || !takeLetters(word)) {
        return false;
      }
    }
    return true;
  }

  /** Neither an option, nor one of the characters that the library gives a meaning. */
  private static boolean isPlain(String value) {
    return !value.isEmpty() && "-@=\"'".indexOf(value.charAt(0)) < 0;
  }

  private static boolean takesValue(String name) {
    return NAMES.containsKey(name)
        || OWN_NAMES.contains(name)
        || (name.length() == 2 && WITH_VALUE.indexOf(name.charAt(1)) >= 0);
  }

  private boolean take(String name, String value) {
    if (OWN_NAMES.contains(name)) {
      return seen.add(name) && result.takeLong(name, value);
    }
    Character known = NAMES.get(name);
    return take(known == null ? name.charAt(1) : known, value);
  }

  private boolean takeLetters(String word) {
    for (int i = 1; i < word.length(); i++) {
      char letter = word.charAt(i);
      if (WITHOUT_VALUE.indexOf(letter) < 0 || !take(letter, "")) {
        return false;
      }
    }
    return word.length() > 1;
  }

  private boolean take(char letter, String value) {
    return (seen.add(String.valueOf(letter)) || REPEATABLE.indexOf(letter) >= 0)
        && result.take(letter, value);
  }
}
