package io.howdah.core.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file {@value #FILE_NAME} in a volatile place: which store the place belongs to, and which
 * process made it. For tools and for the removal of places whose store is gone; no recovery reads
 * it. Three lines: the process for people, the claim as in {@code store.owner}, and the directory
 * of the store, with percent signs and ends of lines escaped.
 *
 * @param description of the process, a line that is safe to print
 * @param claim of the process to the store's directory
 * @param store the directory's path as that process saw it
 */
record PlaceNote(String description, StoreOwner.Claim claim, Path store) {

  static final String FILE_NAME = "owner";

  /** Longer than two lines of text and the longest path, each character of it escaped. */
  private static final int MAX_LENGTH = 1 << 14;

  private static final int LINES = 3;

  /**
   * Writes the note of this process into a new place.
   *
   * @param root of the store
   * @param rootKey its {@link LockFile#fileKey}
   */
  static void write(Path place, Path root, Object rootKey) throws IOException {
    Optional<StoreOwner.Claim> claim = StoreOwner.Claim.bySelf(rootKey);
    // Not on Linux, where no place is used either; or a path that this process cannot write down,
    // so that the place would seem to be abandoned.
    if (claim.isEmpty() || !root.equals(Path.of(root.toString()))) {
      return;
    }
    String text =
        StoreOwner.describeSelf("")
            + "\n"
            + claim.get().line()
            + "\n"
            + escaped(root.toString())
            + "\n";
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    try (FileChannel channel = PrivateFiles.create(place.resolve(FILE_NAME))) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Returns the note of a place, or null if it has none that can be understood. */
  static @Nullable PlaceNote read(Path place) {
    try {
      Path file = place.resolve(FILE_NAME);
      RealPaths.requireRegularFile(file);
      ByteBuffer bytes = ByteBuffer.allocate(MAX_LENGTH);
      try (FileChannel channel = PrivateFiles.open(file, false)) {
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
      }
      String[] lines =
          StandardCharsets.UTF_8.decode(bytes.flip()).toString().split("\n", LINES + 1);
      if (lines.length != LINES + 1 || !lines[LINES].isEmpty()) {
        return null;
      }
      StoreOwner.Claim claim = StoreOwner.Claim.parse(lines[1]);
      return claim == null
          ? null
          : new PlaceNote(StoreOwner.printable(lines[0]), claim, Path.of(unescaped(lines[2])));
    } catch (IOException | IllegalArgumentException e) {
      return null;
    }
  }

  private static String escaped(String path) {
    return path.replace("%", "%25").replace("\n", "%0A").replace("\r", "%0D");
  }

  private static String unescaped(String path) {
    return path.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
  }

  /**
   * Returns whether the store's directory is gone from its path: nothing is there, or something
   * else. It may have been moved, or be visible to other processes only. If that cannot be told, it
   * is not gone.
   */
  boolean isStoreGone() {
    try {
      return !claim.isTo(LockFile.fileKey(store));
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
