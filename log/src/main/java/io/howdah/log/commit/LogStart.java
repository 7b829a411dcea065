package io.howdah.log.commit;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import java.util.List;

/**
 * Where a log set begins in a new generation, as recovery leaves it.
 *
 * @param generation of everything written from now on
 * @param baseLsn largest LSN seen so far; the next commit takes the one after it
 * @param nextSegmentSequence sequence of the next segment put to use
 * @param freeSegments names of segments that hold nothing needed and may be recycled, relative to
 *     the store
 * @param heldSegments names of segments that hold what no checkpoint covers yet; the first trim
 *     frees them
 * @param nextSegmentName number for the name of the next segment file created
 */
public record LogStart(
    long storeIdHigh,
    long storeIdLow,
    long generation,
    long baseLsn,
    long nextSegmentSequence,
    List<String> freeSegments,
    List<String> heldSegments,
    int nextSegmentName) {

  /** Copies the lists. */
  public LogStart {
    freeSegments = List.copyOf(freeSegments);
    heldSegments = List.copyOf(heldSegments);
  }

  public long storeTag() {
    return BatchLayout.storeTag(storeIdHigh, storeIdLow);
  }

  public long logSeed(int partition) {
    return RedoRecordLayout.logSeed(storeIdHigh, storeIdLow, generation, partition);
  }
}
