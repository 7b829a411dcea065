package io.howdah.log.commit;

import io.howdah.core.Region;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import java.nio.ByteBuffer;

/**
 * A partition's ring of published, not yet forced redo records ({@link RingLayout}). One lane
 * writes it at a time: under its lease, or under the append lock if lanes share the partition
 * (docs/protocol.md, R33). One flusher reads it and frees space.
 */
public final class Ring {

  /** The longest record is this part of a ring, so that a commit finds space in a busy one. */
  private static final int RECORDS_PER_RING = 4;

  private final Region region;
  private final int partition;
  private final long capacityBytes;
  private final long mask;

  /**
   * Wraps a mapped ring whose header is in place.
   *
   * @param capacityBytes bytes of records, a power of two
   */
  public Ring(Region region, int partition, long capacityBytes) {
    if (Long.bitCount(capacityBytes) != 1
        || capacityBytes < RingLayout.MIN_CAPACITY
        || capacityBytes > RingLayout.MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "ring capacity must be a power of two between "
              + RingLayout.MIN_CAPACITY
              + " and "
              + RingLayout.MAX_CAPACITY
              + " bytes, not "
              + capacityBytes);
    }
    this.region = region;
    this.partition = partition;
    this.capacityBytes = capacityBytes;
    this.mask = capacityBytes - 1;
  }

  /** Returns the length of the longest record that a ring of this capacity takes. */
  public static int maxRecordBytes(long capacityBytes) {
    return (int) Math.min(capacityBytes / RECORDS_PER_RING, RedoRecordLayout.MAX_LENGTH);
  }

  public int partition() {
    return partition;
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Stores the first words of an array: a part of a record that is not published yet. */
  void setWords(long position, long[] words, int count) {
    long offset = position & mask;
    int untilEnd = (int) ((capacityBytes - offset) / Long.BYTES);
    if (count <= untilEnd) {
      region.setLongs(RingLayout.HEADER_LENGTH + offset, words, count);
    } else {
      region.setLongs(RingLayout.HEADER_LENGTH + offset, words, untilEnd);
      for (int i = untilEnd; i < count; i++) {
        region.setLong(RingLayout.HEADER_LENGTH + (long) (i - untilEnd) * Long.BYTES, words[i]);
      }
    }
  }

  /** Reads a word of a published record. */
  public long word(long position) {
    return region.getLong(RingLayout.HEADER_LENGTH + (position & mask));
  }

  /**
   * Publishes everything before {@code position}. One word, so a kill leaves all of a record or
   * none (docs/protocol.md, R24). Pairs with {@link #tail}.
   */
  void publish(long position) {
    region.setLongRelease(RingLayout.TAIL_OFFSET, position);
  }

  /** Returns the position after the last published record; records before it may be read. */
  public long tail() {
    return region.getLongAcquire(RingLayout.TAIL_OFFSET);
  }

  /** Frees the space before {@code position}, which a force has covered (R25). */
  public void free(long position) {
    region.setLongRelease(RingLayout.FORCED_OFFSET, position);
  }

  /** Returns the position before which space is free; the words there may be overwritten. */
  public long forcedPosition() {
    return region.getLongAcquire(RingLayout.FORCED_OFFSET);
  }

  /**
   * Announces a lower bound for the LSN that is taken next; the clock's volatile RMW follows.
   *
   * <p>A release, because the flusher may meet this word in place of the withdrawal of the lane's
   * holder before: it must then find that holder's record in the ring all the same.
   */
  void announce(long clock) {
    region.setLongRelease(RingLayout.INFLIGHT_OFFSET, clock);
  }

  /** Withdraws the announcement. Everything the commit stored or published is visible before. */
  void withdraw() {
    region.setLongRelease(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
  }

  /** Returns the announcement, or {@link RingLayout#IDLE}. */
  public long inflight() {
    return region.getLongAcquire(RingLayout.INFLIGHT_OFFSET);
  }

  /** Copies published bytes, in position order, to a buffer with room for them. */
  public void copyTo(long from, long to, ByteBuffer target) {
    int end = target.limit();
    long position = from;
    while (position < to) {
      long offset = position & mask;
      int run = (int) Math.min(to - position, capacityBytes - offset);
      target.limit(target.position() + run);
      region.copyTo(RingLayout.HEADER_LENGTH + offset, target);
      position += run;
    }
    target.limit(end);
  }

  public void close() {
    region.close();
  }

  /** Returns what tells more than a fault of this ring that was thrown; anything else as it is. */
  Throwable explained(Throwable thrown) {
    return region.explained(thrown);
  }
}
