package io.howdah.checkpoint;

/**
 * When and how checkpoints are taken beside commits.
 *
 * @param logBytes how much log may be left to replay: a checkpoint starts at half of that, so that
 *     it ends before all of it; {@link Long#MAX_VALUE} takes none unless asked
 */
public record CheckpointOptions(long logBytes) {

  /**
   * What a processor replays at least of a log of small transactions, whose words lie anywhere
   * (measured; docs/benchmarks.md).
   */
  private static final long REPLAY_BYTES_PER_SECOND = 200L << 20;

  private static final long LEAST_BYTES = 4L << 20;

  /** Returns options for a recovery that replays for so long at most. */
  public static CheckpointOptions forGoal(long replayNanos) {
    double bytes = replayNanos / 1e9 * REPLAY_BYTES_PER_SECOND;
    return new CheckpointOptions(Math.max(LEAST_BYTES, (long) bytes));
  }

  /** Returns how long a replay of so many bytes takes. */
  static long replayNanos(long bytes) {
    return (long) (bytes * 1e9 / REPLAY_BYTES_PER_SECOND);
  }

  /** Refuses a length that is not positive. */
  public CheckpointOptions {
    if (logBytes < 1) {
      throw new IllegalArgumentException("logBytes is at least 1, not " + logBytes);
    }
  }
}
