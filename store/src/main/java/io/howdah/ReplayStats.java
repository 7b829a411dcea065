package io.howdah;

import java.time.Duration;

/**
 * The progress of the opening's replay, which goes on while the store serves. The values are read
 * one after the other, so they are consistent with each other only roughly. Immutable.
 */
public final class ReplayStats {

  /** The values, in the order in which they are printed. */
  record Values(long words, long wordsLeft, long chunksOnDemand, Duration lasted, boolean done) {}

  private final Values values;

  ReplayStats(Values values) {
    this.values = values;
  }

  /**
   * Returns how many words were read from the log and not yet in memory when the store opened; 0 if
   * it had been closed. If the opening has left a part of the log unread, as {@link
   * StoreAdmin#recoveryReport} says, the words of that part count once it is read.
   */
  public long words() {
    return values.words;
  }

  /**
   * Returns how many of these words are not in memory yet. A transaction that needs one brings it
   * there. 0 does not mean that the replay is done: a part of the log may not be read yet.
   */
  public long wordsLeft() {
    return values.wordsLeft;
  }

  /** Returns how many parts of the region were replayed because a transaction needed them. */
  public long chunksOnDemand() {
    return values.chunksOnDemand;
  }

  /** Returns how long the replay took, or has taken so far. */
  public Duration lasted() {
    return values.lasted;
  }

  /** Of a store that had nothing to replay. */
  static final ReplayStats NONE = new ReplayStats(new Values(0, 0, 0, Duration.ZERO, true));

  /** Returns whether all of the log is read, and every word of it in memory. */
  public boolean isDone() {
    return values.done;
  }

  /** Returns all values with their names, for people. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "ReplayStats");
  }
}
