package io.howdah.crashtest.serve;

import io.howdah.crashtest.serve.Worker.Found;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Starts one server after another on the same directory, loads it over several connections, and
 * kills it in the middle. This process records each reply. The next server must show all that was
 * acknowledged, of each connection's pipeline some first commands of those that were not, and
 * nothing else: no item that was deleted or flushed, no part of a value, no CAS value of another
 * write. Some servers are killed while they open the store. The last one is stopped, and judged
 * once more.
 *
 * <p>The first broken promise ends the campaign. For one thread.
 */
public final class ServeKill {

  private static final String MODE_OPTION = "--mode";
  private static final String BACKING_OPTION = "--backing";

  /** In what a server says that uses the memory of the process before. */
  private static final String ATTACHED = "with the memory of the process before";

  /** One in this many servers has a successor that is killed while it opens the store. */
  private static final int SERVERS_PER_KILL_WHILE_OPENING = 3;

  /** One in this many pipelines of a connection is followed by a {@code flush_all}. */
  private static final int PIPELINES_PER_FLUSH = 150;

  private static final long MAX_OPEN_NANOS = 1_500_000_000;

  private final ServeKillOptions options;
  private final ServerProcess.Launcher launcher;
  private final Progress progress;
  private final SplittableRandom random;
  private final CasRecord casRecord = new CasRecord();
  private final SharedCounter shared = new SharedCounter();
  private final List<Worker> workers = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();

  /** Pipelines run side by side; a flush runs alone. */
  private final ReadWriteLock flushing = new ReentrantReadWriteLock();

  private volatile boolean isFlushPending;
  private volatile boolean isKilling;
  private int killsWhileOpening;
  private int judged;
  private int attached;

  /** Told what happens, on the thread that runs. */
  public interface Progress {

    /** A kill was survived, or not. */
    void judged(int kill, String mode, long acknowledged, boolean survived);
  }

  /**
   * What came out.
   *
   * @param kills of servers under load that were judged
   * @param killsWhileOpening further kills, of servers that opened the store
   * @param attached servers that used the memory of the process before
   * @param acknowledged replies that were recorded
   * @param violations every broken promise, in words
   */
  public record Report(
      int kills, int killsWhileOpening, int attached, long acknowledged, List<String> violations) {

    /** Copies the list. */
    public Report {
      violations = List.copyOf(violations);
    }
  }

  /** Prepares a campaign. */
  public ServeKill(ServeKillOptions options, ServerProcess.Launcher launcher, Progress progress) {
    this.options = options;
    this.launcher = launcher;
    this.progress = progress;
    this.random = new SplittableRandom(options.seed());
    for (int i = 0; i < options.connections(); i++) {
      workers.add(new Worker(i, options.seed(), casRecord, shared));
    }
  }

  /** Runs to the end or to the first broken promise. */
  public Report run() throws IOException, InterruptedException {
    int kills = 0;
    while (kills < options.kills() && violations.isEmpty()) {
      String mode = options.modes().get(kills % options.modes().size());
      // The backings change more slowly, so that each meets each mode.
      String backing =
          options.backings().get(kills / options.modes().size() % options.backings().size());
      try (ServerProcess server = start(mode, backing)) {
        if (judge(server, kills, mode)) {
          load(server);
        }
      }
      kills++;
      if (violations.isEmpty() && random.nextInt(SERVERS_PER_KILL_WHILE_OPENING) == 0) {
        launcher.killWhileOpening(
            options.directory(),
            random.nextLong(MAX_OPEN_NANOS),
            MODE_OPTION,
            mode,
            BACKING_OPTION,
            backing);
        killsWhileOpening++;
      }
    }
    for (int stops = 0; stops < 2 && violations.isEmpty(); stops++) {
      String mode = options.modes().getFirst();
      try (ServerProcess server = start(mode, options.backings().getFirst())) {
        judge(server, kills, mode);
        server.stop();
      }
    }
    return new Report(kills, killsWhileOpening, attached, acknowledged(), violations);
  }

  private ServerProcess start(String mode, String backing) throws IOException {
    ServerProcess server =
        launcher.start(options.directory(), 0, MODE_OPTION, mode, BACKING_OPTION, backing);
    if (server.output().contains(ATTACHED)) {
      attached++;
    }
    return server;
  }

  private long acknowledged() {
    return workers.stream().mapToLong(Worker::acknowledged).sum();
  }

  private void load(ServerProcess server) throws InterruptedException, IOException {
    isKilling = false;
    List<Thread> threads = new ArrayList<>();
    for (Worker worker : workers) {
      SplittableRandom flushes = random.split();
      threads.add(
          Thread.ofPlatform()
              .name("connection-" + threads.size())
              .start(() -> work(worker, server.port(), flushes)));
    }
    long nanos = options.running().toNanos() / options.kills();
    LockSupport.parkNanos((long) (nanos * (0.2 + 1.6 * random.nextDouble())));
    isKilling = true;
    server.kill();
    for (Thread thread : threads) {
      thread.join();
    }
    String written = server.output();
    if (written.contains("LEAK") || written.contains("Exception")) {
      violation("the server wrote: " + written);
    }
  }

