package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Determines the lines of a dirty page for a journal: those that differ from the image, and some
 * between them, or all ({@link Granularity}). Used by one thread.
 *
 * <p>When a page is dirty for the first time in an opening, the image's page is verified against
 * its checksum. The region's page was made from it, without verification if the image is mapped,
 * and the journal contains a checksum of the whole page. Without this verification, damage would
 * get a new checksum and never be detected. After that, the region has a private and verified copy
 * of the page (docs/checkpoint.md, 3).
 */
final class PageChoice {

  // The state of a page in DirtyPages: not verified in this opening; to be compared, and written by
  // lines last time; to be compared, and written as a whole last time; from there on, plus the
  // number of times that the page is written as a whole without a comparison.
  private static final int NEW = 0;
  private static final int BY_LINES = 1;
  private static final int WHOLE = 2;

  private final Granularity granularity;
  private final DirtyPages dirty;
  private final ImageWindow image;
  private final @Nullable ImageSums sums;
  private final int lineBytes;
  private final long allLines;

  /**
   * Creates the choice for a journal.
   *
   * @param sums the checksums of the image's pages, or null if they are not valid; then every page
   *     is written as a whole
   */
  PageChoice(
      Granularity granularity, DirtyPages dirty, ImageWindow image, @Nullable ImageSums sums) {
    this.granularity = sums == null ? Granularity.PAGES : granularity;
    this.dirty = dirty;
    this.image = image;
    this.sums = sums;
    this.lineBytes = JournalLayout.lineBytes(dirty.pageBytes());
    this.allLines = JournalLayout.allLines(dirty.pageBytes());
  }

  /**
   * Returns a bit for each line to write; 0 if no line differs.
   *
   * @param copy the checkpoint's copy of the page, at the buffer's start
   * @throws CorruptStoreException if the image's page, from which this page was made, is damaged
   */
  long lines(long page, ByteBuffer copy) {
    int memory = dirty.memory(page);
    if (memory == NEW && sums != null) {
      requireRight(sums, page);
    }
    if (!granularity.compares()) {
      return allLines;
    }
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

  private void requireRight(ImageSums sums, long page) {
    if (!dirty.isImageLoaded()) {
      int at = image.page(page, dirty);
      sums.requireRight(page, image.bytes(), at);
    }
    dirty.remember(page, BY_LINES);
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
