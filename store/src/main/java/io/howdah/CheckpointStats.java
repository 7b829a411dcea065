package io.howdah;

import java.time.Duration;
import java.util.Optional;

/**
 * The state of a store's checkpoints. The values are read one after the other while the store
 * works, so they are consistent with each other only roughly. Immutable.
 */
public final class CheckpointStats {

  /** The values, in the order in which they are printed. */
  record Values(
      long taken,
      boolean running,
      long replayBytes,
      Duration expectedRecovery,
      long logBytes,
      long maxLogBytes,
      boolean commitsBlocked,
      long holds,
      long failedAttempts,
      Optional<String> problem,
      Optional<CheckpointReport> last) {}

  private final Values values;

  CheckpointStats(Values values) {
    this.values = values;
  }

  /** Returns the number of checkpoints since the store was opened. */
  public long taken() {
    return values.taken;
  }

  /** Returns whether a checkpoint is being taken. */
  public boolean running() {
    return values.running;
  }

  /** Returns how many bytes of log the next opening would read after a crash now. */
  public long replayBytes() {
    return values.replayBytes;
  }

  /**
   * Returns how long that would take, at the rate that {@link StoreOptions#recoveryGoal} assumes.
   */
  public Duration expectedRecovery() {
    return values.expectedRecovery;
  }

  /** Returns the length of the log segments that this opening would need. */
  public long logBytes() {
    return values.logBytes;
  }

  /**
   * Returns the length of the log from which on no commit begins; see {@link
   * StoreOptions#withMaxLogBytes}.
   */
  public long maxLogBytes() {
    return values.maxLogBytes;
  }

  /** Returns whether no commit begins because the log has that length. */
  public boolean commitsBlocked() {
    return values.commitsBlocked;
  }

  /** Returns how often the log has reached that length since the store was opened. */
  public long holds() {
    return values.holds;
  }

  /**
   * Returns how many attempts in a row have failed since the last one that succeeded, because the
   * disk is full or too many files are open; 0 if the last one succeeded. The store tries again
   * every second, without limit. Meanwhile {@link #logBytes} grows, up to {@link #maxLogBytes},
   * where commits are refused.
   */
  public long failedAttempts() {
    return values.failedAttempts;
  }

  /** Returns why the last of them failed; empty if none has. */
  public Optional<String> problem() {
    return values.problem;
  }

  /** Returns what the last checkpoint did; empty if there was none. */
  public Optional<CheckpointReport> last() {
    return values.last;
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "CheckpointStats");
  }
}
