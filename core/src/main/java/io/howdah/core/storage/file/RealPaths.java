package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Looks at what a path names itself, never at where a symbolic link leads. */
final class RealPaths {

  private RealPaths() {}

  /**
   * Returns the attributes of what a path names, or null if there is nothing. Any other trouble
   * throws: a store that cannot be looked at must not pass for one that is not there.
   */
  static @Nullable BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Refuses all but regular files, before they are opened: a pipe would wait for its other end. */
  static void requireRegularFile(Path path) throws IOException {
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isRegularFile()) {
      throw new AccessDeniedException(path.toString(), null, "not a regular file");
    }
  }

  /** Refuses all but directories. */
  static void requireDirectory(Path path, BasicFileAttributes attributes) throws IOException {
    if (!attributes.isDirectory()) {
      throw new AccessDeniedException(path.toString(), null, "not a directory");
    }
  }

  /**
   * Refuses a directory that has come to lie where another was. All files are found by paths, so
   * those of another store would be taken for this one's until the lock's holder looks again.
   *
   * @param key of the directory that was there
   */
  static void requireSameDirectory(Path directory, Object key) throws IOException {
    if (!key.equals(LockFile.fileKey(directory))) {
      throw new NoSuchFileException(
          directory.toString(),
          null,
          "another directory is in the place of the one that was opened");
    }
  }

  /** Refuses a path if anything between it and {@code root} is there and no directory. */
  static void requireRealParents(Path root, Path path) throws IOException {
    for (Path parent = path.getParent();
        parent != null && !parent.equals(root) && parent.startsWith(root);
        parent = parent.getParent()) {
      BasicFileAttributes attributes = attributes(parent);
      if (attributes != null) {
        requireDirectory(parent, attributes);
      }
    }
  }

  /** Returns the number of the user who owns what the path names; needs a POSIX system. */
  static Object owner(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }
}
