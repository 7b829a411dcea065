package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.UnsupportedStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The root of a file system of its own has the directory {@code lost+found}, which is no file of
 * anybody: stores, backups, restores and exports are made beside it.
 */
final class LostAndFoundTest {

  private static final StoreOptions OPTIONS = StoreOptions.defaults().withMaxSize(1 << 22);

  @TempDir private Path folder;

  private Path volume(String name) throws IOException {
    Path volume = Files.createDirectory(folder.resolve(name));
    Files.createDirectory(volume.resolve("lost+found"));
    return volume;
  }

  private static long value(Path directory) {
    try (Store store = Store.open(directory, OPTIONS)) {
      return store.read(tx -> tx.getLong(tx.root(0)));
    }
  }

  @Test
  void aStoreAndItsCopiesLieInTheRootOfAVolume() throws IOException {
    Path volume = volume("store");
    Path backup = volume("backup");
    Path export = volume("export");
    try (Store store = Store.open(volume, OPTIONS)) {
      store.run(
          tx -> {
            tx.root(0, tx.allocate(8));
            tx.putLong(tx.root(0), 42);
          });
      store.admin().backup(backup);
      store.admin().exportWithoutObjects(export);
    }
    assertThat(export.resolve("export.howdah")).isNotEmptyFile();
    assertThat(StoreBackups.check(volume).closed()).isTrue();
    StoreBackups.compact(volume);
    assertThat(value(volume)).isEqualTo(42);
    Path restored = volume("restored");
    StoreBackups.restore(backup, restored, OptionalLong.empty());
    assertThat(value(restored)).isEqualTo(42);
    assertThat(value(backup)).isEqualTo(42);
    for (Path each : new Path[] {volume, backup, export, restored}) {
      assertThat(each.resolve("lost+found")).isEmptyDirectory();
    }
  }

  @Test
  void anyOtherDirectoryIsInTheWay() throws IOException {
    Path volume = volume("other");
    Files.createDirectory(volume.resolve("lost"));
    assertThatThrownBy(() -> Store.open(volume, OPTIONS))
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("lost");
  }
}
