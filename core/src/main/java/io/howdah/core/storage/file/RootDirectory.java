package io.howdah.core.storage.file;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The directory of a {@link FileStorage}, as it is found or made when it is opened. */
final class RootDirectory {

  private static final LateLogger LOGGER = new LateLogger(FileSystemCheck.LOGGER);

  private RootDirectory() {}

  /**
   * Returns the directory's real path. Creates the directory if it is missing and may be created.
   *
   * @throws StorageException if it belongs to another user
   * @throws UnsupportedStoreException if it is not a directory, or on a network file system
   */
  static Path open(Path absolute, FileStorageOptions options) throws IOException {
    FileSystemCheck.tellPlatform(System.getProperty("os.name", "unknown"), LOGGER);
    if (options.create() && !options.readOnly() && !Files.exists(absolute)) {
      create(absolute);
    }
    Path root = absolute.toRealPath();
    requireDirectory(root, path -> Files.readAttributes(path, BasicFileAttributes.class));
    requireOwn(root, options.foreignOwnerAllowed());
    warnOfOtherWriters(root);
    FileSystemCheck.check(
        Files.getFileStore(root).type(),
        root.toString(),
        options.networkFileSystemAllowed(),
        LOGGER);
    return root;
  }

  /** Reads what a file is. */
  interface Attributes {
    BasicFileAttributes of(Path file) throws IOException;
  }

  /**
   * Requires that a path leads to a directory.
   *
   * @throws IOException if it cannot be read what it leads to, which is another thing than a file
   */
  static void requireDirectory(Path root, Attributes attributes) throws IOException {
    if (!attributes.of(root).isDirectory()) {
      throw new UnsupportedStoreException(
          root + " is a file; a store is a directory: name another path");
    }
  }

  /** Creates a directory, with those above it that are missing, each durable in the one above. */
  private static void create(Path absolute) throws IOException {
    Path parent = absolute.getParent();
    if (parent != null && !Files.exists(parent)) {
      create(parent);
    }
    try {
      PrivateFiles.createDirectory(absolute);
    } catch (FileAlreadyExistsException e) {
      // Another process came first; the lock decides between the two.
    }
    if (parent != null) {
      PrivateFiles.forceDirectory(parent);
    }
  }

  /** Warned of, not refused: containers mount volumes so, where nobody else may be. */
  private static void warnOfOtherWriters(Path directory) throws IOException {
    String writers = PrivateFiles.otherWriters(directory);
    if (writers != null) {
      LOGGER
          .get()
          .log(
              System.Logger.Level.WARNING,
              "{0} may be written by {1}, who could replace the store''s files or remove them while"
                  + " it is open; take the right away (chmod go-w)",
              directory,
              writers);
    }
  }

  private static void requireOwn(Path directory, boolean foreignAllowed) throws IOException {
    Integer self = RunningKernel.userId();
    if (foreignAllowed || self == null || !PrivateFiles.POSIX) {
      return;
    }
    Object owner = RealPaths.owner(directory);
    if (!self.equals(owner)) {
      throw new StorageException(
          Reason.ACCESS_DENIED,
          "open directory "
              + directory
              + ", which belongs to user "
              + owner
              + " while this process is user "
              + self
              + " (its owner could replace the store's files: change the owner, or open it"
              + " with FileStorageOptions' foreignOwnerAllowed),",
          null);
    }
  }
}
