package io.howdah.checkpoint;

/**
 * How a checkpoint decides between a page as a whole and the lines of it that changed.
 *
 * <p>Lines are found by comparing the page with the image, so they cost commits nothing; but that
 * reads the image. A page of which more than {@code wholeAbove} lines differ goes whole, and for
 * the next {@code wholeRounds} checkpoints that find it dirty without being compared. It returns to
 * lines once a comparison finds fewer than {@code linesBelow}.
 *
 * @param wholeAbove lines, 0 to 64: 0 writes whole pages only and never compares
 * @param linesBelow lines, at most {@code wholeAbove + 1}
 * @param wholeRounds 0 to 127: 0 compares every page each time
 */
public record Granularity(int wholeAbove, int linesBelow, int wholeRounds) {

  /** Whole pages only. */
  public static final Granularity PAGES = new Granularity(0, 0, 127);

  /** Lines only, however many. */
  public static final Granularity LINES = new Granularity(64, 65, 0);

  /** What the measurements in docs/checkpoint.md favour. */
  public static final Granularity DUAL = new Granularity(59, 52, 3);

  /** Refuses values out of bounds. */
  public Granularity {
    require("wholeAbove", wholeAbove, 64);
    require("linesBelow", linesBelow, wholeAbove + 1);
    require("wholeRounds", wholeRounds, 127);
  }

  private static void require(String name, int value, int most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(name + " is from 0 to " + most + ", not " + value);
    }
  }

  /** Returns whether pages are ever compared with the image. */
  boolean compares() {
    return wholeAbove > 0;
  }
}
