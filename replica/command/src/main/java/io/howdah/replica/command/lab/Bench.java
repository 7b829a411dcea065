package io.howdah.replica.command.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Measures groups of three processes of {@link BenchMember}. For one thread. */
final class Bench implements AutoCloseable {

  /** Words that a transaction writes: 104 bytes. */
  static final int WORDS = 13;

  private static final String SMALL_GROUP = "max-size = 67108864\n";
  private static final int TIMEOUT_MILLIS = 900_000;
  private static final long POLL_NANOS = 2_000_000;
  private static final long PATIENCE_NANOS = 600_000_000_000L;
  private static final long BYTES_PER_MIB = 1 << 20;
  private static final int SEGMENTS_MORE = 2;

  /** Length of the log, over the least one, at which a member that was away needs a snapshot. */
  private static final int REMOVED_SHARE = 3;

  private static final List<String> FLAGS = List.of("-Xmx512m");

  private final Path directory;
  private final Group group;
  private final MemberClient client;

  /** The least length of the engine's log at which it removes what a member lacks. */
  static final long MIN_LOG_BYTES = 16 << 20;

  /** Length of a segment of the engine's log for it. */
  private static final long SEGMENT_BYTES = MIN_LOG_BYTES / 4;

  /**
   * A load with the number of entries that it took.
   *
   * @param entries of the group's log; 0 for a plain store
   */
  record Loaded(Load.Result result, long entries) {}

  /** A catch-up: how long it took, and of how many bytes of entries. */
  record CatchUp(double seconds, double mebibytes) {}

  /**
   * An installed snapshot.
   *
   * @param p99Before of commits meanwhile over that before
   */
  record Installed(double seconds, double p99Before, double p99Meanwhile) {}

  /**
   * A time with one member away.
   *
   * @param mostLogBytes of the leader's engine
   * @param heapBefore bytes in use after a collection
   */
  record Away(
      double before,
      double meanwhile,
      long mostLogBytes,
      long boundBytes,
      long heapBefore,
      long heapAfter) {}

  private Bench(Path directory, String dimensions, List<String> flags)
      throws IOException, InterruptedException {
    this.directory = directory;
    Files.createDirectories(directory);
    this.group = new Group(directory, BenchMember.class, dimensions, flags);
    this.client = new MemberClient(group, TIMEOUT_MILLIS);
    for (String name : Group.NAMES) {
      group.start(name);
    }
    for (String name : Group.NAMES) {
      group.awaitPort(name);
    }
  }

  /** Starts a group for {@link #load}. */
  static Bench small(Path directory) throws IOException, InterruptedException {
    return new Bench(directory, SMALL_GROUP, FLAGS);
  }

  private IOException failure(String what) {
    return new IOException(what + "; the members said: " + group.errors());
  }

