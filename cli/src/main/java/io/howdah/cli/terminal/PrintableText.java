package io.howdah.cli.terminal;

/** Text of other programs and of stores: a terminal does what its control characters tell it. */
public final class PrintableText {

  private PrintableText() {}

  /** Returns the text with control and format characters as escapes of four hexadecimal digits. */
  public static String of(String text) {
    StringBuilder printable = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isShown = !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT;
      printable.append(isShown ? String.valueOf(c) : "\\u%04x".formatted((int) c));
    }
    return printable.toString();
  }
}
