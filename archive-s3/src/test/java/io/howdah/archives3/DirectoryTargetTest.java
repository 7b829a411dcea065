package io.howdah.archives3;

import io.howdah.archive.Archive;
import io.howdah.archive.ArchiveTarget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;

/** A directory as the place of an archive. */
final class DirectoryTargetTest extends ArchiveTargetContract {

  @TempDir private Path folder;

  @Override
  ArchiveTarget open() {
    return Archive.to(folder.toString(), Duration.ofSeconds(1)).open();
  }

  @Override
  void putStranger(String name) {
    try {
      Files.writeString(folder.resolve(name), "text");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
