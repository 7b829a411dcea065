package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Opens a storage when the process has no file descriptor left, in a JVM of its own. */
final class DescriptorScenario {

  private DescriptorScenario() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    // Classes are read from files, too: everything that is needed later is loaded now.
    FileStorage.open(directory).close();
    StorageException missing = failure(directory.resolve("x".repeat(300)));
    assertThat(missing).isNotNull();
    assertThat(FailureReasons.of(FailureReasons.behind(new IOException("Mount point not found"))))
        .isEqualTo(Reason.IO);
    List<InputStream> open = new ArrayList<>();
    StorageException failure;
    try {
      while (true) {
        open.add(Files.newInputStream(directory.resolve("file")));
      }
    } catch (IOException e) {
      failure = failure(directory);
    }
    for (InputStream each : open) {
      each.close();
    }
    assertThat(failure).isNotNull();
    System.out.println(failure.reason() + " " + failure.getMessage());
  }

  private static @Nullable StorageException failure(Path directory) {
    try {
      FileStorage.open(directory).close();
      return null;
    } catch (StorageException e) {
      return e;
    }
  }
}
