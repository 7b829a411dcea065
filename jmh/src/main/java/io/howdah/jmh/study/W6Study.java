package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.jmh.published.PublishedWords;
import io.howdah.jmh.workload.NativeTl2;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.ScalaStm;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.jmh.workload.YardstickUnavailableException;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transactions of six random words in several stores of one JVM, in turns: what durability costs.
 * Each way but those word by word commits through the path without garbage and reads its words at
 * once; those do neither, and show what a program gets that asks for nothing. Where they can run,
 * two transactional memories without durability take turns with them: {@link NativeTl2} and {@link
 * ScalaStm}. For one thread.
 */
public final class W6Study implements AutoCloseable {

  /** Rounds that do not count. */
  public static final int WARM_UPS = 3;

  private static final String RAW = "raw words";
  private static final String NATIVE = "native TL2";
  private static final String SCALA_STM = "ScalaSTM";

  private final Path folder;
  private final long heapBytes;
  private final StoreOptions options;
  private final int maxThreads;
  private final @Nullable String peersClassPath;
  private final List<Subject> subjects = new ArrayList<>();
  private final Deque<Store> open = new ArrayDeque<>();
  private final List<SixWords> heaps = new ArrayList<>();
  private @Nullable PublishedWords published;
  private @Nullable RawWords raw;
  private @Nullable NativeTl2 tl2;
  private @Nullable ScalaStm scalaStm;
  private final List<String> missing = new ArrayList<>();

  /** The ways to run the workload. */
  public enum Way {
    /** Without a log. */
    VOLATILE,
    /** Without a log, each word read by itself. */
    WORD_BY_WORD,
    /** With the log of the options. */
    PARTITIONED,
    /** With the log of the options, each word read by itself. */
    PARTITIONED_WORD_BY_WORD,
    /** With one log partition. */
    SINGLE_LOG,
    /** A model of the published system, which has a log for each thread. */
    AS_PUBLISHED;

    /** Returns how it calls the store. */
    SixWords.Style style() {
      return isPrimitive() ? SixWords.Style.AT_ONCE : SixWords.Style.WORD_BY_WORD;
    }

    /** Returns whether it calls the store without garbage. */
    public boolean isPrimitive() {
      return this != WORD_BY_WORD && this != PARTITIONED_WORD_BY_WORD;
    }

    /** Returns the way without a log that calls the store alike. */
    public Way withoutLog() {
      return isPrimitive() ? VOLATILE : WORD_BY_WORD;
    }

    /** Returns whether it has a log. */
    public boolean isDurable() {
      return this != VOLATILE && this != WORD_BY_WORD;
    }
  }

  /** Repeats the transaction. */
  private interface Team {
    ThreadTeam.Outcome run(int threads, long nanos) throws Exception;
  }

  /**
   * A way to measure.
   *
   * @param partitions of its log, 0 if it has none
   */
  private record Subject(Way way, Store store, int partitions, Team team) {}

  /**
   * What one way scored; each list has an entry for each round.
   *
   * @param partitions of its log, 0 if it has none
   * @param perSecond transactions
   * @param overRaw their rate, over that of the same words without transactions
   * @param overVolatile their rate, over {@link Way#withoutLog}
   * @param overBatch their rate, over {@link Way#VOLATILE}
   * @param overNative their rate, over that of the native yardstick; empty without one
   * @param overScalaStm their rate, over that of ScalaSTM; empty without it
   * @param dependentShares of the commits, those that waited for another partition's
   * @param abortsPerTransaction over all rounds
   * @param allocatedBytes on the Java heap per transaction
   * @param cpuShares of all processors
   */
  public record Figures(
      Way way,
      int partitions,
      List<Double> perSecond,
      List<Double> overRaw,
      List<Double> overVolatile,
      List<Double> overBatch,
      List<Double> overNative,
      List<Double> overScalaStm,
      List<Double> dependentShares,
      double abortsPerTransaction,
      List<Double> allocatedBytes,
      List<Double> cpuShares) {}

