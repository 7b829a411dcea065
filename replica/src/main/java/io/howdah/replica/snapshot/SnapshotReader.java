package io.howdah.replica.snapshot;

import io.howdah.checkpoint.BaseRestore;
import io.howdah.checkpoint.IncomingFiles;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;

/**
 * Reads a snapshot into the directory of a member that is not open, and replaces the member's files
 * by it once everything is durable. Until then the former files stay as they are.
 */
public final class SnapshotReader {

  private final String source;
  private final InputStream from;
  private final ByteBuffer frame =
      ByteBuffer.allocateDirect(FrameLayout.HEADER_LENGTH + FrameLayout.MAX_PAYLOAD_LENGTH)
          .order(ByteOrder.LITTLE_ENDIAN);
  private final byte[] copy = new byte[FrameLayout.MAX_PAYLOAD_LENGTH];
  private long number;

  /** Offset of the frame in the stream. */
  private long offset;

  private long nextOffset;
  private int kind;
  private long address;
  private int length;

  private SnapshotReader(String source, InputStream from) {
    this.source = source;
    this.from = from;
  }

  /** What a snapshot has to be. */
  public record Expected(StoreId id, Geometry geometry, long leastIndex) {}

  /**
   * Reads a snapshot and replaces a member's files by it.
   *
   * @param source of the stream, for messages
   * @param storage of the member, which has its lock
   * @param cancelled returns whether to give up, which leaves the files as they are
   * @return the place from which a replay makes the image complete
   * @throws IOException if the stream cannot be read, or ends early
   * @throws CorruptStoreException if it is damaged
   * @throws UnsupportedStoreException if it is of another group or too old
   */
  public static RingPlacement.Replica install(
      String source,
      InputStream from,
      Storage storage,
      Expected expected,
      BooleanSupplier cancelled)
      throws IOException {
    return new SnapshotReader(source, from).install(storage, expected, cancelled);
  }

  private RingPlacement.Replica install(
      Storage storage, Expected expected, BooleanSupplier cancelled) throws IOException {
    next();
    Superblock start = superblock(FrameLayout.KIND_BEGIN);
    RingPlacement.Replica place = requireExpected(start, expected);
    long imageEnd = requireImageEnd(start.geometry());
    Storage incoming = IncomingFiles.claim(storage);
    try (BaseRestore copied = new BaseRestore(incoming, start, "snapshot of " + source)) {
      long end = 0;
      for (next(); kind == FrameLayout.KIND_PAGES; next()) {
        if (cancelled.getAsBoolean()) {
          throw new IOException("given up while reading the snapshot of " + source);
        }
        int pageBytes = start.geometry().pageBytes();
        if (address < end
            || address % pageBytes != 0
            || length == 0
            || length % pageBytes != 0
            || address > start.geometry().maxSizeBytes() - length) {
          throw damaged("pages at " + address + " with " + length + " bytes after " + end);
        }
        copied.pages(
            address,
            frame
                .duplicate()
                .clear()
                .position(FrameLayout.HEADER_LENGTH)
                .limit(FrameLayout.HEADER_LENGTH + length)
                .slice());
        end = address + length;
      }
      Superblock last = superblock(FrameLayout.KIND_END);
      requireSame(start, last);
      copied.prepareReplica(last, Math.max(imageEnd, requireImageEnd(start.geometry())));
    }
    IncomingFiles.replace(storage);
    return place;
  }

  private RingPlacement.Replica requireExpected(Superblock start, Expected expected) {
    if (!start.storeId().equals(expected.id())) {
      throw new UnsupportedStoreException(
          source + " belongs to replica group " + start.storeId() + ", not to " + expected.id());
    }
    Geometry geometry = start.geometry();
    Geometry own = expected.geometry();
    if (geometry.maxSizeBytes() != own.maxSizeBytes()
        || geometry.pageBytes() != own.pageBytes()
        || geometry.partitions() != own.partitions()
        || geometry.ringBytes() != own.ringBytes()) {
      throw new UnsupportedStoreException(
          source + " has other dimensions than this member: " + geometry + ", not " + own);
    }
    if (!(start.rings() instanceof RingPlacement.Replica place)
        || start.checkpoint().phase() != CheckpointState.Phase.FOLDED) {
      throw damaged("the first superblock is none of a running member");
    }
    if (place.index() < expected.leastIndex()) {
      throw new UnsupportedStoreException(
          source
              + " has a snapshot of entry "
              + place.index()
              + ", but the group's log begins behind entry "
              + expected.leastIndex());
    }
    return place;
  }

  private void requireSame(Superblock start, Superblock last) {
    if (!last.storeId().equals(start.storeId())
        || !last.geometry().equals(start.geometry())
        || last.checkpoint().phase() != CheckpointState.Phase.FOLDED
        || last.checkpoint().sequence() < start.checkpoint().sequence()
        || last.checkpoint().imageLsn() < start.checkpoint().replayAboveLsn()) {
      throw damaged("the last superblock does not continue the first one");
    }
  }

  private long requireImageEnd(Geometry geometry) {
    if (address < 0 || address > geometry.maxSizeBytes()) {
      throw damaged("the image ends at " + address);
    }
    return address;
  }

  private Superblock superblock(int expectedKind) {
    if (kind != expectedKind) {
      throw damaged("frame of kind " + kind + ", expected " + expectedKind);
    }
    ByteBuffer slot =
        ByteBuffer.allocateDirect(length).put(0, frame, FrameLayout.HEADER_LENGTH, length);
    return SuperblockFile.decode(slot).orElseThrow(() -> damaged("no superblock"));
  }

  /** Reads the next frame. */
  private void next() throws IOException {
    offset = nextOffset;
    fill(0, FrameLayout.HEADER_LENGTH);
    length = frame.getInt(FrameLayout.LENGTH_OFFSET);
    if (frame.getInt(FrameLayout.MAGIC_OFFSET) != FrameLayout.MAGIC
        || length < 0
        || length > FrameLayout.MAX_PAYLOAD_LENGTH) {
      throw damaged("no frame of a snapshot starts here");
    }
    fill(FrameLayout.HEADER_LENGTH, length);
    int total = FrameLayout.HEADER_LENGTH + length;
    if (frame.getInt(FrameLayout.CRC_OFFSET) != Crc32c.around(frame, FrameLayout.CRC_OFFSET, total)
        || frame.getLong(FrameLayout.NUMBER_OFFSET) != number) {
      throw damaged("the frame is damaged");
    }
    kind = frame.getInt(FrameLayout.KIND_OFFSET);
    address = frame.getLong(FrameLayout.ADDRESS_OFFSET);
    number++;
    nextOffset = offset + total;
  }

  private void fill(int at, int bytes) throws IOException {
    int read = from.readNBytes(copy, 0, bytes);
    if (read < bytes) {
      throw new EOFException(
          "the snapshot of " + source + " ends at offset " + (offset + at + read));
    }
    frame.put(at, copy, 0, bytes);
  }

  private CorruptStoreException damaged(String problem) {
    return new CorruptStoreException("snapshot of " + source, offset, problem);
  }
}
