package io.howdah.checkpoint;

/**
 * Joins runs of lines of a page. The image is written with one call for each run, and a call takes
 * as long as the write of a kilobyte. So a few unchanged lines between two runs are written, too,
 * if that saves a call. This does not change them in the image, since they do not differ.
 */
final class LineRuns {

  /** Maximum length of a gap: the write of more lines takes longer than a call. */
  private static final int MAX_GAP = 8;

  private LineRuns() {}

  /**
   * Returns the lines, and further lines that fill gaps between them, the shortest gaps first.
   *
   * @param lines bits, at least one
   * @param max maximum number of further lines
   */
  static long joined(long lines, int max) {
    long joined = lines;
    int left = max;
    for (int length = 1; length <= Math.min(left, MAX_GAP); length++) {
      long gaps = gaps(joined);
      while (gaps != 0 && length <= left) {
        int from = Long.numberOfTrailingZeros(gaps);
        // A gap ends before the last line, so the bit after it is in range.
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

  /** Returns the lines between the first and the last one that are not set. */
  private static long gaps(long lines) {
    return ~lines
        & (-1L << Long.numberOfTrailingZeros(lines))
        & (-1L >>> Long.numberOfLeadingZeros(lines));
  }
}
