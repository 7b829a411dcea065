package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.Lsn;
import io.howdah.log.flush.BatchId;

/**
 * A place in the log from which an opening may read it first, as if a checkpoint at {@code
 * replayAboveLsn} had trimmed the log there. The part before is read later. A {@link SummaryFile}
 * contains it.
 *
 * @param generation of the segment at which reading begins
 * @param segment sequence of that segment
 * @param batch sequence of its first batch, above 1
 * @param sinceLsn dense LSN: the summary names the pages of all records above this LSN that are
 *     before the place
 * @param replayAboveLsn dense LSN: every record above it is in that segment or in a later one
 * @param imageLsn dense LSN: the shortcut may be used only if all LSNs up to it survive
 * @param lastBatch a durable batch of the generation; all LSNs up to {@code imageLsn} are in it or
 *     before it
 */
public record LogShortcut(
    long generation,
    long segment,
    long batch,
    long sinceLsn,
    long replayAboveLsn,
    long imageLsn,
    BatchId lastBatch) {

  /** Returns whether the shortcut may be used for the log that a superblock describes. */
  public boolean isOf(Superblock superblock) {
    if (segment <= superblock.log().oldestSegment()
        || batch <= 1
        || replayAboveLsn <= superblock.checkpoint().replayAboveLsn()
        // An older checkpoint was restored: its image lacks records that the summary does not
        // cover.
        || sinceLsn > superblock.checkpoint().replayAboveLsn()
        || imageLsn < replayAboveLsn
        || imageLsn > Lsn.MAX
        || lastBatch.sequence() < batch) {
      return false;
    }
    for (ClosedGeneration closed : superblock.closedGenerations()) {
      if (closed.generation() == generation) {
        return imageLsn <= closed.cut()
            && replayAboveLsn > closed.baseLsn()
            && lastBatch.sequence() <= closed.lastBatch();
      }
    }
    return superblock.generation() == generation
        && replayAboveLsn > superblock.baseLsn()
        && !(superblock.rings() instanceof RingPlacement.None);
  }

  /** Bytes of segments before a shortcut and from it on. */
  public record Lengths(long beforeBytes, long behindBytes) {}

  /**
   * Returns the bytes of needed segments before this shortcut and from it on.
   *
   * @throws io.howdah.core.CorruptStoreException if two segments contradict each other
   */
  public Lengths lengths(Storage storage, Superblock superblock) {
    try (StagingMemory memory = StagingMemory.confined()) {
      long before = 0;
      long behind = 0;
      SegmentScan scan =
          SegmentScan.of(
              storage,
              memory,
              new LogIdentity(superblock.storeId().high(), superblock.storeId().low()),
              superblock.generation(),
              superblock.log().oldestSegment(),
              superblock.log().oldestSegment());
      for (SegmentFile needed : scan.needed()) {
        if (needed.sequence() < segment) {
          before += needed.endBytes();
        } else {
          behind += needed.endBytes();
        }
      }
      return new Lengths(before, behind);
    }
  }
}
