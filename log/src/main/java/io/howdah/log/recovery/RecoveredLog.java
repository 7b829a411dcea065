package io.howdah.log.recovery;

import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of the recovery of a log. All of it is durable except the recovery record. The store
 * must not serve before a superblock with {@link #closed} is forced.
 *
 * @param closed the recovery record of the current generation, or null if it never accepted a
 *     commit
 * @param baseLsn largest dense LSN in any record, recovered or discarded; the next commit takes its
 *     successor
 * @param nextSegmentSequence sequence of the first segment of the next generation
 * @param nextSegmentName number for the name of the next segment file
 * @param freeSegments names of segments that may be reused
 * @param neededSegments names of segments that may be reused once a checkpoint covers {@code
 *     baseLsn}
 */
public record RecoveredLog(
    @Nullable ClosedGeneration closed,
    long baseLsn,
    long nextSegmentSequence,
    int nextSegmentName,
    List<String> freeSegments,
    List<String> neededSegments,
    RecoveryOutcome outcome,
    RingTrust rings,
    LogCounts counts,
    long scanNanos,
    long relogNanos) {

  /** Copies the lists. */
  public RecoveredLog {
    freeSegments = List.copyOf(freeSegments);
    neededSegments = List.copyOf(neededSegments);
  }

  /** Returns the dense LSN up to which no commit is missing; commits beyond it may survive. */
  public long completeLsn() {
    return closed == null ? baseLsn : closed.cut();
  }

  /** Returns the largest dense LSN that survives, which may be smaller than the largest seen. */
  public long lastLsn() {
    return closed == null ? baseLsn : closed.lastSurvivor();
  }
}
