package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.Storage;

/**
 * Which pages of a region differ from its image: two maps of a bit for each page, in memory of
 * their own, small enough to stay in the processors' caches beside random words. Rounds take turns
 * with the maps (docs/protocol.md, R15a): commits of an even round mark one, those of an odd round
 * the other.
 *
 * <p>A commit asks for its map after it took its LSN, and marks before it ends. A checkpoint {@link
 * #turn}s the round, then takes the mark on the clock that its LSN to replay above is, then waits
 * until all commits up to there have ended. From then on nobody marks the former round's map, so
 * that one can be cleared, once what was copied counts; a page marked in either map is copied,
 * because a commit from before the mark may have seen the new round already.
 *
 * <p>A map that was not cleared, since a checkpoint was given up, does no harm when its turn comes
 * again: it marks too much.
 */
public final class DirtyPages implements AutoCloseable {

  private static final long ROUND = 0;
  private static final long MAPS = 4096;
  private static final int MAP_COUNT = 2;

  // A word of a map has the bits of 64 pages.
  private static final int WORD_SHIFT = 6;
  private static final long WORD_MASK = Long.SIZE - 1;

  private final Region map;
  private final int pageShift;
  private final long pageCount;
  private final long mapBytes;

  private DirtyPages(Region map, long pageCount, long mapBytes, int pageBytes) {
    this.map = map;
    this.pageCount = pageCount;
    this.mapBytes = mapBytes;
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
  }

  /**
   * Creates a map without marks.
   *
   * @param capacityBytes of the region, a multiple of {@code pageBytes}
   * @param pageBytes a power of two
   */
  public static DirtyPages create(Storage storage, long capacityBytes, int pageBytes) {
    long pages = capacityBytes / pageBytes;
    long mapBytes = Alignment.up((pages >>> WORD_SHIFT) * Long.BYTES + Long.BYTES, MAPS);
    long memoryBytes = Alignment.up(pages, Long.BYTES);
    return new DirtyPages(
        storage.allocate(MAPS + MAP_COUNT * mapBytes + memoryBytes), pages, mapBytes, pageBytes);
  }

  /**
   * Returns where commits mark pages now, for {@link #markIn}. For a commit that has taken its LSN:
   * by the RMW on the clock it sees at least the round that a checkpoint turned to before its own
   * (R16).
   */
  public long currentMap() {
    return mapOf(map.getLongAcquire(ROUND));
  }

  private long mapOf(long round) {
    return MAPS + (round & 1) * mapBytes;
  }

  /** Marks the page that holds an address, in a map that {@link #currentMap} returned. */
  public void markIn(long currentMap, long address) {
    long page = address >>> pageShift;
    long at = currentMap + wordOf(page);
    long bit = 1L << page;
    // Looking first keeps the line shared between processors while the page stays dirty. A mark
    // that is found is this round's: the map was cleared before the round was published, or keeps
    // more.
    if ((map.getLongOpaque(at) & bit) == 0) {
      set(at, bit);
    }
  }

  /**
   * Marks pages as {@link #markIn} does.
   *
   * @param firstPage a multiple of 64
   * @param bits of the 64 pages from there on
   */
  public void markAll(long currentMap, long firstPage, long bits) {
    long at = currentMap + wordOf(firstPage);
    if (bits != 0 && (map.getLongOpaque(at) & bits) != bits) {
      set(at, bits);
    }
  }

  private void set(long at, long bits) {
    long word;
    do {
      word = map.getLongOpaque(at);
    } while (!map.compareAndSetLong(at, word, word | bits));
  }

  private static long wordOf(long page) {
    return (page >>> WORD_SHIFT) * Long.BYTES;
  }

  /** Turns the round; the caller is the only one that does. An RMW on the clock follows (R16). */
  void turn() {
    map.setLongVolatile(ROUND, map.getLongOpaque(ROUND) + 1);
  }

  /** Returns the bytes in a page. */
  public int pageBytes() {
    return 1 << pageShift;
  }

  /** Returns the first page from an index on that is marked in either map, or -1. */
  public long next(long fromPage) {
    for (long page = fromPage; page < pageCount; page = (page | WORD_MASK) + 1) {
      long marks = marks(page) >>> page; // by the lower six bits
      if (marks != 0) {
        return page + Long.numberOfTrailingZeros(marks);
      }
    }
    return -1;
  }

  private long marks(long page) {
    long at = MAPS + wordOf(page);
    return map.getLongOpaque(at) | map.getLongOpaque(at + mapBytes);
  }

  /** Returns what the checkpoint's thread remembers of a page, at first 0. */
  int memory(long page) {
    return map.getByteOpaque(MAPS + MAP_COUNT * mapBytes + page);
  }

  /** Remembers a number from 0 to 127. */
  void remember(long page, int memory) {
    map.setByteOpaque(MAPS + MAP_COUNT * mapBytes + page, (byte) memory);
  }

  /** Returns how many pages are dirty. */
  public long count() {
    long count = 0;
    for (long page = 0; page < pageCount; page += Long.SIZE) {
      count += Long.bitCount(marks(page));
    }
    return count;
  }

  /**
   * Removes the marks of the round before the current one: all its commits have ended, and their
   * pages are in a checkpoint that counts.
   */
  void clearFormer() {
    clear(mapOf(map.getLongOpaque(ROUND) + 1));
  }

  /** Removes all marks, with no commit under way. */
  public void clear() {
    clear(mapOf(0));
    clear(mapOf(1));
  }

  private void clear(long from) {
    for (long at = from; at < from + mapBytes; at += Long.BYTES) {
      if (map.getLongOpaque(at) != 0) {
        map.setLongOpaque(at, 0);
      }
    }
  }

  /** Unmaps the maps. Idempotent. */
  @Override
  public void close() {
    map.close();
  }
}
