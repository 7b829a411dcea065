package io.howdah.jmh.published;

import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.layout.SuperblockLayout;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Ways to take a checkpoint that the product does not have, and how many bytes each would hand to
 * write calls. A model: it lays the journal out as the product does, group by group, and counts; it
 * writes nothing. {@code CheckpointSchemeTest} compares it with what the product writes where both
 * choose the same.
 */
public enum CheckpointScheme {

  /** Every page that changed, as a whole. */
  PAGES("page"),

  /** Of every page that changed, the lines that did, however many. */
  LINES("line"),

  /**
   * The paper's own (Hathi, section 4): every page that was ever used, changed or not, as a whole.
   */
  ALL_USED("stm");

  private static final int PAGE_BYTES = 4096;
  private static final int PAGE_LINES = JournalLayout.MAX_LINES;
  private static final int LINE_BYTES = PAGE_BYTES / PAGE_LINES;

  private final String text;

  CheckpointScheme(String text) {
    this.text = text;
  }

  /** Returns the name that metrics have for it. */
  public String text() {
    return text;
  }

  /**
   * Returns how many bytes a checkpoint hands to write calls, to journal, image and superblock.
   *
   * @param lines that changed, counted from the first line of the data
   * @param usedPages how many pages have ever been used
   */
  public long writtenBytes(BitSet lines, int usedPages) {
    return switch (this) {
      case PAGES -> bytes(pages(lines).map(_ -> PAGE_BYTES));
      case LINES -> bytes(pages(lines).map(page -> changed(lines, page) * LINE_BYTES));
      case ALL_USED -> bytes(IntStream.range(0, usedPages).map(_ -> PAGE_BYTES));
    };
  }

  private static IntStream pages(BitSet lines) {
    return lines.stream().map(line -> line / PAGE_LINES).distinct();
  }

  private static int changed(BitSet lines, int page) {
    return lines.get(page * PAGE_LINES, (page + 1) * PAGE_LINES).cardinality();
  }

  /** Returns the bytes for pages of which so many bytes are written each. */
  private static long bytes(IntStream dataBytes) {
    long journal = JournalLayout.HEADER_LENGTH;
    long image = 0;
    int count = 0;
    int length = 0;
    for (int bytes : dataBytes.toArray()) {
      if (JournalLayout.groupLength(count + 1, length + bytes) > JournalLayout.MAX_GROUP_LENGTH) {
        journal += JournalLayout.groupLength(count, length);
        count = 0;
        length = 0;
      }
      count++;
      length += bytes;
      image += bytes + ImageSumsLayout.SUM_LENGTH;
    }
    journal += count == 0 ? 0 : JournalLayout.groupLength(count, length);
    // Two states of the superblock, each in two slots.
    long superblock = 2L * SuperblockLayout.SLOTS * SuperblockLayout.SLOT_LENGTH;
    return journal + image + superblock;
  }
}
