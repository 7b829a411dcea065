package io.howdah.checkpoint;

/**
 * Joins the runs of lines that a page of the journal has. The image is written run by run, and a
 * call costs as much as a kilobyte does: a few lines that have not changed are written along where
 * that spares one. What is written of them is what the checkpoint copied, which is what the image
 * has, since they did not differ.
 */
final class LineRuns {

  /** A gap of more lines is not worth a call. */
  private static final int MOST_GAP = 8;

  private LineRuns() {}

  /**
   * Returns lines, and some between them, the shortest gaps first.
   *
   * @param lines bits, at least one
   * @param most how many more there may be
   */
  static long joined(long lines, int most) {
    long joined = lines;
    int left = most;
    for (int length = 1; length <= Math.min(left, MOST_GAP); length++) {
      long gaps = gaps(joined);
      while (gaps != 0 && length <= left) {
        int from = Long.numberOfTrailingZeros(gaps);
        // A gap ends before the last line, so that there is a bit behind it.
        int gapLength = Long.numberOfTrailingZeros(~(gaps >>> from));
        long gap = ((1L << gapLength) - 1) << from;
        if (gapLength == length) {
          joined |= gap;
          left -= length;
        }
        gaps &= ~gap;
      }
    }
    return joined;
  }

  /** Returns the lines missing between the first and the last. */
  private static long gaps(long lines) {
    return ~lines
        & (-1L << Long.numberOfTrailingZeros(lines))
        & (-1L >>> Long.numberOfLeadingZeros(lines));
  }
}
