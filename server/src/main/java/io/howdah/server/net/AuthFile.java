package io.howdah.server.net;

import io.howdah.core.HowdahException;
import io.howdah.server.protocol.Authenticator;
import io.howdah.server.protocol.UserList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Users and passwords of a file, which is read again on demand. Thread-safe. */
final class AuthFile implements Authenticator {

  private final Path path;
  private volatile UserList users;

  /**
   * Reads the file.
   *
   * @throws HowdahException if it cannot be read, or holds something else
   */
  AuthFile(Path path) {
    this.path = path;
    this.users = read(path);
  }

  private static UserList read(Path path) {
    try {
      return UserList.of(Files.readAllLines(path, StandardCharsets.UTF_8));
    } catch (IOException e) {
      // Neither a decoder's message nor a reader's shows what is in the file.
      throw new HowdahException(
          "cannot read the authentication file "
              + path
              + ": "
              + FileFailure.reason(e, "there is no such file"),
          e);
    } catch (IllegalArgumentException e) {
      throw new HowdahException(path + ": " + e.getMessage(), e);
    }
  }

  /** Reads the file again. If that fails, the users stay those of before. */
  void reload() {
    users = read(path);
  }

  @Override
  public boolean isAllowed(byte[] user, byte[] password) {
    return users.isAllowed(user, password);
  }
}
