package io.howdah.jmh.study;

import io.howdah.LaboratoryStore;
import io.howdah.Store;
import io.howdah.StoreAdmin;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.core.Backing;
import io.howdah.jmh.workload.NativeTl2;
import io.howdah.jmh.workload.NativeTl2.Decision;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.jmh.workload.YardstickUnavailableException;
import io.howdah.txn.Durability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * What single decisions of the engine gain: six random words in stores that differ in one option,
 * in turns. For one thread.
 */
public final class AblationStudy {

  private static final int WARM_UPS = 3;
  private static final String FORCE = "raw force";

  /** Threads that wait for their commits: more than processors, so that forces are shared. */
  private static final int WAITING_THREADS = 8;

  /** The stand-in where transactions meet: words and locks that 8 threads often share. */
  private static final long CONTENDED_BYTES = 1 << 16;

  private static final int CONTENDED_LOCK_BITS = 11;
  private static final int LOCK_BITS = 20;

  /** Of so many bytes of data the log that is replayed has a transaction. */
  private static final int REPLAYED_BYTES = 256;

  private final Path folder;
  private final long heapBytes;
  private final int threads;
  private final Effort effort;

  /** A decision, with the default first. */
  public enum Ablation {
    /** One lane and ring, or several. */
    PARTITIONS("log partitions"),
    /** The size of the table of ownership records. */
    ORECS("ownership records"),
    /** Loads before the locks, or each word by itself. */
    OVERLAP("overlapping cache misses"),
    /** The note of what checkpoints have to copy. */
    DIRTY_MARKS("marks of changed pages"),
    /** How long a record waits for a force that nobody asked for. */
    GROUP_COMMIT_TIMER("timer of the group commit"),
    /** The same while nobody waits. */
    FORCES_UNASKED("timer, while no thread waits"),
    /** Whether a thread that waits for its commit spins before it parks. */
    SPINNING("spinning before a park"),
    /** One thread for the recovery of a store, or one for each processor. */
    REPLAY("parallel replay, in transactions"),
    /** Pages of the image, or memory without a file. */
    BACKING("backing of the region"),
    /** Locks at the commit, or when a word is written; a stand-in. */
    LOCKING("time of locking, stand-in in C", Decision.ENCOUNTER_TIME_LOCKING),
    /** The same where transactions meet, by more threads than processors. */
    LOCKING_CONTENDED("the same, contended, stand-in in C", Decision.ENCOUNTER_TIME_LOCKING),
    /** One clock for all commits, or an epoch; a stand-in. */
    CLOCK("version clock, stand-in in C", Decision.EPOCH);

    private final String text;
    private final Decision standIn;

    Ablation(String text) {
      this(text, Decision.NONE);
    }

    Ablation(String text, Decision standIn) {
      this.text = text;
      this.standIn = standIn;
    }

