package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.RawLoops;
import io.howdah.jmh.workload.RawWords;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SharedLines;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What more threads gain, and what they lose to cache lines that they share. Transactions of six
 * random words over 1 to many threads; short transactions that share one named line more than
 * others; and the figures that {@link ScalingModel} needs. For one thread.
 */
public final class ScalingStudy implements AutoCloseable {

  private static final int WARM_UPS = 3;
  private static final long MAX_COPY_BYTES = 64L << 20;

  private final Effort effort;
  private final OpenedResources open = new OpenedResources();
  private final RawWords rawWords;
  private final RawLoops loops;
  private final RawDisk disk;
  private final Map<Way, Subject> subjects = new EnumMap<>(Way.class);

  /** The ways to commit six words. */
  public enum Way {
    /** Without a log. */
    VOLATILE("volatile"),
    /** With a log of as many partitions as a store has by default. */
    ASYNC("async"),
    /** With a log of one partition. */
    SINGLE_LOG("async, single log");

    private final String text;

    Way(String text) {
      this.text = text;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  private record Subject(Store store, SixWords words) {}

  /** What runs without the engine. */
  public enum Baseline {
    /** Random numbers drawn. */
    EMPTY_LOOP("empty loop"),
    /** Bytes copied. */
    COPY("memcpy"),
    /** Six random words read and written. */
    RAW_WORDS("raw six words"),
    /** Small writes forced, by one thread. */
    FORCE("raw force");

    private final String text;

    Baseline(String text) {
      this.text = text;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  /**
   * What one way scored; each list has an entry for each round.
   *
   * @param perSecond transactions
   * @param cpuNanos of the threads that commit, for each transaction
   * @param cpuShares of all processors, by the whole process
   * @param engineNanos processor time of all other threads of the process, for each transaction
   * @param abortsPerTransaction over all rounds
   */
  public record Figures(
      Way way,
      List<Double> perSecond,
      List<Double> cpuNanos,
      List<Double> cpuShares,
      List<Double> engineNanos,
      double abortsPerTransaction) {}

  /**
   * What one number of threads scored.
   *
   * @param baselines each a rate, by round
   */
  public record ByThreads(
      int threads, Map<Baseline, List<Double>> baselines, List<Figures> figures) {}

  /**
   * What sharing a line costs; each list has an entry for each round.
   *
   * @param cpuNanos processor time of a transaction that shares it
   * @param costNanos that time less the one of {@link SharedLines.Line#without}, of the same round;
   *     empty if nothing is shared
   * @param perSecond transactions of all threads
   */
  public record LineCost(
      SharedLines.Line line,
      List<Double> cpuNanos,
      List<Double> costNanos,
      List<Double> perSecond) {}

  /**
   * What shared lines cost.
   *
   * @param threads that shared them
   * @param handOverNanos from one thread's change of a line to another's, by round
   */
  public record Lines(int threads, List<Double> handOverNanos, List<LineCost> costs) {}

  /**
   * What the model needs, of one thread; each list has an entry for each round.
   *
   * @param ownNanos processor time of an asynchronous commit of six words
   * @param windowNanos that less the time of a transaction that only reads the words: a bound for
   *     how long a lane is held
   * @param engineNanos processor time of all other threads for each commit, the flusher above all
   */
  public record ModelInput(
      List<Double> ownNanos, List<Double> windowNanos, List<Double> engineNanos) {}

  /**
   * Creates the stores and fills them.
   *
   * @param heapBytes of data in each store
   */
  public ScalingStudy(Path folder, long heapBytes, Effort effort, StudyProgress progress)
      throws IOException {
    this.effort = effort;
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapBytes));
    try {
      Files.createDirectories(folder);
      progress.begins("filling the heaps");
      this.rawWords = open.add(RawWords.create(heapBytes));
      this.loops = open.add(RawLoops.create(Math.clamp(heapBytes, 1 << 20, MAX_COPY_BYTES)));
      this.disk = open.add(RawDisk.create(folder));
      add(Way.VOLATILE, Store.inMemory(options), heapBytes);
      add(Way.ASYNC, Store.open(folder.resolve("partitioned"), options), heapBytes);
      add(
          Way.SINGLE_LOG,
          Store.open(folder.resolve("single"), options.withPartitions(1)),
          heapBytes);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private void add(Way way, Store store, long heapBytes) {
    open.add(store);
    subjects.put(way, new Subject(store, SixWords.fill(store, heapBytes)));
  }

  private Subject subject(Way way) {
    Subject found = subjects.get(way);
    if (found == null) {
      throw new IllegalStateException("no store " + way);
    }
    return found;
  }

  /** Returns the number of partitions of {@link Way#ASYNC}. */
  public int partitions() {
    return subject(Way.ASYNC).store().admin().options().partitions();
  }

  /** Runs all ways and baselines in turns with this number of threads. */
  public ByThreads measure(int threads, StudyProgress progress) throws Exception {
    long nanos = effort.roundNanos();
    Rounds rounds =
        new Rounds()
            .add(Baseline.EMPTY_LOOP.name(), () -> loops.emptyPerSecond(threads, nanos))
            .add(Baseline.COPY.name(), () -> loops.copiedBytesPerSecond(threads, nanos))
            .add(Baseline.RAW_WORDS.name(), () -> rawWords.perSecond(threads, nanos))
            .add(Baseline.FORCE.name(), () -> disk.forcesPerSecond(nanos));
    Map<Way, Notes> notes = new EnumMap<>(Way.class);
    for (Way way : Way.values()) {
      Notes own = new Notes(subject(way), SixWords.Style.AT_ONCE);
      notes.put(way, own);
      rounds.add(way.name(), () -> own.round(threads, nanos).perSecond());
    }
    String team = threads + (threads == 1 ? " thread" : " threads");
    Rounds.Samples samples =
        rounds.shuffled().run(WARM_UPS, effort.rounds(), progress.rounds(team));
    Map<Baseline, List<Double>> baselines = new EnumMap<>(Baseline.class);
    for (Baseline baseline : Baseline.values()) {
      baselines.put(baseline, samples.of(baseline.name()));
    }
    List<Figures> figures = new ArrayList<>();
    notes.forEach((way, own) -> figures.add(own.figures(way, samples.of(way.name()))));
    return new ByThreads(threads, baselines, figures);
  }

  /**
   * Measures what threads lose to each shared line.
   *
   * @param threads at most as many as there are processors, or their turns are measured
   */
  public Lines lines(int threads, StudyProgress progress) throws Exception {
    try (SharedLines shared = SharedLines.create(threads)) {
      long nanos = effort.roundNanos();
      String handOver = "hand-over";
      Rounds rounds = new Rounds().add(handOver, () -> loops.handOverNanos(nanos));
      Map<SharedLines.Line, List<Double>> perSecond = new LinkedHashMap<>();
      for (SharedLines.Line line : SharedLines.Line.values()) {
        List<Double> rates = new ArrayList<>();
        perSecond.put(line, rates);
        rounds.add(
            line.name(),
            () -> {
              ThreadTeam.Outcome outcome = shared.run(line, nanos);
              rates.add(outcome.perSecond());
              return cpuNanos(outcome);
            });
      }
      Rounds.Samples samples =
          rounds.shuffled().run(WARM_UPS, effort.rounds(), progress.rounds("shared lines"));
      List<LineCost> costs = new ArrayList<>();
      perSecond.forEach(
          (line, rates) ->
              costs.add(
                  new LineCost(
                      line,
                      samples.of(line.name()),
                      differences(samples, line, line.without()),
                      counted(rates))));
      return new Lines(threads, samples.of(handOver), costs);
    }
  }

  private static List<Double> differences(
      Rounds.Samples samples, SharedLines.Line line, SharedLines.@Nullable Line without) {
    return without == null
        ? List.of()
        : differences(samples.of(line.name()), samples.of(without.name()));
  }

  private static List<Double> differences(List<Double> more, List<Double> less) {
    List<Double> differences = new ArrayList<>();
    for (int i = 0; i < more.size(); i++) {
      differences.add(more.get(i) - less.get(i));
    }
    return List.copyOf(differences);
  }

  /**
   * How long asynchronous commits take until they are durable; by round.
   *
   * @param meanMillis from the return of a commit, the mean of a round
   */
  public record UntilDurable(Way way, List<Double> meanMillis) {}

  /**
   * Measures how long asynchronous commits take until they are durable, with and without partitions
   * of the log. One of the threads looks at its own commits, the others commit as fast as they can.
   *
   * @param threads at least 2
   */
  public List<UntilDurable> untilDurable(int threads, StudyProgress progress) throws Exception {
    List<Way> ways = List.of(Way.ASYNC, Way.SINGLE_LOG);
    Rounds rounds = new Rounds();
    for (Way way : ways) {
      SixWords words = subject(way).words();
      rounds.add(
          way.name(), () -> words.nanosToStable(threads - 1, effort.roundNanos()).getMean() / 1e6);
    }
    Rounds.Samples samples =
        rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds("until durable"));
    return ways.stream().map(way -> new UntilDurable(way, samples.of(way.name()))).toList();
  }

  /** Measures what the model needs, with one thread. */
  public ModelInput modelInput(StudyProgress progress) throws Exception {
    Notes writing = new Notes(subject(Way.ASYNC), SixWords.Style.AT_ONCE);
    Notes reading = new Notes(subject(Way.ASYNC), SixWords.Style.READ_ONLY);
    Rounds.Samples samples =
        new Rounds()
            .add("writing", () -> cpuNanos(writing.round(1, effort.roundNanos())))
            .add("reading", () -> cpuNanos(reading.round(1, effort.roundNanos())))
            .mirrored()
            .run(WARM_UPS, effort.rounds(), progress.rounds("one thread"));
    return new ModelInput(
        samples.of("writing"),
        differences(samples.of("writing"), samples.of("reading")),
        writing.engineNanos());
  }

  /**
   * Checks each store: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify(StudyProgress progress) {
    progress.begins("verifying the heaps");
    subjects.values().forEach(subject -> subject.words().verify());
  }

  private static double cpuNanos(ThreadTeam.Outcome outcome) {
    return (double) outcome.teamCpuNanos() / Math.max(1, outcome.operations());
  }

  private static <T> List<T> counted(List<T> all) {
    return List.copyOf(all.subList(WARM_UPS, all.size()));
  }

  /** What is noted beside the rate, round by round, warm-ups included. */
  private static final class Notes {

    private final Subject subject;
    private final SixWords.Style style;
    private final List<ThreadTeam.Outcome> outcomes = new ArrayList<>();
    private final List<Long> aborts = new ArrayList<>();

    Notes(Subject subject, SixWords.Style style) {
      this.subject = subject;
      this.style = style;
    }

    ThreadTeam.Outcome round(int threads, long nanos) throws Exception {
      long before = subject.store().admin().stats().totalAborts();
      ThreadTeam.Outcome outcome = subject.words().run(Durability.ASYNC, style, threads, nanos);
      aborts.add(subject.store().admin().stats().totalAborts() - before);
      outcomes.add(outcome);
      return outcome;
    }

    List<Double> engineNanos() {
      return counted(outcomes).stream()
          .map(
              outcome ->
                  Math.max(0, outcome.cpuNanos() - outcome.teamCpuNanos())
                      / (double) Math.max(1, outcome.operations()))
          .toList();
    }

    Figures figures(Way way, List<Double> perSecond) {
      List<ThreadTeam.Outcome> all = counted(outcomes);
      int processors = Runtime.getRuntime().availableProcessors();
      double transactions = all.stream().mapToLong(ThreadTeam.Outcome::operations).sum();
      return new Figures(
          way,
          perSecond,
          all.stream().map(ScalingStudy::cpuNanos).toList(),
          all.stream().map(outcome -> outcome.cpuShare(processors)).toList(),
          engineNanos(),
          counted(aborts).stream().mapToLong(Long::longValue).sum() / Math.max(1, transactions));
    }
  }

  @Override
  public void close() throws IOException {
    open.close();
  }
}
