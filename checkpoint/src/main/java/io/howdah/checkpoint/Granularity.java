package io.howdah.checkpoint;

/**
 * The rule by which a checkpoint writes a dirty page as a whole, or only its changed lines.
 *
 * <p>A checkpoint finds the changed lines by a comparison of the page with the image. This has no
 * cost for commits, but it reads the image. If more than {@code wholeAbove} lines differ, the page
 * is written as a whole, and also by the next {@code wholeRounds} checkpoints in which it is dirty,
 * then without a comparison. Its lines are written again after a comparison finds fewer than {@code
 * linesBelow}.
 *
 * @param wholeAbove number of lines, 0 to 64; with 0 all pages are written as a whole and none is
 *     compared
 * @param linesBelow number of lines, at most {@code wholeAbove + 1}
 * @param wholeRounds 0 to 127; with 0 every page is compared each time
 * @param joinPercent 0 to 100: maximum number of unchanged lines that are written between changed
 *     ones, in percent of these, to save write calls
 */
public record Granularity(int wholeAbove, int linesBelow, int wholeRounds, int joinPercent) {

  /** Writes whole pages only. */
  public static final Granularity PAGES = new Granularity(0, 0, 127, 0);

  /** Writes changed lines only. */
  public static final Granularity LINES = new Granularity(64, 65, 0, 0);

  /** Writes pages or lines: the fastest values in the measurements of docs/checkpoint.md. */
  public static final Granularity DUAL = new Granularity(59, 52, 3, 8);

  /** Rejects values out of bounds. */
  public Granularity {
    require("wholeAbove", wholeAbove, 64);
    require("linesBelow", linesBelow, wholeAbove + 1);
    require("wholeRounds", wholeRounds, 127);
    require("joinPercent", joinPercent, 100);
  }

  private static void require(String name, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(name + " is from 0 to " + max + ", not " + value);
    }
  }

  /**
   * Returns the granularity of a checkpoint of a quiescent region, for which a caller waits. It
   * writes up to twice as many lines, if that takes fewer calls.
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
