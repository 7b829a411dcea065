package io.howdah.cli.json;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Files that a user has named for a result. */
final class JsonFile {

  private JsonFile() {}

  /** Writes a file, which is replaced only when all of the new one is written. */
  static void replace(Path file, String text) throws IOException {
    Path target = file.toAbsolutePath();
    Path folder = target.getParent();
    if (folder == null) {
      throw new IOException("a folder, not a file to write: " + target);
    }
    if (Files.exists(target) && !Files.isRegularFile(target) && !Files.isDirectory(target)) {
      Files.writeString(target, text); // a pipe or a device
      return;
    }
    Files.createDirectories(folder);
    Path partial = Files.createTempFile(folder, "result", ".partial");
    try {
      Files.writeString(partial, text);
      Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(partial);
    }
  }
}