    /**
     * Returns whether it is measured in {@link NativeTl2}, a memory of the same algorithm, since a
     * switch for it would be in the engine's hot paths.
     */
    public boolean isStandIn() {
      return standIn != Decision.NONE;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  private record Variant(
      String name,
      UnaryOperator<StoreOptions> options,
      BiFunction<Path, StoreOptions, Store> opening,
      Durability durability,
      SixWords.Style style,
      int threads) {

    Variant(
        String name,
        UnaryOperator<StoreOptions> options,
        Durability durability,
        SixWords.Style style,
        int threads) {
      this(name, options, Store::open, durability, style, threads);
    }
  }

  /**
   * What a variant scored; each list has an entry for each round.
   *
   * @param overDefault its rate over the default's
   * @param cpuOverDefault processor time of its committing threads for a transaction, over the
   *     default's; empty where no store commits
   * @param dependentShare of the commits, those that seemed to depend on another partition's
   *     unforced ones, over all rounds; empty where no store commits
   */
  public record Figures(
      String variant,
      List<Double> perSecond,
      List<Double> overDefault,
      List<Double> cpuOverDefault,
      OptionalDouble dependentShare) {}

  /**
   * Prepares the study.
   *
   * @param heapBytes of data in each store
   * @param threads that commit without waiting
   */
  public AblationStudy(Path folder, long heapBytes, int threads, Effort effort) {
    this.folder = folder;
    this.heapBytes = heapBytes;
    this.threads = threads;
    this.effort = effort;
  }

  private Variant async(String name, UnaryOperator<StoreOptions> options) {
    return new Variant(name, options, Durability.ASYNC, SixWords.Style.AT_ONCE, threads);
  }

  private static Variant waiting(
      String name, Durability durability, UnaryOperator<StoreOptions> options) {
    return new Variant(name, options, durability, SixWords.Style.AT_ONCE, WAITING_THREADS);
  }

  /** Returns options of a store that sees one processor, and has as many partitions as before. */
  private static StoreOptions onOneProcessor(StoreOptions options) {
    return options.withPartitions(options.partitions()).withExecution(new OneProcessor());
  }

  private List<Variant> variants(Ablation ablation) {
    UnaryOperator<StoreOptions> same = options -> options;
    return switch (ablation) {
      case PARTITIONS ->
          List.of(async("2 for each processor", same), async("1", o -> o.withPartitions(1)));
      case ORECS ->
          List.of(
              async("2^20", same),
              async("2^14", o -> o.withOrecs(1 << 14)),
              async("2^17", o -> o.withOrecs(1 << 17)),
              async("2^22", o -> o.withOrecs(1 << 22)));
      case OVERLAP ->
          List.of(
              async("all words at once", same),
              new Variant(
                  "word by word", same, Durability.ASYNC, SixWords.Style.WORD_BY_WORD, threads));
      case DIRTY_MARKS ->
          List.of(
              async("marked", same),
              new Variant(
                  "not marked, no checkpoints",
                  same,
                  LaboratoryStore::withoutMarks,
                  Durability.ASYNC,
                  SixWords.Style.AT_ONCE,
                  threads));
      case GROUP_COMMIT_TIMER ->
          List.of(
              waiting("1 ms", Durability.SYNC, same),
              waiting(
                  "10 ms", Durability.SYNC, o -> o.withGroupCommitInterval(Duration.ofMillis(10))));
      case FORCES_UNASKED ->
          List.of(
              async("1 ms", same),
              async("10 ms", o -> o.withGroupCommitInterval(Duration.ofMillis(10))),
              async("0.1 ms", o -> o.withGroupCommitInterval(Duration.ofNanos(100_000))));
      case SPINNING ->
          List.of(
              new Variant("spins, then parks", same, Durability.SYNC, SixWords.Style.AT_ONCE, 1),
              new Variant(
                  "parks",
                  AblationStudy::onOneProcessor,
                  Durability.SYNC,
                  SixWords.Style.AT_ONCE,
                  1));
      case REPLAY ->
          List.of(
              async("a thread for each processor", same),
              async("one thread", AblationStudy::onOneProcessor));
      case LOCKING, LOCKING_CONTENDED, CLOCK ->
          throw new IllegalArgumentException("no stores: " + ablation);
      case BACKING ->
          List.of(
              async("mapped image", same), async("resident", o -> o.withBacking(Backing.RESIDENT)));
    };
  }

  /**
   * What one decision scored.
   *
   * @param forcesPerSecond of small raw writes, by round: the baseline
   * @param figures of the default first, then of the others; empty if it could not be measured
   * @param unavailable why it could not be measured, or nothing
   */
  public record Result(List<Double> forcesPerSecond, List<Figures> figures, String unavailable) {}

  /** Measures one decision. */
  public Result measure(Ablation ablation, StudyProgress progress) throws Exception {
    if (ablation == Ablation.REPLAY) {
      return measureReplay(progress);
    }
    if (!ablation.isStandIn()) {
      return measureStores(ablation, progress);
    }
    try {
      return measureStandIn(ablation, progress);
    } catch (YardstickUnavailableException e) {
      return new Result(List.of(), List.of(), String.valueOf(e.getMessage()));
    }
  }

  /** Opens one store with the same log again and again, which no checkpoint takes away. */
  private Result measureReplay(StudyProgress progress) throws Exception {
    progress.begins("filling a log");
    Path folder = this.folder.resolve(Ablation.REPLAY.name());
    Path path = folder.resolve("store");
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapBytes));
    long transactions = heapBytes / REPLAYED_BYTES;
    try {
      Files.createDirectories(folder);
      try (Store store = Store.open(path, options)) {
        SixWords.fill(store, heapBytes);
      }
      try (Store store = LaboratoryStore.keepingItsLog(path, options)) {
        SixWords.Transactions words = SixWords.of(store).transactions();
        for (long i = 0; i < transactions; i++) {
          words.next(Durability.ASYNC);
        }
      }
      List<Variant> variants = variants(Ablation.REPLAY);
      List<String> names = variants.stream().map(Variant::name).toList();
      try (RawDisk disk = RawDisk.create(folder)) {
        Rounds rounds = new Rounds().add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()));
        for (Variant variant : variants) {
          StoreOptions own = variant.options().apply(options);
          rounds.add(variant.name(), () -> transactions * 1e9 / replayNanos(path, own));
        }
        Rounds.Samples samples =
            rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds("replay"));
        return new Result(samples.of(FORCE), withoutProcessorTime(names, samples), "");
      }
    } finally {
      Folders.delete(folder);
    }
  }

  private static long replayNanos(Path path, StoreOptions options) throws InterruptedException {
    long began = System.nanoTime();
    try (Store store = LaboratoryStore.keepingItsLog(path, options)) {
      while (!store.admin().replayStats().isDone()) {
        Thread.sleep(1);
      }
      long took = System.nanoTime() - began;
      StoreAdmin admin = store.admin();
      if (admin.recoveryReport().counts().words() + admin.replayStats().words() == 0) {
        throw new IllegalStateException("the store was opened without a log to replay");
      }
      return took;
    }
  }

  private static List<Figures> withoutProcessorTime(List<String> names, Rounds.Samples samples) {
    return names.stream()
        .map(
            name ->
                new Figures(
                    name,
                    samples.of(name),
                    samples.ratios(name, names.getFirst()),
                    List.of(),
                    OptionalDouble.empty()))
        .toList();
  }

  private Result measureStandIn(Ablation ablation, StudyProgress progress) throws Exception {
    progress.begins("building: " + ablation.text());
    boolean isContended = ablation == Ablation.LOCKING_CONTENDED;
    long bytes = isContended ? CONTENDED_BYTES : heapBytes;
    int lockBits = isContended ? CONTENDED_LOCK_BITS : LOCK_BITS;
    int team = isContended ? WAITING_THREADS : threads;
    Path programs = folder.resolve(ablation.name());
    try (OpenedResources open = new OpenedResources()) {
      Files.createDirectories(programs);
      RawDisk disk = open.add(RawDisk.create(programs));
      Rounds rounds = new Rounds().add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()));
      List<String> names =
          List.of(nameOf(Decision.NONE, ablation), nameOf(ablation.standIn, ablation));
      for (Decision decision : List.of(Decision.NONE, ablation.standIn)) {
        NativeTl2 memory = open.add(NativeTl2.start(programs, bytes, lockBits, false, decision));
        rounds.add(nameOf(decision, ablation), () -> memory.perSecond(team, effort.roundNanos()));
      }
      Rounds.Samples samples =
          rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds(ablation.text()));
      return new Result(samples.of(FORCE), withoutProcessorTime(names, samples), "");
    } finally {
      Folders.delete(programs);
    }
  }

  private static String nameOf(Decision decision, Ablation ablation) {
    return switch (decision) {
      case NONE -> ablation == Ablation.CLOCK ? "a clock" : "at the commit";
      case ENCOUNTER_TIME_LOCKING -> "at the write";
      case EPOCH -> "an epoch, as in Silo";
    };
  }

  private Result measureStores(Ablation ablation, StudyProgress progress) throws Exception {
    progress.begins("filling the stores: " + ablation.text());
    StoreOptions options = StoreOptions.defaults().withMaxSize(SixWords.maxSize(heapBytes));
    Path stores = folder.resolve(ablation.name());
    try (OpenedResources open = new OpenedResources()) {
      Files.createDirectories(stores);
      RawDisk disk = open.add(RawDisk.create(stores));
      Rounds rounds = new Rounds().add(FORCE, () -> disk.forcesPerSecond(effort.roundNanos()));
      List<Notes> notes = new ArrayList<>();
      for (Variant variant : variants(ablation)) {
        Path own = stores.resolve(Integer.toString(notes.size()));
        Store store = open.add(variant.opening().apply(own, variant.options().apply(options)));
        Notes noted = new Notes(variant, store, SixWords.fill(store, heapBytes));
        notes.add(noted);
        rounds.add(variant.name(), () -> noted.round(effort.roundNanos()));
      }
      Rounds.Samples samples =
          rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds(ablation.text()));
      notes.forEach(noted -> noted.words.verify());
      String first = notes.getFirst().variant.name();
      List<Figures> figures =
          notes.stream()
              .map(
                  own ->
                      new Figures(
                          own.variant.name(),
                          samples.of(own.variant.name()),
                          samples.ratios(own.variant.name(), first),
                          ratios(own.cpuNanos, notes.getFirst().cpuNanos),
                          OptionalDouble.of(own.dependentShare())))
              .toList();
      return new Result(samples.of(FORCE), figures, "");
    } finally {
      Folders.delete(stores); // the next ones need the room
    }
  }

  private static List<Double> ratios(List<Double> above, List<Double> below) {
    List<Double> ratios = new ArrayList<>();
    for (int i = WARM_UPS; i < above.size(); i++) {
      ratios.add(above.get(i) / below.get(i));
    }
    return List.copyOf(ratios);
  }

  /** What is noted of a variant, round by round, warm-ups included. */
  private static final class Notes {

    private final Variant variant;
    private final Store store;
    private final SixWords words;
    private final List<Double> cpuNanos = new ArrayList<>();
    private long commits;
    private long dependent;

    Notes(Variant variant, Store store, SixWords words) {
      this.variant = variant;
      this.store = store;
      this.words = words;
    }

    double round(long nanos) throws Exception {
      StoreStats before = store.admin().stats();
      ThreadTeam.Outcome outcome =
          words.run(variant.durability(), variant.style(), variant.threads(), nanos);
      StoreStats after = store.admin().stats();
      commits += after.commits() - before.commits();
      dependent += after.dependentCommits() - before.dependentCommits();
      // At least one nanosecond, since the system may count no time for a short round.
      cpuNanos.add(
          (double) Math.max(1, outcome.teamCpuNanos()) / Math.max(1, outcome.operations()));
      return outcome.perSecond();
    }

    double dependentShare() {
      return (double) dependent / Math.max(1, commits);
    }
  }
}
