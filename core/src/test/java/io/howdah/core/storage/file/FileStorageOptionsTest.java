package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class FileStorageOptionsTest {

  @Test
  void eachWitherChangesItsOwnOption() {
    Path elsewhere = Path.of("elsewhere");
    Path shm = FileStorageOptions.DEFAULT.volatileDirectory();
    FileStorageOptions defaults = FileStorageOptions.DEFAULT;
    assertThat(defaults.withCreate(false))
        .isEqualTo(new FileStorageOptions(false, false, false, false, shm));
    assertThat(defaults.withReadOnly(true))
        .isEqualTo(new FileStorageOptions(true, true, false, false, shm));
    assertThat(defaults.withNetworkFileSystemAllowed(true))
        .isEqualTo(new FileStorageOptions(true, false, true, false, shm));
    assertThat(defaults.withForeignOwnerAllowed(true))
        .isEqualTo(new FileStorageOptions(true, false, false, true, shm));
    assertThat(defaults.withVolatileDirectory(elsewhere))
        .isEqualTo(new FileStorageOptions(true, false, false, false, elsewhere));
  }
}
