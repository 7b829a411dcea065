package io.howdah.store.open;

import io.howdah.archive.Archive;
import io.howdah.checkpoint.CheckpointOptions;
import io.howdah.core.Backing;
import io.howdah.core.Execution;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How an opening makes or finds a store; {@code StoreOptions} describes each value.
 *
 * @param wanted dimensions of a new store
 * @param explicitMaxSizeBytes the size that was asked for, of a store there is, too; empty for what
 *     it has
 * @param explicitMaxLogBytes how long the log may get, if that was said
 * @param archive where the store is copied to while it is open, if anywhere
 */
public record OpeningOptions(
    Execution execution,
    boolean readOnly,
    boolean adminSocket,
    boolean verifyImage,
    Backing backing,
    boolean warmRestart,
    boolean warmClose,
    boolean checkpointAtClose,
    int orecs,
    OpenedStore.Dimensions wanted,
    OptionalLong explicitMaxSizeBytes,
    OptionalLong explicitMaxLogBytes,
    int logSegmentBytes,
    Duration groupCommitInterval,
    Duration recoveryGoal,
    Optional<Archive> archive) {

  public static final long MIN_SIZE_BYTES = 1 << 16;
  public static final long MAX_SIZE_BYTES = 1L << 46;

  /** Default of the log's greatest length, in logs that the recovery goal allows. */
  private static final int DEFAULT_LOG_GOALS = 4;

  /** Returns how long the log of a store may get. */
  public long maxLogBytes(long maxSizeBytes) {
    if (explicitMaxLogBytes.isPresent()) {
      return explicitMaxLogBytes.getAsLong();
    }
    return Math.max(
        DEFAULT_LOG_GOALS * CheckpointOptions.forGoal(recoveryGoal.toNanos()).logBytes(),
        maxSizeBytes);
  }
}
