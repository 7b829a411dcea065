package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.jmh.workload.Latency;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What each way to commit costs, beside the disk's own cost. For one thread. */
public final class CommitModesStudy implements AutoCloseable {

  private static final int WARM_UPS = 2;
  private static final long MIB = 1 << 20;
  private static final long LOG_BYTES_PER_SECOND = 400_000_000;
  private static final long SEQUENTIAL_BYTES = 64 * MIB;

  static final double[] INTERVALS_MILLIS = {0.2, 0.5, 1, 2, 5, 10};
  private static final int[] SYNC_THREADS = {1, 2, 8, 64};
  private static final Durability[] WAITED_FOR = {Durability.SYNC, Durability.PARTITION};
  private static final double VIRTUAL_INTERVAL_MILLIS = 2;
  private static final int VIRTUAL_THREADS = 1000;

  /** Commits of one subject before the other has its turn; long enough to settle, some 20 ms. */
  private static final int LATENCY_BLOCK = 200;

  private static final int LATENCY_WARM_UPS = 5;
  private static final int LATENCY_ROUNDS = 25;
  private static final long SMALL_HEAP_BYTES = 32 * MIB;

  private static final String FORCE = "raw force";
  private static final String SEQUENTIAL = "raw sequential write";
  private static final String ASYNC = "async";
  private static final String APART = "partition, words of their own";

  private final Effort effort;
  private final StudyProgress progress;
  private final RawDisk disk;
  private final Store store;
  private final SixWords words;
  private final int processors = Runtime.getRuntime().availableProcessors();

  /** How many partitions the store of {@link #idlePartitions} has that nobody commits to. */
  public static final int IDLE_PARTITIONS = 63;

  /** One way to commit, and what it scored by round. */
  public sealed interface Mode {

    /** Returns what is waited for. */
    Durability durability();

    /** Returns how many threads commit. */
    int threads();

    /** Returns whether they are virtual. */
    boolean virtual();

    /** Returns the rate of transactions. */
    List<Double> perSecond();

    /** Returns that rate over the one of asynchronous commits. */
    List<Double> overAsync();
  }

  /** Asynchronous commits, and a wait for all of them now and then. */
  public record SplitPhase(
      Durability durability,
      double intervalMillis,
      int threads,
      boolean virtual,
      List<Double> perSecond,
      List<Double> overAsync)
      implements Mode {}

  /** Each commit is waited for. */
  public record Waiting(
      Durability durability,
      int threads,
      boolean virtual,
      List<Double> perSecond,
      List<Double> overAsync,
      List<Double> commitsPerForce)
      implements Mode {}

  /**
   * How many commits a second; each list has an entry for each round.
   *
   * @param forcesPerSecond of small raw writes
   * @param writtenBytesPerSecond of raw writing in sequence
   * @param asyncPerSecond transactions, by a thread for each processor
   * @param asyncCpuShares of all processors, meanwhile
   * @param modes all others
   * @param dependentShares of commits by threads that share no word, those counted as dependent
   */
  public record Rates(
      int threads,
      int partitions,
      List<Double> forcesPerSecond,
      List<Double> writtenBytesPerSecond,
      List<Double> asyncPerSecond,
      List<Double> asyncCpuShares,
      List<Mode> modes,
      List<Double> dependentShares) {}

  /** Medians of latencies in nanoseconds, of two subjects in turns, and their ratios. */
  public record Latencies(List<Double> nanos, List<Double> besideNanos, List<Double> ratios) {}

  /** Fills the store of the study. */
  public CommitModesStudy(
      Path folder, long heapBytes, StoreOptions options, Effort effort, StudyProgress progress)
      throws IOException {
    this.effort = effort;
    this.progress = progress;
    progress.begins("filling a heap");
    this.store = Store.open(folder.resolve("store"), options);
    try {
      this.words = SixWords.fill(store, heapBytes);
      store.durability().awaitStable(store.admin().stats().lsn());
      this.disk = RawDisk.create(folder);
    } catch (IOException | RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Returns how much room on disk the study may take. */
  public static long neededBytes(long heapBytes, Effort effort) {
    long rounds = (effort.rounds() + WARM_UPS) * (2L * INTERVALS_MILLIS.length + 6L);
    return rounds * effort.roundNanos() / 1_000_000_000 * LOG_BYTES_PER_SECOND + 4 * heapBytes;
  }

  /** A mode under way: what it is called among the subjects, and how its figures are made. */
  private interface Subject {
    double round() throws Exception;

    Mode mode(String name, Rounds.Samples samples);
  }

  /** Measures the rates of all modes in shuffled turns. */
  public Rates rates() throws Exception {
    List<ThreadTeam.Outcome> async = new ArrayList<>();
    List<Double> dependent = new ArrayList<>();
    List<Subject> subjects = subjects();
    Rounds rounds =
        new Rounds()
            .add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()))
            .add(SEQUENTIAL, () -> disk.sequentialWriteBytesPerSecond(SEQUENTIAL_BYTES))
            .add(ASYNC, () -> asyncRound(async));
    for (int i = 0; i < subjects.size(); i++) {
      rounds.add(name(i), subjects.get(i)::round);
    }
    rounds.add(APART, () -> apartRound(dependent));
    Rounds.Samples samples =
        rounds.shuffled().run(WARM_UPS, effort.rounds(), progress.rounds("commits"));
    List<Mode> modes = new ArrayList<>();
    for (int i = 0; i < subjects.size(); i++) {
      modes.add(subjects.get(i).mode(name(i), samples));
    }
    return new Rates(
        processors,
        store.admin().options().partitions(),
        samples.of(FORCE),
        samples.of(SEQUENTIAL),
        samples.of(ASYNC),
        counted(async).stream().map(outcome -> outcome.cpuShare(processors)).toList(),
        modes,
        List.copyOf(counted(dependent)));
  }

