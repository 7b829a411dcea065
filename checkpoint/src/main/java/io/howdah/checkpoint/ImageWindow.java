package io.howdah.checkpoint;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/**
 * Reads pages of the image. Reads ahead if the next required pages are near. Uses a buffer of at
 * most {@value #MAX_BYTES} bytes. Used by one thread.
 */
final class ImageWindow implements AutoCloseable {

  private static final int MAX_BYTES = 1 << 20;

  /** Maximum gap between required pages: reading its pages costs less than another call. */
  private static final int GAP_PAGES = 8;

  private final StorageFile file;
  private final ByteBuffer bytes;
  private final int pageBytes;
  private long firstPage;
  private int pages;

  ImageWindow(Storage storage, ByteBuffer bytes, int pageBytes) {
    this.file = storage.open(ImageFile.NAME, Storage.Access.READ);
    this.bytes = bytes;
    this.pageBytes = pageBytes;
  }

  /** Returns a buffer for the window on a region's image, no longer than the region. */
  static ByteBuffer buffer(StagingMemory memory, long capacityBytes) {
    return memory.allocate((int) Math.min(MAX_BYTES, capacityBytes));
  }

  /**
   * Reads a page and returns its index in {@link #bytes}.
   *
   * @param dirty the pages that will be required after it
   */
  int page(long page, DirtyPages dirty) {
    if (page < firstPage || page >= firstPage + pages) {
      long last = page;
      for (long next = dirty.next(page + 1);
          next >= 0 && next - last <= GAP_PAGES && next - page < bytes.capacity() / pageBytes;
          next = dirty.next(next + 1)) {
        last = next;
      }
      firstPage = page;
      pages = (int) (last + 1 - page);
      int length = pages * pageBytes;
      int read = file.read(page * pageBytes, bytes.clear().limit(length));
      if (read < length) {
        throw ImageFile.shrank(page * pageBytes + read);
      }
      bytes.clear();
    }
    return (int) (page - firstPage) * pageBytes;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  @Override
  public void close() {
    file.close();
  }
}
