package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.Storage;
import org.jspecify.annotations.Nullable;

/**
 * The pages of a region that differ from its image: two maps with a bit for each page, in separate
 * memory, which is small enough to stay in the processors' caches. Rounds alternate between the
 * maps (docs/protocol.md, R15a): commits of an even round mark one map, those of an odd round the
 * other.
 *
 * <p>A commit selects its map after it took its LSN, and marks before it ends. A checkpoint {@link
 * #turn}s the round, then reads from the clock the LSN above which recovery replays, then waits
 * until all commits up to that LSN have ended. From then on no commit marks the former round's map,
 * which is cleared when the copied pages count. The checkpoint copies a page that is marked in
 * either map, because a commit up to that LSN may have seen the new round.
 *
 * <p>After a cancelled checkpoint a map is not cleared. It then has marks that are not needed,
 * which does no harm in a later round.
 *
 * <p>The maps may be in memory that outlives the process ({@link WarmMemory}). The next opening
 * continues with their marks. So before marks are removed, the maps name the checkpoint that made
 * them unnecessary, and the next opening uses the maps only if that checkpoint counts (R46).
 */
public final class DirtyPages implements AutoCloseable {

  /** Index of the sequence of the checkpoint for which marks were removed last. */
  private static final long CLEARED_FOR = 0;

  /** Index of the round, on a separate cache line, since every commit reads it. */
  private static final long ROUND = 8;

  private static final long MAPS = 16;

  // A word of a map has the bits of 64 pages.
  private static final int WORD_SHIFT = 6;
  private static final long WORD_MASK = Long.SIZE - 1;

  private final MapWords words;
  private final Region memory;
  private final int pageShift;
  private final long pageCount;
  private final long mapWords;
  private volatile boolean imageLoaded;

  private DirtyPages(MapWords words, Region memory, long pageCount, long mapWords, int pageBytes) {
    this.words = words;
    this.memory = memory;
    this.pageCount = pageCount;
    this.mapWords = mapWords;
    this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
  }

  /**
   * Creates a map without marks.
   *
   * @param capacityBytes of the region, a multiple of {@code pageBytes}
   * @param pageBytes a power of two
   */
  public static DirtyPages create(Storage storage, long capacityBytes, int pageBytes) {
    return of(
        MapWords.create(storage, wordsOfMaps(capacityBytes, pageBytes)),
        storage,
        capacityBytes,
        pageBytes);
  }

  /**
   * Returns the maps that are in a region, with the marks that they have. They close the region
   * when they are closed.
   *
   * @param first address of their words, as many as {@link #lengthBytes} says
   */
  static DirtyPages in(
      Region words, long first, Storage storage, long capacityBytes, int pageBytes) {
    return of(MapWords.in(words, first), storage, capacityBytes, pageBytes);
  }

  /** Returns the bytes of the words of the maps. */
  static long lengthBytes(long capacityBytes, int pageBytes) {
    return wordsOfMaps(capacityBytes, pageBytes) * Long.BYTES;
  }

  private static long wordsOfMaps(long capacityBytes, int pageBytes) {
    return MAPS + 2 * wordsOfMap(capacityBytes / pageBytes);
  }

  private static long wordsOfMap(long pages) {
    return Alignment.up((pages >>> WORD_SHIFT) + 1, MAPS);
  }

  private static DirtyPages of(MapWords words, Storage storage, long capacityBytes, int pageBytes) {
    long pages = capacityBytes / pageBytes;
    try {
      Region memory = storage.allocate(Alignment.up(pages, Long.BYTES));
      return new DirtyPages(words, memory, pages, wordsOfMap(pages), pageBytes);
    } catch (Throwable t) {
      words.close(); // in a large store this memory is not on the heap
      throw t;
    }
  }

  /**
   * Returns the map in which commits mark pages now, for {@link #markIn}. A commit calls it after
   * it has taken its LSN. By its read-modify-write of the clock it sees at least the round of the
   * last checkpoint whose read-modify-write came before (R16).
   */
  public long currentMap() {
    return mapOf(words.getAcquire(ROUND));
  }

