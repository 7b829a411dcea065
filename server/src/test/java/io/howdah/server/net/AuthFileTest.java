package io.howdah.server.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.HowdahException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AuthFileTest {

  @TempDir Path folder;
  private Path path;

  @BeforeEach
  void resolve() {
    path = folder.resolve("users");
  }

  private static boolean isAllowed(AuthFile file, String user, String password) {
    return file.isAllowed(user.getBytes(UTF_8), password.getBytes(UTF_8));
  }

  @Test
  void theUsersOfTheFileAreAllowedUntilItIsReadAgain() throws IOException {
    Files.writeString(path, "ann:secret\n");
    AuthFile file = new AuthFile(path);
    Files.writeString(path, "bob:other\n");
    assertThat(isAllowed(file, "ann", "secret")).isTrue();
    assertThat(isAllowed(file, "bob", "other")).isFalse();
    file.reload();
    assertThat(isAllowed(file, "ann", "secret")).isFalse();
    assertThat(isAllowed(file, "bob", "other")).isTrue();
  }

  @Test
  void aReloadThatFailsLeavesTheUsersOfBefore() throws IOException {
    Files.writeString(path, "ann:secret\n");
    AuthFile file = new AuthFile(path);
    Files.writeString(path, "no user\n");
    assertThatThrownBy(file::reload).isInstanceOf(HowdahException.class);
    Files.delete(path);
    assertThatThrownBy(file::reload).isInstanceOf(HowdahException.class);
    assertThat(isAllowed(file, "ann", "secret")).isTrue();
  }

  @Test
  void aFileThatCannotBeUsedIsNamedWithTheReason() throws IOException {
    assertThatThrownBy(() -> new AuthFile(path))
        .isInstanceOf(HowdahException.class)
        .hasMessage("cannot read the authentication file " + path + ": there is no such file");
    Files.writeString(path, "top secret\n");
    assertThatThrownBy(() -> new AuthFile(path))
        .isInstanceOf(HowdahException.class)
        .hasMessageStartingWith(path + ": ")
        .hasMessageNotContaining("top secret");
    Files.write(path, new byte[] {'a', ':', (byte) 0xff, '\n'});
    assertThatThrownBy(() -> new AuthFile(path))
        .isInstanceOf(HowdahException.class)
        .hasMessageEndingWith(": it is no text in UTF-8");
  }
}
