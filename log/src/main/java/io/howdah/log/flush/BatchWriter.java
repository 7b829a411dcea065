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

/**
 * Builds one batch at a time in a staging buffer, and passes it to a {@link BatchTarget}. The bytes
 * are copied before they are checksummed, so a checksum never covers memory that still changes.
 * Owned by the flusher's thread.
 */
public final class BatchWriter {

  private final LogStart start;
  private final BatchTarget target;
  private final ByteBuffer staging;
  private final long[] startPositions;

  private long sequence = 1;
  private int previousCrc;
  private int sections;

  /**
   * Creates a writer for a new generation.
   *
   * @param stagingBytes maximum length of a batch, at most {@link BatchLayout#MAX_LENGTH}, a
   *     multiple of {@link BatchLayout#ALIGNMENT}
   */
  public BatchWriter(LogStart start, BatchTarget target, int partitions, int stagingBytes) {
    this.start = start;
    this.target = target;
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

  /**
   * Makes room in the target for a batch with these record bytes, or for its first part. May wait.
   */
  public void prepare(long recordBytes, int sections, BatchTarget.Waiting waiting) {
    target.prepare(Math.min(batchBytes(recordBytes, sections), staging.capacity()), waiting);
  }

  /** Starts a batch. */
  public void begin() {
    staging.clear();
    staging.limit(Math.min(staging.capacity(), target.roomBytes()));
    staging.position(BatchLayout.HEADER_LENGTH);
    sections = 0;
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
   * Completes the batch and makes it durable. After an exception the state of the batch is unknown,
   * and no more batches may be written.
   *
   * @param cut dense; every LSN up to it is in this batch or an earlier one; at least {@code
   *     stable}
   * @param stable dense; the stable LSN before this batch
   * @param maxLsn dense; no record in the batch has a larger LSN
   * @return bytes written, padding included
   */
  public int write(long cut, long stable, long maxLsn, BatchTarget.Waiting waiting) {
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
    staging.position(0).limit(length);
    BatchEvent event = FlightRecording.isOn() ? new BatchEvent() : null;
    if (event != null) {
      event.begin();
    }
    int written = target.write(staging, new BatchId(sequence, crc), cut, startPositions, waiting);
    if (event != null) {
      event.end();
      if (event.shouldCommit()) {
        event.bytes = written;
        event.sequence = sequence;
        event.maxLsn = maxLsn;
        event.commit();
      }
    }
    sequence++;
    previousCrc = crc;
    return written;
  }
}
