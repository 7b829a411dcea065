package io.howdah.server.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * Users with their passwords, in the format of memcached's authentication file: one {@code
 * user:password} a line. Immutable; thread-safe.
 */
public final class UserList implements Authenticator {

  /** The largest number of users. */
  public static final int MAX_USERS = 1000;

  private static final int MAX_LINE_BYTES = 1024;

  /** Digests all have one length, so a comparison tells nothing of the length of a password. */
  private final List<byte[]> digests;

  private UserList(List<byte[]> digests) {
    this.digests = digests;
  }

  /**
   * Reads users from the lines of a file. Empty lines are ignored.
   *
   * @throws IllegalArgumentException if a line is no user, or there is none, or there are too many;
   *     the message contains no password
   */
  public static UserList of(List<String> lines) {
    List<byte[]> digests =
        lines.stream().filter(line -> !line.isBlank()).map(UserList::digest).toList();
    if (digests.isEmpty() || digests.size() > MAX_USERS) {
      throw new IllegalArgumentException(
          "an authentication file has 1 to " + MAX_USERS + " users, not " + digests.size());
    }
    return new UserList(digests);
  }

  private static byte[] digest(String line) {
    byte[] bytes = line.stripTrailing().getBytes(StandardCharsets.UTF_8);
    int colon = 0;
    while (colon < bytes.length && bytes[colon] != ':') {
      colon++;
    }
    if (colon == 0 || colon >= bytes.length - 1 || bytes.length > MAX_LINE_BYTES) {
      throw new IllegalArgumentException(
          "a line of an authentication file is user:password of at most "
              + MAX_LINE_BYTES
              + " bytes");
    }
    byte[] user = Arrays.copyOf(bytes, colon);
    return digest(user, Arrays.copyOfRange(bytes, colon + 1, bytes.length));
  }

  private static byte[] digest(byte[] user, byte[] password) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(user);
      digest.update((byte) 0); // "ab" with "c" is not "a" with "bc"
      return digest.digest(password);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  @Override
  public boolean isAllowed(byte[] user, byte[] password) {
    byte[] given = digest(user, password);
    boolean found = false;
    for (byte[] digest : digests) {
      found |= MessageDigest.isEqual(digest, given);
    }
    return found;
  }
}
