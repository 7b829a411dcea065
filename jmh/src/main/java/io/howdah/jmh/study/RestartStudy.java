package io.howdah.jmh.study;

import static java.util.Objects.requireNonNull;

import io.howdah.jmh.process.ServerProcess;
import io.howdah.jmh.ycsb.FirstHit;
import io.howdah.jmh.ycsb.KeySpace;
import io.howdah.jmh.ycsb.LoadException;
import io.howdah.jmh.ycsb.LoadGenerator;
import io.howdah.jmh.ycsb.LoadResult;
import io.howdah.jmh.ycsb.Protocol;
import io.howdah.jmh.ycsb.Values;
import io.howdah.jmh.ycsb.WriteRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Restarts of one server with items: how soon it answers the first read, and what it has lost of
 * what it had acknowledged. It restarts as a process of its own, or within this process, whose
 * classes are loaded: that is how long the items take. For one thread.
 */
public final class RestartStudy implements AutoCloseable {

  private static final int CONNECTIONS = 4;
  private static final int DEPTH = 16;
  private static final long WRITE_NANOS = 500_000_000;
  private static final long TOO_LONG_NANOS = 60_000_000_000L;

  /** The disk writes what the kernel still holds, and compilers end what they have begun. */
  private static final int SETTLE_MILLIS = 500;

  /** memcached drops its items if it starts in the second in which it stopped. */
  private static final int NEXT_SECOND_MILLIS = 1100;

  private final Path folder;
  private final ServerSubject subject;
  private final KeySpace space;
  private final Values values;
  private WriteRecord record;
  private ServerProcess process;
  private int restarts;
  private boolean readsBack = true;

  /** Opens a server within this process, on the folder of the one that has ended. */
  @FunctionalInterface
  public interface Opener {

    /** Opens it; it listens when this returns. */
    AutoCloseable open(Path folder, InetSocketAddress address) throws Exception;
  }

  /**
   * One restart.
   *
   * @param millis from the start of the process, or within this one from before the store was
   *     opened, to the first answer
   * @param isHit whether the first answer was the item
   * @param stopMillis how long the server took to stop
   * @param acknowledged overwrites that it had acknowledged while it was killed; 0 after a clean
   *     stop
   * @param lost records whose newest acknowledged version is gone; of all records if {@link
   *     #readBack} says so, else 0
   * @param invented records with a version that nobody wrote
   * @param hitRatio share of the records read that are there, in whatever version
   */
  public record Restart(
      double millis,
      boolean isHit,
      double stopMillis,
      long acknowledged,
      long lost,
      long invented,
      double hitRatio) {}

