package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates and opens files and directories that only their owner may use, where the system knows
 * owners.
 */
final class PrivateFiles {

  /** Whether the system has POSIX permissions, and directories that can be opened and forced. */
  static final boolean POSIX =
      FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

  private static final int GROUP_WRITE = 0020;
  private static final int OTHERS_WRITE = 0002;

  private static final Set<OpenOption> NEW_FILE =
      Set.of(
          StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  private PrivateFiles() {}

  /** Creates a file, 0600, and opens it for reading and writing; fails if the name is taken. */
  static FileChannel create(Path path) throws IOException {
    return FileChannel.open(path, NEW_FILE, attributes("rw-------"));
  }

  /** Creates a directory, 0700; fails if the name is taken. */
  static void createDirectory(Path path) throws IOException {
    Files.createDirectory(path, attributes("rwx------"));
  }

  /** Opens an existing file, not through a symbolic link. */
  static FileChannel open(Path path, boolean writable) throws IOException {
    return writable
        ? FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
        : FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
  }

  /** Forces a directory's entries; no effect where directories cannot be opened. */
  static void forceDirectory(Path directory) throws IOException {
    if (POSIX) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  /**
   * Returns who else may create and remove files in a directory, or null if nobody may. A group
   * with the number of the owner is taken for the owner's private one.
   */
  static @Nullable String otherWriters(Path directory) throws IOException {
    if (!POSIX) {
      return null;
    }
    int mode = unixAttribute(directory, "mode");
    if ((mode & OTHERS_WRITE) != 0) {
      return "every user";
    }
    int group = unixAttribute(directory, "gid");
    boolean isPrivate = group == unixAttribute(directory, "uid");
    return (mode & GROUP_WRITE) != 0 && !isPrivate ? "group " + group : null;
  }

  private static int unixAttribute(Path path, String name) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:" + name);
  }

  private static FileAttribute<?>[] attributes(String permissions) {
    return POSIX
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
