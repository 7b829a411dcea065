package io.howdah.checkpoint.recovery;

import io.howdah.core.Backing;

/**
 * How a store is recovered.
 *
 * @param backing of the region
 * @param checkpointAboveBytes how many bytes of log may be left for the next recovery to read
 *     again; with more, a checkpoint is taken before the store opens
 * @param limitLsn dense LSN: commits after it are left out, as if they had never been; {@link
 *     Long#MAX_VALUE} leaves none out. With a limit a checkpoint is always taken, which makes it
 *     final
 */
public record RecoveryOptions(Backing backing, long checkpointAboveBytes, long limitLsn) {

  /** Maps the image; takes a checkpoint above 256 MiB of log. */
  public static final RecoveryOptions DEFAULTS =
      new RecoveryOptions(Backing.MAPPED, 256L << 20, Long.MAX_VALUE);

  /** Refuses a negative length. */
  public RecoveryOptions {
    if (checkpointAboveBytes < 0) {
      throw new IllegalArgumentException(
          "checkpointAboveBytes is not negative: " + checkpointAboveBytes);
    }
  }
}
