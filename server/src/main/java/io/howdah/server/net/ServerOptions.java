package io.howdah.server.net;

import io.howdah.server.items.ItemStoreOptions;
import io.howdah.server.protocol.Authenticator;
import io.howdah.server.protocol.ProtocolOptions;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.server.transport.TransportKind;
import io.howdah.server.watch.Watchers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a server serves. Immutable: each {@code with} method returns new options and refuses a value
 * outside its range with {@link IllegalArgumentException}.
 */
public final class ServerOptions {

  /** memcached's port. */
  public static final int DEFAULT_PORT = 11211;

  /** memcached's default of {@link #withMaxBytes}: 64 MiB. */
  public static final long DEFAULT_MAX_BYTES = 64L << 20;

  /** The most that {@link #withMaxBytes} takes: 16 TiB. */
  public static final long MAX_MAX_BYTES = 1L << 44;

  /** The most threads. */
  public static final int MAX_THREADS = 256;

  private static final Duration MIN_FORCE_INTERVAL = Duration.ofMillis(1);
  private static final Duration MAX_FORCE_INTERVAL = Duration.ofSeconds(10);

  private static final ServerOptions DEFAULTS = new ServerOptions();

  private List<InetSocketAddress> addresses =
      List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), DEFAULT_PORT));
  private @Nullable Path unixSocket;
  private int unixSocketMode = 0700;
  private TransportKind transport = TransportKind.AUTO;
  private int backlog = 1024;
  private int threads = 4;
  private ConnectionLimits limits = ConnectionLimits.DEFAULTS;
  private WireProtocol wireProtocol = WireProtocol.AUTO;
  private boolean dumpAllowed = true;
  private boolean shutdownAllowed;
  private boolean debugTimeAllowed;
  private boolean watchAllowed = true;
  private int watchBufferBytes = Watchers.DEFAULT_BUFFER_BYTES;
  private int verbosity;
  private IntConsumer verbosityListener = _ -> {};
  private @Nullable Path authFile;
  private @Nullable TlsOptions tls;
  private ReplyMode mode = ReplyMode.ASYNC;
  private Duration forceInterval = Duration.ofSeconds(1);
  private int maxItemBytes = ProtocolOptions.DEFAULT_MAX_ITEM_BYTES;
  private boolean flushAllowed = true;
  private long maxBytes = DEFAULT_MAX_BYTES;
  private boolean evicts = true;
  private long maxPinnedBytes;

  private ServerOptions() {}

  private ServerOptions(ServerOptions other) {
    addresses = other.addresses;
    unixSocket = other.unixSocket;
    unixSocketMode = other.unixSocketMode;
    transport = other.transport;
    backlog = other.backlog;
    threads = other.threads;
    limits = other.limits;
    wireProtocol = other.wireProtocol;
    dumpAllowed = other.dumpAllowed;
    shutdownAllowed = other.shutdownAllowed;
    debugTimeAllowed = other.debugTimeAllowed;
    watchAllowed = other.watchAllowed;
    watchBufferBytes = other.watchBufferBytes;
    verbosity = other.verbosity;
    verbosityListener = other.verbosityListener;
    authFile = other.authFile;
    tls = other.tls;
    mode = other.mode;
    forceInterval = other.forceInterval;
    maxItemBytes = other.maxItemBytes;
    flushAllowed = other.flushAllowed;
    maxBytes = other.maxBytes;
    evicts = other.evicts;
    maxPinnedBytes = other.maxPinnedBytes;
  }

  /** Returns the defaults: memcached's, but on the loopback address alone. */
  public static ServerOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets the TCP addresses to listen at. Default: the loopback address, port {@value
   * #DEFAULT_PORT}.
   *
   * @param addresses port 0 takes a free one; none at all needs a {@link #withUnixSocket}
   */
  public ServerOptions withAddresses(List<InetSocketAddress> addresses) {
    ServerOptions options = new ServerOptions(this);
    options.addresses = List.copyOf(addresses);
    return options;
  }

  /** Returns the TCP addresses to listen at. */
  public List<InetSocketAddress> addresses() {
    return addresses;
  }

  /**
   * Listens at a unix domain socket, too. A socket file that is there and that nobody listens at is
   * replaced.
   *
   * @param mode its permissions; memcached's default is 0700
   */
  public ServerOptions withUnixSocket(Path path, int mode) {
    if ((mode & ~0777) != 0) {
      throw new IllegalArgumentException(
          "the permissions of a socket are 0 to 777 in octal, not " + Integer.toOctalString(mode));
    }
    ServerOptions options = new ServerOptions(this);
    options.unixSocket = path;
    options.unixSocketMode = mode;
    return options;
  }

  /** Returns the unix domain socket to listen at. */
  public Optional<Path> unixSocket() {
    return Optional.ofNullable(unixSocket);
  }

  /** Returns the permissions of the unix domain socket. */
  public int unixSocketMode() {
    return unixSocketMode;
  }

  /** Sets how event loops wait. Default: {@link TransportKind#AUTO}. */
  public ServerOptions withTransport(TransportKind transport) {
    ServerOptions options = new ServerOptions(this);
    options.transport = transport;
    return options;
  }

  /** Returns how event loops wait. */
  public TransportKind transport() {
    return transport;
  }

  /** Sets how many connections the kernel holds until the server accepts them. Default: 1024. */
  public ServerOptions withBacklog(int backlog) {
    ServerOptions options = new ServerOptions(this);
    options.backlog = range("the backlog", backlog, 1, 1 << 16);
    return options;
  }

  /** Returns how many connections the kernel holds until the server accepts them. */
  public int backlog() {
    return backlog;
  }

  /** Sets the number of event loops, each a thread. Default: 4. */
  public ServerOptions withThreads(int threads) {
    ServerOptions options = new ServerOptions(this);
    options.threads = range("the number of threads", threads, 1, MAX_THREADS);
    return options;
  }

  /** Returns the number of event loops. */
  public int threads() {
    return threads;
  }

  /** Sets what clients may ask for. Default: {@link ConnectionLimits#DEFAULTS}. */
  public ServerOptions withLimits(ConnectionLimits limits) {
    ServerOptions options = new ServerOptions(this);
    options.limits = limits;
    return options;
  }

  /** Returns what clients may ask for. */
  public ConnectionLimits limits() {
    return limits;
  }

  /**
   * Sets how many clients may be connected at once; one more is told so and closed. Default: 1024.
   */
  public ServerOptions withMaxConnections(int maxConnections) {
    return withLimits(limits.withMaxConnections(maxConnections));
  }

  /** Sets which protocols connections may speak. Default: the first byte decides. */
  public ServerOptions withWireProtocol(WireProtocol wireProtocol) {
    ServerOptions options = new ServerOptions(this);
    options.wireProtocol = wireProtocol;
    return options;
  }

  /** Returns which protocols connections may speak. */
  public WireProtocol wireProtocol() {
    return wireProtocol;
  }

  /** Sets whether clients may list keys. Default: they may. */
  public ServerOptions withDumpAllowed(boolean dumpAllowed) {
    ServerOptions options = new ServerOptions(this);
    options.dumpAllowed = dumpAllowed;
    return options;
  }

  /** Returns whether clients may list keys. */
  public boolean dumpAllowed() {
    return dumpAllowed;
  }

  /** Sets whether clients may stop the server. Default: they may not. */
  public ServerOptions withShutdownAllowed(boolean shutdownAllowed) {
    ServerOptions options = new ServerOptions(this);
    options.shutdownAllowed = shutdownAllowed;
    return options;
  }

  /** Returns whether clients may stop the server. */
  public boolean shutdownAllowed() {
    return shutdownAllowed;
  }

  /** Sets whether clients may watch what the server does. Default: they may. */
  public ServerOptions withWatchAllowed(boolean watchAllowed) {
    ServerOptions options = new ServerOptions(this);
    options.watchAllowed = watchAllowed;
    return options;
  }

  /** Returns whether clients may watch what the server does. */
  public boolean watchAllowed() {
    return watchAllowed;
  }

  /**
   * Sets how many bytes of events wait for one client that watches. Default: 256 KiB.
   *
   * @param bytes {@link Watchers#MIN_BUFFER_BYTES} to {@link Watchers#MAX_BUFFER_BYTES}
   */
  public ServerOptions withWatchBufferBytes(int bytes) {
    ServerOptions options = new ServerOptions(this);
    options.watchBufferBytes =
        range(
            "the buffer of a watcher", bytes, Watchers.MIN_BUFFER_BYTES, Watchers.MAX_BUFFER_BYTES);
    return options;
  }

  /** Returns how many bytes of events wait for one client that watches. */
  public int watchBufferBytes() {
    return watchBufferBytes;
  }

  /**
   * Sets how much the program logs, and what changes it when a client asks for it. Default: 0, and
   * nothing is changed.
   *
   * @param level memcached's: 0 warnings, 1 what happens to the server, 2 to connections, too
   * @param listener takes the level that a client asks for; in the thread of an event loop
   */
  public ServerOptions withVerbosity(int level, IntConsumer listener) {
    ServerOptions options = new ServerOptions(this);
    options.verbosity = level;
    options.verbosityListener = listener;
    return options;
  }

  /** Returns how much the program logs when it starts. */
  public int verbosity() {
    return verbosity;
  }

  /** Returns what changes how much is logged. */
  IntConsumer verbosityListener() {
    return verbosityListener;
  }

  /** Sets whether clients may move the clock of the items: for tests. Default: they may not. */
  public ServerOptions withDebugTimeAllowed(boolean debugTimeAllowed) {
    ServerOptions options = new ServerOptions(this);
    options.debugTimeAllowed = debugTimeAllowed;
    return options;
  }

  /** Returns whether clients may move the clock of the items. */
  public boolean debugTimeAllowed() {
    return debugTimeAllowed;
  }

  /**
   * Lets only those use the server whom a file names, with one {@code user:password} a line. {@link
   * Server#reload} reads it again. Default: everybody who can connect.
   */
  public ServerOptions withAuthFile(Path authFile) {
    ServerOptions options = new ServerOptions(this);
    options.authFile = authFile;
    return options;
  }

  /** Encrypts all connections with TLS. {@link Server#reload} reads the certificate again. */
  public ServerOptions withTls(TlsOptions tls) {
    ServerOptions options = new ServerOptions(this);
    options.tls = tls;
    return options;
  }

  /** Returns how connections are encrypted; empty for not at all. */
  public Optional<TlsOptions> tls() {
    return Optional.ofNullable(tls);
  }

  /** Returns the file that names who may use the server. */
  public Optional<Path> authFile() {
    return Optional.ofNullable(authFile);
  }

  /** Sets what a reply promises. Default: {@link ReplyMode#ASYNC}. */
  public ServerOptions withMode(ReplyMode mode) {
    ServerOptions options = new ServerOptions(this);
    options.mode = mode;
    return options;
  }

  /** Returns what a reply promises. */
  public ReplyMode mode() {
    return mode;
  }

  /**
   * Sets how long a commit of {@link ReplyMode#PERIODIC} waits for the force of the log at most:
   * what a power cut may take. Default: 1 s.
   *
   * @param interval from 1 ms to 10 s
   */
  public ServerOptions withForceInterval(Duration interval) {
    if (interval.compareTo(MIN_FORCE_INTERVAL) < 0 || interval.compareTo(MAX_FORCE_INTERVAL) > 0) {
      throw new IllegalArgumentException(
          "the interval of forces is 1 to 10000 ms, not " + millis(interval));
    }
    ServerOptions options = new ServerOptions(this);
    options.forceInterval = interval;
    return options;
  }

  /** Returns a duration in milliseconds, or what is nearest to it in a long. */
  private static long millis(Duration duration) {
    Duration most = Duration.ofMillis(Long.MAX_VALUE);
    return duration.compareTo(most) <= 0 && duration.compareTo(most.negated()) >= 0
        ? duration.toMillis()
        : duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
  }

  /** Returns how long a commit of {@link ReplyMode#PERIODIC} waits for a force at most. */
  public Duration forceInterval() {
    return forceInterval;
  }

  /**
   * Sets the length of the largest item with its key, in bytes. Default: 1 MiB. Larger items that
   * are stored already stay readable.
   *
   * @param maxItemBytes 1024 to {@link ProtocolOptions#MAX_MAX_ITEM_BYTES}
   */
  public ServerOptions withMaxItemBytes(int maxItemBytes) {
    ServerOptions options = new ServerOptions(this);
    options.maxItemBytes =
        range("the largest item", maxItemBytes, 1024, ProtocolOptions.MAX_MAX_ITEM_BYTES);
    return options;
  }

  /** Returns the length of the largest item with its key, in bytes. */
  public int maxItemBytes() {
    return maxItemBytes;
  }

  /** Sets whether {@code flush_all} is obeyed. Default: it is. */
  public ServerOptions withFlushAllowed(boolean flushAllowed) {
    ServerOptions options = new ServerOptions(this);
    options.flushAllowed = flushAllowed;
    return options;
  }

  /** Returns whether {@code flush_all} is obeyed. */
  public boolean flushAllowed() {
    return flushAllowed;
  }

  /**
   * Sets what all items may take, in bytes. Default: 64 MiB. A start with another value keeps the
   * items; with a smaller one the server evicts until they fit.
   *
   * @param maxBytes {@link ItemStoreOptions#MIN_BYTES} to {@link #MAX_MAX_BYTES}
   */
  public ServerOptions withMaxBytes(long maxBytes) {
    if (maxBytes < ItemStoreOptions.MIN_BYTES || maxBytes > MAX_MAX_BYTES) {
      throw outside("the limit of memory", maxBytes, ItemStoreOptions.MIN_BYTES, MAX_MAX_BYTES);
    }
    ServerOptions options = new ServerOptions(this);
    options.maxBytes = maxBytes;
    return options;
  }

  /** Returns what all items may take, in bytes. */
  public long maxBytes() {
    return maxBytes;
  }

  /** Sets whether unused items make room for others. Default: they do. */
  public ServerOptions withEvictions(boolean evicts) {
    ServerOptions options = new ServerOptions(this);
    options.evicts = evicts;
    return options;
  }

  /** Returns whether unused items make room for others. */
  public boolean evicts() {
    return evicts;
  }

  /**
   * Sets how many bytes the large values may have that clients read at the same time, each value
   * counted once; beyond that, reads of other large values wait. One alone is always read. They
   * stay in memory until they have been sent, also if they are replaced. Default: a quarter of
   * {@link #withMaxBytes}.
   *
   * @param maxPinnedBytes 1 MiB to {@link #MAX_MAX_BYTES}
   */
  public ServerOptions withMaxPinnedBytes(long maxPinnedBytes) {
    if (maxPinnedBytes < ItemStoreOptions.MIN_BYTES || maxPinnedBytes > MAX_MAX_BYTES) {
      throw outside(
          "the limit of values that are read",
          maxPinnedBytes,
          ItemStoreOptions.MIN_BYTES,
          MAX_MAX_BYTES);
    }
    ServerOptions options = new ServerOptions(this);
    options.maxPinnedBytes = maxPinnedBytes;
    return options;
  }

  /** Returns how many bytes the large values may have that clients read at the same time. */
  public long maxPinnedBytes() {
    return maxPinnedBytes == 0 ? maxBytes / 4 : maxPinnedBytes;
  }

  ProtocolOptions protocol(@Nullable Authenticator authenticator) {
    return new ProtocolOptions(
        maxItemBytes,
        flushAllowed,
        "1.6.45-howdah",
        wireProtocol,
        dumpAllowed,
        shutdownAllowed,
        debugTimeAllowed,
        watchAllowed,
        authenticator);
  }

  private static int range(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw outside(name, value, min, max);
    }
    return value;
  }

  private static IllegalArgumentException outside(String name, long value, long min, long max) {
    return new IllegalArgumentException(name + " is " + min + " to " + max + ", not " + value);
  }
}
