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
 * @param stashBytes most memory for words that were read from the log and wait for their replay;
 *     when it is full, replaying goes on while the log is read
 * @param imageVerified whether every page of an image that is mapped is held to its checksum first;
 *     an image that is loaded always is
 * @param maxRegionBytes maps no more of the region than this, in whole pages, or than what is used
 *     if that is more
 * @param laterAboveBytes if a summary says that at least so many bytes of the log need not be read
 *     before the store opens, they are read afterwards; {@link Long#MAX_VALUE} reads all first
 */
public record RecoveryOptions(
    Backing backing,
    long checkpointAboveBytes,
    long limitLsn,
    long stashBytes,
    boolean imageVerified,
    long maxRegionBytes,
    long laterAboveBytes) {

  /** Options that read all of the log first. */
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

  /** Options that map as much of the region as the store was made for. */
  public RecoveryOptions(
      Backing backing,
      long checkpointAboveBytes,
      long limitLsn,
      long stashBytes,
      boolean imageVerified) {
    this(backing, checkpointAboveBytes, limitLsn, stashBytes, imageVerified, Long.MAX_VALUE);
  }

  /** Maps the image; takes a checkpoint above 256 MiB of log, and as much memory at most. */
  public static final RecoveryOptions DEFAULTS =
      new RecoveryOptions(Backing.MAPPED, 256L << 20, Long.MAX_VALUE, 256L << 20, false);

  /** Refuses negative lengths. */
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
