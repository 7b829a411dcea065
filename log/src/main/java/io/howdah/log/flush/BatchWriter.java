package io.howdah.log.flush;

import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchHeader;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.report.FlightRecording;
import io.howdah.log.commit.LogStart;
import io.howdah.log.commit.Ring;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/**
 * Builds one batch at a time in a staging buffer, writes it to the current segment and forces it.
 * The bytes are copied before they are checksummed, so a checksum never covers memory that still
 * changes. Owned by the flusher's thread.
 */
public final class BatchWriter {

  private final LogStart start;
  private final ByteBuffer staging;

  private final SegmentHistory history;
  private final Consumer<BatchId> whenForced;
  private final long[] startPositions;

  private Segment segment;
  private long sequence = 1;
  private int previousCrc;
  private int sections;
  private int forcedSegments;

  /**
   * Creates a writer for a new generation.
   *
   * @param history records every segment with a batch
   * @param whenForced called with each batch after its force, before {@link #writeAndForce}
   *     returns; must not block
   * @param stagingBytes maximum length of a batch, at most {@link BatchLayout#MAX_LENGTH}
   */
  public BatchWriter(
      LogStart start,
      Segment first,
      SegmentHistory history,
      Consumer<BatchId> whenForced,
      int partitions,
      int stagingBytes) {
    this.start = start;
    this.segment = first;
    this.history = history;
    this.whenForced = whenForced;
    this.startPositions = new long[partitions];
    this.previousCrc = BatchLayout.firstPreviousCrc(start.storeTag(), start.generation());
    this.staging =
        ByteBuffer.allocateDirect(stagingBytes + BatchLayout.ALIGNMENT)
            .alignedSlice(BatchLayout.ALIGNMENT)
            .limit(stagingBytes)
            .slice()
            .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the length of a batch with these record bytes, without padding. */
  public static long batchBytes(long recordBytes, int sections) {
    return BatchLayout.HEADER_LENGTH
        + (long) sections * BatchLayout.SECTION_HEADER_LENGTH
        + recordBytes;
  }

  /** Returns the minimum length of a segment in which the longest record of any partition fits. */
  public static int smallestSegmentBytes(long ringBytes, int partitions) {
    long bytes =
        SegmentLayout.HEADER_LENGTH + batchBytes(Ring.maxRecordBytes(ringBytes), partitions);
    return (int) Math.max(SegmentLayout.MIN_LENGTH, Alignment.up(bytes, BatchLayout.ALIGNMENT));
  }

  /** Returns whether a batch of this length fits into the current segment. */
  public boolean fitsSegment(long batchBytes) {
    return Alignment.up(Math.min(batchBytes, staging.capacity()), BatchLayout.ALIGNMENT)
        <= segment.remainingBytes();
  }

  /** Moves to a new segment. The former one is completely forced, and is closed. */
  public void use(Segment next) {
    segment.file.close();
    segment = next;
    forcedSegments++;
  }

  long segmentsUsed() {
    return forcedSegments + 1L;
  }

  /** Starts a batch. */
  public void begin() {
    staging.clear();
    staging.limit(Math.min(staging.capacity(), segment.remainingBytes()));
    staging.position(BatchLayout.HEADER_LENGTH);
    sections = 0;
  }

  /**
   * Returns whether the batch is the first of its segment. The first batch has a section for every
   * partition, possibly empty, so that a log that is trimmed to this segment contains the position
   * at which each partition continues.
   */
  public boolean isFirstOfSegment() {
    return segment.position == SegmentLayout.HEADER_LENGTH;
  }

  /**
   * Returns the maximum number of record bytes in one more section.
   *
   * @param sections number of sections that are still to be added, this one included
   */
  int spaceForSection(int sections) {
    return Math.max(0, staging.remaining() - sections * BatchLayout.SECTION_HEADER_LENGTH);
  }

  /** Appends records of one partition. */
  public void section(Ring ring, long from, long to) {
    staging.putInt(ring.partition()).putInt((int) (to - from)).putLong(from);
    ring.copyTo(from, to, staging);
    startPositions[ring.partition()] = from;
    sections++;
  }

  /**
   * Completes, writes and forces the batch, which is durable after the return. After an exception
   * the state of the batch is unknown, and no more batches may be written.
   *
   * @param cut dense; every LSN up to it is in this batch or an earlier one; at least {@code
   *     stable}
   * @param stable dense; the stable LSN before this batch
   * @param maxLsn dense; no record in the batch has a larger LSN
   * @return bytes written, padding included
   */
  public int writeAndForce(long cut, long stable, long maxLsn) {
    int length = staging.position();
    int crc =
        new BatchHeader(
                start.storeTag(),
                start.generation(),
                sequence,
                length,
                sections,
                cut,
                stable,
                maxLsn,
                previousCrc)
            .write(staging);
    int paddedLength = (int) Alignment.up(length, BatchLayout.ALIGNMENT);
    for (int offset = length; offset < paddedLength; offset++) {
      staging.put(offset, (byte) 0);
    }
    staging.position(0).limit(paddedLength);
    BatchEvent event = FlightRecording.isOn() ? new BatchEvent() : null;
    if (event != null) {
      event.begin();
    }
    segment.file.write(segment.position, staging);
    segment.file.force();
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.bytes = paddedLength;
        event.sequence = sequence;
        event.maxLsn = maxLsn;
        event.commit();
      }
    }
    boolean isFirst = isFirstOfSegment();
    segment.position += paddedLength;
    BatchId batch = new BatchId(sequence, crc);
    whenForced.accept(batch);
    if (isFirst) {
      history.add(
          new SegmentHistory.Used(segment, sequence, startPositions), segment.position, batch);
    } else {
      history.extend(segment.position, batch);
    }
    sequence++;
    previousCrc = crc;
    return paddedLength;
  }

  public void close() {
    segment.file.close();
  }
}
