package io.howdah.core.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The file {@code store.owner}: who holds the lock, for the message that others get. It is
 * information only and may be stale: the lock alone decides, and a process that was killed leaves
 * its file behind.
 */
final class StoreOwner {

  /** Name of the file, in the store's root. */
  static final String FILE_NAME = "store.owner";

  private static final int MAX_LENGTH = 1024;

  private StoreOwner() {}

  /** Returns one line about this process: pid, host, start, and the holder's own words. */
  static String describeSelf(String owner) {
    return printable(
        "process "
            + ProcessHandle.current().pid()
            + " on host "
            + RunningKernel.hostName()
            + ", running since "
            + RunningKernel.processStart()
            + (owner.isEmpty() ? "" : ": " + owner));
  }

  /**
   * Writes the file, whole or not at all. Where that fails, say because the disk is full, the old
   * one is removed: a store that cannot name its holder is still locked, one that names another
   * misleads.
   */
  static void write(Path root, String line) {
    Path file = root.resolve(FILE_NAME);
    try {
      Path next = root.resolve(FILE_NAME + ".tmp");
      Files.deleteIfExists(next);
      try (FileChannel channel = PrivateFiles.create(next)) {
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      remove(root);
    }
  }

  /** Returns what the file says, cut to a line that is safe to print. */
  static String read(Path root) {
    Path file = root.resolve(FILE_NAME);
    try {
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        throw new FileSystemException(file.toString(), null, "not a regular file");
      }
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_LENGTH);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
        return printable(StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip());
      }
    } catch (IOException e) {
      return "a process that left no description, as those that only read leave none";
    }
  }

  /** Removes the file. */
  static void remove(Path root) {
    try {
      Files.deleteIfExists(root.resolve(FILE_NAME));
    } catch (IOException e) {
      // Information only: the next holder writes its own.
    }
  }

  private static String printable(String text) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
    text.codePoints()
        .limit(MAX_LENGTH / 2)
        .map(c -> Character.isISOControl(c) ? ' ' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }
}
