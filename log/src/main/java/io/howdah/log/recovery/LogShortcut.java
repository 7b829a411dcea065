package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.Lsn;
import io.howdah.log.flush.BatchId;

/**
 * A place in the log from which an opening may read it first, and the part before later: as if a
 * checkpoint at {@code replayAboveLsn} had trimmed it there.
 *
 * @param generation of the segment
 * @param segment its sequence
 * @param batch sequence of its first batch, above 1
 * @param sinceLsn dense LSN: the part before is known as far as it lies above this
 * @param replayAboveLsn dense LSN: every record above it is in that segment or behind it
 * @param imageLsn dense LSN: the shortcut may be used only if all up to it survive
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

  /** Returns whether it may lead into the log that a superblock describes. */
  public boolean isOf(Superblock superblock) {
    if (segment <= superblock.log().oldestSegment()
        || batch <= 1
        || replayAboveLsn <= superblock.checkpoint().replayAboveLsn()
        // An older checkpoint was put back: the log has more for the image than is known.
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

  /** Bytes of segments before a shortcut and behind it. */
  public record Lengths(long beforeBytes, long behindBytes) {}

  /**
   * Returns how many bytes of needed segments lie before this and behind it.
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
