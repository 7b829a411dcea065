package io.howdah.cli.command;

import org.jspecify.annotations.Nullable;

/**
 * The arguments of the process as the JVM has decoded them, by the charset of the locale, before
 * the program runs. What it could not decode is U+FFFD, the same for all names: such an argument
 * stands for something else than the user has named.
 */
public final class DecodedArguments {

  private static final char REPLACEMENT = '\uFFFD';

  private DecodedArguments() {}

  /** Returns what is wrong with the arguments and what to do; null if nothing is. */
  public static @Nullable String problem(String[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      if (arguments[i].indexOf(REPLACEMENT) >= 0) {
        return "argument %d, \"%s\", has bytes that are no characters of the locale's charset, %s."
                .formatted(i + 1, arguments[i], System.getProperty("sun.jnu.encoding"))
            + " Write arguments in UTF-8, in a locale of that charset, as with LC_ALL=C.UTF-8. A"
            + " name or value with the character U+FFFD itself is given as a line of howdah shell,"
            + " a value also by the operand - and the standard input.";
      }
    }
    return null;
  }
}
