package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.StoreStats;
import io.howdah.core.Backing;
import io.howdah.jmh.workload.RawDisk;
import io.howdah.jmh.workload.Rounds;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.store.research.CheckpointScheme;
import io.howdah.store.research.Research;
import io.howdah.txn.Durability;
import io.howdah.txn.PartitionCommits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    /** The dependencies that make partition commit safe. */
    DEPENDENCIES("dependencies of partition commits"),
    /** One force for all partitions, or one for each. */
    SHARED_FORCE("one force for all partitions"),
    /** How long a record waits for a force that nobody asked for. */
    GROUP_COMMIT_TIMER("timer of the group commit"),
    /** Pages of the image, or memory without a file. */
    BACKING("backing of the region");

    private final String text;

    Ablation(String text) {
      this.text = text;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  private record Variant(
      String name,
      UnaryOperator<StoreOptions> options,
      Durability durability,
      SixWords.Style style,
      int threads) {}

  /**
   * What a variant scored; each list has an entry for each round.
   *
   * @param overDefault its rate over the default's
   * @param cpuOverDefault processor time of its committing threads for a transaction, over the
   *     default's
   * @param dependentShare of the commits, those that seemed to depend on another partition's
   *     unforced ones, over all rounds
   */
  public record Figures(
      String variant,
      List<Double> perSecond,
      List<Double> overDefault,
      List<Double> cpuOverDefault,
      double dependentShare) {}

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

  private List<Variant> variants(Ablation ablation) {
    UnaryOperator<StoreOptions> same = options -> options;
    Research none = Research.none();
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
              async(
                  "not marked, no checkpoints",
                  o -> o.withResearch(none.withCheckpoints(CheckpointScheme.NONE))));
      case DEPENDENCIES ->
          List.of(
              waiting("checked", Durability.PARTITION, same),
              waiting(
                  "unchecked, as published",
                  Durability.PARTITION,
                  o -> o.withResearch(none.withPartitionCommits(PartitionCommits.UNCHECKED))));
      case SHARED_FORCE ->
          List.of(
              waiting("shared", Durability.SYNC, same),
              waiting(
                  "one for each partition",
                  Durability.SYNC,
                  o ->
                      o.withResearch(
                          new Research(CheckpointScheme.DUAL, PartitionCommits.CHECKED, true))));
      case GROUP_COMMIT_TIMER ->
          List.of(
              waiting("1 ms", Durability.SYNC, same),
              waiting(
                  "10 ms", Durability.SYNC, o -> o.withGroupCommitInterval(Duration.ofMillis(10))));
      case BACKING ->
          List.of(
              async("mapped image", same), async("resident", o -> o.withBacking(Backing.RESIDENT)));
    };
  }

  /**
   * What one decision scored.
   *
   * @param forcesPerSecond of small raw writes, by round: the baseline
   * @param figures of the default first, then of the others
   */
  public record Result(List<Double> forcesPerSecond, List<Figures> figures) {}

  /** Measures one decision. */
  public Result measure(Ablation ablation, StudyProgress progress) throws Exception {
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
        Store store = open.add(Store.open(own, variant.options().apply(options)));
        Notes noted = new Notes(variant, store, SixWords.fill(store, heapBytes));
        notes.add(noted);
        rounds.add(variant.name(), () -> noted.round(effort.roundNanos()));
      }
      Rounds.Samples samples =
          rounds.mirrored().run(WARM_UPS, effort.rounds(), progress.rounds(ablation.text()));
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
                          own.dependentShare()))
              .toList();
      return new Result(samples.of(FORCE), figures);
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
