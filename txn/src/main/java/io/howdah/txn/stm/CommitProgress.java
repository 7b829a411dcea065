package io.howdah.txn.stm;

import io.howdah.log.commit.Lane;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How far an attempt's commit has come. It is kept in the attempt, not on the stack, so that a
 * frame above the commit's frame, which has more stack left, can repair a commit after an error.
 *
 * <p>The committing thread writes it. {@link LaneWatch} reads it from other threads.
 */
final class CommitProgress {

  /** No commit is under way: no lane is leased, no orec locked. */
  static final int NONE = 0;

  /** A lane is being leased; it may be leased already. */
  static final int LEASING = 1;

  /** The lane is leased, and orecs are being locked or are locked. No LSN is taken. */
  static final int LOCKING = 2;

  /** The LSN is being taken. After an error it is unknown whether it was taken. */
  static final int TAKING = 3;

  /** The LSN is taken, and the record not published. */
  static final int TAKEN = 4;

  /** A VOID record is published in place of the commit's. */
  static final int VOIDED = 5;

  /** The record is published: the commit has happened, and its words are being stored. */
  static final int PUBLISHED = 6;

  /** The commit broke off where it cannot be repaired, and has stopped the store. */
  static final int STOPPED = 7;

  private static final String[] NAMES = {
    "no commit",
    "leasing the lane",
    "locking orecs",
    "taking the LSN",
    "validating and writing the record",
    "giving up after a VOID record",
    "storing the words",
    "stopping the store"
  };

  /** Id of the attempt, by which it leases lanes. */
  final int attemptId;

  int stage;

  /** The LSN taken, packed. */
  long lsn;

  /** Where the lane's records ended before the commit's own. */
  long position;

  /** Whether the attempt has committed. An exception after that is not a failure of the commit. */
  boolean isCommitted;

  /** Number of commits that have begun, by which {@link LaneWatch} tells them apart. */
  long begun;

  /** The failure of a commit that could not be repaired; made early, so that it needs no memory. */
  final BrokenOffException brokenOff = new BrokenOffException(this);

  CommitProgress(int attemptId) {
    this.attemptId = attemptId;
  }

  /** A commit begins. */
  void begin() {
    begun++;
    stage = LEASING;
  }

  /** The commit has ended, with its lane returned. */
  void end() {
    // The return of the lane was a release store. A thread that sees this store sees that one, too.
    VarHandle.releaseFence();
    stage = NONE;
  }

  static String name(int stage) {
    return NAMES[stage];
  }

  /** Names lane, partition and stage. */
  String describe(@Nullable Lane lane) {
    String where =
        lane == null ? "" : "lane " + lane.index() + " of partition " + lane.partition() + ", ";
    return where + "stage: " + name(stage);
  }

  /**
   * Why a store stopped: the thread of a commit had too little stack or memory to finish the commit
   * or to undo it. Each attempt has one from the start, so that the thread only needs to set
   * fields, which cannot fail.
   */
  static final class BrokenOffException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient CommitProgress progress;

    /** What was thrown into the commit; null until then. */
    @Nullable Throwable thrown;

    BrokenOffException(CommitProgress progress) {
      super(null, null, true, false);
      this.progress = progress;
    }

    @Override
    public String getMessage() {
      return "a commit broke off and its thread could not repair it (attempt "
          + progress.attemptId
          + ", "
          + progress.describe(null)
          + "): "
          + thrown;
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
      return thrown;
    }
  }
}
