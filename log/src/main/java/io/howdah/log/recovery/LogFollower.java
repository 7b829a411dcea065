package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.LogState;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.LogExtent;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the durable batches of a log while it is in use, in their order, for a copy that continues.
 * Every batch is verified: its checksum, its sequence, and the checksum of the batch before. So
 * bytes of a segment that is reused meanwhile are never taken for what they were.
 *
 * <p>Memory: a megabyte, or the longest batch. Used by one thread.
 */
public final class LogFollower implements AutoCloseable {

  private static final int PIECE_BYTES = 1 << 20;

  /**
   * How far a copy has come.
   *
   * @param segment sequence of the segment to read
   * @param offset in that segment; 0 before its header
   * @param batch sequence of the next batch
   * @param crc checksum of the batch before
   * @param isCrcKnown whether {@code crc} is known; it is not for the first batch of a trimmed log
   */
  public record Position(long segment, int offset, long batch, int crc, boolean isCrcKnown) {}

  /**
   * Some batches of a segment, side by side.
   *
   * @param segment sequence of the segment
   * @param segmentBytes length of the segment's file
   * @param offset of the bytes in the segment; 0 if they begin with the segment's header
   * @param firstBatch sequence of the first batch
   * @param lastBatch sequence of the last batch
   * @param bytes valid until the next call
   */
  public record Piece(
      long segment,
      int segmentBytes,
      int offset,
      long firstBatch,
      long lastBatch,
      ByteBuffer bytes) {}

  private final Storage storage;
  private final LogIdentity identity;
  private final long generation;
  private final Batch batch = new Batch();
  private StagingMemory memory = new StagingMemory();
  private ByteBuffer buffer;
  private Position position;

  /**
   * Creates a follower of the log of an open store.
   *
   * @param start state after a checkpoint of this opening; the oldest batch that it names is the
   *     first that is read
   */
  public LogFollower(Storage storage, Superblock start) {
    this.storage = storage;
    this.identity = new LogIdentity(start.storeId().high(), start.storeId().low());
    this.generation = start.generation();
    this.buffer = memory.allocate(PIECE_BYTES);
    LogState log = start.log();
    boolean isFirst = log.oldestBatch() == 1;
    this.position =
        new Position(
            log.oldestSegment(),
            0,
            log.oldestBatch(),
            isFirst ? identity.firstPreviousCrc(generation) : 0,
            isFirst);
  }

  /** Returns how far the log was read. */
  public Position position() {
    return position;
  }

  /** Moves back to a position of this follower. */
  public void moveTo(Position former) {
    position = former;
  }

  /**
   * Reads the next batches.
   *
   * @param extents durable ranges of the log, as {@code RedoLog.followed} returns them
   * @return the batches, or null if all of the ranges was read
   * @throws CorruptStoreException if a batch that was durable is damaged, or was overwritten
   *     meanwhile
   */
  public @Nullable Piece next(List<LogExtent> extents) {
    for (LogExtent extent : extents) {
      if (extent.sequence() < position.segment()) {
        continue;
      }
      if (extent.sequence() > position.segment()) {
        moveTo(
            new Position(
                extent.sequence(), 0, position.batch(), position.crc(), position.isCrcKnown()));
      }
      Piece piece = position.offset() < extent.endBytes() ? read(extent) : null;
      if (piece != null) {
        return piece;
      }
    }
    return null;
  }

  private @Nullable Piece read(LogExtent extent) {
    int from = position.offset();
    int left = extent.endBytes() - from;
    try (StorageFile file = storage.open(extent.name(), Storage.Access.DIRECT)) {
      while (true) {
        int length = Math.min(left, buffer.capacity());
        if (file.read(from, buffer.clear().limit(length)) < length) {
          throw damaged(extent, from, "the segment ends here");
        }
        int needed = parse(extent, from, length);
        if (needed <= buffer.capacity()) {
          break;
        }
        grow(needed);
      }
    }
    int end = parsedEnd;
    if (end == from || parsedBatch == position.batch()) {
      if (!extent.isComplete()) {
        throw damaged(extent, from, "batch " + position.batch() + " is damaged or missing");
      }
      return null; // the rest of a complete segment is unused
    }
    Piece piece =
        new Piece(
            extent.sequence(),
            extent.lengthBytes(),
            from,
            position.batch(),
            parsedBatch - 1,
            buffer.clear().limit(end - from).slice().order(ByteOrder.LITTLE_ENDIAN));
    moveTo(new Position(extent.sequence(), end, parsedBatch, parsedCrc, true));
    return piece;
  }

  /** End in the segment of the batches that {@link #parse} has found. */
  private int parsedEnd;

  /** Sequence of the batch after these. */
  private long parsedBatch;

  /** Checksum of the last of these. */
  private int parsedCrc;

  /**
   * Finds the batches in the buffer.
   *
   * @return the number of bytes that the buffer must have to contain at least one batch
   */
  private int parse(LogExtent extent, int from, int length) {
    parsedBatch = position.batch();
    parsedCrc = position.crc();
    boolean isCrcKnown = position.isCrcKnown();
    int at = from == 0 ? SegmentLayout.HEADER_LENGTH : 0;
    while (at + BatchLayout.ALIGNMENT <= length) {
      int batchLength = Batch.length(buffer, at);
      if (!Batch.isBegun(buffer, at, identity.storeTag(), generation)
          || Batch.sequence(buffer, at) != parsedBatch
          || (isCrcKnown && Batch.previousCrc(buffer, at) != parsedCrc)
          || batchLength < BatchLayout.HEADER_LENGTH
          || batchLength > BatchLayout.MAX_LENGTH
          || Batch.padded(batchLength) > extent.endBytes() - from - at) {
        break;
      }
      if (at + Batch.padded(batchLength) > length) {
        if (parsedBatch == position.batch()) {
          return at + Batch.padded(batchLength);
        }
        break; // the next piece begins with it
      }
      if (!Batch.hasValidChecksum(buffer, at, batchLength)) {
        throw damaged(extent, from + at, "batch " + parsedBatch + " has a wrong checksum");
      }
      batch.set(buffer, at);
      parsedCrc = batch.crc;
      isCrcKnown = true;
      parsedBatch++;
      at += Batch.padded(batchLength);
    }
    parsedEnd = from + at;
    return 0;
  }

  private void grow(int neededBytes) {
    memory.close();
    memory = new StagingMemory();
    buffer = memory.allocate(neededBytes);
  }

  private static CorruptStoreException damaged(LogExtent extent, int offset, String problem) {
    return new CorruptStoreException(
        extent.name(), offset, problem + ", but it was durable; check the store when it is closed");
  }

  /** Frees the buffer. */
  @Override
  public void close() {
    memory.close();
  }
}
