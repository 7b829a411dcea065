package io.howdah.replica.snapshot;

import io.howdah.checkpoint.BaseStart;
import io.howdah.core.Execution;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.superblock.Superblock;
import io.howdah.core.superblock.SuperblockFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a snapshot: the pages of an image one after the other, while checkpoints go on. So a page
 * may have effects of later commits than another one. The place of the first superblock and the
 * image's last LSN of the last one say what a replay has to do (docs/protocol.md, R78).
 */
public final class SnapshotWriter {

  /** Maximum length of the pages that are read at once, in bytes. */
  public static final int MAX_PIECE_BYTES = FrameLayout.MAX_PAYLOAD_LENGTH;

  private static final long PARK_NANOS = 1_000_000;

  private final OutputStream to;
  private final ByteBuffer frame =
      ByteBuffer.allocateDirect(FrameLayout.HEADER_LENGTH + FrameLayout.MAX_PAYLOAD_LENGTH)
          .order(ByteOrder.LITTLE_ENDIAN);
  private final byte[] copy = new byte[frame.capacity()];
  private long number;

  private SnapshotWriter(OutputStream to) {
    this.to = to;
  }

  /**
   * Writes a snapshot of a running member.
   *
   * @param pieceBytes length of what is read at once, at most {@link #MAX_PIECE_BYTES}
   * @throws IOException if the stream cannot be written
   */
  public static void write(
      SnapshotPages pages, Execution execution, int pieceBytes, OutputStream to)
      throws IOException {
    new SnapshotWriter(to).write(pages, execution, pieceBytes);
  }

  private void write(SnapshotPages pages, Execution execution, int pieceBytes) throws IOException {
    BaseStart start = pages.start();
    superblock(FrameLayout.KIND_BEGIN, start.superblock(), start.imageEndBytes());
    int pageBytes = start.superblock().geometry().pageBytes();
    ByteBuffer piece = ByteBuffer.allocateDirect(pieceBytes);
    long end = roundUp(start.imageEndBytes(), pageBytes);
    for (long address = 0; address < end; address += pieceBytes) {
      piece.clear().limit((int) Math.min(piece.capacity(), end - address));
      while (!pages.readPages(address, piece)) {
        execution.parkNanos(this, PARK_NANOS);
        piece.position(0);
      }
      runs(address, piece.flip(), pageBytes);
    }
    // Behind the former end there are pages whose checkpoints have come since; a replay has all of
    // their words, since no checkpoint before the start had any.
    superblock(FrameLayout.KIND_END, pages.state(), end);
    to.flush();
  }

  private static long roundUp(long bytes, int pageBytes) {
    return (bytes + pageBytes - 1) / pageBytes * pageBytes;
  }

  /** Writes the pages that are not zeros. */
  private void runs(long address, ByteBuffer piece, int pageBytes) throws IOException {
    for (int at = 0; at < piece.limit(); ) {
      int end = at;
      while (end < piece.limit() && !isZero(piece, end, pageBytes)) {
        end += pageBytes;
      }
      if (end > at) {
        frame.put(FrameLayout.HEADER_LENGTH, piece, at, end - at);
        send(FrameLayout.KIND_PAGES, address + at, end - at);
      }
      at = end + pageBytes;
    }
  }

  private static boolean isZero(ByteBuffer piece, int from, int pageBytes) {
    for (int at = from; at < from + pageBytes; at += Long.BYTES) {
      if (piece.getLong(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private void superblock(int kind, Superblock superblock, long imageEnd) throws IOException {
    ByteBuffer slot = SuperblockFile.encode(superblock);
    int length = slot.remaining();
    frame.put(FrameLayout.HEADER_LENGTH, slot, slot.position(), length);
    send(kind, imageEnd, length);
  }

  private void send(int kind, long address, int length) throws IOException {
    frame
        .clear()
        .putInt(FrameLayout.MAGIC_OFFSET, FrameLayout.MAGIC)
        .putInt(FrameLayout.KIND_OFFSET, kind)
        .putLong(FrameLayout.ADDRESS_OFFSET, address)
        .putInt(FrameLayout.LENGTH_OFFSET, length)
        .putLong(FrameLayout.NUMBER_OFFSET, number++);
    int total = FrameLayout.HEADER_LENGTH + length;
    frame.putInt(FrameLayout.CRC_OFFSET, Crc32c.around(frame, FrameLayout.CRC_OFFSET, total));
    frame.get(0, copy, 0, total);
    to.write(copy, 0, total);
  }
}
