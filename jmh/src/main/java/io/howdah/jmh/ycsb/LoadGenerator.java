package io.howdah.jmh.ycsb;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Puts load on one server, over connections that stay. A connection sends as many requests as the
 * pipeline is deep in one write, and the next ones when all these are answered. For one thread,
 * which starts those of the load and waits for them.
 */
public final class LoadGenerator implements AutoCloseable {

  /** The deepest pipeline; an operation may be two requests. */
  public static final int MAX_DEPTH = 512;

  private static final int LOAD_DEPTH = 32;

  private final InetSocketAddress address;
  private final KeySpace space;
  private final Supplier<Wire> wires;
  private final List<List<SocketChannel>> channels = new ArrayList<>();

  /**
   * Connects.
   *
   * @param threads of the load, at least 1
   * @param connections in all, at least one for each thread
   */
  public LoadGenerator(
      InetSocketAddress address, KeySpace space, Values values, int threads, int connections) {
    this(Protocol.MEMCACHED, address, space, values, threads, connections);
  }

  /** Connects to a server of this protocol. */
  public LoadGenerator(
      Protocol protocol,
      InetSocketAddress address,
      KeySpace space,
      Values values,
      int threads,
      int connections) {
    if (threads < 1 || connections < threads) {
      throw new IllegalArgumentException(
          "at least 1 thread and a connection for each: " + threads + ", " + connections);
    }
    this.address = address;
    this.space = space;
    this.wires = () -> protocol.wire(space, values);
    for (int i = 0; i < threads; i++) {
      channels.add(new ArrayList<>());
    }
    try {
      for (int i = 0; i < connections; i++) {
        channels.get(i % threads).add(connect(address));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw unreachable(address, e);
    }
  }

  static LoadException unreachable(InetSocketAddress address, Exception cause) {
    return new LoadException(
        "no server answers at %s: %s; start one there, or name another address"
            .formatted(text(address), cause),
        cause);
  }

  private static String text(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  private static SocketChannel connect(InetSocketAddress address) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.connect(address);
      channel.configureBlocking(false);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns the keys. */
  public KeySpace space() {
    return space;
  }

  /** Writes every record once. */
  public LoadResult load() throws InterruptedException {
    AtomicLong next = new AtomicLong();
    return run(
        thread ->
            new LoadThread(
                channels.get(thread), wires, LOAD_DEPTH, new LoadPhase(next, space.loaded())));
  }

  /** Reads every record once, and tells how many are there. */
  public LoadResult readAll() throws InterruptedException {
    return readAll(null);
  }

  /** Reads every record once, and has the record compare what comes with what was written. */
  public LoadResult readAll(@Nullable WriteRecord record) throws InterruptedException {
    AtomicLong next = new AtomicLong();
    return run(
        thread ->
            new LoadThread(
                channels.get(thread),
                wires,
                LOAD_DEPTH,
                new ReadPhase(next, space.loaded(), record)));
  }

  /**
   * Overwrites records until a time, or until the server is gone, and notes what was acknowledged.
   * The load has one thread.
   */
  public LoadResult overwrite(WriteRecord record, int depth, long nanos)
      throws InterruptedException {
    if (channels.size() != 1) {
      throw new IllegalStateException("a record of writes is for one thread: " + channels.size());
    }
    return run(
        thread ->
            new LoadThread(channels.get(thread), wires, depth, new RecordedPhase(record, nanos)));
  }

  /**
   * Runs a mix as fast as the server answers.
   *
   * @param depth requests that a connection sends at once, 1 to {@value #MAX_DEPTH}
   */
  public LoadResult run(Mix mix, int depth, long nanos) throws InterruptedException {
    return run(mix, depth, nanos, Double.POSITIVE_INFINITY);
  }

  /**
   * Runs a mix at a fixed rate. Operations are due at fixed times, whether or not the server has
   * answered those before; their latency counts from then, so a stall counts for all that it
   * delays.
   *
   * @param perSecond operations that are due each second, of all threads together
   */
  public LoadResult run(Mix mix, int depth, long nanos, double perSecond)
      throws InterruptedException {
    if (depth < 1 || depth > MAX_DEPTH || !(perSecond > 0)) {
      throw new IllegalArgumentException(
          "depth is 1 to %d and the rate above 0: %d, %f".formatted(MAX_DEPTH, depth, perSecond));
    }
    int threads = channels.size();
    return run(
        thread ->
            new LoadThread(
                channels.get(thread),
                wires,
                depth,
                new MixPhase(
                    new OperationChooser(mix, space), nanos, perSecond / threads, versions())));
  }

  /**
   * Reads records through the server as a cache beside a database, until the timeline ends: what
   * the server does not have is stored in it. The load has one thread.
   *
   * @param databaseReads that the database answers in a second, above 0
   * @param timeline notes each answer
   */
  public LoadResult lookAside(double databaseReads, int depth, Timeline timeline)
      throws InterruptedException {
    if (channels.size() != 1 || !(databaseReads > 0)) {
      throw new IllegalArgumentException(
          "one thread, and a database that answers: %d, %f"
              .formatted(channels.size(), databaseReads));
    }
    return run(
        thread ->
            new LoadThread(
                channels.get(thread),
                wires,
                depth,
                new LookAsidePhase(new OperationChooser(Mix.C, space), databaseReads, timeline)));
  }

  /** Versions only have to differ, so that a new value has another text. */
  private static long versions() {
    return System.nanoTime();
  }

  /** Makes the part of one thread. */
  private interface Part {
    LoadThread of(int thread);
  }

  private LoadResult run(Part part) throws InterruptedException {
    LoadResult all = new LoadResult();
    long begin = System.nanoTime();
    try (ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().name("load-", 0).factory())) {
      List<Future<LoadResult>> results = new ArrayList<>();
      for (int i = 0; i < channels.size(); i++) {
        results.add(threads.submit(part.of(i)));
      }
      for (Future<LoadResult> result : results) {
        all.add(result.get());
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    }
    all.lasted(System.nanoTime() - begin);
    return all;
  }

  private LoadException failure(Throwable cause) {
    if (cause instanceof LoadException || cause instanceof IOException) {
      return new LoadException(
          "the load on %s ended: %s".formatted(text(address), cause.getMessage()), cause);
    }
    throw new IllegalStateException("the load has failed", cause);
  }

  @Override
  public void close() {
    for (List<SocketChannel> ofThread : channels) {
      for (SocketChannel channel : ofThread) {
        try {
          channel.close();
        } catch (IOException _) {
          // It was of no more use.
        }
      }
    }
  }
}
