package io.howdah.checkpoint.recovery;

import io.howdah.core.Backing;

/**
 * Options of the recovery of a store.
 *
 * @param backing of the region
 * @param checkpointAboveBytes maximum length of the log that the next recovery may have to read
 *     again. If the log is longer, the recovery makes a checkpoint before the store opens
 * @param limitLsn dense LSN: later commits are discarded; {@link Long#MAX_VALUE} for no limit. With
 *     a limit, the recovery always makes a checkpoint, which makes the loss permanent
 * @param stashBytes maximum memory for words of the log that wait for their replay. If it is full,
 *     words are replayed while the log is read
 * @param imageVerified whether to verify every page of a mapped image against its checksum; the
 *     pages of a loaded image are always verified
 * @param maxRegionBytes maximum length of the region that is mapped, in whole pages; the used part
 *     is mapped even if it is longer
 * @param laterAboveBytes minimum length of a part of the log that is read only after the store has
 *     opened, if a summary permits it; {@link Long#MAX_VALUE} to read the whole log first
 * @param warmRestart whether memory that has outlived its process may be used
 * @param maxSharedBytes maximum capacity of a store for which {@link Backing#AUTO} creates memory
 *     that outlives the process
 * @param maxLoadedBytes maximum length of an image that {@link Backing#AUTO} loads for this
 */
public record RecoveryOptions(
    Backing backing,
    long checkpointAboveBytes,
    long limitLsn,
    long stashBytes,
    boolean imageVerified,
    long maxRegionBytes,
    long laterAboveBytes,
    boolean warmRestart,
    long maxSharedBytes,
    long maxLoadedBytes) {

  /** Options to use memory that has outlived its process. */
  public RecoveryOptions(
      Backing backing,
      long checkpointAboveBytes,
      long limitLsn,
      long stashBytes,
      boolean imageVerified,
      long maxRegionBytes,
      long laterAboveBytes) {
    this(
        backing,
        checkpointAboveBytes,
        limitLsn,
        stashBytes,
        imageVerified,
        maxRegionBytes,
        laterAboveBytes,
        true,
        Long.MAX_VALUE,
        Long.MAX_VALUE);
  }

  /** Options to read the whole log before the store opens. */
  public RecoveryOptions(
      Backing backing,
      long checkpointAboveBytes,
      long limitLsn,
      long stashBytes,
      boolean imageVerified,
      long maxRegionBytes) {
    this(
        backing,
        checkpointAboveBytes,
        limitLsn,
        stashBytes,
        imageVerified,
        maxRegionBytes,
        Long.MAX_VALUE);
  }

  /** Options to map the region up to the maximum size of the store. */
  public RecoveryOptions(
      Backing backing,
      long checkpointAboveBytes,
      long limitLsn,
      long stashBytes,
      boolean imageVerified) {
    this(backing, checkpointAboveBytes, limitLsn, stashBytes, imageVerified, Long.MAX_VALUE);
  }

  /** A mapped image; a checkpoint if the log is longer than 256 MiB; a stash of at most 256 MiB. */
  public static final RecoveryOptions DEFAULTS =
      new RecoveryOptions(Backing.MAPPED, 256L << 20, Long.MAX_VALUE, 256L << 20, false);

  /** Rejects negative lengths. */
  public RecoveryOptions {
    if (checkpointAboveBytes < 0) {
      throw new IllegalArgumentException(
          "checkpointAboveBytes is not negative: " + checkpointAboveBytes);
    }
    if (stashBytes < 0) {
      throw new IllegalArgumentException("stashBytes is not negative: " + stashBytes);
    }
  }
}
