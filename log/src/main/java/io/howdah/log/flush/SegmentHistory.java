package io.howdah.log.flush;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The segments of this opening that contain batches, oldest first. The flusher adds segments, and
 * the checkpoint's thread removes them. Its size is bounded by the number of segments between two
 * checkpoints. Thread-safe.
 */
public final class SegmentHistory {

  private final TrimPoint start;
  private final List<Used> used = new ArrayList<>(); // guarded by this
  private int lastEnd; // end of the batches in the last segment; guarded by this
  private BatchId lastBatch = new BatchId(0, 0); // guarded by this

  /** Total length of the segments, those of earlier openings included. Written under this. */
  private volatile long bytes;

  private long earlierBytes; // guarded by this

  /** A segment with a durable batch. */
  static final class Used {
    final String name;
    final long sequence;
    final long firstBatch;
    final int lengthBytes;
    private final long[] startPositions;

    /**
     * Creates an entry.
     *
     * @param firstBatch sequence of the segment's first batch
     * @param startPositions for each partition, its position at the start of the first batch
     */
    Used(Segment segment, long firstBatch, long[] startPositions) {
      this.name = segment.name;
      this.sequence = segment.sequence;
      this.firstBatch = firstBatch;
      this.lengthBytes = segment.lengthBytes;
      this.startPositions = startPositions.clone();
    }

    TrimPoint start() {
      return new TrimPoint(sequence, firstBatch);
    }
  }

  /**
   * Creates an empty history.
   *
   * @param firstSegment sequence of the generation's first segment
   * @param earlierBytes total length of segments of earlier openings that no checkpoint covers yet
   */
  public SegmentHistory(long firstSegment, long earlierBytes) {
    this.start = new TrimPoint(firstSegment, 1);
    this.earlierBytes = earlierBytes;
    this.bytes = earlierBytes;
  }

  /**
   * Adds a segment whose first batch is durable and ends at {@code position}. No reader sees the
   * segment without a batch.
   */
  synchronized void add(Used segment, int position, BatchId batch) {
    used.add(segment);
    bytes += segment.lengthBytes;
    extend(position, batch);
  }

  /** Records a durable batch of the last segment, and its end. */
  synchronized void extend(int position, BatchId batch) {
    lastEnd = position;
    lastBatch = batch;
  }

  /** Returns the last durable batch; its sequence is 0 if there is none. */
  public synchronized BatchId lastBatch() {
    return lastBatch;
  }

  /** Returns the segments with the ends of their durable batches. */
  public synchronized List<LogExtent> extents() {
    List<LogExtent> extents = new ArrayList<>();
    for (Used segment : used) {
      int end = segment.sequence == used.getLast().sequence ? lastEnd : segment.lengthBytes;
      extents.add(new LogExtent(segment.name, segment.lengthBytes, end));
    }
    return extents;
  }

  /**
   * Returns the first segment that is in use or contains a part of a transaction that has not
   * ended.
   *
   * @param firstPartPosition returns, for a partition, the position of the first part of the
   *     transaction that one of its lanes is writing, or {@link Long#MAX_VALUE}
   */
  public TrimPoint trimPoint(IntToLongFunction firstPartPosition) {
    // Read before the lanes: a lane announces its parts (Lane.beginParts) before the first part can
    // be in a segment of this list.
    List<Used> segments = list();
    if (segments.isEmpty()) {
      return start;
    }
    int first = 0;
    while (first + 1 < segments.size() && endsBefore(segments.get(first + 1), firstPartPosition)) {
      first++;
    }
    return segments.get(first).start();
  }

  private synchronized List<Used> list() {
    return List.copyOf(used);
  }

  private static boolean endsBefore(Used next, IntToLongFunction firstPartPosition) {
    for (int p = 0; p < next.startPositions.length; p++) {
      if (firstPartPosition.applyAsLong(p) < next.startPositions[p]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Removes the segments before a point and returns their names, those of earlier openings first.
   */
  public synchronized List<String> removeBefore(TrimPoint point) {
    List<String> names = new ArrayList<>();
    long removedBytes = earlierBytes;
    earlierBytes = 0;
    while (!used.isEmpty() && used.getFirst().sequence < point.segment()) {
      Used segment = used.removeFirst();
      names.add(segment.name);
      removedBytes += segment.lengthBytes;
    }
    bytes -= removedBytes;
    return names;
  }

  /** Returns whether there is a segment in addition to the one in use. */
  public synchronized boolean hasComplete() {
    return earlierBytes > 0 || used.size() > 1;
  }

  /** Returns the total length of the segments, those of earlier openings included. */
  public long bytes() {
    return bytes;
  }
}