  /**
   * What one number of threads scored.
   *
   * @param rawPerSecond words without transactions, by round
   * @param nativePerSecond the native yardstick, by round; empty without one
   * @param scalaStmPerSecond ScalaSTM, by round; empty without it
   * @param figures of each way
   */
  public record Result(
      int threads,
      List<Double> rawPerSecond,
      List<Double> nativePerSecond,
      List<Double> scalaStmPerSecond,
      List<Figures> figures) {}

  /**
   * Prepares the study; nothing is opened yet.
   *
   * @param folder for the stores
   * @param heapBytes of data in each store
   * @param maxThreads that will measure: the model of the published system has a log for each
   * @param peersClassPath of the module {@code peers} and what it needs, for ScalaSTM; null if they
   *     are not there
   */
  public W6Study(
      Path folder,
      long heapBytes,
      StoreOptions options,
      int maxThreads,
      @Nullable String peersClassPath) {
    this.folder = folder;
    this.heapBytes = heapBytes;
    this.options = options;
    this.maxThreads = maxThreads;
    this.peersClassPath = peersClassPath;
  }

  /**
   * Creates the stores and fills them, and the yardsticks that can run.
   *
   * @param largePages whether the yardsticks ask for large pages
   */
  public void fill(boolean largePages) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    startYardsticks(largePages);
    raw = RawWords.create(heapBytes);
    Store inMemory = opened(Store.inMemory(options));
    SixWords words = SixWords.fill(inMemory, heapBytes);
    add(inMemory, 0, words, Way.VOLATILE, Way.WORD_BY_WORD);
    addDurable("partitioned", options, Way.PARTITIONED, Way.PARTITIONED_WORD_BY_WORD);
    addDurable("single", options.withPartitions(1), Way.SINGLE_LOG);
    PublishedWords model =
        PublishedWords.fill(folder.resolve("published"), options, heapBytes, maxThreads);
    published = model;
    subjects.add(
        new Subject(
            Way.AS_PUBLISHED,
            model.store(),
            model.logs(),
            (threads, nanos) -> model.run(Durability.ASYNC, threads, nanos)));
  }

  private void startYardsticks(boolean largePages) throws IOException, InterruptedException {
    int lockBits = Long.SIZE - 1 - Long.numberOfLeadingZeros(options.orecs());
    try {
      tl2 = NativeTl2.start(folder, heapBytes, lockBits, largePages);
    } catch (YardstickUnavailableException e) {
      missing.add(NATIVE + ": " + e.getMessage());
    }
    if (peersClassPath == null) {
      missing.add(SCALA_STM + ": the module peers is not built, which ./howdah of a checkout does");
      return;
    }
    try {
      scalaStm = ScalaStm.start(folder, peersClassPath, heapBytes, largePages);
    } catch (YardstickUnavailableException e) {
      missing.add(SCALA_STM + ": " + e.getMessage());
    }
  }

  private void addDurable(String name, StoreOptions durable, Way... ways) {
    Store store = opened(Store.open(folder.resolve(name), durable));
    SixWords words = SixWords.fill(store, heapBytes);
    add(store, store.admin().options().partitions(), words, ways);
  }

  private void add(Store store, int partitions, SixWords words, Way... ways) {
    heaps.add(words);
    for (Way way : ways) {
      subjects.add(
          new Subject(
              way,
              store,
              partitions,
              (threads, nanos) -> words.run(Durability.ASYNC, way.style(), threads, nanos)));
    }
  }

  private Store opened(Store store) {
    open.push(store);
    return store;
  }

  /** Returns the yardsticks that cannot run here, each with its reason; empty if all can. */
  public List<String> missing() {
    return List.copyOf(missing);
  }

  /** Runs all ways in turns with this number of threads. */
  public Result measure(int threads, Effort effort, StudyProgress progress) throws Exception {
    RawWords rawWords = raw;
    if (rawWords == null) {
      throw new IllegalStateException("the stores are not filled");
    }
    Rounds rounds = new Rounds().add(RAW, () -> rawWords.perSecond(threads, effort.roundNanos()));
    NativeTl2 yardstick = tl2;
    if (yardstick != null) {
      rounds.add(NATIVE, () -> yardstick.perSecond(threads, effort.roundNanos()));
    }
    ScalaStm library = scalaStm;
    if (library != null) {
      rounds.add(SCALA_STM, () -> library.perSecond(threads, effort.roundNanos()));
    }
    List<Notes> notes = new ArrayList<>();
    for (Subject subject : subjects) {
      Notes own = new Notes(subject);
      notes.add(own);
      rounds.add(subject.way().name(), () -> own.round(threads, effort.roundNanos()));
    }
    String team = threads + (threads == 1 ? " thread" : " threads");
    Rounds.Samples samples = rounds.run(WARM_UPS, effort.rounds(), progress.rounds(team));
    return new Result(
        threads,
        samples.of(RAW),
        yardstick == null ? List.of() : samples.of(NATIVE),
        library == null ? List.of() : samples.of(SCALA_STM),
        notes.stream()
            .map(note -> note.figures(samples, yardstick != null, library != null))
            .toList());
  }

  /**
   * Checks each store, and ScalaSTM: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify(StudyProgress progress) throws IOException {
    progress.begins("verifying the heaps");
    heaps.forEach(SixWords::verify);
    if (scalaStm != null) {
      scalaStm.verify();
    }
    if (published != null) {
      published.verify();
    }
  }

  /** What is noted beside the rate, round by round, warm-ups included. */
  private static final class Notes {

    private final Subject subject;
    private final List<ThreadTeam.Outcome> outcomes = new ArrayList<>();
    private final List<Long> aborts = new ArrayList<>();
    private final List<Double> dependentShares = new ArrayList<>();

    Notes(Subject subject) {
      this.subject = subject;
    }

    double round(int threads, long nanos) throws Exception {
      StoreStats before = subject.store().admin().stats();
      ThreadTeam.Outcome outcome = subject.team().run(threads, nanos);
      StoreStats after = subject.store().admin().stats();
      outcomes.add(outcome);
      aborts.add(after.totalAborts() - before.totalAborts());
      double commits = Math.max(1, after.commits() - before.commits());
      dependentShares.add((after.dependentCommits() - before.dependentCommits()) / commits);
      return outcome.perSecond();
    }

    Figures figures(Rounds.Samples samples, boolean hasNative, boolean hasScalaStm) {
      List<ThreadTeam.Outcome> all = counted(outcomes);
      String name = subject.way().name();
      double transactions = all.stream().mapToLong(ThreadTeam.Outcome::operations).sum();
      int processors = Runtime.getRuntime().availableProcessors();
      return new Figures(
          subject.way(),
          subject.partitions(),
          samples.of(name),
          samples.ratios(name, RAW),
          samples.ratios(name, subject.way().withoutLog().name()),
          samples.ratios(name, Way.VOLATILE.name()),
          hasNative ? samples.ratios(name, NATIVE) : List.of(),
          hasScalaStm ? samples.ratios(name, SCALA_STM) : List.of(),
          List.copyOf(counted(dependentShares)),
          counted(aborts).stream().mapToLong(Long::longValue).sum() / transactions,
          all.stream()
              .map(outcome -> (double) outcome.allocatedBytes() / Math.max(1, outcome.operations()))
              .toList(),
          all.stream().map(outcome -> outcome.cpuShare(processors)).toList());
    }

    private static <T> List<T> counted(List<T> all) {
      return all.subList(WARM_UPS, all.size());
    }
  }

  /** Closes the stores, the newest first, and ends the yardsticks. */
  @Override
  public void close() throws IOException {
    if (published != null) {
      published.close();
      published = null;
    }
    for (Store store = open.poll(); store != null; store = open.poll()) {
      store.close();
    }
    if (scalaStm != null) {
      scalaStm.close();
      scalaStm = null;
    }
    if (tl2 != null) {
      tl2.close();
      tl2 = null;
    }
    if (raw != null) {
      raw.close();
      raw = null;
    }
  }
}
