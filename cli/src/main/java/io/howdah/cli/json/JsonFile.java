package io.howdah.cli.json;

import io.howdah.cli.command.OutputFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files that a user has named for a result. */
final class JsonFile {

  private static final String SUFFIX = ".partial";

  private JsonFile() {}

  /**
   * Returns why a file could not be written now, null if it could. Tries it with a file that is
   * removed again, where the folder is, or the one in which it would be made.
   */
  static @Nullable String problem(Path file) {
    Path target = file.toAbsolutePath();
    Path folder = target.getParent();
    if (folder == null || Files.isDirectory(target)) {
      return "it is a directory; name a file";
    }
    String inStore = OutputFile.problem(target);
    if (inStore != null) {
      return inStore;
    }
    if (isPipe(target)) {
      return Files.isWritable(target) ? null : "it cannot be written: access denied";
    }
    while (!Files.exists(folder) && folder.getParent() != null) {
      folder = folder.getParent();
    }
    if (!Files.isDirectory(folder)) {
      return folder + " is no directory; name a file in one";
    }
    try {
      Files.delete(Files.createTempFile(folder, "result", SUFFIX));
      return null;
    } catch (IOException e) {
      return "nothing can be written in " + folder + ": " + reason(e) + "; name another file";
    }
  }

  /**
   * Writes a file, which is replaced only when all of the new one is written, and keeps its
   * permissions. A new file is for its owner only.
   *
   * @throws JsonFileException if that fails
   */
  static void replace(Path file, String text) {
    try {
      write(file.toAbsolutePath(), text);
    } catch (IOException e) {
      throw new JsonFileException(
          "the result was not written: --json " + file + ": " + reason(e), e);
    }
  }

  private static void write(Path target, String text) throws IOException {
    Path folder = target.getParent();
    if (folder == null || Files.isDirectory(target)) {
      throw new FileSystemException(target.toString(), null, "it is a directory");
    }
    if (!isPipe(target)) {
      Files.createDirectories(folder);
    }
    OutputFile.write(target, true, file -> Files.writeString(file, text));
  }

  private static boolean isPipe(Path target) {
    return Files.exists(target) && !Files.isRegularFile(target) && !Files.isDirectory(target);
  }

  private static String reason(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "no file can be made there";
      case AccessDeniedException _ -> "access denied";
      case FileAlreadyExistsException e -> e.getFile() + " is no directory";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      default -> String.valueOf(failure.getMessage());
    };
  }
}