  /** Starts the server and loads the items. */
  public RestartStudy(Path folder, ServerSubject subject, int items, int valueBytes)
      throws IOException, InterruptedException {
    this.folder = folder;
    this.subject = subject;
    this.space = new KeySpace(items, KeySpace.Form.HASHED);
    this.values = new Values(valueBytes);
    this.record = new WriteRecord(items);
    Files.createDirectories(folder);
    process = subject.starter().start(folder, 1);
    try (LoadGenerator load = connect()) {
      load.load();
    } catch (InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  private LoadGenerator connect() throws InterruptedException {
    return new LoadGenerator(
        subject.protocol(), process.awaitListening().address(), space, values, 1, CONNECTIONS);
  }

  /**
   * Chooses whether the restarts from now on end with a read of every record, which takes minutes
   * where there are many. A record that a restart has lost stays lost until it is overwritten, so a
   * read after the last of several restarts finds nearly all of what they lost together.
   */
  public void readBack(boolean everything) {
    readsBack = everything;
  }

  /** Kills the server while it is written to, and starts it again. */
  public Restart killAndStart() throws IOException, InterruptedException {
    long before = record.acknowledgements();
    long stopNanos = kill();
    return start(stopNanos, record.acknowledgements() - before);
  }

  /** Kills the server while it is written to, and opens its store within this process. */
  public Restart killAndOpen(Opener opener) throws Exception {
    long before = record.acknowledgements();
    long stopNanos = kill();
    return open(opener, stopNanos, record.acknowledgements() - before);
  }

  /** Stops the server as its operator would, and starts it again. */
  public Restart stopAndStart() throws IOException, InterruptedException {
    return start(stop(), 0);
  }

  /** Stops the server as its operator would, and opens its store within this process. */
  public Restart stopAndOpen(Opener opener) throws Exception {
    return open(opener, stop(), 0);
  }

  private long stop() throws IOException, InterruptedException {
    process.awaitListening(); // before that, a signal would end it as a kill does
    long begin = System.nanoTime();
    process.stop(subject.stopSignal());
    return System.nanoTime() - begin;
  }

  private long kill() throws InterruptedException {
    long before = record.acknowledgements();
    try (LoadGenerator load = connect()) {
      CompletableFuture<LoadResult> writes = CompletableFuture.supplyAsync(() -> write(load));
      while (record.acknowledgements() == before && !writes.isDone()) {
        Thread.sleep(1);
      }
      Thread.sleep(WRITE_NANOS / 1_000_000);
      long begin = System.nanoTime();
      process.kill();
      long stopNanos = System.nanoTime() - begin;
      awaitBroken(writes);
      return stopNanos;
    }
  }

  private LoadResult write(LoadGenerator load) {
    try {
      return load.overwrite(record, DEPTH, TOO_LONG_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LoadException("interrupted while it wrote", e);
    }
  }

  private static void awaitBroken(CompletableFuture<LoadResult> writes) {
    try {
      writes.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof LoadException) {
        return; // the connections went with the server, as they should
      }
      throw e;
    }
    throw new LoadException("the server was killed, but its connections went on");
  }

  private Restart start(long stopNanos, long acknowledged)
      throws IOException, InterruptedException {
    Thread.sleep(NEXT_SECOND_MILLIS);
    process = subject.starter().start(folder, 1);
    boolean isHit;
    long answered;
    try (SocketChannel channel = process.connect()) {
      isHit =
          subject.protocol() == Protocol.REDIS
              ? FirstHit.readFromRedis(channel, nextKey())
              : FirstHit.read(channel, nextKey());
      answered = System.nanoTime();
    }
    try (LoadGenerator load = connect()) {
      return restart(answered - process.startedNanos(), isHit, stopNanos, acknowledged, load);
    }
  }

  private Restart open(Opener opener, long stopNanos, long acknowledged) throws Exception {
    String key = nextKey();
    Thread.sleep(SETTLE_MILLIS);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), ServerProcess.freePort());
    Restart restart;
    long begin = System.nanoTime();
    try (AutoCloseable server = opener.open(folder, address);
        SocketChannel channel = SocketChannel.open(address)) {
      boolean isHit = FirstHit.read(channel, key);
      long nanos = System.nanoTime() - begin;
      try (LoadGenerator load = new LoadGenerator(address, space, values, 1, CONNECTIONS)) {
        restart = restart(nanos, isHit, stopNanos, acknowledged, load);
      }
      requireNonNull(server);
    }
    process = subject.starter().start(folder, 1);
    return restart;
  }

  private String nextKey() {
    return space.key(restarts++ % space.loaded());
  }

  private Restart restart(
      long nanos, boolean isHit, long stopNanos, long acknowledged, LoadGenerator load)
      throws InterruptedException {
    double hitRatio = readsBack ? load.readAll(record).hitRatio() : isHit ? 1 : 0;
    return new Restart(
        nanos / 1e6,
        isHit,
        stopNanos / 1e6,
        acknowledged,
        record.takeLost(),
        record.takeInvented(),
        hitRatio);
  }

  /** Loads the items once more, into a server that has lost them. */
  public void reload() throws InterruptedException {
    try (LoadGenerator load = connect()) {
      load.load();
    }
    record = new WriteRecord(Math.toIntExact(space.loaded()));
  }

  @Override
  public void close() {
    process.close();
  }
}
