package io.howdah.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.HowdahException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pid file never takes the place of a file of a store, not even of the one that is served. */
final class PidFileTest {

  @TempDir private Path folder;

  @Test
  void aPidFileTakesNoPlaceOfAFileOfAStore() throws IOException {
    Path directory = folder.resolve("store");
    Path superblock = directory.resolve("store.howdah");
    Files.createDirectories(directory);
    PidFile.check(superblock); // there is no store yet
    try (Store _ = Store.open(directory, StoreOptions.defaults().withMaxSize(1 << 20))) {
      List<Path> files;
      try (Stream<Path> all = Files.walk(directory)) {
        files = all.filter(Files::isRegularFile).toList();
      }
      assertThat(files).contains(superblock);
      for (Path file : files) {
        byte[] before = Files.readAllBytes(file);
        assertThatThrownBy(() -> PidFile.check(file))
            .as("%s", file)
            .isInstanceOf(HowdahException.class)
            .hasMessageContaining("it is a file of the store");
        assertThatThrownBy(() -> PidFile.write(file))
            .as("%s", file)
            .isInstanceOf(HowdahException.class)
            .hasMessageContaining("it is a file of the store");
        assertThat(file).hasBinaryContent(before);
      }
      Path beside = directory.resolve("server.pid");
      PidFile.check(beside);
      PidFile.write(beside).remove();
      assertThat(beside).doesNotExist();
    }
  }
}
