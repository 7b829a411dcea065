package io.howdah.core.superblock;

/**
 * How far the newest checkpoint has come.
 *
 * @param sequence of the checkpoint, 0 before the first
 * @param replayAboveLsn dense LSN: the effects of all up to it are in the image, or in the journal
 *     if that is still to be folded
 * @param imageLsn dense LSN: neither image nor journal holds an effect of a larger one; all up to
 *     it were durable in the log before the checkpoint counted
 * @param fallbackLsn dense LSN that was {@code replayAboveLsn} before this checkpoint: as long as
 *     this one is not folded the log reaches back to it
 * @param phase where it stands
 * @param journalArea which of the two journals, 0 or 1, it wrote
 * @param journalLengthBytes of its journal
 * @param journalCrc over the journal
 */
public record CheckpointState(
    long sequence,
    long replayAboveLsn,
    long imageLsn,
    long fallbackLsn,
    Phase phase,
    int journalArea,
    long journalLengthBytes,
    int journalCrc) {

  /**
   * The state of a store that was never checkpointed: an empty image, everything to be replayed.
   */
  public static final CheckpointState NONE = new CheckpointState(0, 0, 0, 0, Phase.NONE, 0, 0, 0);

  /** Where a checkpoint stands. */
  public enum Phase {
    /** There was none. */
    NONE(0),
    /** The journal is durable; the image may hold any part of it. */
    JOURNALED(1),
    /** The image is durable with all of the journal in it; the journal may be overwritten. */
    FOLDED(2),
    /**
     * The journal was found damaged; the image may hold any part of it, and so may the sums of its
     * pages, until another checkpoint has written all that was replayed.
     */
    ABANDONED(3);

    private final int code;

    Phase(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Phase of(int code) {
      for (Phase phase : values()) {
        if (phase.code == code) {
          return phase;
        }
      }
      throw new IllegalArgumentException("unknown checkpoint phase " + code);
    }
  }

  /** Refuses values out of bounds. */
  public CheckpointState {
    Bounds.requireCounter("checkpoint sequence", sequence, phase == Phase.NONE ? 0 : 1);
    Bounds.requireLsn("replayAboveLsn", replayAboveLsn);
    Bounds.require("imageLsn", imageLsn, replayAboveLsn, Bounds.MAX_LSN);
    Bounds.require("fallbackLsn", fallbackLsn, 0, replayAboveLsn);
    Bounds.require("journalArea", journalArea, 0, 1);
    Bounds.requireCounter("journalLengthBytes", journalLengthBytes, 0);
    if (phase == Phase.NONE
        && (sequence | imageLsn | journalArea | journalLengthBytes | journalCrc) != 0) {
      throw new IllegalArgumentException("a checkpoint that never was has no attributes");
    }
  }

  /** Returns the state that follows once the journal is in the image, and the image durable. */
  public CheckpointState folded() {
    return new CheckpointState(
        sequence,
        replayAboveLsn,
        imageLsn,
        fallbackLsn,
        Phase.FOLDED,
        journalArea,
        journalLengthBytes,
        journalCrc);
  }

  /**
   * Returns the state to go on from when the journal turns out to be damaged: the image holds some
   * of it, and the log is replayed from where the checkpoint before had left it.
   */
  public CheckpointState abandoned() {
    return new CheckpointState(
        sequence, fallbackLsn, imageLsn, fallbackLsn, Phase.ABANDONED, journalArea, 0, 0);
  }
}
