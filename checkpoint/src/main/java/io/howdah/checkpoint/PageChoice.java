package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.JournalLayout;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which lines of a dirty page a journal takes: those that differ from the image, and some
 * between them, or all ({@link Granularity}). For one thread.
 *
 * <p>The first time in an opening that a page is dirty, the image's page is held to its checksum.
 * The region got the page from there, unchecked if the image is mapped, and the journal vouches for
 * the whole of it: damage would be given a new checksum and never be found again. From then on the
 * region has a copy of its own of the page, which is known to be right (docs/checkpoint.md, 3).
 */
final class PageChoice {

  // What DirtyPages remembers of a page: not looked at in this opening; to be compared, the last
  // time it went by lines; to be compared, the last time it went whole; one more than that for
  // every time it goes whole without being compared.
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
   * Creates one for a journal.
   *
   * @param sums what the image's pages are held to, or null if they do not tell: then every page
   *     goes whole
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
   * Returns the bits of the lines to write, 0 if none differs.
   *
   * @param copy the page as the checkpoint copied it, at the buffer's start
   * @throws CorruptStoreException if the image's page, which this one was made from, is damaged
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
