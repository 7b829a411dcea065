package io.howdah.store.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.howdah.core.storage.file.OwnerSocket;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the admin socket answers if a request fails. */
final class AdminAnswersTest {

  @TempDir Path directory;

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anErrorIsAnsweredAndTheNextRequestIsServed() throws Exception {
    assumeTrue(
        FileSystems.getDefault().supportedFileAttributeViews().contains("posix"),
        "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    AdminAnswers.Upkeep upkeep =
        new AdminAnswers.Upkeep() {
          @Override
          public Map<String, Long> figures() {
            return Map.of("lsn", 7L);
          }

          @Override
          public long checkpoint() {
            throw new OutOfMemoryError("no thread\n(by the test)");
          }

          @Override
          public Map<String, Long> backup(Path target) {
            throw new UnsupportedOperationException("by the test");
          }

          @Override
          public Map<String, Long> export(Path target) {
            return Map.of("bytes", 7L);
          }
        };
    try (OwnerSocket _ = AdminAnswers.open(upkeep, directory)) {
      Path socket = directory.resolve(AdminAnswers.NAME);
      assertThat(OwnerSocket.ask(socket, "checkpoint"))
          .isEqualTo("error java.lang.OutOfMemoryError: no thread (by the test)\n");
      assertThat(OwnerSocket.ask(socket, "backup x"))
          .isEqualTo("error java.lang.UnsupportedOperationException: by the test\n");
      assertThat(OwnerSocket.ask(socket, "export x")).isEqualTo("ok\nbytes 7\n");
      assertThat(OwnerSocket.ask(socket, "stat")).isEqualTo("ok\nlsn 7\n");
    }
  }
}
