package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that others may write to is told of, and has no socket that trusts it. */
final class OtherWritersTest {

  @TempDir Path directory;

  @BeforeEach
  void requirePermissions() {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
  }

  private void permit(String permissions) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void writersAreNamed() throws Exception {
    permit("rwxr-xr-x");
    assertThat(PrivateFiles.otherWriters(directory)).isNull();
    permit("rwxrwxrwx");
    assertThat(PrivateFiles.otherWriters(directory)).isEqualTo("every user");
    permit("rwx----w-");
    assertThat(PrivateFiles.otherWriters(directory)).isEqualTo("every user");
    permit("rwxrwxr-x");
    boolean isPrivate =
        Files.getAttribute(directory, "unix:uid").equals(Files.getAttribute(directory, "unix:gid"));
    assertThat(PrivateFiles.otherWriters(directory) == null).isEqualTo(isPrivate);
    assumeTrue(Objects.equals(RunningKernel.userId(), 0), "only root can change the group");
    Files.setAttribute(directory, "unix:gid", 12345);
    assertThat(PrivateFiles.otherWriters(directory)).isEqualTo("group 12345");
  }

  @Test
  void noSocketIsMadeWhereOthersCouldReplaceIt() throws Exception {
    permit("rwxrwxrwx");
    Path socket = directory.resolve("s");
    assertThatThrownBy(() -> OwnerSocket.open(socket, UnaryOperator.identity()))
        .isInstanceOf(AccessDeniedException.class)
        .hasMessageContaining("every user");
    assertThat(socket).doesNotExist();
    permit("rwx------");
    try (OwnerSocket _ = OwnerSocket.open(socket, UnaryOperator.identity())) {
      assertThat(OwnerSocket.ask(socket, "hello")).isEqualTo("hello");
    }
  }
}