  private long mapOf(long round) {
    return MAPS + (round & 1) * mapWords;
  }

  /** Returns the number of the page that contains an address. */
  public long pageOf(long address) {
    return address >>> pageShift;
  }

  /** Marks a page, in a map that {@link #currentMap} returned. */
  public void markIn(long currentMap, long page) {
    // A read first keeps the cache line shared between processors while the page stays dirty. An
    // existing mark is valid for this round: the map was cleared before the round was published, or
    // was not cleared and has additional marks.
    markAll(currentMap, page, 1L << page);
  }

  /**
   * Marks pages as {@link #markIn} does.
   *
   * @param firstPage a multiple of 64
   * @param bits of the 64 pages from there on
   */
  public void markAll(long currentMap, long firstPage, long bits) {
    long at = currentMap + (firstPage >>> WORD_SHIFT);
    if ((words.getOpaque(at) & bits) != bits) {
      set(at, bits);
    }
  }

  private void set(long at, long bits) {
    long word;
    do {
      word = words.getOpaque(at);
    } while (!words.compareAndSet(at, word, word | bits));
  }

  /**
   * Starts the next round. Called by the thread that makes checkpoints, before a read-modify-write
   * of the clock (R16).
   */
  void turn() {
    words.setVolatile(ROUND, words.getOpaque(ROUND) + 1);
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
    long at = MAPS + (page >>> WORD_SHIFT);
    return words.getOpaque(at) | words.getOpaque(at + mapWords);
  }

  /**
   * Returns the marks of both maps, a bit for each page, up to the last word that has one. It has
   * the pages of every commit that has ended before the call. Null if it would be longer than
   * {@code maxWords}.
   */
  long @Nullable [] marks(int maxWords) {
    int length = (int) mapWords;
    while (length > 0 && marks((long) (length - 1) << WORD_SHIFT) == 0) {
      length--;
    }
    if (length > maxWords) {
      return null;
    }
    long[] marks = new long[length];
    for (int i = 0; i < length; i++) {
      marks[i] = marks((long) i << WORD_SHIFT);
    }
    return marks;
  }

  /**
   * Records that the whole image was verified against its checksums when it was copied to the
   * region. The region is then correct even for pages that are damaged in the image later.
   */
  public void imageLoaded() {
    imageLoaded = true;
  }

  boolean isImageLoaded() {
    return imageLoaded;
  }

  /** Returns the number that the checkpoint's thread has stored for a page, initially 0. */
  int memory(long page) {
    return Byte.toUnsignedInt(memory.getByteOpaque(page));
  }

  /** Stores a number from 0 to 255 for a page. */
  void remember(long page, int memory) {
    this.memory.setByteOpaque(page, (byte) memory);
  }

  /** Returns the number of dirty pages. */
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
   *
   * @param checkpoint the sequence of that checkpoint, which is folded
   */
  void clearFormer(long checkpoint) {
    clear(mapOf(words.getOpaque(ROUND) + 1), checkpoint);
  }

  /**
   * Removes all marks. No commit may run.
   *
   * @param checkpoint the sequence of the checkpoint that has the pages
   */
  public void clear(long checkpoint) {
    clear(mapOf(0), checkpoint);
    clear(mapOf(1), checkpoint);
  }

  /** Returns the sequence of the checkpoint for which marks were removed last; 0 if never. */
  long clearedFor() {
    return words.getOpaque(CLEARED_FOR);
  }

  private void clear(long from, long checkpoint) {
    words.setVolatile(CLEARED_FOR, checkpoint); // before the first mark is removed (R46)
    for (long at = from; at < from + mapWords; at++) {
      if (words.getOpaque(at) != 0) {
        words.setOpaque(at, 0);
      }
    }
  }

  /** Frees memory that is not on the heap. Idempotent. */
  @Override
  public void close() {
    memory.close();
    words.close();
  }
}
