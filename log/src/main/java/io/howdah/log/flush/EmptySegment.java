package io.howdah.log.flush;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;

/**
 * Makes files of zeros that become segments (docs/recovery.md, section 2). Until its zeros are
 * durable, a new file may show after a power cut what deleted files held, on some file systems: the
 * header or the batches of a segment of this store, of its copies, or of the store that it is a
 * copy of. So a file gets a segment's name only then, and recovery looks at no other file.
 */
public final class EmptySegment {

  /** The file whose zeros are not durable yet; one that was left behind is replaced. */
  static final String UNFINISHED = SegmentNames.DIRECTORY + "/unfinished";

  private EmptySegment() {}

  /**
   * Creates a segment of zeros, without a header. File and name are durable.
   *
   * @param name a segment's; nothing that is needed has it
   * @param lengthBytes a multiple of the storage's alignment for direct access
   * @param zeros what is written, up to its capacity at a time; aligned for direct access
   * @return the file, open for direct access
   * @throws StorageException if it is transient, both names are free again, and the call may be
   *     repeated; after any other failure the file's state is unknown
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
