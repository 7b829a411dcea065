package io.howdah.store.open;

import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The file that tells a backup from a store. A backup gets it when it is whole. An opening that may
 * write removes it, durably, before it changes any other file of the backup: so where the mark is,
 * the backup is as it was made. An opening that is refused before that leaves the mark.
 */
public final class BackupMark {

  /** Name of the file, beside the superblock. */
  static final String NAME = "store.backup";

  private BackupMark() {}

  /** Returns whether a directory holds a backup that is as it was made. */
  public static boolean isIn(Storage storage) {
    return storage.exists(NAME);
  }

  /**
   * Marks a backup that is whole and durable. If that fails, it is a store like any other: the
   * backup does not fail for it.
   */
  public static void write(Storage target, long lsn) {
    try {
      try (StorageFile file = target.create(NAME)) {
        byte[] text = "a backup as of LSN %d%n".formatted(lsn).getBytes(StandardCharsets.UTF_8);
        file.write(0, ByteBuffer.allocateDirect(text.length).put(text).flip());
        file.force();
      }
      target.forceDirectory("");
    } catch (StorageException _) {
      remove(target);
    }
  }

  /** Makes a store of a backup. */
  static void remove(Storage storage) {
    if (storage.exists(NAME)) {
      storage.delete(NAME);
      storage.forceDirectory("");
    }
  }
}
