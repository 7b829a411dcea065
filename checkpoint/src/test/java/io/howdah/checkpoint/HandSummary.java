package io.howdah.checkpoint;

import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.recovery.LogShortcut;

/** Writes summaries of a log for tests of other packages. */
public final class HandSummary {

  private HandSummary() {}

  /** Writes one of the two files. */
  public static void write(
      Storage storage, Superblock superblock, LogShortcut shortcut, long[] header, long[] map) {
    new LogSummary(shortcut, header, map).write(storage, superblock, 0);
  }
}
