package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.LogSummaryLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.recovery.RedoSink;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Separates the words of the region's header from the other words that a recovery replays, and
 * passes those to another sink. Every opening reads and writes the header, so its words are kept
 * here and not stashed. For one thread.
 */
final class HeaderSplit implements RedoSink {

  /** Checks each range outside of the header before it is passed to the other sink. */
  @FunctionalInterface
  interface RangeCheck {
    void check(long address, long lengthBytes);
  }

  /** Receives the entries outside of the header. */
  @FunctionalInterface
  interface EntrySink {

    /**
     * Receives an entry.
     *
     * @param head of the entry
     * @param address in {@code head}
     * @param run number of words, also in {@code head}
     * @param at index of the first word
     */
    void add(long head, long address, int run, ByteBuffer source, int at);
  }

  static final int WORDS = LogSummaryLayout.REGION_HEADER_LENGTH / Long.BYTES;

  private static final int LENGTH = LogSummaryLayout.REGION_HEADER_LENGTH;

  private final EntrySink rest;
  private final RangeCheck check;
  private final long[] words;
  private final boolean[] written = new boolean[WORDS];

  /**
   * Creates a split.
   *
   * @param words of the header before the replay; the replay changes them
   */
  HeaderSplit(EntrySink rest, RangeCheck check, long[] words) {
    this.rest = rest;
    this.check = check;
    this.words = words;
  }

  /** Returns the present words of the header. */
  long[] words() {
    return words;
  }

  /** Returns whether the log has written a word. */
  boolean isWritten(int word) {
    return written[word];
  }

  @Override
  public void redo(ByteBuffer source, int from, int to) {
    for (int at = from; at < to; ) {
      long entry = source.getLong(at);
      int run = RedoRecordLayout.entryRun(entry);
      long address = RedoRecordLayout.entryAddress(entry);
      int words = at + Long.BYTES;
      int bytes = run * Region.WORD_BYTES;
      if (address >= LENGTH) {
        check.check(address, bytes);
        rest.add(entry, address, run, source, words);
      } else {
        split(source, at, entry);
      }
      at = words + bytes;
    }
  }

  private void split(ByteBuffer source, int at, long entry) {
    int run = RedoRecordLayout.entryRun(entry);
    int first = (int) (RedoRecordLayout.entryAddress(entry) / Long.BYTES);
    int inside = Math.min(run, WORDS - first);
    for (int i = 0; i < inside; i++) {
      words[first + i] = source.getLong(at + (1 + i) * Long.BYTES);
      written[first + i] = true;
    }
    int outside = run - inside;
    if (outside > 0) {
      check.check(LENGTH, (long) outside * Long.BYTES);
      int length = (1 + outside) * Long.BYTES;
      ByteBuffer after = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
      after.putLong(0, RedoRecordLayout.entryHead(LENGTH, outside));
      after.put(Long.BYTES, source, at + (1 + inside) * Long.BYTES, outside * Long.BYTES);
      rest.add(after.getLong(0), LENGTH, outside, after, Long.BYTES);
    }
  }
}
