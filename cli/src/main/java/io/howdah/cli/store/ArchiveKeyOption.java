package io.howdah.cli.store;

import io.howdah.archive.Archive;
import io.howdah.cli.command.ArchivePlace;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The key of an encrypted archive. */
public final class ArchiveKeyOption {

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description =
          "The key of an encrypted archive: a file of 32 bytes, or of 64 hexadecimal digits.")
  private @Nullable Path file;

  /** Creates it, for the command line. */
  public ArchiveKeyOption() {}

  /**
   * Returns the archive with the key, if one was given.
   *
   * @throws IllegalArgumentException if the file holds no key
   */
  Archive apply(Archive archive) throws IOException {
    return file == null ? archive : archive.withKey(ArchivePlace.readKey(file));
  }
}
