package io.howdah.nvmsim.litmus;

/** A litmus file that cannot be understood; the message names file and line. */
public final class LitmusSyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  LitmusSyntaxException(String file, int line, String what) {
    super(file + ":" + line + ": " + what);
  }
}
