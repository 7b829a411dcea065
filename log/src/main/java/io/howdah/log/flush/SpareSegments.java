package io.howdah.log.flush;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The segments of a closed store. Their batches are not needed, and the next opening may reuse the
 * files. An open store keeps the segments that its commits fill between two checkpoints; their
 * number does not depend on the amount of data.
 */
public final class SpareSegments {

  /** Minimum total length of kept segments, so that the next opening writes fewer zeros. */
  static final long LEAST_BYTES = 8L << 20;

  private SpareSegments() {}

  private record Spare(String name, long bytes) {}

  /**
   * Deletes segments, the longest first, until the total length of the others is at most the length
   * of the data, or {@value #LEAST_BYTES} bytes if that is more. The superblock already records
   * durably that the store is closed. A segment that cannot be deleted is kept until the next
   * close.
   *
   * @param dataBytes length of the store's data
   */
  public static void keep(Storage storage, long dataBytes) {
    try {
      List<Spare> spares = new ArrayList<>();
      for (String entry : storage.list(SegmentNames.DIRECTORY)) {
        String name = SegmentNames.DIRECTORY + "/" + entry;
        spares.add(new Spare(name, bytes(storage, name)));
      }
      spares.sort(Comparator.comparingLong(Spare::bytes).thenComparing(Spare::name));
      long left = Math.max(LEAST_BYTES, dataBytes);
      boolean isDeleted = false;
      for (Spare spare : spares) {
        left -= spare.bytes();
        if (left < 0) {
          storage.delete(spare.name());
          isDeleted = true;
        }
      }
      if (isDeleted) {
        // A segment that was prepared and not used has a sequence that the next opening gives to
        // another one. If it came back in a power cut then, the log would be refused.
        storage.forceDirectory(SegmentNames.DIRECTORY);
      }
    } catch (StorageException e) {
      // The store is closed and complete. Segments that could not be deleted are not a failure.
    }
  }

  private static long bytes(Storage storage, String name) {
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      return file.sizeBytes();
    }
  }
}
