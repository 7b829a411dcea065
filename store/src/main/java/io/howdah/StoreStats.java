package io.howdah;

import io.howdah.log.report.LogStall;
import io.howdah.txn.AbortCause;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Counters;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a store has done since it was opened, and its state. The values are read one after the other
 * while transactions run, so they are consistent with each other only roughly. Immutable.
 */
public final class StoreStats {

  /** The values, in the order in which they are printed. */
  record Values(
      long commits,
      long readOnlyCommits,
      Map<AbortCause, Long> aborts,
      long irrevocableTransactions,
      int irrevocableRunning,
      long snapshotExtensions,
      long voids,
      long multipartCommits,
      long dependentCommits,
      long retries,
      long reclaimedEntries,
      int subscriptions,
      long endedSubscriptions,
      long subscriptionLag,
      long lsn,
      long stableLsn,
      Duration oldestUnstable,
      long forces,
      Optional<LogStall> stall,
      long maxBlockBytes,
      long allocatedBytes,
      long capacityBytes,
      long memoryBytes,
      long memoryLimitBytes) {

    Values {
      aborts = Map.copyOf(aborts);
    }
  }

  private final Values values;

  StoreStats(Values values) {
    this.values = values;
  }

  /**
   * Returns the number of transactions that wrote and committed, those in which maps and sets grow
   * included.
   */
  public long commits() {
    return values.commits;
  }

  /** Returns the number of transactions that ended well without having written. */
  public long readOnlyCommits() {
    return values.readOnlyCommits;
  }

  /**
   * Returns the number of attempts that did not commit, by cause. All causes are present. An
   * attempt that waits in {@link Tx#retry} counts in {@link #retries}, and here if an exception
   * ends the wait.
   */
  public Map<AbortCause, Long> aborts() {
    return values.aborts;
  }

  /**
   * Returns the number of times that a transaction ran while no other committed, because its
   * options say so or after too many conflicts. One that runs inside another such one shares its
   * turn and is not counted.
   */
  public long irrevocableTransactions() {
    return values.irrevocableTransactions;
  }

  /** Returns 1 while an irrevocable transaction runs, otherwise 0. */
  public int irrevocableRunning() {
    return values.irrevocableRunning;
  }

  /** Returns how often a read moved its transaction's snapshot to the newest state. */
  public long snapshotExtensions() {
    return values.snapshotExtensions;
  }

  /** Returns the number of LSNs that failed validations have used up. */
  public long voids() {
    return values.voids;
  }

  /** Returns the number of commits that were too large for one redo record. */
  public long multipartCommits() {
    return values.multipartCommits;
  }

  /**
   * Returns the number of commits that read or overwrote what a commit of another partition had
   * written and no force had covered yet. Ownership records are shared, so some of them only seem
   * to have done so.
   */
  public long dependentCommits() {
    return values.dependentCommits;
  }

  /** Returns how often {@link Tx#retry} made a transaction wait. */
  public long retries() {
    return values.retries;
  }

  /**
   * Returns how many expired entries of maps were reclaimed, in the background or by {@link
   * io.howdah.collections.EntryExpiry#reclaim}.
   */
  public long reclaimedEntries() {
    return values.reclaimedEntries;
  }

  /** Returns how many subscriptions to changes there are. */
  public int subscriptions() {
    return values.subscriptions;
  }

  /**
   * Returns how many subscriptions have ended by themselves, for the reasons that {@link
   * io.howdah.collections.changes.Changes#subscribe} lists. Those that the program closed do not
   * count.
   */
  public long endedSubscriptions() {
    return values.endedSubscriptions;
  }

  /**
   * Returns how many changes are committed that the slowest subscription has not taken; 0 without a
   * subscription.
   */
  public long subscriptionLag() {
    return values.subscriptionLag;
  }

  /** Returns the newest LSN taken. */
  public long lsn() {
    return values.lsn;
  }

  /** Returns the newest LSN that survives a power cut, with all before it. */
  public long stableLsn() {
    return values.stableLsn;
  }

  /**
   * Returns for how long at least the oldest commit has waited to survive a power cut; zero if all
   * commits do, or if it has waited for less than a quarter of a second. Reading it forces nothing,
   * so it tells a health check whether the disk follows.
   */
  public Duration oldestUnstable() {
    return values.oldestUnstable;
  }

