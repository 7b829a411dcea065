package io.howdah;

import io.howdah.checkpoint.report.MemoryOrigin;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.log.report.LogStall;
import io.howdah.txn.AbortCause;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A number that an open store tells of itself. {@link #all} is the one table of them: the admin
 * socket with {@code howdah stat}, the JMX bean, the meters of Micrometer and the metrics of the
 * server are made from it. Immutable.
 */
public final class StoreFigure {

  /** How a figure changes. */
  public enum Kind {
    /** Only grows while a store is open. Begins with 0 at each opening. */
    COUNTER,

    /** Goes up and down. */
    GAUGE,

    /** 1 for true, 0 for false. */
    FLAG
  }

  /** What a figure counts in. */
  public enum Unit {
    /** A count. */
    NONE,

    /** Bytes. */
    BYTES,

    /** Milliseconds. */
    MILLISECONDS
  }

  /**
   * The name of a figure among meters.
   *
   * @param name its parts are separated by points
   * @param key of the tag that separates meters of the same name; empty for no tag
   * @param value of this tag
   */
  public record Meter(String name, String key, String value) {}

  /** What a store has to read for a figure. */
  private enum Source {
    /** Counters in memory. */
    STATS,

    /** Counters in memory, which only a store that takes checkpoints has. */
    CHECKPOINTS,

    /** The pages that describe the space: a read-only transaction. */
    SPACE,

    /** The system's list of the process's mappings. */
    MAPPINGS
  }

  private static final List<StoreFigure> ALL = table();

  private final String name;
  private final Kind kind;
  private final Unit unit;
  private final Source source;
  private final @Nullable Meter meter;
  private final String help;
  private final ToLongFunction<Reading> getter;

  private StoreFigure(
      String name,
      Kind kind,
      Unit unit,
      Source source,
      @Nullable Meter meter,
      String help,
      ToLongFunction<Reading> getter) {
    this.name = name;
    this.kind = kind;
    this.unit = unit;
    this.source = source;
    this.meter = meter;
    this.help = help;
    this.getter = getter;
  }

  /** Adds rows of one source to a table. */
  private record Rows(List<StoreFigure> table, Source source) {

    void counter(String name, String meter, String help, ToLongFunction<Reading> getter) {
      add(name, Kind.COUNTER, Unit.NONE, meter(meter, "", ""), help, getter);
    }

    void gauge(String name, String meter, String help, ToLongFunction<Reading> getter) {
      add(name, Kind.GAUGE, Unit.NONE, meter(meter, "", ""), help, getter);
    }

    void bytes(String name, String meter, String help, ToLongFunction<Reading> getter) {
      add(name, Kind.GAUGE, Unit.BYTES, meter(meter, "", ""), help, getter);
    }

    void millis(String name, String meter, String help, ToLongFunction<Reading> getter) {
      add(name, Kind.GAUGE, Unit.MILLISECONDS, meter(meter, "", ""), help, getter);
    }

    void flag(String name, String meter, String help, ToLongFunction<Reading> getter) {
      add(name, Kind.FLAG, Unit.NONE, meter(meter, "", ""), help, getter);
    }

    void add(
        String name,
        Kind kind,
        Unit unit,
        @Nullable Meter meter,
        String help,
        ToLongFunction<Reading> getter) {
      table.add(new StoreFigure(name, kind, unit, source, meter, help, getter));
    }

    static @Nullable Meter meter(String name, String key, String value) {
      return name.isEmpty() ? null : new Meter("howdah." + name, key, value);
    }
  }

  private static List<StoreFigure> table() {
    List<StoreFigure> table = new ArrayList<>();
    ofCommits(new Rows(table, Source.STATS));
    ofMemory(new Rows(table, Source.STATS));
    ofCheckpoints(new Rows(table, Source.CHECKPOINTS));
    ofSpace(new Rows(table, Source.SPACE));
    ofMappings(new Rows(table, Source.MAPPINGS));
    return List.copyOf(table);
  }

  private static void ofCommits(Rows rows) {
    rows.add(
        "commits",
        Kind.COUNTER,
        Unit.NONE,
        Rows.meter("commits", "type", "write"),
        "transactions that wrote and committed",
        reading -> reading.stats().commits());
    rows.add(
        "readOnlyCommits",
        Kind.COUNTER,
        Unit.NONE,
        Rows.meter("commits", "type", "read"),
        "transactions that ended without an error and wrote nothing",
        reading -> reading.stats().readOnlyCommits());
    rows.counter(
        "aborts",
        "",
        "attempts that did not commit, of all causes",
        reading -> reading.stats().totalAborts());
    for (AbortCause cause : AbortCause.values()) {
      String word = cause.name().toLowerCase(Locale.ROOT);
      rows.add(
          aborts(cause),
          Kind.COUNTER,
          Unit.NONE,
          Rows.meter("aborts", "cause", word),
          "attempts that did not commit because of `AbortCause." + cause + "`",
          reading -> reading.stats().aborts().getOrDefault(cause, 0L));
    }
    rows.counter(
        "irrevocableTransactions",
        "irrevocable",
        "transactions that ran while no other committed",
        reading -> reading.stats().irrevocableTransactions());
    rows.flag(
        "irrevocableRunning",
        "irrevocable.running",
        "whether such a transaction runs",
        reading -> reading.stats().irrevocableRunning());
    rows.counter(
        "snapshotExtensions",
        "snapshot.extensions",
        "reads that moved a snapshot to the newest state",
        reading -> reading.stats().snapshotExtensions());
    rows.counter(
        "voids",
        "voids",
        "LSNs that failed validations have used up",
        reading -> reading.stats().voids());
    rows.counter(
        "multipartCommits",
        "commits.multipart",
        "commits that were too large for one redo record",
        reading -> reading.stats().multipartCommits());
    rows.counter(
        "dependentCommits",
        "commits.dependent",
        "commits that depended on an unforced commit of another partition",
        reading -> reading.stats().dependentCommits());
    rows.counter(
        "retries",
        "retries",
        "waits of transactions in `Tx.retry`",
        reading -> reading.stats().retries());
    rows.gauge("lsn", "lsn", "the newest LSN taken", reading -> reading.stats().lsn());
    rows.gauge(
        "stableLsn",
        "lsn.stable",
        "the newest LSN that survives a power cut, with all before it",
        reading -> reading.stats().stableLsn());
    rows.gauge(
        "unstableCommits",
        "commits.unstable",
        "commits that a power cut would undo",
        reading -> reading.stats().lsn() - reading.stats().stableLsn());
    rows.millis(
        "oldestUnstableMillis",
        "commits.unstable.age",
        "for how long at least the oldest of these has waited; 0 below a quarter of a second",
        reading -> reading.stats().oldestUnstable().toMillis());
    rows.counter("forces", "forces", "forces of the log", reading -> reading.stats().forces());
    rows.counter(
        "reclaimedEntries",
        "entries.reclaimed",
        "expired entries of maps that were removed",
        reading -> reading.stats().reclaimedEntries());
    rows.gauge(
        "subscriptions",
        "subscriptions",
        "subscriptions to changes",
        reading -> reading.stats().subscriptions());
    rows.counter(
        "endedSubscriptions",
        "subscriptions.ended",
        "subscriptions that ended by themselves: overtaken, or their map was dropped",
        reading -> reading.stats().endedSubscriptions());
    rows.gauge(
        "subscriptionLag",
        "subscriptions.lag",
        "committed changes that the slowest subscription has not taken",
        reading -> reading.stats().subscriptionLag());
    rows.flag(
        "stalled",
        "stalled",
        "whether nothing has become durable for five seconds although commits wait",
        reading -> reading.stats().stall().isPresent() ? 1 : 0);
    rows.millis(
        "stalledSinceMillis",
        "",
        "since when nothing becomes durable, since 1970; 0 if `stalled` is 0",
        reading -> reading.stats().stall().map(stall -> stall.since().toEpochMilli()).orElse(0L));
    rows.gauge(
        "stallCode",
        "",
        "the number of the `LogStall.Reason`, from 1; 0 if `stalled` is 0",
        reading -> stallCode(reading.stats()));
    rows.gauge(
        "stallPartition",
        "",
        "the partition that keeps the others back; -1 if none does",
        reading -> reading.stats().stall().map(stall -> stall.partition().orElse(-1)).orElse(-1));
    rows.gauge(
        "replayWordsLeft",
        "replay.words.left",
        "words of the replayed log that are not in memory yet, as far as the log is read",
        reading -> reading.replay().wordsLeft());
    rows.flag(
        "replayDone",
        "replay.done",
        "whether all of the replayed log is read and in memory",
        reading -> reading.replay().isDone() ? 1 : 0);
  }

  /** Returns the name of the figure of an abort's cause. */
  static String aborts(AbortCause cause) {
    String word = cause.name().toLowerCase(Locale.ROOT);
    return "aborts" + cause.name().charAt(0) + word.substring(1);
  }

  private static long stallCode(StoreStats stats) {
    List<LogStall.Reason> reasons = List.of(LogStall.Reason.values());
    return stats.stall().map(stall -> reasons.indexOf(stall.reason()) + 1).orElse(0);
  }

  private static void ofMemory(Rows rows) {
    rows.bytes(
        "maxBlockBytes",
        "block.limit",
        "the largest block that a transaction can allocate",
        reading -> reading.stats().maxBlockBytes());
    rows.bytes(
        "allocatedBytes",
        "store.allocated",
        "the highest address up to which blocks were ever allocated",
        reading -> reading.stats().allocatedBytes());
    rows.bytes(
        "capacityBytes",
        "store.capacity",
        "the length that this opening has mapped, at most `maxSize`",
        reading -> reading.stats().capacityBytes());
    rows.bytes(
        "memoryBytes",
        "memory.used",
        "memory of the process that the system cannot take back; 0 if the system does not tell",
        reading -> reading.stats().memoryBytes());
    rows.bytes(
        "memoryLimitBytes",
        "memory.limit",
        "memory of the machine or container",
        reading -> reading.stats().memoryLimitBytes());
  }

  private static void ofCheckpoints(Rows rows) {
    rows.counter(
        "checkpoints",
        "checkpoints",
        "checkpoints taken",
        reading -> reading.checkpoints().taken());
    rows.flag(
        "checkpointRunning",
        "checkpoints.running",
        "whether a checkpoint is being taken",
        reading -> reading.checkpoints().running() ? 1 : 0);
    rows.gauge(
        "checkpointFailed",
        "checkpoints.failing",
        "attempts at a checkpoint that failed in a row; 0 if the last one succeeded",
        reading -> reading.checkpoints().failedAttempts());
    rows.bytes(
        "replayBytes",
        "replay.size",
        "log that an opening would read after a crash now",
        reading -> reading.checkpoints().replayBytes());
    rows.millis(
        "expectedRecoveryMillis",
        "recovery.expected",
        "how long an opening after a crash would take now",
        reading -> reading.checkpoints().expectedRecovery().toMillis());
    rows.bytes(
        "logBytes",
        "log.size",
        "segments of the log that this opening would need",
        reading -> reading.checkpoints().logBytes());
    rows.bytes(
        "maxLogBytes",
        "log.limit",
        "length of the log from which on commits wait",
        reading -> reading.checkpoints().maxLogBytes());
    rows.flag(
        "commitsBlocked",
        "commits.blocked",
        "whether commits wait because the log has that length",
        reading -> reading.checkpoints().commitsBlocked() ? 1 : 0);
    rows.counter(
        "logHolds",
        "log.holds",
        "how often the log has reached that length",
        reading -> reading.checkpoints().holds());
    rows.flag(
        "memoryOutlives",
        "memory.outlives",
        "whether the memory of the store outlives the process",
        reading ->
            reading.admin.recoveryReport().memory() instanceof MemoryOrigin.Unshared ? 0 : 1);
    rows.flag(
        "memoryAttached",
        "memory.attached",
        "whether this opening has used the memory of the process before",
        reading -> reading.admin.isWarmRestart() ? 1 : 0);
    rows.flag(
        "archiveRestorable",
        "archive.restorable",
        "whether the store can be restored as of `archiveLsn`; 0 without an archive",
        reading -> reading.archive().filter(ArchiveStatus::restorable).isPresent() ? 1 : 0);
    rows.gauge(
        "archiveLsn",
        "archive.lsn",
        "the newest LSN that the archive has, with all before it; 0 without an archive",
        reading -> reading.archive().map(ArchiveStatus::lsn).orElse(0L));
    rows.gauge(
        "archiveLag",
        "archive.lag",
        "durable commits that the archive does not have; 0 without an archive",
        reading ->
            reading
                .archive()
                .map(status -> Math.max(0, reading.stats().stableLsn() - status.lsn()))
                .orElse(0L));
    rows.gauge(
        "archiveFailed",
        "archive.failing",
        "attempts to write the archive that failed in a row",
        reading -> reading.archive().map(ArchiveStatus::failedAttempts).orElse(0L));
    rows.counter(
        "archiveGaps",
        "archive.gaps",
        "how often the archive has lost track of the log and begun again",
        reading -> reading.archive().map(ArchiveStatus::gaps).orElse(0L));
  }

  private static void ofSpace(Rows rows) {
    rows.bytes(
        "usedBytes", "", "all blocks in use together", reading -> reading.space().usedBytes());
    rows.bytes(
        "freeBytes",
        "",
        "space between them, which new blocks take before the store grows",
        reading -> reading.space().freeBytes());
    rows.bytes(
        "reclaimableBytes",
        "",
        "the part of `freeBytes` that `howdah compact` frees",
        reading -> reading.space().reclaimableBytes());
  }

  private static void ofMappings(Rows rows) {
    rows.bytes(
        "largePageBytes",
        "",
        "memory of the store in large pages, of 2 MiB on most processors; -1 if the system does not"
            + " tell",
        reading -> reading.admin.largePageBytes().orElse(-1));
  }

  /** Returns all figures in the order in which they are printed. Their names are distinct. */
  public static List<StoreFigure> all() {
    return ALL;
  }

  /**
   * Returns the figures that a store has: one in memory, or opened for reading only, takes no
   * checkpoints.
   */
  public static List<StoreFigure> of(StoreAdmin admin) {
    boolean hasCheckpoints = hasCheckpoints(admin);
    return ALL.stream()
        .filter(figure -> hasCheckpoints || figure.source != Source.CHECKPOINTS)
        .toList();
  }

  private static boolean hasCheckpoints(StoreAdmin admin) {
    try {
      CheckpointStats _ = admin.checkpointStats();
      return true;
    } catch (IllegalStateException | ReadOnlyStoreException e) {
      return false;
    }
  }

  /**
   * Reads figures together: each part of the store is read once, however many figures are of it.
   *
   * @return the values in the order of the figures
   * @throws io.howdah.core.StoreClosedException if the store is closed
   */
  public static SequencedMap<StoreFigure, Long> read(
      Collection<StoreFigure> figures, StoreAdmin admin) {
    Reading reading = new Reading(admin);
    SequencedMap<StoreFigure, Long> values = new LinkedHashMap<>();
    for (StoreFigure figure : figures) {
      values.put(figure, figure.getter.applyAsLong(reading));
    }
    return values;
  }

  /** Returns the name, in camel case: a line of {@code howdah stat}. */
  public String name() {
    return name;
  }

  /** Returns how it changes. */
  public Kind kind() {
    return kind;
  }

  /** Returns what it counts in. */
  public Unit unit() {
    return unit;
  }

  /** Returns its name among meters; empty if it is none, or the sum of others. */
  public Optional<Meter> meter() {
    return Optional.ofNullable(meter);
  }

  /** Returns what it says, in a line without a full stop. */
  public String help() {
    return help;
  }

  /**
   * Returns whether reading it takes microseconds, so that it may be read every second. The others
   * read a part of the store in a transaction, or a list of the system.
   */
  public boolean isCheap() {
    return source != Source.SPACE && source != Source.MAPPINGS;
  }

  /**
   * Reads it.
   *
   * @throws IllegalStateException if the store takes no checkpoints and this figure is of them
   * @throws io.howdah.core.StoreClosedException if the store is closed
   */
  public long read(StoreAdmin admin) {
    return getter.applyAsLong(new Reading(admin));
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }

  /** One reading of a store: asks each part of it once, when the first figure needs it. */
  private static final class Reading {

    private final StoreAdmin admin;
    private @Nullable StoreStats stats;
    private @Nullable ReplayStats replay;
    private @Nullable CheckpointStats checkpoints;
    private @Nullable StoreSpace space;
    private Optional<ArchiveStatus> archive = Optional.empty();
    private boolean isArchiveRead;

    Reading(StoreAdmin admin) {
      this.admin = admin;
    }

    StoreStats stats() {
      StoreStats read = stats == null ? admin.stats() : stats;
      stats = read;
      return read;
    }

    ReplayStats replay() {
      ReplayStats read = replay == null ? admin.replayStats() : replay;
      replay = read;
      return read;
    }

    CheckpointStats checkpoints() {
      CheckpointStats read = checkpoints == null ? admin.checkpointStats() : checkpoints;
      checkpoints = read;
      return read;
    }

    Optional<ArchiveStatus> archive() {
      if (!isArchiveRead) {
        archive = admin.archive();
        isArchiveRead = true;
      }
      return archive;
    }

    StoreSpace space() {
      StoreSpace read = space == null ? admin.space() : space;
      space = read;
      return read;
    }
  }
}
