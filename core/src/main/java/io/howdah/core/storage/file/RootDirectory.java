package io.howdah.core.storage.file;

import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.report.LateLogger;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The directory of a {@link FileStorage}, as it is found or made when it is opened. */
final class RootDirectory {

  private static final LateLogger LOGGER = new LateLogger(FileSystemCheck.LOGGER);

  private RootDirectory() {}

  /** The superuser, who can do anything to a directory that belongs to this user, too. */
  private static final Integer SUPERUSER = 0;

  /**
   * Returns the directory's real path. Creates the directory if it is missing and may be created.
   *
   * @throws StorageException if it belongs to another user, other than the superuser
   * @throws UnsupportedStoreException if it is no directory of the machine's file system, or on a
   *     network file system
   */
  static Path open(Path absolute, FileStorageOptions options) throws IOException {
    FileSystemCheck.tellPlatform(System.getProperty("os.name", "unknown"), LOGGER);
    requireDefaultProvider(absolute);
    if (options.create() && !options.readOnly() && !isThere(absolute)) {
      create(absolute);
    }
    Path root = realPath(absolute);
    requireDirectory(root, new AttributesOnDisk());
    requireOwn(root, options.foreignOwnerAllowed());
    warnOfOtherWriters(root);
    FileSystemCheck.check(
        Files.getFileStore(root).type(),
        root.toString(),
        options.networkFileSystemAllowed(),
        LOGGER);
    return root;
  }

  private static void requireDefaultProvider(Path path) {
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw new UnsupportedStoreException(
          path
              + " is a path of the file system provider "
              + path.getFileSystem().provider().getScheme()
              + "; a store needs files that can be mapped and forced: name a directory of the"
              + " default file system");
    }
  }

  private static Path realPath(Path absolute) throws IOException {
    try {
      return absolute.toRealPath();
    } catch (NoSuchFileException e) {
      if (Files.isSymbolicLink(absolute)) {
        throw new UnsupportedStoreException(
            absolute
                + " is a symbolic link to "
                + Files.readSymbolicLink(absolute)
                + ", where nothing is; create the directory there, or name another path",
            e);
      }
      throw e;
    }
  }

  /** Returns whether a name is taken; a symbolic link takes one wherever it leads. */
  private static boolean isThere(Path path) {
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Reads what a file is. */
  interface Attributes {
    BasicFileAttributes of(Path file) throws IOException;
  }

  private static final class AttributesOnDisk implements Attributes {
    @Override
    public BasicFileAttributes of(Path file) throws IOException {
      return Files.readAttributes(file, BasicFileAttributes.class);
    }
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
    if (parent != null) {
      if (!isThere(parent)) {
        create(parent);
      } else if (!Files.readAttributes(realPath(parent), BasicFileAttributes.class).isDirectory()) {
        throw new UnsupportedStoreException(
            absolute + " cannot be created: " + parent + " is a file; name another path");
      }
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

  /**
   * Refuses another user's directory: its owner could replace the store's files. The superuser can
   * do that anywhere, so a directory of his that this process may write to is accepted. Volumes of
   * containers are such, with a group that the process is in.
   */
  private static void requireOwn(Path directory, boolean foreignAllowed) throws IOException {
    Integer self = RunningKernel.userId();
    if (foreignAllowed || self == null || !PrivateFiles.POSIX) {
      return;
    }
    Object owner = RealPaths.owner(directory);
    if (!isTrusted(owner, self)) {
      throw new StorageException(
          Reason.ACCESS_DENIED,
          "open directory "
              + directory
              + ", which belongs to user "
              + owner
              + " while this process is user "
              + self
              + " (its owner could replace the store's files: name a directory within it, which is"
              + " created for this user alone, or give it to this user, chown "
              + self
              + "),",
          null);
    }
  }

  static boolean isTrusted(Object owner, Integer self) {
    return owner.equals(self) || owner.equals(SUPERUSER);
  }
}
