package io.howdah.core.storage.file;

import io.howdah.core.storage.StorageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Directories in a tmpfs, which lives exactly as long as the kernel runs. The tmpfs is open to
 * every user, so a directory counts only if this user made it, for himself alone.
 */
final class VolatilePlaces {

  // tmpfs is memory, and others live in it too: one eighth of it is left alone.
  private static final int MARGIN_SHIFT = 3;

  private static final Set<PosixFilePermission> OWNER_ONLY =
      Set.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private static final Integer SUPERUSER = 0;

  private VolatilePlaces() {}

  /** Returns whether a directory can hold volatile places at all. */
  static boolean isVolatile(Path directory) throws IOException {
    return Files.isDirectory(directory) && isVolatile(Files.getFileStore(directory));
  }

  static boolean isVolatile(FileStore store) {
    return store.type().equals("tmpfs");
  }

  /**
   * Returns whether a directory can be written and would have something left after taking bytes.
   */
  static boolean hasSpace(Path directory, long neededBytes) throws IOException {
    FileStore memory = Files.getFileStore(directory);
    return Files.isWritable(directory)
        && memory.getUsableSpace() - (memory.getTotalSpace() >> MARGIN_SHIFT) >= neededBytes;
  }

  /** Returns whether this user made the place, and nobody else can enter it. */
  static boolean isOwn(Path place) throws IOException {
    return isOwn(place, RunningKernel.userId());
  }

  /** Adds the names of {@linkplain #isOwn own} places, among the first entries of a directory. */
  static void addOwn(Path directory, int maxEntries, List<String> names) throws IOException {
    Integer self = RunningKernel.userId();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      int looked = 0;
      for (Path entry : entries) {
        if (looked++ == maxEntries) {
          break;
        }
        if (isOwn(entry, self)) {
          names.add(String.valueOf(entry.getFileName()));
        }
      }
    }
  }

  private static boolean isOwn(Path place, @Nullable Integer self) throws IOException {
    if (self == null) {
      return false;
    }
    try {
      // One call: it tells of one and the same file, whoever replaces it meanwhile.
      Map<String, Object> attributes =
          Files.readAttributes(
              place, "unix:isDirectory,uid,permissions", LinkOption.NOFOLLOW_LINKS);
      return Boolean.TRUE.equals(attributes.get("isDirectory"))
          && self.equals(attributes.get("uid"))
          && OWNER_ONLY.equals(attributes.get("permissions"));
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  /**
   * Returns whether a place that is not {@linkplain #isOwn own} may be used all the same: it
   * belongs to the owner of the store, whom the caller trusts.
   *
   * @param root of the store
   * @param isOwnerTrusted {@link FileStorageOptions#foreignOwnerAllowed}
   * @throws StorageException if it belongs to somebody who may well have had this store open: it
   *     may hold commits, so it does not count as gone
   */
  static boolean isOfTrustedOwner(Path place, Path root, boolean isOwnerTrusted)
      throws IOException {
    BasicFileAttributes attributes = RealPaths.attributes(place);
    Integer self = RunningKernel.userId();
    if (attributes == null
        || !attributes.isDirectory()
        || self == null
        || self.equals(RealPaths.owner(place))
        || !Files.getPosixFilePermissions(place, LinkOption.NOFOLLOW_LINKS).equals(OWNER_ONLY)) {
      return false;
    }
    Object owner = RealPaths.owner(place);
    boolean isOfStore = owner.equals(RealPaths.owner(root));
    if (isOfStore && isOwnerTrusted && Files.isWritable(place) && Files.isExecutable(place)) {
      return true;
    }
    if (isOfStore || isOwnerTrusted || owner.equals(SUPERUSER)) {
      throw new StorageException(
          StorageException.Reason.ACCESS_DENIED,
          "open volatile place "
              + place
              + ", which may hold the newest commits of the store in "
              + root
              + " and belongs to user "
              + owner
              + " while this process is user "
              + self
              + " (open and close the store once as that user, or remove the place to lose what was"
              + " committed and not durable),",
          null);
    }
    return false;
  }

  /** Refuses all but regular files of this user: who owns one may lock it for ever. */
  static void requireOwnFile(Path file) throws IOException {
    RealPaths.requireRegularFile(file);
    Integer self = RunningKernel.userId();
    if (self == null || !self.equals(RealPaths.owner(file))) {
      throw new AccessDeniedException(file.toString(), null, "of another user");
    }
  }
}
