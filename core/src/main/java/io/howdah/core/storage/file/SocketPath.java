package io.howdah.core.storage.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The address of a Unix domain socket at a path of any length. The kernel takes about 100 bytes. A
 * longer path is reached by a symbolic link to its directory, in a new directory of the user's own
 * among the temporary files. The link is needed while a socket is bound or connected, not longer.
 */
final class SocketPath implements AutoCloseable {

  /** What all systems take: Linux 107 bytes, others 103. */
  private static final int MAX_BYTES = 103;

  private static final String LINK = "d";

  private final Path path;

  /** A directory of its own with a link in it; null if none is needed. */
  private final @Nullable Path own;

  private SocketPath(Path path, @Nullable Path own) {
    this.path = path;
    this.own = own;
  }

  /**
   * Returns the address for a path.
   *
   * @throws IOException if the path is too long, and a link to its directory cannot be made
   */
  static SocketPath of(Path path) throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    if (path.toString().getBytes(UTF_8).length <= MAX_BYTES || directory == null) {
      return new SocketPath(path, null);
    }
    Path own = Files.createTempDirectory("howdah"); // no other user may enter it
    Path link = own.resolve(LINK);
    try {
      Files.createSymbolicLink(link, directory);
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(own);
      throw e;
    }
    return new SocketPath(link.resolve(path.getFileName()), own);
  }

  UnixDomainSocketAddress address() {
    return UnixDomainSocketAddress.of(path);
  }

  @Override
  public void close() throws IOException {
    if (own != null) {
      Files.deleteIfExists(own.resolve(LINK));
      Files.deleteIfExists(own);
    }
  }
}
