package io.howdah.log.flush;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The segments of a store that was closed: no batch in them is needed, and the next opening may use
 * them again. While the store was open it kept as many as its commits filled between checkpoints,
 * which has nothing to do with how much data there is.
 */
public final class SpareSegments {

  /** So much stays however little data there is: an opening writes less zeros for it. */
  static final long LEAST_BYTES = 8L << 20;

  private SpareSegments() {}

  private record Spare(String name, long bytes) {}

  /**
   * Deletes segments, the longest first, until the others are no longer than the data together, or
   * than {@value #LEAST_BYTES} bytes. The superblock says durably that the store is closed. What
   * cannot be deleted stays for the next close.
   *
   * @param dataBytes of the store
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
      for (Spare spare : spares) {
        left -= spare.bytes();
        if (left < 0) {
          storage.delete(spare.name());
        }
      }
    } catch (StorageException e) {
      // The store is closed and whole; a longer log than need be is no reason to say otherwise.
    }
  }

  private static long bytes(Storage storage, String name) {
    try (StorageFile file = storage.open(name, Storage.Access.READ)) {
      return file.sizeBytes();
    }
  }
}
