package io.howdah.log.flush;

import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.log.report.LogStall;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The segments of a log as the target of its batches: writes each batch to the current segment and
 * forces it. Owned by the flusher's thread.
 */
public final class SegmentTarget implements BatchTarget {

  private final SegmentHistory history;
  private final Consumer<BatchId> whenForced;
  private final Function<Waiting, Segment> next;
  private final String place;

  private Segment segment;
  private int forcedSegments;

  /**
   * Creates the target of a new generation.
   *
   * @param history records every segment with a batch
   * @param whenForced called with each batch after its force, before {@link #write} returns; must
   *     not block
   * @param next returns the next segment, empty and durable; waits until there is one
   * @param place for messages
   */
  public SegmentTarget(
      Segment first,
      SegmentHistory history,
      Consumer<BatchId> whenForced,
      Function<Waiting, Segment> next,
      String place) {
    this.segment = first;
    this.history = history;
    this.whenForced = whenForced;
    this.next = next;
    this.place = place;
  }

  @Override
  public void prepare(long batchBytes, Waiting waiting) {
    if (!needsAllSections()
        && Alignment.up(batchBytes, BatchLayout.ALIGNMENT) > segment.remainingBytes()) {
      use(next.apply(waiting));
    }
  }

  /** Moves to a new segment. The former one is completely forced, and is closed. */
  public void use(Segment next) {
    segment.file.close();
    segment = next;
    forcedSegments++;
  }

  @Override
  public int roomBytes() {
    return segment.remainingBytes();
  }

  /**
   * Returns whether the batch is the first of its segment. The first batch has a section for every
   * partition, possibly empty, so that a log that is trimmed to this segment contains the position
   * at which each partition continues.
   */
  @Override
  public boolean needsAllSections() {
    return segment.position == SegmentLayout.HEADER_LENGTH;
  }

  @Override
  public int write(
      ByteBuffer staging, BatchId batch, long cut, long[] startPositions, Waiting waiting) {
    int length = staging.remaining();
    int paddedLength = (int) Alignment.up(length, BatchLayout.ALIGNMENT);
    staging.limit(paddedLength);
    for (int offset = length; offset < paddedLength; offset++) {
      staging.put(offset, (byte) 0);
    }
    segment.file.write(segment.position, staging);
    segment.file.force();
    boolean isFirst = needsAllSections();
    segment.position += paddedLength;
    whenForced.accept(batch);
    if (isFirst) {
      history.add(
          new SegmentHistory.Used(segment, batch.sequence(), startPositions),
          segment.position,
          batch);
    } else {
      history.extend(segment.position, batch);
    }
    return paddedLength;
  }

  @Override
  public LogStall.Reason waitsFor() {
    return LogStall.Reason.FORCE;
  }

  @Override
  public long segmentsUsed() {
    return forcedSegments + 1L;
  }

  @Override
  public boolean keepsRecordsAboveTheCut() {
    return true;
  }

  @Override
  public String describe() {
    return place;
  }

  @Override
  public void close() {
    segment.file.close();
  }
}
