package io.howdah.cli.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file that a command writes besides a store. The file of that name is replaced only when all of
 * the new one is written and forced. A replaced file keeps its permissions, and a link to a file
 * stays a link. A device or a pipe is written to as it is.
 */
public final class OutputFile {

  /** Directories of a store. */
  private static final Set<String> DIRECTORIES = Set.of("journal", "log", "rings");

  /** How the names of the files begin that lie beside these directories. */
  private static final Set<String> FILES = Set.of("image", "store.");

  /** How deep files lie below the store's directory. */
  private static final int MAX_DEPTH = 2;

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private OutputFile() {}

  /** Writes all of a file. */
  public interface Writing {

    /** Writes to a file that is there. */
    void to(Path file) throws IOException;
  }

  /** Makes a file, or the names in a directory, durable. */
  interface Forcing {
    void force(Path path) throws IOException;
  }

  /**
   * Returns why a file must not be written, null if it may be: a file in the place of one of a
   * store's own would destroy the store.
   */
  public static @Nullable String problem(Path file) {
    Path store = storeOf(file);
    return store == null
        ? null
        : "it is a file of the store " + store + "; name a file outside of it";
  }

  private static @Nullable Path storeOf(Path file) {
    Path inner = place(file);
    Path folder = inner == null ? null : inner.getParent();
    for (int depth = 0; inner != null && folder != null && depth <= MAX_DEPTH; depth++) {
      String name = String.valueOf(inner.getFileName());
      boolean isDirectory = DIRECTORIES.contains(name);
      if (StoreFolder.hasStore(folder)
          && (isDirectory || (depth == 0 && FILES.stream().anyMatch(name::startsWith)))) {
        return folder;
      }
      inner = folder;
      folder = folder.getParent();
    }
    return null;
  }

  /** Returns where a file is, or would be made, without links; null if that cannot be told. */
  private static @Nullable Path place(Path file) {
    try {
      if (Files.exists(file)) {
        return file.toRealPath();
      }
      Path absolute = file.toAbsolutePath().normalize();
      Path folder = absolute.getParent();
      return folder == null || !Files.exists(folder)
          ? absolute
          : folder.toRealPath().resolve(absolute.getFileName());
    } catch (IOException _) {
      return null; // the writing fails for the same reason
    }
  }

  /**
   * Replaces a file.
   *
   * @param isNewPrivate whether a new file is for its owner only
   * @throws IOException if that fails; then the file is as it was
   */
  public static void write(Path file, boolean isNewPrivate, Writing writing) throws IOException {
    write(file, isNewPrivate, writing, OutputFile::force);
  }

  static void write(Path file, boolean isNewPrivate, Writing writing, Forcing forcing)
      throws IOException {
    boolean isThere = Files.exists(file);
    if (isThere && !Files.isRegularFile(file)) {
      writing.to(file);
      return;
    }
    Path target = isThere ? file.toRealPath() : file.toAbsolutePath();
    Set<PosixFilePermission> kept =
        isThere && isPosix(target) ? Files.getPosixFilePermissions(target) : null;
    // A new file: what has a name that can be guessed may be another's, or a link to elsewhere.
    Path part =
        target.resolveSibling(
            "%s.%08x.part".formatted(target.getFileName(), new SecureRandom().nextInt()));
    boolean isPrivate = isPosix(part) && (isNewPrivate || kept != null);
    if (isPrivate) {
      Files.createFile(part, OWNER_ONLY);
    } else {
      Files.createFile(part);
    }
    try {
      writing.to(part);
      if (kept != null) { // its readers may read the new one, too
        Files.setPosixFilePermissions(part, kept);
      }
      forcing.force(part);
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
      if (isPosix(target) && target.getParent() != null) {
        forcing.force(target.getParent());
      }
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static boolean isPosix(Path file) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  private static void force(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
