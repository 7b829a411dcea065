package io.howdah.core.storage.file;

import io.howdah.core.storage.StorageException.Reason;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Tells from what the JDK throws which kind of failure it was. */
final class FailureReasons {

  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  private static final String NO_MOUNT = "Mount point not found";

  private FailureReasons() {}

  /**
   * Returns the reason. Where the JDK has no type for a kind of failure, the system's message
   * decides, which is translated in some locales: then the answer is {@link Reason#IO}.
   */
  static Reason of(IOException failure) {
    return switch (failure) {
      case ClosedChannelException _ -> Reason.CLOSED;
      case NoSuchFileException _ -> Reason.MISSING;
      case FileAlreadyExistsException _ -> Reason.EXISTS;
      case DirectoryNotEmptyException _ -> Reason.EXISTS;
      case AccessDeniedException _ -> Reason.ACCESS_DENIED;
      case FileSystemException e -> ofMessage(e.getReason());
      default ->
          failure.getCause() instanceof OutOfMemoryError
              ? Reason.NO_MEMORY
              : ofMessage(failure.getMessage());
    };
  }

  /**
   * Returns what lies behind a failure that the JDK names by its consequence: to find a file system
   * it reads the table of mounts, and a table that it cannot open has no entries.
   */
  static IOException behind(IOException failure) {
    if (NO_MOUNT.equals(failure.getMessage())) {
      try (FileChannel _ = FileChannel.open(MOUNTS, StandardOpenOption.READ)) {
        return failure;
      } catch (IOException e) {
        e.addSuppressed(failure);
        return e;
      }
    }
    return failure;
  }

  private static Reason ofMessage(@Nullable String message) {
    if (message == null) {
      return Reason.IO;
    }
    // ENOSPC, EDQUOT; ENOTDIR; EFBIG; ENAMETOOLONG; EROFS; EACCES, EPERM, ELOOP (a symbolic link
    // that is not
    // followed); ENOMEM; EMFILE, ENFILE.
    return switch (message) {
      case "No space left on device", "Disk quota exceeded", "Disc quota exceeded" ->
          Reason.NO_SPACE;
      case "Not a directory" -> Reason.MISSING; // a file stands where the path goes on
      case "File too large" -> Reason.FILE_TOO_LARGE;
      case "File name too long" -> Reason.NAME_TOO_LONG;
      case "Read-only file system" -> Reason.READ_ONLY;
      case "Permission denied", "Operation not permitted" -> Reason.ACCESS_DENIED;
      case "Cannot allocate memory" -> Reason.NO_MEMORY;
      case "Too many open files", "Too many open files in system" -> Reason.TOO_MANY_FILES;
      default ->
          // The JDK adds words of its own to this one.
          message.startsWith("Too many levels of symbolic links")
              ? Reason.ACCESS_DENIED
              : Reason.IO;
    };
  }
}