  /**
   * Returns how often commits were forced to the disk, any number of them at a time; 0 in memory.
   */
  public long forces() {
    return values.forces;
  }

  /**
   * Returns why nothing becomes durable although commits wait for it, once that has lasted five
   * seconds; empty if all is well.
   */
  public Optional<LogStall> stall() {
    return values.stall;
  }

  /** Returns the length of the largest block that {@link Tx#allocate} gives. */
  public long maxBlockBytes() {
    return values.maxBlockBytes;
  }

  /** Returns the largest address up to which blocks were ever allocated, in bytes. */
  public long allocatedBytes() {
    return values.allocatedBytes;
  }

  /**
   * Returns the region's length: {@link StoreOptions#maxSize()}, or less if this opening could not
   * map as much.
   */
  public long capacityBytes() {
    return values.capacityBytes;
  }

  /**
   * Returns how many bytes of memory the process has that the kernel cannot take back: the part of
   * the Java heap that was used, and every page of its stores that was written since they were
   * opened. 0 if the operating system does not tell.
   */
  public long memoryBytes() {
    return values.memoryBytes;
  }

  /** Returns the memory of the machine in bytes, or the limit of the container if that is lower. */
  public long memoryLimitBytes() {
    return values.memoryLimitBytes;
  }

  /**
   * Returns the statistics that a store told by its figures.
   *
   * @throws IllegalArgumentException if a figure is missing
   */
  static StoreStats of(Map<String, Long> figures) {
    Map<AbortCause, Long> aborts = new EnumMap<>(AbortCause.class);
    for (AbortCause cause : AbortCause.values()) {
      aborts.put(cause, figure(figures, StoreFigure.aborts(cause)));
    }
    return new StoreStats(
        new Values(
            figure(figures, "commits"),
            figure(figures, "readOnlyCommits"),
            aborts,
            figure(figures, "irrevocableTransactions"),
            Math.toIntExact(figure(figures, "irrevocableRunning")),
            figure(figures, "snapshotExtensions"),
            figure(figures, "voids"),
            figure(figures, "multipartCommits"),
            figure(figures, "dependentCommits"),
            figure(figures, "retries"),
            figure(figures, "reclaimedEntries"),
            Math.toIntExact(figure(figures, "subscriptions")),
            figure(figures, "endedSubscriptions"),
            figure(figures, "subscriptionLag"),
            figure(figures, "lsn"),
            figure(figures, "stableLsn"),
            Duration.ofMillis(figure(figures, "oldestUnstableMillis")),
            figure(figures, "forces"),
            stall(figures),
            figure(figures, "maxBlockBytes"),
            figure(figures, "allocatedBytes"),
            figure(figures, "capacityBytes"),
            figure(figures, "memoryBytes"),
            figure(figures, "memoryLimitBytes")));
  }

  private static Optional<LogStall> stall(Map<String, Long> figures) {
    long code = figure(figures, "stallCode");
    LogStall.Reason[] reasons = LogStall.Reason.values();
    if (code == 0) {
      return Optional.empty();
    }
    if (code < 0 || code > reasons.length) {
      throw new IllegalArgumentException("a stall has no reason " + code);
    }
    long partition = figure(figures, "stallPartition");
    return Optional.of(
        new LogStall(
            Instant.ofEpochMilli(figure(figures, "stalledSinceMillis")),
            reasons[(int) code - 1],
            partition < 0 ? OptionalInt.empty() : OptionalInt.of(Math.toIntExact(partition)),
            figure(figures, "stableLsn"),
            figure(figures, "lsn")));
  }

  private static long figure(Map<String, Long> figures, String name) {
    Long value = figures.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the figure " + name + " is missing");
    }
    return value;
  }

  static Map<AbortCause, Long> aborts(long[] counters) {
    Map<AbortCause, Long> aborts = new EnumMap<>(AbortCause.class);
    for (AbortCause cause : AbortCause.values()) {
      aborts.put(cause, counters[Counters.of(cause)]);
    }
    return aborts;
  }

  /** Returns the number of attempts that did not commit, whatever the cause. */
  public long totalAborts() {
    return values.aborts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "StoreStats");
  }
}
