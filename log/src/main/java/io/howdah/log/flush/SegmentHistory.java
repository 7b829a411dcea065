package io.howdah.log.flush;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The segments of this opening that contain batches, oldest first. The flusher adds segments, and
 * the checkpoint's thread removes them. Its size is bounded by the number of segments between two
 * checkpoints. Thread-safe.
 *
 * <p>A copy of the log that is made while the log is in use, the archive, <em>follows</em> the
 * history. Then a trimmed segment is held until it was copied. Held segments do not count as length
 * of the log, and their total length is bounded: beyond the bound all of them are given up, and the
 * copy has to begin again (docs/protocol.md, R54).
 */
public final class SegmentHistory {

  private final TrimPoint start;
  private final List<Used> used = new ArrayList<>(); // guarded by this
  private int lastEnd; // end of the batches in the last segment; guarded by this
  private BatchId lastBatch = new BatchId(0, 0); // guarded by this

  /** Total length of the segments, those of earlier openings included. Written under this. */
  private volatile long bytes;

  private long earlierBytes; // guarded by this

  /** Trimmed segments that are not copied yet, oldest first. Guarded by this. */
  private final Deque<LogExtent> held = new ArrayDeque<>();

  private long heldBytes; // guarded by this
  private long maxHeldBytes; // guarded by this

  /** The copy that follows, or null. Guarded by this. */
  private @Nullable Object follower;

  /** Whether segments were given up that were not copied. Guarded by this. */
  private boolean isGivenUp;

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
      extents.add(new LogExtent(segment.name, segment.sequence, segment.lengthBytes, end));
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
   * Removes the segments before a point and returns the names of those that may be reused, oldest
   * first.
   */
  public synchronized List<String> removeBefore(TrimPoint point) {
    List<String> names = new ArrayList<>();
    long removedBytes = earlierBytes;
    earlierBytes = 0;
    while (!used.isEmpty() && used.getFirst().sequence < point.segment()) {
      Used segment = used.removeFirst();
      if (follower == null || isGivenUp) {
        names.add(segment.name);
      } else {
        held.add(
            new LogExtent(
                segment.name, segment.sequence, segment.lengthBytes, segment.lengthBytes));
        heldBytes += segment.lengthBytes;
      }
      removedBytes += segment.lengthBytes;
    }
    bytes -= removedBytes;
    if (!held.isEmpty() && heldBytes > maxHeldBytes) {
      names.addAll(giveUp());
    }
    return names;
  }

  // ---- For a copy that follows the log.

  /**
   * Starts to hold trimmed segments, for one copy. Another one that followed before has lost track.
   *
   * @param copy who follows from now on; calls for another one have no effect
   * @param maxBytes maximum total length of held segments
   * @return names of segments that were held before, which may be reused
   */
  public synchronized List<String> follow(Object copy, long maxBytes) {
    List<String> names = release();
    follower = copy;
    maxHeldBytes = maxBytes;
    isGivenUp = false;
    return names;
  }

  /**
   * Returns the segments that a copy has yet to read, held ones first; empty if some of them were
   * given up, or if the copy does not follow.
   */
  public synchronized Optional<List<LogExtent>> followed(Object copy) {
    if (!copy.equals(follower) || isGivenUp) {
      return Optional.empty();
    }
    List<LogExtent> all = new ArrayList<>(held);
    all.addAll(extents());
    return Optional.of(all);
  }

  /**
   * Ends the hold of segments that were copied.
   *
   * @param segment sequence of the first segment that is still needed
   * @return names of segments that may be reused
   */
  public synchronized List<String> copiedBefore(Object copy, long segment) {
    List<String> names = new ArrayList<>();
    while (copy.equals(follower) && !held.isEmpty() && held.getFirst().sequence() < segment) {
      LogExtent extent = held.removeFirst();
      heldBytes -= extent.lengthBytes();
      names.add(extent.name());
    }
    return names;
  }

  /**
   * Gives up the held segments, because they are too long or the disk is full. The copy notices it
   * by {@link #followed(Object)}. Without held segments it loses nothing and goes on.
   *
   * @return names of segments that may be reused
   */
  public synchronized List<String> giveUp() {
    isGivenUp |= !held.isEmpty();
    return release();
  }

  /** Ends the hold of all segments for a copy; returns the names of those that may be reused. */
  public synchronized List<String> unfollow(Object copy) {
    if (!copy.equals(follower)) {
      return List.of();
    }
    follower = null;
    return release();
  }

  private List<String> release() {
    List<String> names = new ArrayList<>();
    held.forEach(extent -> names.add(extent.name()));
    held.clear();
    heldBytes = 0;
    return names;
  }

  /** Returns the total length of trimmed segments that are held for a copy. */
  public synchronized long heldBytes() {
    return heldBytes;
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
