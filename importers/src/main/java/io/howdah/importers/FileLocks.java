package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Locks on files of libraries that open them for reading whether or not another process writes. */
final class FileLocks {

  private FileLocks() {}

  /**
   * Takes the lock of a file for reading, which is released when the channel is closed.
   *
   * @param file what a process that writes has locked
   * @param store what to name in the message
   * @throws DataException if a process has locked it
   */
  static FileChannel shared(Path file, Path store) {
    FileChannel channel;
    try {
      channel = FileChannel.open(file, StandardOpenOption.READ);
    } catch (IOException e) {
      throw new DataException(file + " cannot be read: " + e, e);
    }
    try {
      FileLock lock = tryLock(channel);
      if (lock != null) {
        return channel;
      }
    } catch (IOException e) {
      throw closed(channel, new DataException(file + " cannot be locked: " + e, e));
    }
    throw closed(
        channel,
        new DataException(store + " is open in another process; close it there, or copy a backup"));
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock(0, Long.MAX_VALUE, true);
    } catch (OverlappingFileLockException e) {
      return null; // this process has it open
    }
  }

  private static DataException closed(FileChannel channel, DataException failure) {
    try {
      channel.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }
}
