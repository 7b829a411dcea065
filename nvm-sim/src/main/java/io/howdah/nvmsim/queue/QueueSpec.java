package io.howdah.nvmsim.queue;

import java.util.EnumSet;
import java.util.Set;

/**
 * A persistent queue: its design, its annotations and its size.
 *
 * @param name as reports print it
 * @param design which of the two algorithms
 * @param barriers where persist barriers stand
 * @param entryLength bytes of an entry, {@value #MIN_ENTRY_LENGTH} to {@value #MAX_ENTRY_LENGTH}
 * @param capacity records the data segment holds, 1 to {@value #MAX_CAPACITY}
 * @param checked whether an insert waits for room. Unchecked, as in the paper's measurement, an
 *     insert overwrites the oldest record: good for measuring, but what a failure leaves is
 *     recoverable only while no slot was used twice
 */
public record QueueSpec(
    String name,
    Design design,
    Set<BarrierPoint> barriers,
    int entryLength,
    int capacity,
    boolean checked) {
  /** The paper's experiments insert entries of this many bytes. */
  public static final int PAPER_ENTRY_LENGTH = 100;

  /** An entry carries its thread and operation, for recovery checks. */
  public static final int MIN_ENTRY_LENGTH = 12;

  public static final int MAX_ENTRY_LENGTH = 4092;
  public static final int MAX_CAPACITY = 1 << 24;

  private static final int DEFAULT_CAPACITY = 256;
  private static final int LINE = 64;

  /** The two algorithms. */
  public enum Design {
    COPY_WHILE_LOCKED,
    TWO_LOCK_CONCURRENT
  }

  public QueueSpec {
    if (entryLength < MIN_ENTRY_LENGTH || entryLength > MAX_ENTRY_LENGTH) {
      throw new IllegalArgumentException(
          "entryLength must be "
              + MIN_ENTRY_LENGTH
              + " to "
              + MAX_ENTRY_LENGTH
              + ": "
              + entryLength);
    }
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException("capacity must be 1 to " + MAX_CAPACITY + ": " + capacity);
    }
    barriers = Set.copyOf(barriers);
  }

  /** Copy While Locked with every barrier of the listing: no persist-epoch races. */
  public static QueueSpec cwl() {
    return of(
        "CWL",
        Design.COPY_WHILE_LOCKED,
        EnumSet.of(
            BarrierPoint.BEFORE_LOCK,
            BarrierPoint.AFTER_LOCK,
            BarrierPoint.BEFORE_HEAD,
            BarrierPoint.BEFORE_UNLOCK,
            BarrierPoint.AFTER_UNLOCK,
            BarrierPoint.AROUND_TAIL));
  }

  /** Copy While Locked without the two barriers inside the lock: epochs race on purpose. */
  public static QueueSpec cwlRacing() {
    return of("CWL", Design.COPY_WHILE_LOCKED, cwl().barriers)
        .without(BarrierPoint.AFTER_LOCK)
        .without(BarrierPoint.BEFORE_UNLOCK);
  }

  /** Two-Lock Concurrent exactly as listed. */
  public static QueueSpec twoLockListed() {
    return of(
        "2LC-listed",
        Design.TWO_LOCK_CONCURRENT,
        EnumSet.of(BarrierPoint.BEFORE_HEAD, BarrierPoint.AROUND_TAIL));
  }

  /** Two-Lock Concurrent with the barrier the paper's figures imply. */
  public static QueueSpec twoLockPaper() {
    return of("2LC-paper", Design.TWO_LOCK_CONCURRENT, twoLockListed().barriers)
        .with(BarrierPoint.AFTER_HEAD);
  }

  /** Two-Lock Concurrent with barriers round every lock operation. */
  public static QueueSpec twoLockFenced() {
    return of("2LC-fenced", Design.TWO_LOCK_CONCURRENT, twoLockListed().barriers)
        .with(BarrierPoint.BEFORE_LOCK)
        .with(BarrierPoint.AFTER_LOCK)
        .with(BarrierPoint.BEFORE_UNLOCK)
        .with(BarrierPoint.AFTER_UNLOCK);
  }

  /**
   * Two-Lock Concurrent as listed, and one more barrier after the copy: the least that orders a
   * record before a head that another thread persists for it.
   */
  public static QueueSpec twoLockRepaired() {
    return of("2LC-repaired", Design.TWO_LOCK_CONCURRENT, twoLockListed().barriers)
        .with(BarrierPoint.AFTER_COPY);
  }

  private static QueueSpec of(String name, Design design, Set<BarrierPoint> barriers) {
    return new QueueSpec(name, design, barriers, PAPER_ENTRY_LENGTH, DEFAULT_CAPACITY, false);
  }

  public boolean has(BarrierPoint point) {
    return barriers.contains(point);
  }

  public QueueSpec with(BarrierPoint point) {
    EnumSet<BarrierPoint> more = EnumSet.of(point);
    more.addAll(barriers);
    return new QueueSpec(name, design, more, entryLength, capacity, checked);
  }

  public QueueSpec without(BarrierPoint point) {
    EnumSet<BarrierPoint> fewer = EnumSet.noneOf(BarrierPoint.class);
    fewer.addAll(barriers);
    fewer.remove(point);
    return new QueueSpec(name, design, fewer, entryLength, capacity, checked);
  }

  public QueueSpec withCapacity(int records) {
    return new QueueSpec(name, design, barriers, entryLength, records, checked);
  }

  public QueueSpec withEntryLength(int bytes) {
    return new QueueSpec(name, design, barriers, bytes, capacity, checked);
  }

  /** The queue that waits for room, with {@link PersistentQueue#remove} to make some. */
  public QueueSpec withRoomChecked() {
    return new QueueSpec(name, design, barriers, entryLength, capacity, true);
  }

  /** Words of a record: a 4-byte length and the entry. */
  public int recordWords() {
    return (Integer.BYTES + entryLength + Long.BYTES - 1) / Long.BYTES;
  }

  /** Bytes from record to record: records start on a cache line. */
  public int slotLength() {
    return (recordWords() * Long.BYTES + LINE - 1) / LINE * LINE;
  }
}
