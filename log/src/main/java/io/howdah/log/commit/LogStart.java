package io.howdah.log.commit;

import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import java.util.List;

/**
 * The start of a log in a new generation, which recovery determines.
 *
 * @param generation the generation of everything written from now on
 * @param baseLsn largest LSN used so far; the next commit takes its successor
 * @param nextSegmentSequence sequence of the next segment to be used
 * @param freeSegments names of segments without needed records, which may be reused, relative to
 *     the store
 * @param neededSegments names of segments with records that no checkpoint covers yet; the first
 *     trim frees them
 * @param nextSegmentName number in the name of the next segment file to be created
 */
public record LogStart(
    long storeIdHigh,
    long storeIdLow,
    long generation,
    long baseLsn,
    long nextSegmentSequence,
    List<String> freeSegments,
    List<String> neededSegments,
    int nextSegmentName) {

  /** Copies the lists. */
  public LogStart {
    freeSegments = List.copyOf(freeSegments);
    neededSegments = List.copyOf(neededSegments);
  }

  public long storeTag() {
    return BatchLayout.storeTag(storeIdHigh, storeIdLow);
  }

  public long logSeed(int partition) {
    return RedoRecordLayout.logSeed(storeIdHigh, storeIdLow, generation, partition);
  }
}
