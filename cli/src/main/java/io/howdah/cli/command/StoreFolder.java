package io.howdah.cli.command;

import io.howdah.StoreBackups;
import io.howdah.core.HowdahException;
import io.howdah.core.storage.StorageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The folder of a store that a user has named. */
public final class StoreFolder {

  private StoreFolder() {}

  /**
   * Makes sure that a change does not go into a backup by mistake: its check would find it sound,
   * and it would no longer be what was backed up.
   *
   * @throws HowdahException if the folder holds a backup
   */
  public static void requireNoBackup(Path folder) {
    if (Files.isDirectory(folder) && StoreBackups.isBackup(folder)) {
      throw new HowdahException(
          folder
              + " is a backup, and a change would make it another store. Make a store of it by howdah restore, or use commands that only read; for a second backup copy the folder. To change the backup itself, delete the file "
              + folder.resolve("store.backup")
              + " first");
    }
  }

  /** Returns whether a folder holds a store, or a backup, whatever its state. */
  public static boolean hasStore(Path folder) {
    return Files.exists(folder.resolve("store.howdah"));
  }

  /** Looks whether a path is a directory; {@code Files.isDirectory} does not tell why it is not. */
  interface Look {
    boolean isDirectory(Path path) throws IOException;
  }

  /** Reads a path of the command line. An empty one would be the current folder. */
  public static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("the path is empty; is a variable of the shell not set?");
    }
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new TypeConversionException(
          "\"%s\" is no path of this system, whose file names have the charset %s: %s"
              .formatted(text, System.getProperty("sun.jnu.encoding"), e.getReason()));
    }
  }

  /**
   * Returns a folder that is there, whatever it holds.
   *
   * @throws ParameterException if it is not there, or is a file: exit code 2
   * @throws StorageException if that cannot be told: exit code 1
   */
  public static Path existing(Path folder, CommandLine command) {
    return existing(
        folder,
        command,
        path -> Files.readAttributes(path, BasicFileAttributes.class).isDirectory());
  }

  static Path existing(Path folder, CommandLine command, Look look) {
    try {
      if (look.isDirectory(folder)) {
        return folder;
      }
      throw new ParameterException(command, folder + " is no directory");
    } catch (NoSuchFileException _) {
      throw new ParameterException(command, folder + " is no directory: it does not exist");
    } catch (AccessDeniedException e) {
      throw new StorageException(StorageException.Reason.ACCESS_DENIED, "open " + folder, e);
    } catch (IOException e) {
      throw new StorageException(StorageException.Reason.IO, "open " + folder, e);
    }
  }
}
