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
 * next batch the chain ends. Whether that is a torn tail or damage, {@link #requireTornTail} tells:
 * at most one batch is unforced at a time, so a batch after the next, anywhere, proves that the
 * next one was durable (docs/protocol.md, R11).
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
  private int reachedSegment;
  private int lastOffset;
  private int lastLength;

  private int breakSegment;
  private int breakOffset;

  // Where a batch that had begun to be written after the last one ends, by its own header; -1:
  // none.
  private int tornSegment;
  private int tornEnd;
  private long tornBytes;

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
    reachedSegment = from;
    offset = SegmentLayout.HEADER_LENGTH;
    trimmed = first > 1;
    lastSequence = first - 1;
    lastCrc = identity.firstPreviousCrc(generation);
    lastSegment = -1;
    lastLength = 0;
    breakSegment = from;
    breakOffset = offset;
    tornBytes = 0;
    tornSegment = -1;
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
          reachedSegment = segment;
          continue;
        }
        if (isNext(file)) {
          requireWhole(file);
          return true;
        }
      }
      segment++;
      offset = SegmentLayout.HEADER_LENGTH;
    }
    if (trimmed) {
      throw missing("the superblock names it as the first that the trimmed log holds");
    }
    if (knownLast != TO_THE_END) {
      throw missing("the store's record of generation " + generation + " counts " + knownLast);
    }
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
      if (Batch.hasValidChecksum(window.bytes, window.at, length)) {
        moveOver(file, length);
        return true;
      }
      tornSegment = segment;
      tornEnd = offset + Batch.padded(length);
    }
    tornBytes = sane ? Batch.padded(length) : roomBytes;
    return false;
  }

  private boolean isCopyOfLast(SegmentFile file) {
    // Before the first batch of a trimmed log is read, lastSequence is set, but no batch is known
    // that could have been copied.
    if (lastLength == 0 || lastLength > file.endBytes() - offset) {
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
        && Batch.hasValidChecksum(window.bytes, window.at, lastLength);
  }

  private void moveOver(SegmentFile file, int length) {
    batch.take(window.bytes, window.at);
    batch.file = file.name();
    batch.fileOffset = offset;
    trimmed = false;
    lastSequence = batch.sequence;
    lastCrc = batch.crc;
    lastSegment = segment;
    reachedSegment = segment;
    lastOffset = offset;
    lastLength = length;
    offset += Batch.padded(length);
    scannedBytes += Batch.padded(length);
    breakSegment = segment;
    breakOffset = offset;
    tornBytes = 0;
    tornSegment = -1;
  }

  private void requireWhole(SegmentFile file) {
    if (file.truncated()) {
      throw new CorruptStoreException(
          file.name(),
          file.endBytes(),
          "the segment ends here although it was put to use at its full length; restore the file");
    }
  }

  /**
   * Holds the end of the chain to being the end of what was durable: looks through all that is left
   * of the generation's segments for a batch that must have come after the next one.
   *
   * @throws CorruptStoreException if there is one
   */
  void requireTornTail(BatchTraces traces) {
    for (int i = breakSegment; i < endSegment; i++) {
      SegmentFile file = segments.get(i);
      int from = i == breakSegment ? breakOffset : SegmentLayout.HEADER_LENGTH;
      scannedBytes += Math.max(0, file.endBytes() - from);
      long found = traces.firstAfter(file.name(), from, generation, lastSequence + 1, generation);
      if (found < 0 && tornSegment >= 0) {
        // A batch that is damaged and one that was being written behind it.
        int behind = i == tornSegment ? tornEnd : SegmentLayout.HEADER_LENGTH;
        if (i >= tornSegment && traces.isBegun(file.name(), behind, generation, lastSequence + 2)) {
          found = behind;
        }
      }
      if (found >= 0) {
        throw missing(
            "a later batch of the same generation lies in " + file.name() + " at offset " + found);
      }
    }
  }

  /** Returns the error for an end of the chain that other evidence speaks against. */
  CorruptStoreException missing(String evidence) {
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

  /**
   * Returns the index of the last segment that holds the last batch or a copy of it, or of the
   * generation's first. Between that segment and the batch's own there is nothing that counts.
   */
  int reachedSegment() {
    return reachedSegment;
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

  /** Returns how many bytes were read and judged. */
  long scannedBytes() {
    return scannedBytes;
  }
}
