package io.howdah.cli.serve;

import io.howdah.archive.Archive;
import io.howdah.cli.command.ArchivePlace;
import io.howdah.cli.command.ByteSize;
import io.howdah.cli.command.TimeToLive;
import io.howdah.cli.log.LogFormat;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.core.Backing;
import io.howdah.core.storage.file.FileStorage;
import io.howdah.server.net.ConnectionLimits;
import io.howdah.server.net.ReplyMode;
import io.howdah.server.net.ServerOptions;
import io.howdah.server.protocol.WireProtocol;
import io.howdah.server.transport.TransportKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code howdah serve}, and what they mean for the server. */
final class ServeArguments {

  /** With a smaller -m, the default of -I is more than half of it. */
  private static final int DEFAULT_ITEM_BYTES = 1 << 20;

  private static final long MIB = 1 << 20;
  private static final int DEFAULT_FORCE_INTERVAL = 1000;

  private List<String> ignored = List.of();

  @Parameters(
      paramLabel = "DIR",
      arity = "0..1",
      description = "The store's directory, made if it is missing. Not used with --mode none.")
  private @Nullable Path directory;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      description = "TCP port (default: 11211). 0 takes a free one and prints it.")
  private @Nullable Integer port;

  @Option(
      names = {"-l", "--listen"},
      paramLabel = "ADDR",
      split = ",",
      description =
          "Address to listen at: host, host:port, [v6]:port, or * for all. May be given more than"
              + " once. Default: the loopback address.")
  private List<String> hosts = new ArrayList<>();

  @Option(
      names = "--insecure-listen",
      description =
          "Allows an address that other machines can reach. Every client that reaches it can read and delete all items.")
  private boolean insecureListen;

  @Option(
      names = {"-s", "--unix-socket"},
      paramLabel = "FILE",
      description = "Unix domain socket to listen at; without -l and -p at nothing else.")
  private @Nullable Path unixSocket;

  @Option(
      names = {"-a", "--unix-mask"},
      paramLabel = "MODE",
      description = "Permissions of the unix socket, in octal (default: ${DEFAULT-VALUE}).")
  private String unixMask = "700";

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "What a reply promises. async: survives a kill of the process; periodic: the same, with"
              + " fewer forces of the disk; partition and sync: survives a power cut; none:"
              + " nothing, items in memory only (default: async; with --replica: sync).")
  private @Nullable String mode;

  @Option(
      names = "--backing",
      paramLabel = "KIND",
      description =
          "How the items come into memory. mapped: from the disk when they are needed; resident: all"
              + " at the start; shared: they stay in /dev/shm when the process ends, in whatever way,"
              + " so that the next start finds them there; auto: shared where that is free of risk,"
              + " else mapped (default: ${DEFAULT-VALUE}).")
  private String backing = "mapped";

  @Option(
      names = "--cold",
      description =
          "Does not use memory that the previous process has left with --backing shared; for damage to the memory of that process.")
  private boolean cold;

  @Option(
      names = "--force-interval",
      paramLabel = "MS",
      description =
          "How often the log is forced in mode periodic: what a power cut may take, 1 to 10000 ms"
              + " (default: ${DEFAULT-VALUE}).")
  private int forceInterval = DEFAULT_FORCE_INTERVAL;

  @Option(
      names = {"-m", "--memory-limit"},
      paramLabel = "MIB",
      description =
          "What all items may take, in MiB, or with a letter: 512m, 4g (default:"
              + " ${DEFAULT-VALUE}). May change from start to start.")
  private String memoryLimit = "64";

  @Option(
      names = {"-M", "--disable-evictions"},
      description = "Refuse what does not fit instead of evicting unused items.")
  private boolean disableEvictions;

  @Option(
      names = {"-I", "--max-item-size"},
      paramLabel = "SIZE",
      description =
          "Largest item with its key: bytes, or with a letter (default: ${DEFAULT-VALUE}; 1k to"
              + " 1g).")
  private String maxItemSize = "1m";

  @Option(
      names = {"-c", "--conn-limit"},
      paramLabel = "N",
      description = "Connections at once (default: ${DEFAULT-VALUE}).")
  private int connections = 1024;

  @Option(
      names = {"-t", "--threads"},
      paramLabel = "N",
      description = "Threads that serve (default: ${DEFAULT-VALUE}).")
  private int threads = 4;

  @Option(
      names = {"-R", "--max-reqs-per-event"},
      paramLabel = "N",
      description =
          "Commands of one connection before others get their turn (default: ${DEFAULT-VALUE}).")
  private int commandsPerTurn = 20;

  @Option(
      names = {"-B", "--protocol"},
      paramLabel = "NAME",
      description =
          "ascii, binary, or auto: the first byte of a connection decides (default:"
              + " ${DEFAULT-VALUE}).")
  private String protocol = "auto";

  @Option(
      names = {"-Y", "--auth-file"},
      paramLabel = "FILE",
      description =
          "Only users of this file may run commands: user:password lines. Text clients send it as"
              + " memcached's do, binary ones by SASL PLAIN. SIGHUP reads it again.")
  private @Nullable Path authFile;

  @Option(
      names = {"-S", "--enable-sasl"},
      description = "Needs -Y, which turns on SASL for the binary protocol, too.")
  private boolean sasl;

  @Option(
      names = {"-A", "--enable-shutdown"},
      description = "Obey the command shutdown.")
  private boolean enableShutdown;

  @Option(
      names = {"-X", "--disable-dumping"},
      description = "Refuse to list keys.")
  private boolean disableDumping;

  @Option(
      names = {"-W", "--disable-watch"},
      description = "Refuse watch, which shows clients what the server does.")
  private boolean disableWatch;

  @Option(
      names = {"-o", "--extended"},
      paramLabel = "NAME[=VALUE]",
      split = ",",
      description =
          "idle_timeout=S (default: none), request_timeout=S and write_timeout=S (60): close"
              + " connections that are silent, send half a command or do not read for S seconds."
              + " max_unsent=MIB and max_partial=MIB (128): replies not sent and commands half"
              + " received, of all connections. max_pinned=MIB (a quarter of -m): large values that"
              + " are read at a time. watcher_logbuf_size=KIB (256): events that wait for one"
              + " client that watches. memcached's names that mean nothing here are"
              + " ignored.")
  private List<String> extended = new ArrayList<>();

  @Option(
      names = {"-b", "--listen-backlog"},
      paramLabel = "N",
      description = "Connections that wait to be accepted (default: ${DEFAULT-VALUE}).")
  private int backlog = 1024;

  @Option(
      names = "--transport",
      paramLabel = "KIND",
      description =
          "auto, epoll, io_uring or nio (default: ${DEFAULT-VALUE}: epoll where it is available,"
              + " else nio).")
  private String transport = "auto";

  @Option(
      names = {"-F", "--disable-flush-all"},
      description = "Refuse flush_all.")
  private boolean disableFlushAll;

  @Option(
      names = {"-Z", "--enable-ssl"},
      description =
          "TLS on all connections: -o ssl_chain_cert=FILE, ssl_key=FILE if the key is in another"
              + " file, ssl_min_version=tlsv1.2 or tlsv1.3. SIGHUP reads them again.")
  private boolean ssl;

  @Option(
      names = "--metrics-port",
      paramLabel = "PORT",
      description =
          "Answer GET /metrics in Prometheus' format at this port of the loopback address.")
  private @Nullable Integer metricsPort;

  @Option(
      names = "--archive",
      paramLabel = "ARCHIVE",
      description =
          "Copy the store to this place while the server runs, as of any moment of which howdah"
              + " restore makes a store again. "
              + ArchivePlace.FORM)
  private @Nullable String archive;

  @Option(
      names = "--archive-every",
      paramLabel = "TIME",
      description =
          "How often the archive is brought up to date, 10ms to 1h (default: ${DEFAULT-VALUE}).")
  private String archiveEvery = "1s";

  @Option(
      names = "--archive-keep",
      paramLabel = "TIME",
      description = "How long the archive goes back, such as 7d (default: nothing is removed).")
  private @Nullable String archiveKeep;

  @Option(
      names = "--archive-compress",
      description = "Compress what is written to the archive, by Deflate.")
  private boolean archiveCompress;

  @Option(
      names = "--archive-key",
      paramLabel = "FILE",
      description =
          "Encrypt the archive by this key: a file of 32 bytes, or of 64 hexadecimal digits.")
  private @Nullable Path archiveKey;

  @Option(
      names = "--replica",
      paramLabel = "NAME",
      description =
          "Serve as this member of a replica group, whose directory is DIR: its items while it leads;"
              + " otherwise connections go to the leader. An experiment, in a checkout only. What was"
              + " acknowledged in mode sync survives the loss of a machine, in mode async it may not.")
  private @Nullable String replica;

  @Option(names = "--group", paramLabel = "FILE", description = "The group file of --replica.")
  private @Nullable Path group;

  @Option(
      names = "--reads",
      paramLabel = "KIND",
      description =
          "What clients of a replica group read. leader: the newest items, or for a moment older ones"
              + " if the network has cut the leader off; linearizable: the newest ones, for which each"
              + " reply waits for the group (default: leader).")
  private @Nullable String reads;

  @Option(
      names = {"-P", "--pidfile"},
      paramLabel = "FILE",
      description = "Write the process id to a file while the server listens.")
  private @Nullable Path pidFile;

  @Option(
      names = {"-U", "--udp-port"},
      paramLabel = "PORT",
      description = "Only 0: there is no UDP.")
  private int udpPort = 0;

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Only the user who starts the server: it does not change its user.")
  private @Nullable String user;

  @Mixin private MeaninglessOptions meaningless = new MeaninglessOptions();

  @Option(
      names = {"-v", "--verbose"},
      description = "Log to standard error what happens to the server; -vv: to connections, too.")
  private boolean[] verbose = {};

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description =
          "text, or json: one object for each event, with time, level, logger, message and"
              + " stackTrace (default: ${DEFAULT-VALUE}).")
  private String logFormat = "text";

  /** Makes the defaults. */
  ServeArguments() {}

  /** Returns the least level that is logged. */
  System.Logger.Level logLevel() {
    return logLevel(verbose.length);
  }

  /** Returns the least level that is logged, for memcached's number: 0 least. */
  static System.Logger.Level logLevel(int verbosity) {
    return switch (verbosity) {
      case 0 -> System.Logger.Level.WARNING;
      case 1 -> System.Logger.Level.INFO;
      default -> System.Logger.Level.DEBUG;
    };
  }

  /**
   * Returns how events are logged.
   *
   * @throws UsageException if there is no such format
   */
  LogFormat logFormat() {
    return choice("--log-format", logFormat, LogFormat.class);
  }

  @Nullable Integer metricsPort() {
    return metricsPort;
  }

  @Nullable Path pidFile() {
    return pidFile;
  }

  /** Returns what an operator should know of the options, a line each. */
  List<String> remarks(ServerOptions options) {
    List<String> remarks = new ArrayList<>(meaningless.remarks());
    if (!ignored.isEmpty()) {
      remarks.add("ignored: -o " + String.join(",", ignored) + " has no meaning here");
    }
    if (forceInterval != DEFAULT_FORCE_INTERVAL && options.mode() != ReplyMode.PERIODIC) {
      remarks.add("--force-interval has no meaning without --mode periodic");
    }
    if (authFile != null
        && options.tls().isEmpty()
        && options.addresses().stream().anyMatch(at -> !at.getAddress().isLoopbackAddress())) {
      remarks.add("passwords and items cross the network as they are: there is no TLS");
    }
    return remarks;
  }

  /**
   * Returns the store's directory.
   *
   * @throws UsageException if none is given and the mode needs one
   */
  Path store(ReplyMode mode) {
    if (mode == ReplyMode.NONE) {
      return Path.of("");
    }
    if (directory == null) {
      throw usage("Missing DIR, the store's directory (or --mode none, to keep nothing)");
    }
    return directory;
  }

  /** Returns the member of a replica group as which to serve, or null. */
  @Nullable Replica replica() {
    return replica == null || group == null ? null : new Replica(replica, group);
  }

  /**
   * A member of a replica group.
   *
   * @param name of the member
   * @param group the group file
   */
  record Replica(String name, Path group) {}

  /** What clients of a replica group read. */
  private enum Reads {
    LEADER,
    LINEARIZABLE
  }

  private ServerOptions replicated(ServerOptions options) {
    if (replica == null) {
      if (group != null || reads != null) {
        throw usage("--group and --reads are options of --replica");
      }
      return options;
    }
    if (group == null) {
      throw usage("--replica " + replica + " needs --group FILE");
    }
    if (options.mode() != ReplyMode.SYNC && options.mode() != ReplyMode.ASYNC) {
      throw usage("--mode " + mode + ": a replica serves in mode sync or async");
    }
    if (archive != null || options.backing() != Backing.MAPPED || cold) {
      throw usage("--archive, --backing and --cold: a replica does not have these yet");
    }
    boolean isConfirmed =
        reads != null && choice("--reads", reads, Reads.class) == Reads.LINEARIZABLE;
    if (isConfirmed && options.mode() == ReplyMode.ASYNC) {
      throw usage("--reads linearizable: needs --mode sync");
    }
    return options.withConfirmedReplies(isConfirmed);
  }

  private String modeOrDefault() {
    if (mode != null) {
      return mode;
    }
    return replica == null ? "async" : "sync";
  }

  private static void requirePort(@Nullable Integer port) {
    if (port != null && (port < 0 || port > 65_535)) {
      throw usage("--metrics-port " + port + ": a port is 0 to 65535");
    }
  }

  /**
   * The check of each port alone succeeds. Without this check a start would make a store, and then
   * fail at the second port.
   */
  private static void requireOtherPort(@Nullable Integer metrics, ServerOptions options) {
    if (metrics == null || metrics == 0) {
      return;
    }
    InetAddress loopback = InetAddress.getLoopbackAddress();
    for (InetSocketAddress clients : options.addresses()) {
      InetAddress at = clients.getAddress();
      if (clients.getPort() == metrics && (at.isAnyLocalAddress() || at.equals(loopback))) {
        throw usage("--metrics-port " + metrics + ": it is the port of the clients, too");
      }
    }
  }

  /**
   * Returns what the options ask for.
   *
   * @throws UsageException if a value is not allowed
   */
  ServerOptions options() {
    requirePort(metricsPort);
    LogFormat _ = logFormat();
    if (udpPort != 0) {
      throw usage("-U " + udpPort + ": there is no UDP; leave it out, or give 0");
    }
    String self = System.getProperty("user.name");
    if (user != null && !user.equals(self)) {
      throw usage("-u " + user + ": the server does not change its user; start it as " + user);
    }
    if (sasl && authFile == null) {
      throw usage("-S needs -Y FILE, which names the users");
    }
    ServerOptions options = ServerOptions.defaults();
    if (authFile != null) {
      options = options.withAuthFile(authFile);
    }
    try {
      options =
          listening(options)
              .withMode(choice("--mode", modeOrDefault(), ReplyMode.class))
              .withForceInterval(Duration.ofMillis(forceInterval))
              .withBacking(choice("--backing", backing, Backing.class))
              .withWarmRestart(!cold)
              .withTransport(choice("--transport", transport, TransportKind.class))
              .withBacklog(backlog)
              .withThreads(threads)
              .withLimits(
                  ConnectionLimits.DEFAULTS
                      .withMaxConnections(connections)
                      .withCommandsPerTurn(commandsPerTurn))
              .withWireProtocol(wireProtocol())
              .withShutdownAllowed(enableShutdown)
              .withDumpAllowed(!disableDumping)
              .withWatchAllowed(!disableWatch)
              .withVerbosity(verbose.length, level -> StandardErrorLog.setLevel(logLevel(level)))
              .withMaxBytes(size("-m", memoryLimit, MIB))
              .withEvictions(!disableEvictions)
              .withMaxItemBytes(maxItemBytes())
              .withFlushAllowed(!disableFlushAll);
      ExtendedOptions more = new ExtendedOptions(extended);
      ignored = more.ignored();
      options = replicated(archived(more.apply(options, ssl)));
    } catch (IllegalArgumentException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
    if (options.maxItemBytes() > Math.max(options.maxBytes() / 2, DEFAULT_ITEM_BYTES)) {
      throw usage("-I " + maxItemSize + ": the largest item may have half of -m at most");
    }
    requireOtherPort(metricsPort, options);
    return options;
  }

  private ServerOptions archived(ServerOptions options) {
    if (archive == null) {
      if (archiveKeep != null || archiveCompress || archiveKey != null) {
        throw usage(
            "--archive-keep, --archive-compress and --archive-key are options of --archive");
      }
      return options;
    }
    Path store = directory;
    if (store == null || options.mode() == ReplyMode.NONE) {
      throw usage("--archive: there is no store to archive with --mode none");
    }
    Archive to =
        ArchivePlace.toWrite(archive, time("--archive-every", archiveEvery))
            .withCompression(archiveCompress);
    to.directory().ifPresent(place -> FileStorage.requireOutside(store, place));
    if (archiveKeep != null) {
      to = to.withKeep(time("--archive-keep", archiveKeep));
    }
    return options.withArchive(archiveKey == null ? to : to.withKey(key(archiveKey)));
  }

  private static byte[] key(Path file) {
    try {
      return ArchivePlace.readKey(file);
    } catch (IOException e) {
      throw usage("--archive-key: " + file + " cannot be read: " + e);
    }
  }

  private Duration time(String option, String text) {
    Duration time = TimeToLive.parse(text);
    if (time == null) {
      throw usage(option + " is a time such as 500ms, 1s or 7d, not " + text);
    }
    return time;
  }

  private int maxItemBytes() {
    long bytes = size("-I", maxItemSize, 1);
    if (bytes > Integer.MAX_VALUE) {
      throw usage("the largest item is 1024 to 1073741824, not " + bytes);
    }
    return (int) bytes;
  }

  private WireProtocol wireProtocol() {
    return switch (protocol) {
      case "auto" -> WireProtocol.AUTO;
      case "ascii", "text" -> WireProtocol.TEXT;
      case "binary" -> WireProtocol.BINARY;
      default -> throw usage("-B " + protocol + ": one of auto, ascii, binary");
    };
  }

  private ServerOptions listening(ServerOptions options) {
    ServerOptions listening = options;
    boolean isTcp = unixSocket == null || !hosts.isEmpty() || port != null;
    List<InetSocketAddress> addresses =
        isTcp
            ? ListenAddresses.parse(hosts, port == null ? ServerOptions.DEFAULT_PORT : port)
            : List.of();
    for (InetSocketAddress address : addresses) {
      if (!address.getAddress().isLoopbackAddress() && !insecureListen && authFile == null) {
        throw usage(
            "other machines can reach "
                + address.getAddress().getHostAddress()
                + ", and could read and delete all items; give -Y FILE, or --insecure-listen to"
                + " allow that");
      }
    }
    listening = listening.withAddresses(addresses);
    if (!unixMask.matches("[0-7]{1,4}")) {
      throw usage("-a " + unixMask + ": permissions are octal, for example 770");
    }
    if (unixSocket != null) {
      listening = listening.withUnixSocket(unixSocket, Integer.parseInt(unixMask, 8));
    }
    return listening;
  }

  private <E extends Enum<E>> E choice(String option, String text, Class<E> type) {
    for (E constant : type.getEnumConstants()) {
      if (lower(constant).equals(text.toLowerCase(Locale.ROOT))) {
        return constant;
      }
    }
    List<String> names = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      names.add(lower(constant));
    }
    throw usage(option + " " + text + ": one of " + String.join(", ", names));
  }

  private long size(String option, String text, long unit) {
    return ByteSize.parse(text, unit)
        .orElseThrow(
            () -> usage(option + " " + text + ": a number, or one with k, m or g behind it"));
  }

  private static UsageException usage(String message) {
    return new UsageException(message);
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Takes an option by its letter.
   *
   * @param value empty for an option that has none
   * @return false if there is no such option
   */
  boolean take(char letter, String value) {
    switch (letter) {
      case 'p' -> port = Integer.valueOf(value);
      case 'l' -> hosts.addAll(List.of(value.split(",")));
      case 's' -> unixSocket = Path.of(value);
      case 'a' -> unixMask = value;
      case 'm' -> memoryLimit = value;
      case 'M' -> disableEvictions = true;
      case 'I' -> maxItemSize = value;
      case 'c' -> connections = Integer.parseInt(value);
      case 't' -> threads = Integer.parseInt(value);
      case 'R' -> commandsPerTurn = Integer.parseInt(value);
      case 'B' -> protocol = value;
      case 'Y' -> authFile = Path.of(value);
      case 'o' -> extended.addAll(List.of(value.split(",")));
      case 'b' -> backlog = Integer.parseInt(value);
      case 'F' -> disableFlushAll = true;
      case 'P' -> pidFile = Path.of(value);
      case 'v' -> verbose = new boolean[verbose.length + 1];
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Takes an option that has no letter; returns false if there is no such option. */
  boolean takeLong(String name, String value) {
    switch (name) {
      case "--mode" -> mode = value;
      case "--force-interval" -> forceInterval = Integer.parseInt(value);
      case "--transport" -> transport = value;
      case "--log-format" -> logFormat = value;
      default -> {
        return false;
      }
    }
    return true;
  }

  void takeDirectory(Path path) {
    directory = path;
  }
}
