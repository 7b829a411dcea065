package io.howdah.log.flush;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/**
 * Creates files of zeros that become segments (docs/recovery.md, section 2). On some file systems,
 * a new file whose zeros are not durable may contain old data of deleted files after a power cut:
 * the header or batches of a segment of this store, of a copy of it, or of the store from which it
 * was copied. A file therefore gets a segment's name only after its zeros are durable, and recovery
 * reads no other file.
 */
public final class EmptySegment {

  /** Name of the file whose zeros are not durable yet. An existing file is replaced. */
  static final String UNFINISHED = SegmentNames.DIRECTORY + "/unfinished";

  private EmptySegment() {}

  /**
   * Creates a segment of zeros, without a header. After the return, file and name are durable.
   *
   * @param name the segment's name; an existing file with this name is not needed
   * @param lengthBytes a multiple of the storage's alignment for direct access
   * @param zeros a buffer of zeros, which is written repeatedly; aligned for direct access
   * @return the file, open for direct access
   * @throws StorageException if the file cannot be created. If the exception is transient, both
   *     names are free and the call may be repeated; otherwise the file's state is unknown
   */
  public static StorageFile create(
      Storage storage, String name, int lengthBytes, ByteBuffer zeros) {
    try {
      fill(storage, lengthBytes, zeros);
      storage.rename(UNFINISHED, name);
      storage.forceDirectory(SegmentNames.DIRECTORY);
      return storage.open(name, Storage.Access.DIRECT);
    } catch (StorageException e) {
      if (e.isTransient()) {
        storage.delete(UNFINISHED);
        storage.delete(name);
      }
      throw e;
    }
  }

  private static void fill(Storage storage, int lengthBytes, ByteBuffer zeros) {
    if (storage.exists(UNFINISHED)) {
      storage.delete(UNFINISHED);
    }
    storage.create(UNFINISHED).close();
    try (StorageFile file = storage.open(UNFINISHED, Storage.Access.DIRECT)) {
      for (int offset = 0; offset < lengthBytes; ) {
        int run = Math.min(lengthBytes - offset, zeros.capacity());
        file.write(offset, zeros.clear().limit(run));
        offset += run;
      }
      file.force();
    }
  }
}
