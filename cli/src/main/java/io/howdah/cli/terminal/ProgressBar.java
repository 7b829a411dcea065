package io.howdah.cli.terminal;

/** How far work has come, drawn in characters. */
public final class ProgressBar {

  private static final int COLUMNS = 20;

  private ProgressBar() {}

  /** Returns a bar for a share of the work; shares below 0 and above 1 count as these. */
  public static String of(double share) {
    int filled = (int) (COLUMNS * Math.clamp(share, 0, 1));
    return "━".repeat(filled) + "╌".repeat(COLUMNS - filled);
  }
}
