package io.howdah.checkpoint;

/**
 * Options of checkpoints.
 *
 * @param logBytes maximum length of log that a recovery should replay, in bytes. A checkpoint
 *     starts at half of it, so that it completes before the maximum is reached. With {@link
 *     Long#MAX_VALUE}, checkpoints are made only on request
 */
public record CheckpointOptions(long logBytes) {

  /**
   * Minimum speed of the replay on one processor, measured with small transactions that write
   * random words (docs/benchmarks.md).
   */
  private static final long REPLAY_BYTES_PER_SECOND = 200L << 20;

  private static final long MIN_BYTES = 4L << 20;

  /** Returns options for a recovery whose replay takes at most {@code replayNanos}. */
  public static CheckpointOptions forGoal(long replayNanos) {
    double bytes = replayNanos / 1e9 * REPLAY_BYTES_PER_SECOND;
    return new CheckpointOptions(Math.max(MIN_BYTES, (long) bytes));
  }

  /** Returns the expected time of a replay of {@code bytes}, in nanoseconds. */
  static long replayNanos(long bytes) {
    return (long) (bytes * 1e9 / REPLAY_BYTES_PER_SECOND);
  }

  /** Rejects a length that is not positive. */
  public CheckpointOptions {
    if (logBytes < 1) {
      throw new IllegalArgumentException("logBytes is at least 1, not " + logBytes);
    }
  }
}
