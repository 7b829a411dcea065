package io.howdah.cli.store;

import io.howdah.archive.Archive;
import io.howdah.cli.command.ArchivePlace;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The key of an encrypted archive. */
public final class ArchiveKeyOption {

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description =
          "The key of an encrypted archive: a file of 32 bytes, or of 64 hexadecimal digits.")
  private @Nullable Path file;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Creates it, for the command line. */
  public ArchiveKeyOption() {}

  /**
   * Returns the archive with the key, if one was given.
   *
   * @throws ParameterException if the file cannot be read, or holds no key
   */
  Archive apply(Archive archive) {
    Path given = file;
    if (given == null) {
      return archive;
    }
    try {
      return archive.withKey(ArchivePlace.readKey(given));
    } catch (IOException e) {
      throw usage(given + " cannot be read: " + e, e);
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()), e);
    }
  }

  private ParameterException usage(String reason, Exception cause) {
    return new ParameterException(command.commandLine(), "--key: " + reason, cause);
  }
}
