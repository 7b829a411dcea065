package io.howdah.checkpoint;

import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;

/**
 * Decides which lines of a dirty page a journal takes: those that differ from the image, and some
 * between them, or all ({@link Granularity}). For one thread.
 */
final class PageChoice {

  // What DirtyPages remembers of a page: to be compared, the last time it went by lines; to be
  // compared, the last time it went whole; one more than that for every time it goes whole unseen.
  private static final int BY_LINES = 0;
  private static final int WHOLE = 1;

  private final Granularity granularity;
  private final DirtyPages dirty;
  private final ImageWindow image;
  private final int lineBytes;
  private final long allLines;

  PageChoice(Granularity granularity, DirtyPages dirty, ImageWindow image) {
    this.granularity = granularity;
    this.dirty = dirty;
    this.image = image;
    this.lineBytes = JournalLayout.lineBytes(dirty.pageBytes());
    this.allLines = JournalLayout.allLines(dirty.pageBytes());
  }

  /**
   * Returns the bits of the lines to write, 0 if none differs.
   *
   * @param copy the page as the checkpoint copied it, at the buffer's start
   */
  long lines(long page, ByteBuffer copy) {
    if (!granularity.compares()) {
      return allLines;
    }
    int memory = dirty.memory(page);
    if (memory > WHOLE) {
      dirty.remember(page, memory - 1);
      return allLines;
    }
    long differing = difference(copy, image.bytes(), image.page(page, dirty));
    int limit = memory == WHOLE ? granularity.linesBelow() - 1 : granularity.wholeAbove();
    if (Long.bitCount(differing) > limit) {
      dirty.remember(page, WHOLE + granularity.wholeRounds());
      return allLines;
    }
    dirty.remember(page, BY_LINES);
    return granularity.lines(differing);
  }

  private long difference(ByteBuffer copy, ByteBuffer other, int otherAt) {
    long lines = 0;
    for (int from = 0, line = 0; from < dirty.pageBytes(); from += lineBytes, line++) {
      long difference = 0;
      for (int at = from; at < from + lineBytes; at += Long.BYTES) {
        difference |= copy.getLong(at) ^ other.getLong(otherAt + at);
      }
      if (difference != 0) {
        lines |= 1L << line;
      }
    }
    return lines;
  }
}