  private int leader() throws IOException {
    long began = System.nanoTime();
    while (System.nanoTime() - began < PATIENCE_NANOS) {
      for (int i = 0; i < Group.NAMES.size(); i++) {
        MemberClient.Answer answer = client.ask(i, "leads");
        if (answer.is("ok") && answer.words().get(1).equals("true")) {
          return i;
        }
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    throw failure("no member leads");
  }

  /** Runs a load on the leader, in the group's store or in a plain one in the same process. */
  Loaded load(boolean isGroup, int threads, long millis, int words, boolean isHalf)
      throws IOException {
    return load(client, leader(), isGroup, threads, millis, words, isHalf);
  }

  private Loaded load(
      MemberClient client,
      int leader,
      boolean isGroup,
      int threads,
      long millis,
      int words,
      boolean isHalf)
      throws IOException {
    MemberClient.Answer answer =
        client.ask(
            leader,
            "load %s %d %d %d %s"
                .formatted(
                    isGroup ? "group" : "plain", threads, millis, words, isHalf ? "half" : "full"));
    if (!answer.is("ok")) {
      throw failure("a load has failed: " + String.join(" ", answer.words()));
    }
    return new Loaded(
        Load.Result.parse(answer.words(), 1),
        isGroup ? Long.parseLong(answer.words().getLast()) : 0);
  }

  private long[] held(int member) throws IOException {
    MemberClient.Answer answer = client.ask(member, "held");
    if (!answer.is("ok")) {
      throw failure("no answer of " + Group.NAMES.get(member));
    }
    return new long[] {
      answer.number(), Long.parseLong(answer.words().get(2)), Long.parseLong(answer.words().get(3))
    };
  }

  private void fill(long bytes) throws IOException {
    MemberClient.Answer answer = client.ask(leader(), "fill " + bytes);
    if (!answer.is("ok")) {
      throw failure("the store is not filled: " + String.join(" ", answer.words()));
    }
  }

  private void checkpoint() throws IOException {
    if (!client.ask(leader(), "checkpoint").is("ok")) {
      throw failure("no checkpoint");
    }
  }

  private long position(int member) {
    MemberClient.Answer answer = client.ask(member, "position");
    return answer.is("ok") ? answer.number() : -1;
  }

  private void awaitPosition(int member, long position) throws IOException {
    long began = System.nanoTime();
    while (position(member) < position) {
      if (System.nanoTime() - began > PATIENCE_NANOS || !group.ended().isEmpty()) {
        throw failure("member " + Group.NAMES.get(member) + " does not come to " + position);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Runs half of a load until something is done; returns its p99. */
  private final class Background implements AutoCloseable {

    private static final int THREADS = 8;
    private static final int PIECE_MILLIS = 500;

    private final List<Load.Result> results = new ArrayList<>();
    private final Thread thread;
    private volatile boolean isOver;
    private volatile IOException failure = new IOException("none");

    Background(int leader) {
      thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (MemberClient own = new MemberClient(group, TIMEOUT_MILLIS)) {
                      while (!isOver) {
                        results.add(
                            load(own, leader, true, THREADS, PIECE_MILLIS, WORDS, true).result());
                      }
                    } catch (IOException e) {
                      failure = e;
                    }
                  });
    }

    /** Returns the median of the pieces' p99, in nanoseconds. */
    double p99() throws IOException {
      if (results.isEmpty()) {
        throw failure;
      }
      return results.stream()
          .mapToLong(Load.Result::p99Nanos)
          .sorted()
          .toArray()[results.size() / 2];
    }

    @Override
    public void close() {
      isOver = true;
      Traffic.join(thread);
    }
  }

  /** A member that was away comes back behind entries of some length, while others commit. */
  static CatchUp catchUp(Path directory, long mebibytes, Consumer<String> status)
      throws IOException, InterruptedException {
    String dimensions =
        "max-size = %d\nmax-log-bytes = %d\n"
            .formatted((mebibytes * 5 / 4 + 64) * BYTES_PER_MIB, 1L << 40);
    try (Bench bench = new Bench(directory, dimensions, FLAGS)) {
      int leader = bench.leader();
      int away = (leader + 1) % Group.NAMES.size();
      bench.group.kill(Group.NAMES.get(away));
      status.accept("filling the log by " + mebibytes + " MiB with a member away");
      bench.fill(mebibytes * BYTES_PER_MIB);
      long position = bench.position(bench.leader());
      status.accept("a member catches up");
      long began = System.nanoTime();
      try (Background _ = bench.new Background(bench.leader())) {
        bench.group.start(Group.NAMES.get(away));
        bench.group.awaitPort(Group.NAMES.get(away));
        bench.awaitPosition(away, position);
      }
      return new CatchUp((System.nanoTime() - began) / 1e9, mebibytes);
    }
  }

  /** A member that was away comes back when what it lacks was removed. */
  static Installed install(Path directory, long mebibytes, Consumer<String> status)
      throws IOException, InterruptedException {
    String dimensions =
        "max-size = %d\nmax-log-bytes = %d\n"
            .formatted((mebibytes * 5 / 4 + 128) * BYTES_PER_MIB, MIN_LOG_BYTES);
    try (Bench bench = new Bench(directory, dimensions, FLAGS)) {
      int leader = bench.leader();
      int away = (leader + 1) % Group.NAMES.size();
      status.accept("filling the image by " + mebibytes + " MiB");
      bench.fill(mebibytes * BYTES_PER_MIB);
      bench.group.kill(Group.NAMES.get(away));
      status.accept("the engine removes its log with a member away");
      bench.fill(REMOVED_SHARE * MIN_LOG_BYTES);
      bench.checkpoint();
      bench.fill(BYTES_PER_MIB);
      bench.checkpoint();
      leader = bench.leader();
      double before;
      Background calm = bench.new Background(leader);
      try (calm) {
        LockSupport.parkNanos(5_000_000_000L);
      }
      before = calm.p99();
      long position = bench.position(leader);
      status.accept("a member installs a snapshot");
      long began = System.nanoTime();
      long took;
      Background busy = bench.new Background(leader);
      try (busy) {
        bench.group.start(Group.NAMES.get(away));
        bench.group.awaitPort(Group.NAMES.get(away));
        bench.awaitPosition(away, position);
        took = System.nanoTime() - began;
      }
      if (bench.held(away)[0] == 0) {
        throw bench.failure("the member has caught up without a snapshot");
      }
      return new Installed(took / 1e9, before, busy.p99());
    }
  }

  /** The leader's engine, heap and rate while a member is away. */
  static Away away(Path directory, int seconds, Consumer<String> status)
      throws IOException, InterruptedException {
    String dimensions = SMALL_GROUP + "max-log-bytes = " + MIN_LOG_BYTES + "\n";
    try (Bench bench = new Bench(directory, dimensions, FLAGS)) {
      int threads = 64;
      int pieceMillis = 1000;
      status.accept("all members are there");
      bench.load(true, threads, pieceMillis, Load.MAX_WORDS, false);
      List<Double> before = new ArrayList<>();
      for (int i = 0; i < Math.max(1, seconds / 4); i++) {
        before.add(
            bench.load(true, threads, pieceMillis, Load.MAX_WORDS, false).result().perSecond());
      }
      int leader = bench.leader();
      long heapBefore = bench.held(leader)[2];
      bench.group.kill(Group.NAMES.get((leader + 1) % Group.NAMES.size()));
      List<Double> meanwhile = new ArrayList<>();
      long most = 0;
      for (int i = 0; i < seconds; i++) {
        status.accept("one member is away, %d of %d s".formatted(i, seconds));
        meanwhile.add(
            bench
                .load(bench.client, leader, true, threads, pieceMillis, Load.MAX_WORDS, false)
                .result()
                .perSecond());
        most = Math.max(most, bench.held(leader)[1]);
      }
      return new Away(
          median(before),
          median(meanwhile),
          most,
          MIN_LOG_BYTES + SEGMENTS_MORE * SEGMENT_BYTES,
          heapBefore,
          bench.held(leader)[2]);
    }
  }

  private static double median(List<Double> samples) {
    return samples.stream().mapToDouble(Double::doubleValue).sorted().toArray()[samples.size() / 2];
  }

  @Override
  public void close() throws IOException {
    client.close();
    group.close();
    Folders.delete(directory);
  }
}
