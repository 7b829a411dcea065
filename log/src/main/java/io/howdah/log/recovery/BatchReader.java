package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import java.util.List;

/**
 * Follows the chain of batches through the segments of one generation after the other.
 *
 * <p>The next batch of a chain is the one with the next sequence and the checksum of the one
 * before; it lies right behind it, or, where it did not fit, at the start of a later segment. A
 * recovery may have put a copy of the last batch it found there, to go on from. Where there is no
 * next batch the chain ends, and the reader tells a torn tail from damage: at most one batch is
 * unforced at a time, so a trace of the batch after the next, anywhere, proves that the next one
 * was durable (docs/protocol.md, R11).
 *
 * <p>Not thread-safe.
 */
final class BatchReader {

  /** Reads a generation to wherever its chain ends. */
  static final long TO_THE_END = -1;

  private final LogIdentity identity;
  private final List<SegmentFile> segments;
  private final SegmentWindow window;
  private final Batch batch = new Batch();

  private long generation;
  private int endSegment;
  private long knownLast;

  /** Whether the next batch is the first one left of a trimmed log: its predecessor is gone. */
  private boolean trimmed;

  private int segment;
  private int offset;
  private long lastSequence;
  private int lastCrc;
  private int lastSegment;
  private int lastOffset;
  private int lastLength;

  private int breakSegment;
  private int breakOffset;
  private long tornBytes;
  private long laterSequence;
  private int laterSegment;
  private int laterOffset;
  private long scannedBytes;

  BatchReader(LogIdentity identity, List<SegmentFile> segments, SegmentWindow window) {
    this.identity = identity;
    this.segments = segments;
    this.window = window;
  }

  /**
   * Turns to a generation, from its first batch on, or from the first that a trimmed log has left.
   *
   * @param first sequence of that batch; it was durable if it is not 1
   * @param from index of its first segment, not before where the reader stands
   * @param to index after its last
   * @param last sequence of its last batch, if that is on record, or {@link #TO_THE_END}
   */
  void start(long generation, long first, int from, int to, long last) {
    this.generation = generation;
    this.endSegment = to;
    this.knownLast = last;
    segment = from;
    offset = SegmentLayout.HEADER_LENGTH;
    trimmed = first > 1;
    lastSequence = first - 1;
    lastCrc = identity.firstPreviousCrc(generation);
    lastSegment = -1;
    lastLength = 0;
    breakSegment = from;
    breakOffset = offset;
    tornBytes = 0;
    laterSequence = 0;
  }

  /** Returns the batch that {@link #next} moved to. */
  Batch batch() {
    return batch;
  }

  /**
   * Moves to the next batch.
   *
   * @return false at the end of the generation
   * @throws CorruptStoreException if a batch is missing or damaged that must be there
   */
  boolean next() {
    if (lastSequence == knownLast) {
      return false;
    }
    while (segment < endSegment) {
      window.enter(segment);
      SegmentFile file = segments.get(segment);
      if (offset + BatchLayout.ALIGNMENT <= file.endBytes()) {
        if (offset == SegmentLayout.HEADER_LENGTH && isCopyOfLast(file)) {
          offset += Batch.padded(lastLength);
          continue;
        }
        if (isNext(file)) {
          requireWhole(file);
          return true;
        }
        lookForLaterBatches(file);
      }
      segment++;
      offset = SegmentLayout.HEADER_LENGTH;
    }
    judgeEnd();
    return false;
  }

  private boolean isNext(SegmentFile file) {
    window.show(offset, BatchLayout.ALIGNMENT);
    if (!Batch.isBegun(window.bytes, window.at, identity.storeTag(), generation)
        || Batch.sequence(window.bytes, window.at) != lastSequence + 1) {
      return false;
    }
    int length = Batch.length(window.bytes, window.at);
    int roomBytes = file.endBytes() - offset;
    boolean sane =
        length >= BatchLayout.HEADER_LENGTH
            && length <= BatchLayout.MAX_LENGTH
            && length <= roomBytes;
    if (sane && (trimmed || Batch.previousCrc(window.bytes, window.at) == lastCrc)) {
      window.show(offset, length);
      if (batch.hasValidChecksum(window.bytes, window.at, length)) {
        moveOver(file, length);
        return true;
      }
    }
    tornBytes = sane ? Batch.padded(length) : roomBytes;
    return false;
  }

