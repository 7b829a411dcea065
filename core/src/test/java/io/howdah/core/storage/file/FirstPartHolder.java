package io.howdah.core.storage.file;

import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Holds the first part of a {@link LockFile}, and when told to, tries to take the second. Argument:
 * the file.
 */
final class FirstPartHolder {

  private FirstPartHolder() {}

  public static void main(String[] arguments) throws Exception {
    try (FileChannel channel = PrivateFiles.open(Path.of(arguments[0]), true)) {
      System.out.println(channel.tryLock(0, 1, false) == null ? "refused" : "held");
      while (System.in.read() != '\n') {}
      System.out.println(
          channel.tryLock(1, Long.MAX_VALUE - 1, false) == null ? "refused" : "held");
      while (System.in.read() >= 0) {}
    }
  }
}
