package io.howdah.store.archive;

import io.howdah.archive.ArchiveTarget;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ArchiveFrameLayout;
import io.howdah.core.layout.Crc32c;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of objects, one after the other. Lengths are compared with what is there before
 * they are used. Used by one thread.
 */
final class FrameReader implements AutoCloseable {

  private static final int FIRST_PAYLOAD_BYTES = 1 << 20;

  private final ArchiveTarget target;
  private final PayloadCoding coding;
  private final StagingMemory headerMemory = StagingMemory.confined();
  private final ByteBuffer header = headerMemory.allocate(ArchiveFrameLayout.HEADER_LENGTH);
  private StagingMemory payloadMemory = StagingMemory.confined();
  private ByteBuffer buffer = payloadMemory.allocate(FIRST_PAYLOAD_BYTES);

  FrameReader(ArchiveTarget target, PayloadCoding coding) {
    this.coding = coding;
    this.target = target;
  }

  /**
   * The header of a frame.
   *
   * @param object name of the object
   * @param offset of the header in the object
   */
  record Frame(
      String object,
      long offset,
      FrameKind kind,
      RunId run,
      long sequence,
      long first,
      long second,
      long third,
      long fourth,
      int storedLength,
      int payloadCrc) {

    /** Returns the offset behind the frame. */
    long end() {
      return offset + ArchiveFrameLayout.HEADER_LENGTH + storedLength;
    }
  }

  /**
   * Reads the header of a frame.
   *
   * @param objectBytes length of the object
   * @return the header, or null at the end of the object
   * @throws CorruptStoreException if the frame is damaged or incomplete
   */
  @Nullable Frame read(String object, long offset, long objectBytes) {
    if (offset == objectBytes) {
      return null;
    }
    int read = target.read(object, offset, header.clear());
    if (read < ArchiveFrameLayout.HEADER_LENGTH) {
      throw new CorruptStoreException(object, offset, "a frame ends within its header");
    }
    FrameKind kind = FrameKind.of(header.getInt(ArchiveFrameLayout.KIND_OFFSET));
    int length = header.getInt(ArchiveFrameLayout.LENGTH_OFFSET);
    int storedLength = header.getInt(ArchiveFrameLayout.STORED_LENGTH_OFFSET);
    long high = header.getLong(ArchiveFrameLayout.STORE_ID_HIGH_OFFSET);
    long low = header.getLong(ArchiveFrameLayout.STORE_ID_LOW_OFFSET);
    if (header.getLong(ArchiveFrameLayout.MAGIC_OFFSET) != ArchiveFrameLayout.MAGIC
        || header.getInt(ArchiveFrameLayout.CRC_OFFSET)
            != Crc32c.of(header, 0, ArchiveFrameLayout.CRC_OFFSET)) {
      throw new CorruptStoreException(object, offset, "no whole frame begins here");
    }
    int version = header.getInt(ArchiveFrameLayout.VERSION_OFFSET);
    if (version != ArchiveFrameLayout.VERSION) {
      throw new CorruptStoreException(
          object,
          offset,
          "the frame has format version "
              + version
              + ", this release reads version "
              + ArchiveFrameLayout.VERSION);
    }
    if (kind == null
        || (high == 0 && low == 0)
        || length < 0
        || length > ArchiveFrameLayout.MAX_PAYLOAD_LENGTH
        || storedLength < 0
        || storedLength > ArchiveFrameLayout.MAX_PAYLOAD_LENGTH
        || (header.getInt(ArchiveFrameLayout.FLAGS_OFFSET) & ~ArchiveFrameLayout.FLAGS) != 0) {
      throw new CorruptStoreException(object, offset, "the frame's header has impossible values");
    }
    Frame frame =
        new Frame(
            object,
            offset,
            kind,
            new RunId(
                new StoreId(high, low),
                header.getLong(ArchiveFrameLayout.RUN_OFFSET),
                header.getLong(ArchiveFrameLayout.NONCE_OFFSET)),
            header.getLong(ArchiveFrameLayout.SEQUENCE_OFFSET),
            header.getLong(ArchiveFrameLayout.FIRST_OFFSET),
            header.getLong(ArchiveFrameLayout.SECOND_OFFSET),
            header.getLong(ArchiveFrameLayout.THIRD_OFFSET),
            header.getLong(ArchiveFrameLayout.FOURTH_OFFSET),
            storedLength,
            header.getInt(ArchiveFrameLayout.PAYLOAD_CRC_OFFSET));
    if (frame.end() > objectBytes) {
      throw new CorruptStoreException(
          object, offset, "the object ends within a frame, at " + objectBytes);
    }
    return frame;
  }

  /**
   * Reads the payload of a frame and verifies it.
   *
   * @return valid until the next call
   * @throws CorruptStoreException if it is damaged
   */
  ByteBuffer payload(Frame frame) {
    int length = ArchiveFrameLayout.HEADER_LENGTH + frame.storedLength();
    if (length > buffer.capacity()) {
      payloadMemory.close();
      payloadMemory = StagingMemory.confined();
      buffer = payloadMemory.allocate(length);
    }
    long from = frame.offset() + ArchiveFrameLayout.HEADER_LENGTH;
    int read = target.read(frame.object(), frame.offset(), buffer.clear().limit(length));
    if (read < length
        || Crc32c.of(buffer, ArchiveFrameLayout.HEADER_LENGTH, length) != frame.payloadCrc()) {
      throw new CorruptStoreException(
          frame.object(), from, "the content of a frame has a wrong checksum");
    }
    ByteBuffer stored = buffer.clear().limit(length).position(ArchiveFrameLayout.HEADER_LENGTH);
    return coding.decode(
        frame.object(), frame.sequence(), buffer, stored.slice().order(buffer.order()), from);
  }

  /** Frees the buffers. */
  @Override
  public void close() {
    headerMemory.close();
    payloadMemory.close();
  }
}