  private boolean isCopyOfLast(SegmentFile file) {
    if (lastSequence == 0 || lastLength > file.endBytes() - offset) {
      return false;
    }
    window.show(offset, BatchLayout.ALIGNMENT);
    if (!Batch.isBegun(window.bytes, window.at, identity.storeTag(), generation)
        || Batch.sequence(window.bytes, window.at) != lastSequence
        || Batch.length(window.bytes, window.at) != lastLength) {
      return false;
    }
    window.show(offset, lastLength);
    return Batch.checksum(window.bytes, window.at) == lastCrc
        && batch.hasValidChecksum(window.bytes, window.at, lastLength);
  }

  private void moveOver(SegmentFile file, int length) {
    batch.take(window.bytes, window.at);
    batch.file = file.name();
    batch.fileOffset = offset;
    trimmed = false;
    lastSequence = batch.sequence;
    lastCrc = batch.crc;
    lastSegment = segment;
    lastOffset = offset;
    lastLength = length;
    offset += Batch.padded(length);
    scannedBytes += Batch.padded(length);
    breakSegment = segment;
    breakOffset = offset;
    tornBytes = 0;
  }

  private void requireWhole(SegmentFile file) {
    if (file.truncated()) {
      throw new CorruptStoreException(
          file.name(),
          file.endBytes(),
          "the segment ends here although it was put to use at its full length; restore the file");
    }
  }

  /** Notes traces of batches that must have come after the next one. */
  private void lookForLaterBatches(SegmentFile file) {
    scannedBytes += file.endBytes() - offset;
    for (int at = offset;
        at + BatchLayout.ALIGNMENT <= file.endBytes();
        at += BatchLayout.ALIGNMENT) {
      window.show(at, BatchLayout.ALIGNMENT);
      if (Batch.isBegun(window.bytes, window.at, identity.storeTag(), generation)) {
        long sequence = Batch.sequence(window.bytes, window.at);
        if (sequence > laterSequence) {
          laterSequence = sequence;
          laterSegment = segment;
          laterOffset = at;
        }
      }
    }
  }

  private void judgeEnd() {
    if (knownLast != TO_THE_END) {
      throw missing("the store's record of generation " + generation + " counts " + knownLast);
    }
    if (trimmed) {
      throw missing("the superblock names it as the first that the trimmed log holds");
    }
    if (laterSequence > lastSequence + 1) {
      throw missing(
          "batch "
              + laterSequence
              + " of the same generation lies in "
              + segments.get(laterSegment).name()
              + " at offset "
              + laterOffset);
    }
  }

  private CorruptStoreException missing(String evidence) {
    boolean anySegment = breakSegment < segments.size();
    return new CorruptStoreException(
        anySegment ? segments.get(breakSegment).name() : "log",
        anySegment ? breakOffset : -1,
        "batch "
            + (lastSequence + 1)
            + " of generation "
            + generation
            + " is damaged or missing, but it was durable: "
            + evidence
            + "; all batches before it are intact. Restore the log's files from a copy");
  }

  /** Returns the sequence of the last batch of the generation so far, 0 for none. */
  long lastSequence() {
    return lastSequence;
  }

  /** Returns the checksum of the last batch, or what the first carries instead. */
  int lastCrc() {
    return lastCrc;
  }

  /** Returns the index of the segment with the last batch, or -1. */
  int lastSegment() {
    return lastSegment;
  }

  int lastOffset() {
    return lastOffset;
  }

  int lastLength() {
    return lastLength;
  }

  /** Returns how many bytes a batch takes that had begun to be written when the chain ended. */
  long tornBytes() {
    return tornBytes;
  }

  /** Returns how many bytes were read and judged, unused rests of segments included. */
  long scannedBytes() {
    return scannedBytes;
  }
}
