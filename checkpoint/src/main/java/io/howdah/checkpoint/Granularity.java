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
 * @param joinPercent 0 to 100: how many lines that do not differ may be written between those that
 *     do, for each hundred of these, to spare write calls
 */
public record Granularity(int wholeAbove, int linesBelow, int wholeRounds, int joinPercent) {

  /** Whole pages only. */
  public static final Granularity PAGES = new Granularity(0, 0, 127, 0);

  /** Lines only, however many. */
  public static final Granularity LINES = new Granularity(64, 65, 0, 0);

  /** What the measurements in docs/checkpoint.md favour. */
  public static final Granularity DUAL = new Granularity(59, 52, 3, 8);

  /** Refuses values out of bounds. */
  public Granularity {
    require("wholeAbove", wholeAbove, 64);
    require("linesBelow", linesBelow, wholeAbove + 1);
    require("wholeRounds", wholeRounds, 127);
    require("joinPercent", joinPercent, 100);
  }

  private static void require(String name, int value, int most) {
    if (value < 0 || value > most) {
      throw new IllegalArgumentException(name + " is from 0 to " + most + ", not " + value);
    }
  }

  /**
   * Returns the same for a checkpoint that somebody waits for, with the store at rest: it writes up
   * to twice as much where that is faster.
   */
  Granularity awaited() {
    return joinPercent == 0 ? this : new Granularity(wholeAbove, linesBelow, wholeRounds, 100);
  }

  /** Returns the bits of the lines to write. */
  long lines(long differing) {
    return LineRuns.joined(differing, Long.bitCount(differing) * joinPercent / 100);
  }

  /** Returns whether pages are ever compared with the image. */
  boolean compares() {
    return wholeAbove > 0;
  }
}
