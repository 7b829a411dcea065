package io.howdah.checkpoint.recovery;

import io.howdah.checkpoint.DirtyPages;
import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Replays words into a region, on the calling thread, and marks their pages dirty. Thread-safe. */
final class RegionReplay {

  private static final ValueLayout.OfLong WORDS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Of an entry with a single word. */
  private static final int ENTRY_WORDS = 2;

  /** Most pages that are tried to find the one that failed. */
  private static final int MAX_SUSPECTS = 4096;

  /** A word has the bits of 64 pages. */
  private static final int WORD_SHIFT = 6;

  private final Region region;
  private final DirtyPages dirty;

  /** No checkpoint turns the round before all is replayed. */
  private final long map;

  private final int pageShift;
  private final boolean resident;

  /**
   * Creates one.
   *
   * @param resident whether the region's pages are there already. Where they are not, a page that
   *     is read first is brought in twice, once to be read and once more to be written
   */
  RegionReplay(Region region, DirtyPages dirty, boolean resident) {
    this.region = region;
    this.resident = resident;
    this.dirty = dirty;
    this.map = dirty.currentMap();
    this.pageShift = Integer.numberOfTrailingZeros(dirty.pageBytes());
  }

  /** Returns what tells more than a fault that was thrown as a range was replayed to. */
  Throwable explained(Throwable thrown, long from, long lengthBytes) {
    long[] pages = new long[(int) Math.min(lengthBytes >>> pageShift, MAX_SUSPECTS)];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = from + ((long) i << pageShift);
    }
    return region.explained(thrown, pages);
  }

  /**
   * Pages of a range that were replayed to, a bit for each: gathered apart, because many words fall
   * into one page, and the map of dirty ones is shared.
   */
  static final class Pages {

    /** A multiple of 64, like the pages at which words of the map begin. */
    private final long first;

    private final long[] bits;

    /** Of the block that is replayed. */
    private final long[] entries = new long[ChunkStash.BLOCK_BYTES / Long.BYTES];

    /** What was loaded ahead; of no use, but without it the compiler would drop the loads. */
    long seen;

    private Pages(long first, int words) {
      this.first = first;
      this.bits = new long[words];
    }
  }

  /** Returns a range's pages, none of them replayed to. */
  Pages pages(long address, long lengthBytes) {
    long first = (address >>> pageShift) & -Long.SIZE;
    long last = (address + lengthBytes - 1) >>> pageShift;
    return new Pages(first, (int) ((last - first) / Long.SIZE) + 1);
  }

  /**
   * Replays the entries of a block; their pages are dirty only once {@link #mark} says so.
   *
   * @param block little-endian
   * @param length how many words of it hold entries, and perhaps a rest without
   * @param pages of a range that holds all of them
   * @return how many words were replayed
   */
  long redo(ByteBuffer block, int from, int length, Pages pages) {
    // Copied in one piece: off the heap each access would be checked for itself.
    long[] entries = pages.entries;
    MemorySegment.copy(
        MemorySegment.ofBuffer(block.duplicate().clear()), WORDS, from, entries, 0, length);
    if (resident) {
      pages.seen ^= load(entries, length);
    }
    long[] bits = pages.bits;
    long first = pages.first;
    long count = 0;
    for (int at = 0; at < length - 1; ) {
      long entry = entries[at];
      int run = RedoRecordLayout.entryRun(entry);
      if (run == 0) {
        break;
      }
      long address = RedoRecordLayout.entryAddress(entry);
      long page = address >>> pageShift;
      if (run == 1) {
        region.setLong(address, entries[at + 1]);
        // Looking first: as many stores again would let the processor have half as many of those to
        // the region under way, each of which waits for memory.
        if ((bits[(int) (page - first) >>> WORD_SHIFT] & 1L << page) == 0) {
          bits[(int) (page - first) >>> WORD_SHIFT] |= 1L << page;
        }
      } else {
        int lengthBytes = run * Region.WORD_BYTES;
        int start = from + (at + 1) * Long.BYTES;
        region.copyFrom(address, block.duplicate().limit(start + lengthBytes).position(start));
        for (long last = (address + lengthBytes - 1) >>> pageShift; page <= last; page++) {
          bits[(int) (page - first) >>> WORD_SHIFT] |= 1L << page;
        }
      }
      at += 1 + run;
      count += run;
    }
    return count;
  }

  /**
   * Loads the words that are about to be overwritten, for their cache misses' sake: loads wait for
   * memory side by side, stores are completed one after the other. Measured, it takes a quarter off
   * the replay. Stops at the first longer run, which the processor reads ahead by itself.
   *
   * @return something that depends on every word, or the loads would be left out
   */
  private long load(long[] entries, int length) {
    long seen = 0;
    for (int at = 0;
        at < length - 1 && RedoRecordLayout.entryRun(entries[at]) == 1;
        at += ENTRY_WORDS) {
      seen ^= region.getLong(RedoRecordLayout.entryAddress(entries[at]));
    }
    return seen;
  }

  /** Marks pages that were replayed to. */
  void mark(Pages pages) {
    // Replayed pages differ from the image: unmarked, the next checkpoint would leave them out and
    // trim the log that has them (docs/protocol.md, R17).
    for (int i = 0; i < pages.bits.length; i++) {
      dirty.markAll(map, pages.first + (long) i * Long.SIZE, pages.bits[i]);
    }
  }
}
