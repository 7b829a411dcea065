package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** Runs under a limit of one MiB or so on the length of files, in a JVM of its own. */
final class FileSizeScenario {

  private FileSizeScenario() {}

  public static void main(String[] arguments) {
    try (FileStorage storage = FileStorage.open(Path.of(arguments[0], "store"));
        StorageFile file = storage.create("file")) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 64; i++) {
                  file.write((long) i << 16, ByteBuffer.allocateDirect(1 << 16));
                }
              })
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FILE_TOO_LARGE));
      assertThatThrownBy(() -> file.setSize(1L << 40))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FILE_TOO_LARGE));
    }
    System.out.println("ok");
  }
}
