package io.howdah.txn.stm;

import io.howdah.log.commit.Lane;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How far a context's commit has come. It stands in the context, not on the stack, so that a frame
 * above the commit's, with more of the stack left, can repair what an error has interrupted.
 *
 * <p>The committing thread writes it. {@link LaneWatch} reads it from other threads.
 */
final class CommitProgress {

  /** No commit is under way: no lane is leased, no orec locked. */
  static final int NONE = 0;

  /** A lane is being leased; it may be leased already. */
  static final int LEASING = 1;

  /** The lane is leased, orecs are being locked or are locked, nothing needs the LSN yet. */
  static final int LOCKING = 2;

  /** The LSN is being taken: whether it was cannot be known. */
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

  /** Tells the holder of a lane from others. */
  final int home;

  int stage;

  /** The LSN taken, packed. */
  long lsn;

  /** Where the lane's records ended before the commit's own. */
  long position;

  /**
   * Whether the attempt has committed. From then on nothing that is thrown may be taken for its
   * failure.
   */
  boolean isCommitted;

  /** How many commits have begun: a watch tells one from the next by it. */
  long begun;

  /** Set by the frame that could not repair the commit; made early, since that needs no memory. */
  final BrokenOffException brokenOff = new BrokenOffException(this);

  CommitProgress(int home) {
    this.home = home;
  }

  /** A commit begins. */
  void begin() {
    begun++;
    stage = LEASING;
  }

  /** The commit has ended, with its lane returned. */
  void end() {
    // The lane's return was a release store. Whoever sees this one sees the lane returned.
    VarHandle.releaseFence();
    stage = NONE;
  }

  static String name(int stage) {
    return NAMES[stage];
  }

  /** Names lane and stage. */
  String describe(@Nullable Lane lane) {
    return (lane == null ? "" : "lane " + lane.partition() + ", ") + "stage: " + name(stage);
  }

  /**
   * Why a store stopped: the thread of a commit had no stack or memory left, neither to finish the
   * commit nor to undo it. One is made for each context, before it is needed; then a thread needs
   * to set fields only, which cannot fail.
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
      return "a commit broke off and its thread could not repair it (context "
          + progress.home
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
