package io.howdah.txn;

import io.howdah.core.HowdahException;
import io.howdah.core.UnsupportedStoreException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Answers other processes of the same user about an open store, through a Unix domain socket in its
 * directory, which only that user can enter. A connection is one line of request, and lines of
 * answer; one connection at a time.
 *
 * <ul>
 *   <li>{@code stat}: figures, one in a line, {@code name value}
 *   <li>{@code checkpoint}: takes one
 *   <li>{@code backup DIRECTORY}: makes one
 * </ul>
 *
 * The first line of an answer is {@code ok}, or {@code error} and why.
 */
final class AdminSocket implements AutoCloseable {

  /** Name of the socket, beside the superblock. */
  static final String NAME = "store.admin";

  /** Longest request: a path and a word. */
  static final int MAX_REQUEST_BYTES = 8192;

  private static final long REQUEST_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  private final Store store;
  private final Path path;
  private final ServerSocketChannel server;

  private AdminSocket(Store store, Path path, ServerSocketChannel server) {
    this.store = store;
    this.path = path;
    this.server = server;
  }

  /**
   * Starts to answer.
   *
   * @param directory of the store, which the caller holds the lock of
   * @throws UnsupportedStoreException if there can be no socket, as where its path is too long
   */
  static AdminSocket open(Store store, Path directory) {
    Path path = directory.resolve(NAME);
    ServerSocketChannel server = null;
    try {
      Files.deleteIfExists(path); // left behind by a process that was killed
      server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(path));
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      AdminSocket socket = new AdminSocket(store, path, server);
      Thread.ofPlatform().daemon().name("howdah-admin").start(socket::serve);
      return socket;
    } catch (IOException | UnsupportedOperationException e) {
      closeQuietly(server);
      throw new UnsupportedStoreException(
          "the admin socket "
              + path
              + " cannot be made: "
              + e.getMessage()
              + "; open the store without one, or in a directory with a shorter path");
    }
  }

  private void serve() {
    while (server.isOpen()) {
      try (SocketChannel connection = server.accept()) {
        String request = request(connection);
        ByteBuffer answer = StandardCharsets.UTF_8.encode(answer(request) + "\n");
        while (answer.hasRemaining()) {
          connection.write(answer);
        }
      } catch (IOException e) {
        // The other side is gone, or the store is closing.
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  private static String request(SocketChannel connection) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_REQUEST_BYTES);
    connection.configureBlocking(false);
    long deadline = System.nanoTime() + REQUEST_NANOS;
    while (bytes.position() == 0 || bytes.get(bytes.position() - 1) != '\n') {
      int read = connection.read(bytes);
      if (read < 0 || !bytes.hasRemaining() || System.nanoTime() - deadline > 0) {
        throw new IOException("no request");
      }
      if (read == 0) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    connection.configureBlocking(true);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString().strip();
  }

  private String answer(String request) {
    try {
      String[] words = request.split(" ", 2);
      return switch (words[0]) {
        case "stat" -> "ok\n" + figures(store.stats());
        case "checkpoint" -> "ok\nlsn " + store.checkpoint().lsn();
        case "backup" -> {
          BackupReport report = store.backup(Path.of(words.length > 1 ? words[1] : ""));
          yield "ok\nlsn "
              + report.lsn()
              + "\nfrom "
              + report.fromLsn()
              + "\nbytes "
              + report.writtenBytes();
        }
        default -> "error unknown request " + words[0];
      };
    } catch (HowdahException | IllegalStateException | IllegalArgumentException e) {
      return "error " + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  private static String figures(StoreStats stats) {
    return String.join(
        "\n",
        "commits " + stats.commits(),
        "readOnlyCommits " + stats.readOnlyCommits(),
        "aborts " + stats.totalAborts(),
        "lsn " + stats.lsn(),
        "stableLsn " + stats.stableLsn(),
        "forces " + stats.forces(),
        "allocatedBytes " + stats.allocatedBytes(),
        "capacityBytes " + stats.capacityBytes());
  }

  /** Ends the answers and removes the socket. */
  @Override
  public void close() {
    closeQuietly(server);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The next opening removes it.
    }
  }

  private static void closeQuietly(@Nullable ServerSocketChannel server) {
    if (server != null) {
      try {
        server.close();
      } catch (IOException e) {
        // Nothing hangs on it.
      }
    }
  }
}