  private static String name(int subject) {
    return "mode " + subject;
  }

  private static <T> List<T> counted(List<T> all) {
    return all.subList(WARM_UPS, all.size());
  }

  private List<Subject> subjects() {
    List<Subject> subjects = new ArrayList<>();
    for (Durability durability : WAITED_FOR) {
      for (double interval : INTERVALS_MILLIS) {
        subjects.add(splitPhase(durability, interval, processors, false));
      }
      subjects.add(splitPhase(durability, VIRTUAL_INTERVAL_MILLIS, VIRTUAL_THREADS, true));
      for (int threads : SYNC_THREADS) {
        subjects.add(waiting(durability, threads, false));
      }
      subjects.add(waiting(durability, VIRTUAL_THREADS, true));
    }
    return subjects;
  }

  private Subject splitPhase(
      Durability durability, double intervalMillis, int threads, boolean virtual) {
    return new Subject() {
      @Override
      public double round() throws Exception {
        long intervalNanos = (long) (intervalMillis * 1e6);
        return words
            .splitPhase(durability, threads, virtual, effort.roundNanos(), intervalNanos)
            .perSecond();
      }

      @Override
      public Mode mode(String name, Rounds.Samples samples) {
        return new SplitPhase(
            durability,
            intervalMillis,
            threads,
            virtual,
            samples.of(name),
            samples.ratios(name, ASYNC));
      }
    };
  }

  private Subject waiting(Durability durability, int threads, boolean virtual) {
    List<Double> commitsPerForce = new ArrayList<>();
    return new Subject() {
      @Override
      public double round() throws Exception {
        long before = store.admin().stats().forces();
        ThreadTeam.Outcome outcome = words.run(durability, threads, effort.roundNanos(), virtual);
        double forces = store.admin().stats().forces() - before;
        commitsPerForce.add(outcome.operations() / forces);
        return outcome.perSecond();
      }

      @Override
      public Mode mode(String name, Rounds.Samples samples) {
        return new Waiting(
            durability,
            threads,
            virtual,
            samples.of(name),
            samples.ratios(name, ASYNC),
            List.copyOf(counted(commitsPerForce)));
      }
    };
  }

  private double asyncRound(List<ThreadTeam.Outcome> outcomes) throws Exception {
    ThreadTeam.Outcome outcome = words.run(Durability.ASYNC, processors, effort.roundNanos());
    outcomes.add(outcome);
    return outcome.perSecond();
  }

  /** No commit depends on another thread's here, so any that counts as dependent does not. */
  private double apartRound(List<Double> dependentShares) throws Exception {
    StoreStats before = store.admin().stats();
    double perSecond =
        words.runApart(Durability.PARTITION, processors, effort.roundNanos()).perSecond();
    StoreStats after = store.admin().stats();
    dependentShares.add(
        (double) (after.dependentCommits() - before.dependentCommits())
            / (after.commits() - before.commits()));
    return perSecond;
  }

  /** Compares a durable commit of one thread with a raw force. */
  public Latencies syncOverForce() throws Exception {
    return latencies(
        new Rounds()
            .add("beside", () -> Latency.quantile(disk.forceNanos(LATENCY_BLOCK), 0.5))
            .add("commit", () -> median(words)),
        progress.rounds("latency"));
  }

  /**
   * Compares a durable commit in a store with {@link #IDLE_PARTITIONS} partitions that nobody
   * commits to with one in a store without them.
   */
  public static Latencies idlePartitions(Path folder, StudyProgress progress) throws Exception {
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(SMALL_HEAP_BYTES));
    try (Store one = Store.open(folder.resolve("one"), options.withPartitions(1));
        Store many =
            Store.open(folder.resolve("many"), options.withPartitions(IDLE_PARTITIONS + 1))) {
      SixWords onOne = SixWords.fill(one, SMALL_HEAP_BYTES);
      SixWords onMany = SixWords.fill(many, SMALL_HEAP_BYTES);
      return latencies(
          new Rounds().add("beside", () -> median(onOne)).add("commit", () -> median(onMany)),
          progress.rounds("idle partitions"));
    }
  }

  private static double median(SixWords words) {
    return Latency.quantile(words.commitNanos(Durability.SYNC, LATENCY_BLOCK), 0.5);
  }

  private static Latencies latencies(Rounds rounds, Rounds.Progress told) throws Exception {
    Rounds.Samples samples = rounds.run(LATENCY_WARM_UPS, LATENCY_ROUNDS, told);
    return new Latencies(
        samples.of("commit"), samples.of("beside"), samples.ratios("commit", "beside"));
  }

  /**
   * Returns how many nanoseconds asynchronous commits take to become stable, with nobody asking.
   * Half the processors commit, so that the probe and the flusher have the others.
   */
  public Histogram nanosToStable() throws Exception {
    progress.begins("time to stable");
    int load = Math.max(1, processors / 2);
    return words.nanosToStable(load, effort.rounds() * effort.roundNanos());
  }

  /**
   * Checks the store: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify() {
    progress.begins("verifying the heap");
    words.verify();
  }

  @Override
  public void close() throws IOException {
    store.close();
    disk.close();
  }
}
