package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.Region;
import io.howdah.core.storage.Storage.Access;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.storage.StorageLock;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Runs on a file system of one MiB, in a JVM of its own. */
final class FullDiskScenario {

  private FullDiskScenario() {}

  public static void main(String[] arguments) {
    try (FileStorage storage = FileStorage.open(Path.of(arguments[0], "store"))) {
      try (StorageFile file = storage.create("file")) {
        assertThatThrownBy(() -> file.write(0, ByteBuffer.allocateDirect(2 << 20)))
            .isInstanceOfSatisfying(
                StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NO_SPACE))
            .hasMessageContaining("file at 0, 2097152 bytes")
            .hasMessageContaining("no space left");
        file.setSize(0);
        file.write(0, ByteBuffer.allocateDirect(1 << 16));
        file.setSize(1 << 16);
      }
      try (StorageFile filler = storage.create("filler")) {
        long offset = 0;
        while (storage.usableBytes() > 0) {
          filler.write(offset, ByteBuffer.allocateDirect(4096));
          offset += 4096;
        }
        StorageLock lock = storage.lock("on a full disk");
        assertThat(lock.isHeld()).isTrue();
        try (Region mapped = storage.mapShared("file", 1 << 16)) {
          mapped.setLong((1 << 16) - 8, 1);
        }
        try (StorageFile hollow = storage.open("file", Access.READ_WRITE)) {
          hollow.setSize(1 << 20);
        }
        try (Region mapped = storage.mapShared("file", 1 << 20)) {
          assertThatThrownBy(
                  () -> {
                    for (int i = 0; i < 100_000; i++) {
                      mapped.setLong(1 << 19, i);
                    }
                  })
              .as("a hole under a mapping that the disk cannot fill")
              .isInstanceOf(InternalError.class);
          assertThat(mapped.getLong((1 << 16) - 8)).isEqualTo(1);
        }
      }
    }
    System.out.println("ok");
  }
}
