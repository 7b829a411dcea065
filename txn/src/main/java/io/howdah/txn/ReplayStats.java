package io.howdah.txn;

import java.time.Duration;

/**
 * How far the opening's replay is, which goes on while the store serves. The values are read one
 * after the other, so they fit together only roughly.
 *
 * @param words that were read from the log and not yet in memory when the store opened; 0 if it had
 *     been closed
 * @param wordsLeft how many of them are not in memory yet; a transaction that needs one brings it
 *     there
 * @param chunksOnDemand parts of the region that transactions could not wait for
 * @param lasted how long it took, or has taken so far
 */
public record ReplayStats(long words, long wordsLeft, long chunksOnDemand, Duration lasted) {

  /** All is in memory since ever. */
  static final ReplayStats NONE = new ReplayStats(0, 0, 0, Duration.ZERO);

  /** Returns whether everything is in memory. */
  public boolean isDone() {
    return wordsLeft == 0;
  }
}
