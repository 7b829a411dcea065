package io.howdah.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.storage.StorageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** What is said of a folder that is none. */
final class StoreFolderTest {

  @TempDir private Path folder;

  private final CommandLine command = new CommandLine(new Asked());

  @Command
  private static final class Asked {}

  @Test
  void whatIsMissingOrAFileIsWrongUsage() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(StoreFolder.existing(folder, command)).isEqualTo(folder);
    assertThat(refused(file)).hasMessage(file + " is no directory");
    assertThat(refused(folder.resolve("x")))
        .hasMessage(folder + "/x is no directory: it does not exist");
  }

  private ParameterException refused(Path path) {
    return catchThrowableOfType(
        ParameterException.class, () -> StoreFolder.existing(path, command));
  }

  /** It may be there: the user has no right to see it. */
  @Test
  void whatMayNotBeLookedAtIsNotCalledMissing() {
    StorageException failure =
        catchThrowableOfType(
            StorageException.class,
            () ->
                StoreFolder.existing(
                    folder,
                    command,
                    path -> {
                      throw new AccessDeniedException(path.toString());
                    }));
    assertThat(failure).hasMessageContaining("open " + folder + " failed: access denied");
  }
}
