package io.howdah.log.flush;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The segments of this opening that hold batches, oldest first. The flusher adds, the checkpoint's
 * thread removes; its length is the number of segments between two checkpoints. Thread-safe.
 */
public final class SegmentHistory {

  private final TrimPoint start;
  private final List<Used> used = new ArrayList<>(); // guarded by this
  private int lastEnd; // of the batches in the last segment; guarded by this
  private BatchId lastBatch = new BatchId(0, 0); // guarded by this

  /** Of the segments, and of those of earlier openings. Written under this. */
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
     * Creates one.
     *
     * @param firstBatch sequence of its first batch
     * @param startPositions for each partition the position where its first batch continues
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
   * Creates an empty one.
   *
   * @param firstSegment sequence of the generation's first segment
   * @param earlierBytes of segments that earlier openings have left and no checkpoint covers yet
   */
  public SegmentHistory(long firstSegment, long earlierBytes) {
    this.start = new TrimPoint(firstSegment, 1);
    this.earlierBytes = earlierBytes;
    this.bytes = earlierBytes;
  }

  /**
   * Adds a segment once its first batch is durable, which ends at a position. Nobody sees the
   * segment without it.
   */
  synchronized void add(Used segment, int position, BatchId batch) {
    used.add(segment);
    bytes += segment.lengthBytes;
    extend(position, batch);
  }

  /** Records a durable batch, and where those of the last segment end. */
  synchronized void extend(int position, BatchId batch) {
    lastEnd = position;
    lastBatch = batch;
  }

  /** Returns the last durable batch; its sequence is 0 if there is none. */
  public synchronized BatchId lastBatch() {
    return lastBatch;
  }

  /** Returns the segments and how far their batches are durable. */
  public synchronized List<LogExtent> extents() {
    List<LogExtent> extents = new ArrayList<>();
    for (Used segment : used) {
      int end = segment.sequence == used.getLast().sequence ? lastEnd : segment.lengthBytes;
      extents.add(new LogExtent(segment.name, segment.lengthBytes, end));
    }
    return extents;
  }

  /**
   * Returns the first segment that is in use, or holds a part of a transaction that has not ended.
   *
   * @param partsFrom returns, for a partition, the position of the first part of the transaction
   *     that its lane is handing over, or {@link Long#MAX_VALUE}
   */
  public TrimPoint trimPoint(IntToLongFunction partsFrom) {
    // Read before the lanes: a lane announces its parts before the first part can be in a
    // segment of this list.
    List<Used> segments = list();
    if (segments.isEmpty()) {
      return start;
    }
    int first = 0;
    while (first + 1 < segments.size() && endsBefore(segments.get(first + 1), partsFrom)) {
      first++;
    }
    return segments.get(first).start();
  }

  private synchronized List<Used> list() {
    return List.copyOf(used);
  }

  private static boolean endsBefore(Used next, IntToLongFunction partsFrom) {
    for (int p = 0; p < next.startPositions.length; p++) {
      if (partsFrom.applyAsLong(p) < next.startPositions[p]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Removes the segments before a point, those of earlier openings first, and returns the names.
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

  /** Returns whether there is a segment besides the one in use. */
  public synchronized boolean hasComplete() {
    return earlierBytes > 0 || used.size() > 1;
  }

  /** Returns how many bytes the segments take, those of earlier openings included. */
  public long bytes() {
    return bytes;
  }
}
