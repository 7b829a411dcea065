package io.howdah.core.storage.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A Unix domain socket among a store's files, through which other processes of the same user ask
 * the process that has the store open. A connection is one line of request, at most {@value
 * #MAX_REQUEST_BYTES} bytes, and an answer of at most {@value #MAX_ANSWER_BYTES}, both UTF-8. Up to
 * {@value #MAX_CONNECTIONS} connections send their requests at a time, and requests are answered
 * one after the other, by daemon threads. A connection without a line after five seconds is closed.
 *
 * <p>The directory is the user's alone, or there is no socket, and the socket is the user's alone.
 */
public final class OwnerSocket implements AutoCloseable {

  /** Longest request with its line end, in bytes. */
  public static final int MAX_REQUEST_BYTES = 8192;

  /** Longest answer, in bytes; the rest of a longer one is not sent. */
  public static final int MAX_ANSWER_BYTES = 1 << 16;

  /** Most connections at a time; others wait until one has ended. */
  public static final int MAX_CONNECTIONS = 8;

  private static final String NEW = ".new";
  private static final long REQUEST_NANOS = 5_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;

  private final Path path;
  private final ServerSocketChannel server;
  private final UnaryOperator<String> answers;
  private final long requestNanos;
  private final Consumer<Runnable> threads;
  private final Semaphore free = new Semaphore(MAX_CONNECTIONS);

  private OwnerSocket(
      Path path,
      ServerSocketChannel server,
      UnaryOperator<String> answers,
      long requestNanos,
      Consumer<Runnable> threads) {
    this.path = path;
    this.server = server;
    this.answers = answers;
    this.requestNanos = requestNanos;
    this.threads = threads;
  }

  /**
   * Starts to answer.
   *
   * @param path of the socket, in a directory that the caller holds the lock of: what a killed
   *     process left there is removed
   * @param answers called with each request, without its line end, by up to {@value
   *     #MAX_CONNECTIONS} threads at a time; what it throws ends the connection without an answer
   * @throws IOException if there can be no socket, as where others may write to the directory, and
   *     so put a socket of their own in its place
   */
  public static OwnerSocket open(Path path, UnaryOperator<String> answers) throws IOException {
    return open(path, answers, REQUEST_NANOS);
  }

  /** For tests: with another limit of the time that a request may take to arrive. */
  static OwnerSocket open(Path path, UnaryOperator<String> answers, long requestNanos)
      throws IOException {
    Consumer<Runnable> threads = Thread.ofPlatform().daemon().name("howdah-admin-answer")::start;
    return open(path, answers, requestNanos, threads);
  }

  /**
   * For tests: with another way to start threads.
   *
   * @param threads starts a thread for each connection
   */
  static OwnerSocket open(
      Path path, UnaryOperator<String> answers, long requestNanos, Consumer<Runnable> threads)
      throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    String writers = directory == null ? null : PrivateFiles.otherWriters(directory);
    if (writers != null) {
      throw new AccessDeniedException(
          directory + " may be written by " + writers + " (chmod go-w)");
    }
    Files.deleteIfExists(path);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      bind(server, path);
    } catch (Throwable t) {
      server.close();
      throw t;
    }
    OwnerSocket socket = new OwnerSocket(path, server, answers, requestNanos, threads);
    Thread.ofPlatform().daemon().name("howdah-admin").start(socket::serve);
    return socket;
  }

  /**
   * Binds the socket in a folder that no other user may enter, and moves it to its place when it
   * has its mode: a new socket has the mode that the umask leaves it, and a connection that was
   * made to it would last.
   */
  private static void bind(ServerSocketChannel server, Path path) throws IOException {
    Path folder = path.resolveSibling(path.getFileName() + NEW);
    Path hidden = folder.resolve("s");
    remove(folder, hidden); // of a process that was killed
    PrivateFiles.createDirectory(folder);
    try (SocketPath bound = SocketPath.of(hidden)) {
      server.bind(bound.address());
      Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      remove(folder, hidden);
    }
  }

  private static void remove(Path folder, Path hidden) throws IOException {
    Files.deleteIfExists(hidden);
    Files.deleteIfExists(folder);
  }

  /**
   * Sends a request to the process that answers at a path, and waits for the answer without limit.
   *
   * @param request one line, without its end
   * @throws IllegalArgumentException if the request is too long or more than a line
   * @throws IOException if nobody answers there
   */
  public static String ask(Path path, String request) throws IOException {
    ByteBuffer line = UTF_8.encode(request + "\n");
    if (line.remaining() > MAX_REQUEST_BYTES || request.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          "a request is one line of at most " + MAX_REQUEST_BYTES + " bytes: " + request);
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      try (SocketPath bound = SocketPath.of(path)) {
        channel.connect(bound.address());
      }
      while (line.hasRemaining()) {
        channel.write(line);
      }
      ByteBuffer answer = ByteBuffer.allocate(MAX_ANSWER_BYTES);
      while (answer.hasRemaining() && channel.read(answer) >= 0) {
        // Until the other side has said everything.
      }
      return UTF_8.decode(answer.flip()).toString();
    }
  }

  private void serve() {
    try (server) {
      while (server.isOpen()) {
        free.acquire();
        serveNext();
      }
    } catch (IOException | InterruptedException e) {
      // Closed all the same. Without a thread behind it, clients of the socket would wait for ever.
    }
  }

  private void serveNext() {
    SocketChannel accepted = null;
    try {
      SocketChannel connection = server.accept();
      accepted = connection;
      threads.accept(() -> serve(connection));
    } catch (Throwable t) {
      // The socket is being closed. Or memory, or threads, did not suffice for this request, as the
      // next one may find again. Its client is told so, since it would wait for ever.
      free.release();
      close(accepted);
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static void close(@Nullable SocketChannel connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  private void serve(SocketChannel connection) {
    try (connection) {
      ByteBuffer answer = UTF_8.encode(answers.apply(request(connection)));
      answer.limit(Math.min(answer.limit(), MAX_ANSWER_BYTES));
      while (answer.hasRemaining()) {
        connection.write(answer);
      }
    } catch (Throwable t) {
      // The other side is gone, or had no answer.
    } finally {
      free.release();
    }
  }

  private String request(SocketChannel connection) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(MAX_REQUEST_BYTES);
    connection.configureBlocking(false);
    long deadline = System.nanoTime() + requestNanos;
    while (bytes.position() == 0 || bytes.get(bytes.position() - 1) != '\n') {
      int read = bytes.hasRemaining() ? connection.read(bytes) : -1;
      if (read < 0 || System.nanoTime() - deadline > 0) {
        throw new IOException("no request");
      }
      if (read == 0) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    connection.configureBlocking(true);
    return UTF_8.decode(bytes.flip().limit(bytes.limit() - 1)).toString();
  }

  /** Ends the answers and removes the socket. Idempotent. */
  @Override
  public void close() {
    try {
      server.close();
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // The next opening removes it.
    }
  }
}
