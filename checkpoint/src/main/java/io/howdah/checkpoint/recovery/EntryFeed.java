package io.howdah.checkpoint.recovery;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Collects the redo entries ({@link RedoRecordLayout}) of one stash in blocks, in the order of
 * LSNs, and passes full blocks to the stash or its thread. A block is an array, whose accesses take
 * least time; every word of the log passes through one. An entry that does not fit in the rest of a
 * block is divided. For one thread.
 */
final class EntryFeed {

  /** A few blocks fit in the second level cache of a processor. */
  static final int BLOCK_WORDS = 1 << 13;

  private static final ValueLayout.OfLong WORDS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Outlet outlet;
  private long[] block = new long[BLOCK_WORDS];
  private int length;

  /** Receives full blocks. */
  @FunctionalInterface
  interface Outlet {

    /**
     * Receives whole entries, each within one chunk.
     *
     * @param length number of words of the entries
     * @return the next block to fill; it may be the same one
     */
    long[] pass(long[] block, int length);
  }

  EntryFeed(Outlet outlet) {
    this.outlet = outlet;
  }

  /** Adds the entry of a single word. */
  void add(long head, long word) {
    int at = length;
    if (at > BLOCK_WORDS - 2) {
      flush();
      at = 0;
    }
    block[at] = head;
    block[at + 1] = word;
    length = at + 2;
  }

  /** Adds consecutive words of one chunk. */
  void addRun(long address, ByteBuffer source, int at, int words) {
    MemorySegment bytes = MemorySegment.ofBuffer(source.duplicate().clear());
    for (int added = 0; added < words; ) {
      if (length > BLOCK_WORDS - 2) {
        flush();
      }
      int run = Math.min(words - added, BLOCK_WORDS - length - 1);
      long from = (long) added * Region.WORD_BYTES;
      block[length] = RedoRecordLayout.entryHead(address + from, run);
      MemorySegment.copy(bytes, WORDS, at + from, block, length + 1, run);
      length += 1 + run;
      added += run;
    }
  }

  /** Passes the collected entries to the outlet. */
  void flush() {
    if (length > 0) {
      block = outlet.pass(block, length);
      length = 0;
    }
  }
}
