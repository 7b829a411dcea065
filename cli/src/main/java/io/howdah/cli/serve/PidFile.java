package io.howdah.cli.serve;

import io.howdah.cli.command.OutputFile;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file with the process id, there as long as the server listens. */
final class PidFile {

  private final @Nullable Path path;

  private PidFile(@Nullable Path path) {
    this.path = path;
  }

  /**
   * Refuses a place where no file can be, before anything is done for a server.
   *
   * @throws HowdahException if it is a directory, or in none, or in one that cannot be changed
   */
  static void check(@Nullable Path path) {
    if (path == null) {
      return;
    }
    Path directory = path.toAbsolutePath().getParent();
    requireOutside(path);
    String problem = null;
    if (Files.isDirectory(path)) {
      problem = "there is a directory of that name";
    } else if (directory == null || !Files.isDirectory(directory)) {
      problem = "there is no directory for it";
    } else if (!Files.isWritable(Files.exists(path) ? path : directory)) {
      problem = "permission denied";
    }
    if (problem != null) {
      throw new HowdahException("cannot write the pid file " + path + ": " + problem);
    }
  }

  private static void requireOutside(Path path) {
    String problem = OutputFile.problem(path);
    if (problem != null) {
      throw new HowdahException("cannot write the pid file " + path + ": " + problem);
    }
  }

  /** Writes the file; does nothing without a path. */
  static PidFile write(@Nullable Path path) {
    if (path != null) {
      requireOutside(path); // again: the server has made the store since
      try {
        Files.writeString(path, ProcessHandle.current().pid() + "\n");
      } catch (IOException e) {
        throw new HowdahException(
            "cannot write the pid file " + path + ": " + OutputFileFailure.reason(e), e);
      }
    }
    return new PidFile(path);
  }

  void remove() {
    if (path != null) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException _) {
        // It tells of a process that has gone, which whoever reads it has to find out anyway.
      }
    }
  }
}
