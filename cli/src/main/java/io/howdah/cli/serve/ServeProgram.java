package io.howdah.cli.serve;

import io.howdah.cli.command.ExtraLibraries;
import io.howdah.cli.log.NettyLoggers;
import io.howdah.cli.log.StandardErrorLog;
import io.howdah.core.HowdahException;
import io.howdah.core.report.FlightRecording;
import io.howdah.server.monitor.MetricsEndpoint;
import io.howdah.server.monitor.ServiceManager;
import io.howdah.server.net.GroupMember;
import io.howdah.server.net.ReplyMode;
import io.howdah.server.net.Server;
import io.howdah.server.net.ServerOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The server as a program: its messages, its signals and its end. */
final class ServeProgram {

  private static final long MIB = 1 << 20;
  private static final String NETTY_EVENTS = "io.netty.jfr.enabled";
  private static final String NETTY_MACHINE = "io.netty.machineId";
  private static final String NETTY_PROCESS = "io.netty.processId";

  private static final System.Logger LOG = System.getLogger(ServeProgram.class.getName());

  private final PrintWriter out;
  private final PrintWriter err;

  ServeProgram(PrintWriter out, PrintWriter err) {
    this.out = out;
    this.err = err;
  }

  /** Serves until a signal or a client stops it. */
  void run(ServeArguments arguments, ServerOptions options) throws InterruptedException {
    Path store = arguments.store(options.mode());
    StandardErrorLog.set(arguments.logLevel(), arguments.logFormat());
    prepareNetty();
    arguments.remarks(options).forEach(remark -> say(err, "howdah: " + remark));
    PidFile.check(arguments.pidFile());
    Integer metricsPort = arguments.metricsPort();
    if (metricsPort != null) {
      MetricsEndpoint.check(metricsPort);
    }
    ExtraLibraries.use(
        ExtraLibraries.S3); // for archives that are started later, by the admin socket
    CountDownLatch stop = StopSignals.stop();
    ServeArguments.Replica replica = arguments.replica();
    try (Server server =
            replica == null ? new Server(store, options) : member(replica, store, options);
        MetricsEndpoint metrics = metrics(arguments, server)) {
      if (metrics != null) {
        say(out, "howdah: metrics at http://127.0.0.1:" + metrics.port() + "/metrics");
      }
      CompletableFuture<Boolean> request = server.shutdownRequested();
      var _ = request.whenComplete((_, _) -> stop.countDown());
      boolean _ = StopSignals.handle("HUP", () -> reload(server));
      ServiceManager manager = new ServiceManager();
      PidFile pid = PidFile.write(arguments.pidFile());
      try {
        announce(server, store, options, replica);
        manager.ready();
        stop.await();
        manager.stopping();
      } finally {
        pid.remove();
      }
      if (request.isCompletedExceptionally()) {
        throw new HowdahException(
            "the store has stopped, so the server ends: " + request.exceptionNow().getMessage(),
            request.exceptionNow());
      }
      say(out, "howdah: stopping");
    }
    say(out, "howdah: stopped");
  }

  /**
   * Starts a server of a member of a replica group.
   *
   * @throws UsageException if the group file, the name or an option does not fit
   */
  private static Server member(
      ServeArguments.Replica replica, Path directory, ServerOptions options) {
    GroupMember.Provider members =
        ServiceLoader.load(GroupMember.Provider.class)
            .findFirst()
            .orElseThrow(
                () ->
                    new UsageException(
                        "--replica "
                            + replica.name()
                            + ": replica groups are an experiment, which only the howdah of a"
                            + " checkout of the sources has"));
    try {
      return new Server(() -> members.open(directory, replica.group(), replica.name()), options);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private static void prepareNetty() {
    NettyLoggers.install();
    // Its events' classes take a tenth of a start, and nobody records yet.
    if (!FlightRecording.isOn()) {
      setDefault(NETTY_EVENTS, "false");
    }
    // Parts of the names of channels, which nobody sees outside of this process: it would ask each
    // network interface for its address, and start the pool of threads behind a ProcessHandle.
    setDefault(NETTY_MACHINE, "00:00:00:00:00:01");
    setDefault(NETTY_PROCESS, "1");
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static @Nullable MetricsEndpoint metrics(ServeArguments arguments, Server server) {
    Integer port = arguments.metricsPort();
    return port == null ? null : new MetricsEndpoint(port, server::statistics);
  }

  /** A file with a mistake changes nothing: clients go on. */
  private static void reload(Server server) {
    try {
      server.reload();
      LOG.log(System.Logger.Level.INFO, "users and certificate were read again");
    } catch (HowdahException e) {
      LOG.log(System.Logger.Level.WARNING, e.getMessage());
    }
  }

  private void announce(
      Server server, Path store, ServerOptions options, ServeArguments.@Nullable Replica replica) {
    String items = grouped(server.items());
    say(
        out,
        replica != null
            ? "howdah: member "
                + replica.name()
                + " of the group of "
                + replica.group()
                + ": store "
                + store.toAbsolutePath().normalize()
            : options.mode() == ReplyMode.NONE
                ? "howdah: items in memory only: nothing survives a stop"
                : "howdah: store "
                    + store.toAbsolutePath().normalize()
                    + ": "
                    + items
                    + " items, opened in "
                    + server.opening().toMillis()
                    + " ms"
                    + (server.isMemoryKept() ? ", with the memory of the process before" : ""));
    server.places().forEach(place -> say(out, "howdah: listening on " + place));
    say(
        out,
        "howdah: ready: mode "
            + options.mode().name().toLowerCase(Locale.ROOT)
            + ", "
            + options.maxBytes() / MIB
            + " MiB for items, "
            + options.threads()
            + " threads, "
            + server.transport().name().toLowerCase(Locale.ROOT));
  }

  /** Returns a number with commas. A formatter of the JDK would take a twentieth of a start. */
  private static String grouped(long number) {
    StringBuilder digits = new StringBuilder(Long.toString(number));
    for (int at = digits.length() - 3; at > 0; at -= 3) {
      digits.insert(at, ',');
    }
    return digits.toString();
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
