package io.howdah.cli.data;

/** How far work has come, drawn in characters. */
final class ProgressBar {

  private static final int COLUMNS = 30;

  private ProgressBar() {}

  /** Returns a bar, or nothing if the whole is 0: unknown. */
  static String of(long done, long whole) {
    if (whole <= 0) {
      return "";
    }
    double share = Math.clamp((double) done / whole, 0, 1);
    int full = (int) (COLUMNS * share);
    return "["
        + "#".repeat(full)
        + ".".repeat(COLUMNS - full)
        + "] %3.0f %%,".formatted(100 * share);
  }
}
