package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.storage.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import java.nio.ByteBuffer;

/**
 * The file {@code image}: the region as of the newest checkpoint, every page at the offset that is
 * its address. Sparse, and as long as the region from its creation on, so a shorter file is a
 * damaged one.
 */
public final class RegionImage {

  /** Name of the file, in the store's root. */
  public static final String NAME = "image";

  private static final int STAGING_BYTES = 1 << 20;
  private static final int ALIGNMENT_BYTES = 4096;

  private RegionImage() {}

  /** Creates the image of an empty region, and the journals' directory, durably. */
  public static void create(Storage storage, long capacityBytes) {
    storage.createDirectory(Journal.DIRECTORY);
    if (!storage.exists(NAME)) {
      storage.create(NAME).close();
    }
    try (StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE)) {
      file.setSize(capacityBytes);
      file.force();
    }
    storage.forceDirectory("");
  }

  /**
   * Lengthens the image for a larger region, durably and sparsely; what is added reads as zeros.
   */
  public static void grow(Storage storage, long capacityBytes) {
    try (StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE)) {
      file.setSize(Math.max(file.sizeBytes(), capacityBytes));
      file.force();
    }
  }

  /**
   * Holds the file to its length.
   *
   * @throws CorruptStoreException if it is missing or truncated
   */
  public static void requireWhole(Storage storage, long capacityBytes) {
    if (!storage.exists(NAME)) {
      throw new CorruptStoreException(
          NAME, -1, "the region's image is missing; restore the store from a backup");
    }
    try (StorageFile file = storage.open(NAME, Storage.Access.READ)) {
      if (file.sizeBytes() < capacityBytes) {
        throw new CorruptStoreException(
            NAME,
            file.sizeBytes(),
            "the region's image ends here, but has "
                + capacityBytes
                + " bytes; restore the store from a backup");
      }
    }
  }

  /** Returns a buffer for {@link #load}. */
  public static ByteBuffer staging(StagingMemory memory) {
    return memory.allocate(STAGING_BYTES);
  }

  /** Writes dirty pages of a quiescent region to their places, durably. */
  static void fold(Storage storage, Region region, DirtyPages dirty) {
    int pageBytes = dirty.pageBytes();
    try (StagingMemory memory = new StagingMemory();
        StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE)) {
      ByteBuffer staging = staging(memory);
      for (long page = dirty.next(0); page >= 0; ) {
        long first = page;
        long last = page;
        page = dirty.next(page + 1);
        while (page == last + 1 && (page + 1 - first) * pageBytes <= STAGING_BYTES) {
          last = page;
          page = dirty.next(page + 1);
        }
        region.copyTo(
            first * pageBytes, staging.clear().limit((int) (last + 1 - first) * pageBytes));
        file.write(first * pageBytes, staging.flip());
      }
      file.force();
    }
  }

  /** Writes the pages of a journal to their places, durably; returns how many. */
  static long fold(Storage storage, Journal journal, CheckpointState state, int pageBytes) {
    try (StorageFile file = storage.open(NAME, Storage.Access.READ_WRITE)) {
      long pages =
          journal.read(
              state,
              (page, source, at) ->
                  file.write(
                      page * pageBytes, source.duplicate().limit(at + pageBytes).position(at)));
      file.force();
      return pages;
    }
  }

  /**
   * Reads a range into a region; pages of zeros are skipped, so that holes occupy no memory.
   *
   * @param from multiple of a page's length
   */
  public static void load(StorageFile file, Region region, long from, long to, ByteBuffer staging) {
    for (long offset = from; offset < to; offset += STAGING_BYTES) {
      int wanted = (int) Math.min(STAGING_BYTES, to - offset);
      int length = (int) Alignment.up(wanted, ALIGNMENT_BYTES);
      int read = file.read(offset, staging.clear().limit(length));
      if (read < wanted) {
        throw new CorruptStoreException(NAME, offset + read, "the image shrank while it was read");
      }
      copyWithoutZeros(region, offset, staging, wanted);
    }
  }

  private static void copyWithoutZeros(Region region, long offset, ByteBuffer source, int length) {
    for (int at = 0; at < length; ) {
      int end = at;
      while (end < length && !isZero(source, end, length)) {
        end = Math.min(end + ALIGNMENT_BYTES, length);
      }
      if (end > at) {
        region.copyFrom(offset + at, source.duplicate().limit(end).position(at));
      }
      at = Math.min(end + ALIGNMENT_BYTES, length);
    }
  }

  private static boolean isZero(ByteBuffer source, int from, int limit) {
    int to = Math.min(from + ALIGNMENT_BYTES, limit);
    for (int i = from; i < to; i += Long.BYTES) {
      if (source.getLong(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
