package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Geometry;
import java.nio.ByteBuffer;

/**
 * The file {@code image.sums}: the checksums of the pages of the image ({@link ImageSumsLayout}). A
 * fold writes pages and their checksums, and both are durable before the fold counts. Until then
 * the journal also has them. Uses two buffers of {@value #BUFFER_BYTES} bytes. Used by one thread.
 */
public final class ImageSums implements AutoCloseable {

  /** Name of the file, in the store's root. */
  public static final String NAME = "image.sums";

  private static final int BUFFER_BYTES = 1 << 14;

  private final StorageFile file;
  private final int pageBytes;
  private final int zeroCrc;

  private final ByteBuffer window;
  private long windowFrom = -1;

  private final ByteBuffer run;
  private long runFrom;
  private long runEnd;

  /** Opens the sums of an image. */
  public ImageSums(Storage storage, Storage.Access access, StagingMemory memory, int pageBytes) {
    this.pageBytes = pageBytes;
    this.zeroCrc = Crc32c.of(ByteBuffer.allocate(pageBytes), 0, pageBytes);
    this.window = memory.allocate(BUFFER_BYTES);
    this.run = memory.allocate(BUFFER_BYTES);
    this.file = storage.open(NAME, access);
  }

  /** Creates the checksums of an image of zeros, durably; the caller forces the directory. */
  static void create(Storage storage, StoreId storeId, Geometry geometry) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.create(NAME)) {
      ByteBuffer header = memory.allocate(ImageSumsLayout.HEADER_LENGTH);
      header
          .putLong(ImageSumsLayout.MAGIC_OFFSET, ImageSumsLayout.MAGIC)
          .putInt(ImageSumsLayout.VERSION_OFFSET, ImageSumsLayout.VERSION)
          .putInt(ImageSumsLayout.PAGE_BYTES_OFFSET, geometry.pageBytes())
          .putLong(ImageSumsLayout.STORE_ID_HIGH_OFFSET, storeId.high())
          .putLong(ImageSumsLayout.STORE_ID_LOW_OFFSET, storeId.low())
          .putInt(ImageSumsLayout.CRC_OFFSET, crc(header));
      file.write(0, header);
      file.setSize(length(geometry));
      file.force();
    }
  }

  /** Lengthens the file for a larger region, durably. */
  static void grow(Storage storage, Geometry geometry) {
    try (StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE)) {
      file.setSize(Math.max(file.sizeBytes(), length(geometry)));
      file.force();
    }
  }

  /**
   * Verifies the header and the length of the file.
   *
   * @throws CorruptStoreException if it is missing, truncated, damaged or of another store
   */
  static void requireWhole(Storage storage, StoreId storeId, Geometry geometry) {
    if (!storage.exists(NAME)) {
      throw new CorruptStoreException(
          NAME, -1, "the checksums of the image are missing; restore the store from a backup");
    }
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(NAME, Storage.Access.READ)) {
      if (file.sizeBytes() < length(geometry)) {
        throw new CorruptStoreException(
            NAME,
            file.sizeBytes(),
            "the checksums of the image end here, but have "
                + length(geometry)
                + " bytes; restore the store from a backup");
      }
      ByteBuffer header = memory.allocate(ImageSumsLayout.HEADER_LENGTH);
      file.read(0, header);
      if (header.getLong(ImageSumsLayout.MAGIC_OFFSET) != ImageSumsLayout.MAGIC
          || header.getInt(ImageSumsLayout.VERSION_OFFSET) != ImageSumsLayout.VERSION
          || header.getInt(ImageSumsLayout.PAGE_BYTES_OFFSET) != geometry.pageBytes()
          || header.getLong(ImageSumsLayout.STORE_ID_HIGH_OFFSET) != storeId.high()
          || header.getLong(ImageSumsLayout.STORE_ID_LOW_OFFSET) != storeId.low()
          || header.getInt(ImageSumsLayout.CRC_OFFSET) != crc(header)) {
        throw new CorruptStoreException(
            NAME,
            0,
            "the header is damaged or of another store than "
                + storeId
                + "; restore the store from a backup");
      }
    }
  }

  private static int crc(ByteBuffer header) {
    return Crc32c.around(header, ImageSumsLayout.CRC_OFFSET, ImageSumsLayout.HEADER_LENGTH);
  }

  private static long length(Geometry geometry) {
    return ImageSumsLayout.offset(geometry.maxSizeBytes() / geometry.pageBytes());
  }

  // ---- Reading.

  /**
   * Verifies a page of the image against its checksum.
   *
   * @param bytes contains the page, from index {@code at} on
   * @throws CorruptStoreException if the page or the checksum is damaged
   */
  public void requireRight(long page, ByteBuffer bytes, int at) {
    int expected = sum(page) ^ zeroCrc;
    int actual = Crc32c.of(bytes, at, at + pageBytes);
    if (actual != expected) {
      throw new CorruptStoreException(
          ImageFile.NAME,
          page * pageBytes,
          "page "
              + page
              + " is damaged: its checksum is 0x"
              + Integer.toHexString(actual)
              + ", but "
              + NAME
              + " has 0x"
              + Integer.toHexString(expected)
              + "; restore the store from a backup");
    }
  }

  /**
   * Verifies that the checksums of pages that were never written are zero.
   *
   * @throws CorruptStoreException if one is not zero
   */
  void requireNothingBeyond(long fromPage, long toPage) {
    for (long page = fromPage; page < toPage; page++) {
      if (sum(page) != 0) {
        throw new CorruptStoreException(
            NAME,
            ImageSumsLayout.offset(page),
            "page "
                + page
                + " of the image was never written, but has a checksum; restore the store from a"
                + " backup");
      }
    }
  }

  private int sum(long page) {
    long offset = ImageSumsLayout.offset(page);
    if (windowFrom < 0 || offset < windowFrom || offset >= windowFrom + BUFFER_BYTES) {
      windowFrom = offset - offset % BUFFER_BYTES;
      int read = file.read(windowFrom, window.clear());
      window.clear().limit(read);
    }
    int at = (int) (offset - windowFrom);
    if (at + ImageSumsLayout.SUM_LENGTH > window.limit()) {
      throw new CorruptStoreException(NAME, offset, "the file shrank while it was read");
    }
    return window.getInt(at);
  }

  // ---- Writing.

  /**
   * Writes the checksum of a page, now or at {@link #force}.
   *
   * @param page larger than all pages before
   * @param crc the checksum
   */
  void put(long page, int crc) {
    long offset = ImageSumsLayout.offset(page);
    if (offset != runEnd || runEnd - runFrom == BUFFER_BYTES) {
      writeRun();
      runFrom = offset;
    }
    run.putInt((int) (offset - runFrom), crc ^ zeroCrc);
    runEnd = offset + ImageSumsLayout.SUM_LENGTH;
  }

  private void writeRun() {
    if (runEnd > runFrom) {
      file.write(runFrom, run.clear().limit((int) (runEnd - runFrom)));
      run.clear();
      runFrom = runEnd;
    }
  }

  /** Makes all checksums durable. */
  void force() {
    writeRun();
    file.force();
  }

  /** Closes the file. Implies no force. */
  @Override
  public void close() {
    file.close();
  }
}
