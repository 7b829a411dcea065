package io.howdah.txn.stm;

import io.howdah.log.commit.Lane;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The stage of an attempt's commit. {@link Committer} sets it. After an error, {@link CommitRepair}
 * reads it to decide whether the commit can be undone. It belongs to the attempt, not to a stack
 * frame, so that a caller of the commit, which has more stack left, can make this repair.
 *
 * <p>The committing thread writes it. {@link LaneWatch} reads it from other threads.
 */
final class CommitProgress {

  /** No commit runs: no lane is leased, no orec is locked. */
  static final int NONE = 0;

  /** A lane is being leased. It may be leased already. */
  static final int LEASING = 1;

  /**
   * The lane is leased, and no LSN is taken. The commit writes parts and waits for ring space, if
   * it is large, locks orecs, or tries to acquire the append lock of a shared partition.
   */
  static final int LEASED = 2;

  /** The LSN is being taken. After an error it is unknown whether it was taken. */
  static final int TAKING_LSN = 3;

  /** The LSN is taken; the record is not published. */
  static final int LSN_TAKEN = 4;

  /** A VOID record is published instead of the commit's record. */
  static final int VOIDED = 5;

  /** The record is published: the commit has happened, and its words are being stored. */
  static final int PUBLISHED = 6;

  /** An error interrupted the commit, which could not be repaired, and the store has stopped. */
  static final int STOPPED = 7;

  private static final String[] NAMES = {
    "no commit",
    "leasing the lane",
    "writing parts, locking orecs or acquiring the append lock",
    "taking the LSN",
    "validating and writing the record",
    "aborting after a VOID record",
    "storing the words",
    "stopping the store"
  };

  /** Id of the attempt, which identifies it as the owner of a lane's lease. */
  final int attemptId;

  int stage;

  /** The LSN taken, packed. */
  long lsn;

  /**
   * The end of the partition's records before the commit's own record, as a position in the ring,
   * in bytes.
   */
  long position;

  /**
   * Whether the commit's orecs are released, so that other transactions see the commit as a whole.
   * What an error means depends on when it is thrown:
   *
   * <ul>
   *   <li>Before the release, the caller gets it as the failure of the commit. {@link CommitRepair}
   *       undoes the commit if it can, and otherwise stops the store. It cannot in stage {@link
   *       #TAKING_LSN}, and not from stage {@link #PUBLISHED} on: the commit has happened, and its
   *       words may be stored in part.
   *   <li>From the release until the lane is returned, the repair stops the store as well, since
   *       the stage is still {@link #PUBLISHED}, although all words are stored. The caller gets the
   *       exception of the repair.
   *   <li>After the lane is returned, it is not a failure of the commit, and the caller gets the
   *       result. A memory fault also stops the store ({@link CommitRepair#stopIfFault}).
   * </ul>
   */
  boolean isReleased;

  /**
   * Number of times that a commit has begun to lease a lane; a commit that repeats the lease counts
   * again. {@link LaneWatch} compares it to identify a commit.
   */
  long begun;

  /** The failure of a commit that cannot be repaired. Allocated early, when memory is available. */
  final BrokenOffException brokenOff = new BrokenOffException(this);

  CommitProgress(int attemptId) {
    this.attemptId = attemptId;
  }

  /** Begins a commit, or its next lease after one without the append lock. */
  void begin() {
    begun++;
    stage = LEASING;
  }

  /** Ends the commit after the return of its lane. */
  void end() {
    // Lane.endLease has released the lease before. The fence orders that store before the store
    // of the stage, and pairs with the acquire fence in LaneWatch.abandonedBy: a thread that sees
    // stage NONE sees the lane returned.
    VarHandle.releaseFence();
    stage = NONE;
  }

  static String name(int stage) {
    return NAMES[stage];
  }

  /** Returns a text with lane, partition and stage. */
  String describe(@Nullable Lane lane) {
    String where =
        lane == null ? "" : "lane " + lane.index() + " of partition " + lane.partition() + ", ";
    return where + "stage: " + name(stage);
  }

  /**
   * The reason of a stop: the thread of a commit had too little stack or memory to complete the
   * commit or to undo it. Each attempt allocates one at its creation. Then the thread only sets
   * fields, which cannot fail.
   */
  static final class BrokenOffException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient CommitProgress progress;

    /** The exception that interrupted the commit; null until then. */
    @Nullable Throwable thrown;

    BrokenOffException(CommitProgress progress) {
      super(null, null, true, false);
      this.progress = progress;
    }

    @Override
    public String getMessage() {
      return "an error interrupted a commit and its thread could not repair it (attempt "
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
