package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.Storage;

/**
 * Which pages of a region differ from its image: a byte for each, in memory of its own.
 *
 * <p>Commits mark pages after their data stores, and so does replay. Iterating and clearing want a
 * quiescent region: no commit under way, and those before visible to the caller.
 */
public final class DirtyPages implements AutoCloseable {

  private static final byte DIRTY = 1;

  private final Region map;
  private final int pageShift;
  private final long pageCount;

  private DirtyPages(Region map, long pageCount, int pageBytes) {
    this.map = map;
    this.pageCount = pageCount;
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
    return new DirtyPages(storage.allocate(Alignment.up(pages, Long.BYTES)), pages, pageBytes);
  }

  /** Marks the page that holds an address: one byte store, whatever the map held. */
  public void mark(long address) {
    map.setByteOpaque(address >>> pageShift, DIRTY);
  }

  /**
   * Marks all pages of a range.
   *
   * @param lengthBytes at least 1
   */
  public void mark(long address, long lengthBytes) {
    long last = (address + lengthBytes - 1) >>> pageShift;
    for (long page = address >>> pageShift; page <= last; page++) {
      map.setByteOpaque(page, DIRTY);
    }
  }

  /** Returns the bytes in a page. */
  public int pageBytes() {
    return 1 << pageShift;
  }

  /** Returns the first dirty page from an index on, or -1. */
  public long next(long fromPage) {
    long page = fromPage;
    while (page < pageCount) {
      if ((page & 7) == 0 && map.getLong(page) == 0) {
        page += Long.BYTES;
      } else if (map.getByteOpaque(page) != 0) {
        return page;
      } else {
        page++;
      }
    }
    return -1;
  }

  /** Returns how many pages are dirty. */
  public long count() {
    long count = 0;
    for (long page = next(0); page >= 0; page = next(page + 1)) {
      count++;
    }
    return count;
  }

  /** Removes all marks. */
  public void clear() {
    for (long page = next(0); page >= 0; page = next(page + 1)) {
      map.setLong(Alignment.down(page, Long.BYTES), 0);
    }
  }

  /** Unmaps the map. Idempotent. */
  @Override
  public void close() {
    map.close();
  }
}
