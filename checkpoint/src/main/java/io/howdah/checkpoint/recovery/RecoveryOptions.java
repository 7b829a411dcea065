package io.howdah.checkpoint.recovery;

import io.howdah.core.Backing;

/**
 * How a store is recovered.
 *
 * @param backing of the region
 * @param checkpointAboveBytes how many bytes of log may be left for the next recovery to read
 *     again; with more, a checkpoint is taken before the store opens
 */
public record RecoveryOptions(Backing backing, long checkpointAboveBytes) {

  /** Maps the image; takes a checkpoint above 256 MiB of log. */
  public static final RecoveryOptions DEFAULTS = new RecoveryOptions(Backing.MAPPED, 256L << 20);

  /** Refuses a negative length. */
  public RecoveryOptions {
    if (checkpointAboveBytes < 0) {
      throw new IllegalArgumentException(
          "checkpointAboveBytes is not negative: " + checkpointAboveBytes);
    }
  }
}
