package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import java.util.List;

/**
 * Follows the chain of batches through the segments, one generation after the other.
 *
 * <p>The next batch of a chain has the next sequence and contains the checksum of the batch before.
 * It follows that batch immediately or, if it did not fit, at the start of a later segment. There a
 * recovery may have written a copy of the last batch first. The chain ends where there is no next
 * batch. {@link #requireTornTail} determines whether that is a torn tail or damage: at most one
 * batch is unforced at a time, so a batch after the missing one, anywhere, proves that the missing
 * one was durable (docs/protocol.md, R11).
 *
 * <p>Not thread-safe.
 */
final class BatchReader {

  /** Reads a generation to the end of its chain. */
  static final long TO_THE_END = -1;

  private final LogIdentity identity;
  private final List<SegmentFile> segments;
  private final SegmentWindow window;
  private final Batch batch = new Batch();

  private long generation;
  private int endSegment;
  private long knownLast;

  /** Whether the next batch is the first of a trimmed log, whose predecessor no longer exists. */
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

  /** The segment of a batch after the last one that is not whole, or -1. */
  private int tornSegment;

  /** The end of that batch according to its own header. */
  private int tornEnd;

  private long tornBytes;

  private long scannedBytes;

  BatchReader(LogIdentity identity, List<SegmentFile> segments, SegmentWindow window) {
    this.identity = identity;
    this.segments = segments;
    this.window = window;
  }

  /**
   * Moves to the start of a generation: its first batch or, in a trimmed log, its first remaining
   * one.
   *
   * @param first sequence of that batch; if it is not 1, the batch was durable
   * @param from index of the generation's first segment, not before the reader's present segment
   * @param to index after its last segment
   * @param last sequence of its last batch according to its recovery record, or {@link #TO_THE_END}
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
   * @throws CorruptStoreException if a batch is missing or damaged that was durable
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
      throw missing("the superblock names it as the first of the trimmed log");
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
    boolean isValidLength =
        length >= BatchLayout.HEADER_LENGTH
            && length <= BatchLayout.MAX_LENGTH
            && length <= roomBytes;
    if (isValidLength && (trimmed || Batch.previousCrc(window.bytes, window.at) == lastCrc)) {
      window.show(offset, length);
      if (Batch.hasValidChecksum(window.bytes, window.at, length)) {
        moveOver(file, length);
        return true;
      }
      tornSegment = segment;
      tornEnd = offset + Batch.padded(length);
    }
    tornBytes = isValidLength ? Batch.padded(length) : roomBytes;
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
    batch.set(window.bytes, window.at);
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
          "the segment ends here although it was in use at its full length; restore the file");
    }
  }

  /**
   * Requires that the batch after the end of the chain was not durable. Searches the rest of the
   * generation's segments for a batch that was written after that one.
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
        // A damaged batch, and after it one whose write was interrupted.
        int after = i == tornSegment ? tornEnd : SegmentLayout.HEADER_LENGTH;
        if (i >= tornSegment && traces.isBegun(file.name(), after, generation, lastSequence + 2)) {
          found = after;
        }
      }
      if (found >= 0) {
        throw missing(
            "a later batch of the same generation lies in " + file.name() + " at offset " + found);
      }
    }
  }

  /** Returns the error for an end of the chain that contradicts other evidence. */
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

  /** Returns the checksum that the next batch must contain: that of the last one, if any. */
  int lastCrc() {
    return lastCrc;
  }

  /** Returns the index of the segment with the last batch, or -1. */
  int lastSegment() {
    return lastSegment;
  }

  /**
   * Returns the index of the last segment that contains the last batch or a copy of it; without a
   * batch, that of the generation's first segment. Segments between the batch and its copy contain
   * nothing valid.
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

  /** Returns the length of the batch after the end of the chain whose write was interrupted. */
  long tornBytes() {
    return tornBytes;
  }

  /** Returns the number of bytes that were read and verified. */
  long scannedBytes() {
    return scannedBytes;
  }
}
