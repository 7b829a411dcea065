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

  /** Capacity divided by the maximum record length, so that a busy ring has space for a record. */
  private static final int RECORDS_PER_RING = 4;

  private final Region region;
  private final int partition;
  private final long capacityBytes;
  private final long mask;

  /**
   * Wraps a mapped ring with a valid header.
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

  /** Returns the maximum length of a record in a ring of this capacity. */
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
   * Publishes all records before {@code position}. This stores one word, so after a kill a record
   * is published completely or not at all (docs/protocol.md, R24). The release store pairs with the
   * acquire load in {@link #tail}.
   */
  void publish(long position) {
    region.setLongRelease(RingLayout.TAIL_OFFSET, position);
  }

  /** Returns the end of the last published record; see {@link #publish}. */
  public long tail() {
    return region.getLongAcquire(RingLayout.TAIL_OFFSET);
  }

  /**
   * Publishes that the records before {@code position} are forced, which also frees their space
   * (R25). Waits for {@code PARTITION} test this position, too, so it is stored only after the
   * force. A release store, which pairs with the acquire load in {@link #forcedPosition}.
   */
  public void publishForced(long position) {
    region.setLongRelease(RingLayout.FORCED_OFFSET, position);
  }

  /**
   * Returns the position up to which records are forced, and before which space is free and may be
   * overwritten; see {@link #publishForced}. Waits for {@code PARTITION} test this, too.
   */
  public long forcedPosition() {
    return region.getLongAcquire(RingLayout.FORCED_OFFSET);
  }

  /**
   * Announces a lower bound of the LSN that is taken next. The volatile read-modify-write of the
   * clock follows.
   *
   * <p>A release store, which pairs with the acquire load in {@link #inflight}. The flusher may
   * read this word instead of the withdrawal of the lane's previous commit. The release orders the
   * publication of that commit's record before this word.
   */
  void announce(long clock) {
    region.setLongRelease(RingLayout.INFLIGHT_OFFSET, clock);
  }

  /**
   * Withdraws the announcement. A release store after the publication and, in a lane that is alone
   * in its partition, after the stores.
   */
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

  /**
   * Returns a more specific exception for a memory fault of this ring; otherwise {@code thrown}.
   */
  Throwable explained(Throwable thrown) {
    return region.explained(thrown);
  }
}