  private void violation(String what) {
    synchronized (violations) {
      violations.add(what);
    }
  }

  private void work(Worker worker, int port, SplittableRandom flushes) {
    try (TextConnection connection = new TextConnection(port)) {
      while (!isKilling) {
        flushing.readLock().lock();
        try {
          worker.batch(connection);
        } finally {
          flushing.readLock().unlock();
        }
        if (flushes.nextInt(PIPELINES_PER_FLUSH) == 0) {
          flush(connection);
        }
      }
    } catch (IOException e) {
      if (!isKilling) {
        violation("a connection was lost without a kill: " + e);
      }
    } catch (RuntimeException e) {
      violation(String.valueOf(e.getMessage()));
    }
  }

  private void flush(TextConnection connection) throws IOException {
    flushing.writeLock().lock();
    try {
      if (workers.stream().anyMatch(Worker::hasPending)) {
        return; // the server was killed meanwhile
      }
      isFlushPending = true;
      connection.send("flush_all\r\n");
      expect(connection, "OK");
      isFlushPending = false;
      workers.forEach(Worker::flushed);
      begin(connection, 0);
    } finally {
      flushing.writeLock().unlock();
    }
  }

  private void begin(TextConnection connection, long value) throws IOException {
    String digits = Long.toString(value);
    shared.begin(value);
    connection.send("set " + Worker.SHARED + " 0 0 " + digits.length() + "\r\n" + digits + "\r\n");
    expect(connection, "STORED");
  }

  private static void expect(TextConnection connection, String line) throws IOException {
    String reply = connection.line();
    if (!reply.equals(line)) {
      throw new BrokenPromise("the reply is \"" + reply + "\" instead of \"" + line + "\"");
    }
  }

  private boolean judge(ServerProcess server, int kill, String mode) throws IOException {
    try (TextConnection connection = new TextConnection(server.port())) {
      List<Map<String, Found>> found = new ArrayList<>();
      for (Worker worker : workers) {
        found.add(read(connection, worker.keys()));
      }
      boolean isFlushed = isFlushPending && found.stream().allMatch(Map::isEmpty);
      for (int i = 0; i < workers.size(); i++) {
        Worker worker = workers.get(i);
        if (isFlushed) {
          worker.flushed();
        }
        String broken = worker.judge(found.get(i));
        if (broken != null) {
          violation("after kill " + kill + " (" + mode + "), " + broken);
        }
      }
      judgeShared(connection, kill, isFlushed);
      isFlushPending = false;
    } catch (BrokenPromise e) {
      violation("after kill " + kill + " (" + mode + "), " + e.getMessage());
    }
    if (kill > judged) {
      judged = kill;
      progress.judged(kill, mode, acknowledged(), violations.isEmpty());
    }
    return violations.isEmpty();
  }

  /**
   * The counter is missing if the kill came between a flush and the command that makes it again:
   * also where the flush was carried out and its reply did not arrive.
   */
  private void judgeShared(TextConnection connection, int kill, boolean isFlushed)
      throws IOException {
    connection.send("gets " + Worker.SHARED + "\r\n");
    Found counter = readValue(connection);
    long value = 0;
    if (counter != null && !isFlushed) {
      value = Long.parseLong(counter.value());
      String broken = shared.judge(value);
      if (broken != null && kill > 0) {
        violation("after kill " + kill + ", " + broken);
      }
    } else if (counter == null && !isFlushed && kill > 0 && shared.judge(0) != null) {
      violation("after kill " + kill + ", the shared counter is missing");
    }
    begin(connection, value);
  }

  private static @Nullable Found readValue(TextConnection connection) throws IOException {
    String line = connection.line();
    return line.equals("END") ? null : Found.read(connection, line);
  }

  private static Map<String, Found> read(TextConnection connection, List<String> keys)
      throws IOException {
    StringBuilder commands = new StringBuilder();
    for (String key : keys) {
      commands.append("gets ").append(key).append("\r\nmg ").append(key).append(" t\r\n");
    }
    connection.send(commands.toString());
    Map<String, Found> found = new HashMap<>();
    for (String key : keys) {
      Found item = readValue(connection);
      String rest = connection.line();
      if ((item == null) != rest.equals("EN")) {
        throw new BrokenPromise(key + " is there for one of gets and mg: " + rest);
      }
      if (item != null) {
        long seconds = Long.parseLong(rest.substring("HD t".length()));
        long now = System.currentTimeMillis() / 1000;
        found.put(key, item.withExpiry(seconds < 0 ? 0 : now + seconds));
      }
    }
    return found;
  }
}
