package io.howdah.server.net;

import io.howdah.archive.Archive;
import io.howdah.core.Backing;
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
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
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

  private static final ServerOptions DEFAULTS = new ServerOptions(new Values());

  private final Values values;

  private ServerOptions(Values values) {
    this.values = values;
  }

  /**
   * One field for each option, with its default. Only {@link #with} changes a copy, before the copy
   * belongs to options; then the final field publishes it.
   */
  private static final class Values implements Cloneable {

    List<InetSocketAddress> addresses =
        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), DEFAULT_PORT));
    @Nullable Path unixSocket;
    int unixSocketMode = 0700;
    TransportKind transport = TransportKind.AUTO;
    int backlog = 1024;
    int threads = 4;
    ConnectionLimits limits = ConnectionLimits.DEFAULTS;
    WireProtocol wireProtocol = WireProtocol.AUTO;
    boolean dumpAllowed = true;
    boolean shutdownAllowed;
    boolean debugTimeAllowed;
    boolean watchAllowed = true;
    int watchBufferBytes = Watchers.DEFAULT_BUFFER_BYTES;
    int verbosity;
    IntConsumer verbosityListener = _ -> {};
    @Nullable Path authFile;
    @Nullable TlsOptions tls;
    ReplyMode mode = ReplyMode.ASYNC;
    Duration forceInterval = Duration.ofSeconds(1);
    int maxItemBytes = ProtocolOptions.DEFAULT_MAX_ITEM_BYTES;
    boolean flushAllowed = true;
    long maxBytes = DEFAULT_MAX_BYTES;
    boolean evicts = true;
    boolean confirmedReplies;
    long maxPinnedBytes;
    @Nullable Archive archive;
    Backing backing = Backing.MAPPED;
    boolean warmRestart = true;

    /** Returns a copy with the same value in each field. */
    Values copy() {
      try {
        return (Values) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private ServerOptions with(Consumer<Values> change) {
    Values next = values.copy();
    change.accept(next);
    return new ServerOptions(next);
  }

  /**
   * Sets where the store is copied to while the server runs; see {@link
   * io.howdah.StoreOptions#withArchive}. Default: nowhere.
   */
  public ServerOptions withArchive(Archive archive) {
    return with(next -> next.archive = Objects.requireNonNull(archive, "archive"));
  }

  /** Returns where the store is copied to while the server runs, if anywhere. */
  public Optional<Archive> archive() {
    return Optional.ofNullable(values.archive);
  }

  /**
   * Sets how the items come into memory; see {@link io.howdah.StoreOptions#withBacking}. Memory
   * that outlives the process is kept when the server is closed. Default: {@link Backing#MAPPED}.
   */
  public ServerOptions withBacking(Backing backing) {
    return with(next -> next.backing = Objects.requireNonNull(backing, "backing"));
  }

  /** Returns how the items come into memory. */
  public Backing backing() {
    return values.backing;
  }

  /**
   * Sets whether memory of the process before may be used; see {@link
   * io.howdah.StoreOptions#withWarmRestart}. Default: it may.
   */
  public ServerOptions withWarmRestart(boolean wanted) {
    return with(next -> next.warmRestart = wanted);
  }

  /** Returns whether memory of the process before may be used. */
  public boolean warmRestart() {
    return values.warmRestart;
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
    return with(next -> next.addresses = List.copyOf(addresses));
  }

  /** Returns the TCP addresses to listen at. */
  public List<InetSocketAddress> addresses() {
    return values.addresses;
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
    return with(
        next -> {
          next.unixSocket = path;
          next.unixSocketMode = mode;
        });
  }

  /** Returns the unix domain socket to listen at. */
  public Optional<Path> unixSocket() {
    return Optional.ofNullable(values.unixSocket);
  }

  /** Returns the permissions of the unix domain socket. */
  public int unixSocketMode() {
    return values.unixSocketMode;
  }

  /** Sets how event loops wait. Default: {@link TransportKind#AUTO}. */
  public ServerOptions withTransport(TransportKind transport) {
    return with(next -> next.transport = transport);
  }

  /** Returns how event loops wait. */
  public TransportKind transport() {
    return values.transport;
  }

  /** Sets how many connections the kernel holds until the server accepts them. Default: 1024. */
  public ServerOptions withBacklog(int backlog) {
    return with(next -> next.backlog = range("the backlog", backlog, 1, 1 << 16));
  }

  /** Returns how many connections the kernel holds until the server accepts them. */
  public int backlog() {
    return values.backlog;
  }

  /** Sets the number of event loops, each a thread. Default: 4. */
  public ServerOptions withThreads(int threads) {
    return with(next -> next.threads = range("the number of threads", threads, 1, MAX_THREADS));
  }

  /** Returns the number of event loops. */
  public int threads() {
    return values.threads;
  }

  /** Sets what clients may ask for. Default: {@link ConnectionLimits#DEFAULTS}. */
  public ServerOptions withLimits(ConnectionLimits limits) {
    return with(next -> next.limits = limits);
  }

  /** Returns what clients may ask for. */
  public ConnectionLimits limits() {
    return values.limits;
  }

  /**
   * Sets how many clients may be connected at once; one more is told so and closed. Default: 1024.
   */
  public ServerOptions withMaxConnections(int maxConnections) {
    return withLimits(values.limits.withMaxConnections(maxConnections));
  }

  /** Sets which protocols connections may speak. Default: the first byte decides. */
  public ServerOptions withWireProtocol(WireProtocol wireProtocol) {
    return with(next -> next.wireProtocol = wireProtocol);
  }

  /** Returns which protocols connections may speak. */
  public WireProtocol wireProtocol() {
    return values.wireProtocol;
  }

  /** Sets whether clients may list keys. Default: they may. */
  public ServerOptions withDumpAllowed(boolean dumpAllowed) {
    return with(next -> next.dumpAllowed = dumpAllowed);
  }

  /** Returns whether clients may list keys. */
  public boolean dumpAllowed() {
    return values.dumpAllowed;
  }

  /** Sets whether clients may stop the server. Default: they may not. */
  public ServerOptions withShutdownAllowed(boolean shutdownAllowed) {
    return with(next -> next.shutdownAllowed = shutdownAllowed);
  }

  /** Returns whether clients may stop the server. */
  public boolean shutdownAllowed() {
    return values.shutdownAllowed;
  }

  /** Sets whether clients may watch what the server does. Default: they may. */
  public ServerOptions withWatchAllowed(boolean watchAllowed) {
    return with(next -> next.watchAllowed = watchAllowed);
  }

  /** Returns whether clients may watch what the server does. */
  public boolean watchAllowed() {
    return values.watchAllowed;
  }

  /**
   * Sets how many bytes of events wait for one client that watches. Default: 256 KiB.
   *
   * @param bytes {@link Watchers#MIN_BUFFER_BYTES} to {@link Watchers#MAX_BUFFER_BYTES}
   */
  public ServerOptions withWatchBufferBytes(int bytes) {
    return with(
        next ->
            next.watchBufferBytes =
                range(
                    "the buffer of a watcher",
                    bytes,
                    Watchers.MIN_BUFFER_BYTES,
                    Watchers.MAX_BUFFER_BYTES));
  }

  /** Returns how many bytes of events wait for one client that watches. */
  public int watchBufferBytes() {
    return values.watchBufferBytes;
  }

  /**
   * Sets how much the program logs, and what changes it when a client asks for it. Default: 0, and
   * nothing is changed.
   *
   * @param level memcached's: 0 warnings, 1 what happens to the server, 2 to connections, too
   * @param listener takes the level that a client asks for; in the thread of an event loop
   */
  public ServerOptions withVerbosity(int level, IntConsumer listener) {
    return with(
        next -> {
          next.verbosity = level;
          next.verbosityListener = listener;
        });
  }

  /** Returns how much the program logs when it starts. */
  public int verbosity() {
    return values.verbosity;
  }

  /** Returns what changes how much is logged. */
  IntConsumer verbosityListener() {
    return values.verbosityListener;
  }

  /** Sets whether clients may move the clock of the items: for tests. Default: they may not. */
  public ServerOptions withDebugTimeAllowed(boolean debugTimeAllowed) {
    return with(next -> next.debugTimeAllowed = debugTimeAllowed);
  }

  /** Returns whether clients may move the clock of the items. */
  public boolean debugTimeAllowed() {
    return values.debugTimeAllowed;
  }

  /**
   * Lets only those use the server whom a file names, with one {@code user:password} a line. {@link
   * Server#reload} reads it again. Default: everybody who can connect.
   */
  public ServerOptions withAuthFile(Path authFile) {
    return with(next -> next.authFile = authFile);
  }

  /** Encrypts all connections with TLS. {@link Server#reload} reads the certificate again. */
  public ServerOptions withTls(TlsOptions tls) {
    return with(next -> next.tls = tls);
  }

  /** Returns how connections are encrypted; empty for not at all. */
  public Optional<TlsOptions> tls() {
    return Optional.ofNullable(values.tls);
  }

  /** Returns the file that names who may use the server. */
  public Optional<Path> authFile() {
    return Optional.ofNullable(values.authFile);
  }

  /** Sets what a reply promises. Default: {@link ReplyMode#ASYNC}. */
  public ServerOptions withMode(ReplyMode mode) {
    return with(next -> next.mode = mode);
  }

  /** Returns what a reply promises. */
  public ReplyMode mode() {
    return values.mode;
  }

  /**
   * Sets how long a commit of {@link ReplyMode#PERIODIC} waits for the force of the log at most:
   * what a power cut may take. The first commit after a second without commits may wait ten times
   * as long. Default: 1 s.
   *
   * @param interval from 1 ms to 10 s
   */
  public ServerOptions withForceInterval(Duration interval) {
    if (interval.compareTo(MIN_FORCE_INTERVAL) < 0 || interval.compareTo(MAX_FORCE_INTERVAL) > 0) {
      throw new IllegalArgumentException(
          "the interval of forces is 1 to 10000 ms, not " + millis(interval));
    }
    return with(next -> next.forceInterval = interval);
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
    return values.forceInterval;
  }

  /**
   * Sets the length of the largest item with its key, in bytes. Default: 1 MiB. Larger items that
   * are stored already stay readable.
   *
   * @param maxItemBytes 1024 to {@link ProtocolOptions#MAX_MAX_ITEM_BYTES}
   */
  public ServerOptions withMaxItemBytes(int maxItemBytes) {
    return with(
        next ->
            next.maxItemBytes =
                range("the largest item", maxItemBytes, 1024, ProtocolOptions.MAX_MAX_ITEM_BYTES));
  }

  /** Returns the length of the largest item with its key, in bytes. */
  public int maxItemBytes() {
    return values.maxItemBytes;
  }

  /** Sets whether {@code flush_all} is obeyed. Default: it is. */
  public ServerOptions withFlushAllowed(boolean flushAllowed) {
    return with(next -> next.flushAllowed = flushAllowed);
  }

  /** Returns whether {@code flush_all} is obeyed. */
  public boolean flushAllowed() {
    return values.flushAllowed;
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
    return with(next -> next.maxBytes = maxBytes);
  }

  /** Returns what all items may take, in bytes. */
  public long maxBytes() {
    return values.maxBytes;
  }

  /**
   * Sets whether each reply of a {@link GroupMember} that leads waits until it is certain that the
   * member led when the commands ran. Then what clients read is the newest state of the group. A
   * server of a store of its own ignores it. Default: replies do not wait for that.
   */
  public ServerOptions withConfirmedReplies(boolean confirmed) {
    return with(next -> next.confirmedReplies = confirmed);
  }

  /** Returns whether each reply waits until it is certain that the member led. */
  public boolean confirmedReplies() {
    return values.confirmedReplies;
  }

  /** Sets whether unused items make room for others. Default: they do. */
  public ServerOptions withEvictions(boolean evicts) {
    return with(next -> next.evicts = evicts);
  }

  /** Returns whether unused items make room for others. */
  public boolean evicts() {
    return values.evicts;
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
    return with(next -> next.maxPinnedBytes = maxPinnedBytes);
  }

  /** Returns how many bytes the large values may have that clients read at the same time. */
  public long maxPinnedBytes() {
    return values.maxPinnedBytes == 0 ? values.maxBytes / 4 : values.maxPinnedBytes;
  }

  ProtocolOptions protocol(@Nullable Authenticator authenticator) {
    return new ProtocolOptions(
        values.maxItemBytes,
        values.flushAllowed,
        "1.6.45-howdah",
        values.wireProtocol,
        values.dumpAllowed,
        values.shutdownAllowed,
        values.debugTimeAllowed,
        values.watchAllowed,
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
