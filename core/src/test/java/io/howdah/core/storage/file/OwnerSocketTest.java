package io.howdah.core.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The socket goes on whatever happens to one request. */
final class OwnerSocketTest {

  @TempDir Path directory;

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anErrorEndsOneConnectionAndNotTheSocket() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    AtomicInteger requests = new AtomicInteger();
    try (OwnerSocket _ =
        OwnerSocket.open(
            path,
            request -> {
              if (requests.getAndIncrement() < OwnerSocket.MAX_CONNECTIONS) {
                throw new OutOfMemoryError("unable to create native thread (by the test)");
              }
              return "answer to " + request;
            })) {
      for (int i = 0; i < OwnerSocket.MAX_CONNECTIONS; i++) {
        assertThat(OwnerSocket.ask(path, "stat")).isEmpty();
      }
      assertThat(OwnerSocket.ask(path, "stat")).isEqualTo("answer to stat");
    }
    assertThat(path).doesNotExist();
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aClientForWhomThereIsNoThreadDoesNotWait() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    AtomicInteger clients = new AtomicInteger();
    Consumer<Runnable> threads =
        serve -> {
          if (clients.getAndIncrement() < 2 * OwnerSocket.MAX_CONNECTIONS) {
            throw new OutOfMemoryError("unable to create native thread (by the test)");
          }
          Thread.ofPlatform().daemon().start(serve);
        };
    try (OwnerSocket _ =
        OwnerSocket.open(path, request -> request + "!", Long.MAX_VALUE / 2, threads)) {
      for (int i = 0; i < 2 * OwnerSocket.MAX_CONNECTIONS; i++) {
        assertThat(answerOrNone(path)).as("client %d", i).isEmpty();
      }
      assertThat(answerOrNone(path)).isEqualTo("stat!");
    }
  }

  /** Returns the answer; nothing if the connection is closed before the request has arrived. */
  private static String answerOrNone(Path path) {
    try {
      return OwnerSocket.ask(path, "stat");
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aPathMayBeLongerThanTheAddressOfASocket() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    for (int length : new int[] {1, 60, 120, 250}) {
      Path deep = directory.resolve("d".repeat(length)).resolve("e".repeat(length));
      Files.createDirectories(deep);
      Files.setPosixFilePermissions(deep, PosixFilePermissions.fromString("rwx------"));
      Path path = deep.resolve("s");
      try (OwnerSocket _ = OwnerSocket.open(path, request -> request + "!")) {
        assertThat(OwnerSocket.ask(path, "stat")).isEqualTo("stat!");
        assertThat(path).exists();
      }
      assertThat(path).doesNotExist();
    }
  }

  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aSilentClientKeepsNoOtherFromAnAnswer() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    try (OwnerSocket _ = OwnerSocket.open(path, request -> request, Long.MAX_VALUE / 2);
        SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      assertThat(silent.write(ByteBuffer.wrap(new byte[] {'s'}))).isOne();
      assertThat(OwnerSocket.ask(path, "stat")).isEqualTo("stat");
    }
  }

  @Test
  void aRequestIsAnsweredAsItWasSent() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    try (OwnerSocket _ = OwnerSocket.open(path, request -> "<" + request + ">")) {
      assertThat(OwnerSocket.ask(path, " backup /a b ")).isEqualTo("< backup /a b >");
      assertThat(OwnerSocket.ask(path, "")).isEqualTo("<>");
    }
  }

  /** Whatever a client may send is answered, in one piece or in several. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aRequestMayHaveEachLengthUpToTheLongest() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    int longest = OwnerSocket.MAX_REQUEST_BYTES - 1; // and a line end
    try (OwnerSocket _ = OwnerSocket.open(path, request -> "" + request.length())) {
      for (int length : new int[] {1, longest / 2, longest - 1, longest}) {
        assertThat(OwnerSocket.ask(path, "x".repeat(length))).isEqualTo("" + length);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OwnerSocket.ask(path, "x".repeat(longest + 1)));
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        ByteBuffer endless = ByteBuffer.allocate(OwnerSocket.MAX_REQUEST_BYTES);
        while (endless.hasRemaining()) {
          client.write(endless);
        }
        assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
      }
    }
  }

  /** The socket gets its mode in a folder of the user's own, which a killed process may leave. */
  @Test
  void whatAKilledProcessLeftIsRemoved() throws Exception {
    assumeTrue(PrivateFiles.POSIX, "no POSIX permissions");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path path = directory.resolve("s");
    Path hidden = Files.createDirectory(directory.resolve("s.new"));
    Files.createFile(hidden.resolve("s"));
    Files.createFile(path);
    try (OwnerSocket _ = OwnerSocket.open(path, request -> request + "!")) {
      assertThat(OwnerSocket.ask(path, "stat")).isEqualTo("stat!");
      assertThat(hidden).doesNotExist();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
    }
    assertThat(directory).isEmptyDirectory();
  }
}
