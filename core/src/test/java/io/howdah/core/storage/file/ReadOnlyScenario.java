package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.nio.file.Path;

/** Runs on a store whose file system is mounted read-only, in a JVM of its own. */
final class ReadOnlyScenario {

  private ReadOnlyScenario() {}

  public static void main(String[] arguments) {
    Path mount = Path.of(arguments[0]);
    try (FileStorage storage = FileStorage.open(mount.resolve("store"))) {
      assertThat(storage.isReadOnly()).isTrue();
      assertThatThrownBy(() -> storage.create("new"))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.ACCESS_DENIED));
      storage.open("file", Access.READ).close();
      assertThat(storage.lock("a reader").isHeld()).isTrue();
      try (Region region = storage.mapPrivate("file", 8192)) {
        assertThat(region.getLong(0)).isEqualTo(0x0707070707070707L);
        region.setLong(0, 1);
      }
    }
    assertThatThrownBy(() -> FileStorage.open(mount.resolve("new")))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.READ_ONLY));
    System.out.println("ok");
  }
}
