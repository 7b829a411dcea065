package io.howdah.lab.run;

import io.howdah.cli.command.BuildIdentity;
import io.howdah.core.HowdahException;
import io.howdah.jmh.study.Folders;
import io.howdah.process.AtExit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The folder of a run's store: the one the user names, which stays, or one of our own, which goes
 * unless something went wrong in it.
 */
public final class RunFolder implements AutoCloseable {

  private final Path path;
  private boolean kept;

  private RunFolder(Path path, boolean kept) {
    this.path = path;
    this.kept = kept;
  }

  /**
   * Chooses the folder.
   *
   * @param wanted what the user asked for, or null
   * @param neededBytes how much room the run takes at most
   */
  public static RunFolder choose(@Nullable Path wanted, long neededBytes, CommandSpec command)
      throws IOException {
    return choose("--dir", wanted, neededBytes, command);
  }

  /**
   * Chooses the folder.
   *
   * @param option by which the user names one
   * @param wanted what the user asked for, or null
   * @param neededBytes how much room the run takes at most
   */
  public static RunFolder choose(
      String option, @Nullable Path wanted, long neededBytes, CommandSpec command)
      throws IOException {
    if (wanted == null) {
      Path parent = BuildIdentity.workFolder();
      Files.createDirectories(parent);
      requireRoom(option, parent, neededBytes);
      return AtExit.close(
          new RunFolder(Files.createTempDirectory(parent, "run-").resolve("store"), false));
    }
    Path path = wanted.toAbsolutePath().normalize();
    if (Files.exists(path)) {
      refuseUnlessEmptyFolder(option, path, command);
    }
    Path parent = path.getParent();
    if (parent == null || !Files.isDirectory(parent)) {
      throw new ParameterException(
          command.commandLine(), option + ": there is no folder " + parent + " to create it in");
    }
    requireRoom(option, parent, neededBytes);
    return new RunFolder(path, true);
  }

  private static void refuseUnlessEmptyFolder(String option, Path path, CommandSpec command)
      throws IOException {
    if (!Files.isDirectory(path)) {
      throw new ParameterException(
          command.commandLine(), option + ": " + path + " is not a folder");
    }
    try (Stream<Path> entries = Files.list(path)) {
      if (entries.findAny().isPresent()) {
        throw new ParameterException(
            command.commandLine(),
            option + ": " + path + " is not empty; name a folder that is, or one to create");
      }
    }
  }

  private static void requireRoom(String option, Path parent, long neededBytes) throws IOException {
    long usable = Files.getFileStore(parent).getUsableSpace();
    if (usable < neededBytes) {
      throw new HowdahException(
          "the disk of %s has %,d MB free, but the run may need %,d MB; free some, or name a folder"
                  .formatted(parent, usable / 1_000_000, neededBytes / 1_000_000)
              + " elsewhere with "
              + option);
    }
  }

  /** Returns the folder of the store. */
  public Path path() {
    return path;
  }

  /** Leaves the folder for inspection. */
  public void keep() {
    kept = true;
  }

  /** Returns whether the folder will still be there. */
  public boolean isKept() {
    return kept;
  }

  @Override
  public void close() throws IOException {
    AtExit.forget(this);
    if (!kept) {
      Path parent = path.getParent();
      if (parent != null) {
        Folders.delete(parent);
      }
    }
  }
}
