package io.howdah.store.archive;

import io.howdah.archive.ArchiveNames;
import io.howdah.archive.ArchiveTarget;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.ArchiveFrameLayout;
import io.howdah.core.layout.Crc32c;
import java.nio.ByteBuffer;

/**
 * Appends frames to one object of an archive. After a failure the object is not used any more,
 * because it is not known what it holds. Used by one thread.
 */
final class FrameWriter implements AutoCloseable {

  static final ByteBuffer NO_PAYLOAD = ByteBuffer.allocateDirect(0);

  private final ArchiveTarget target;
  private final String name;
  private final RunId run;
  private final PayloadCoding coding;
  private final StagingMemory memory = StagingMemory.confined();
  private final ByteBuffer header = memory.allocate(ArchiveFrameLayout.HEADER_LENGTH);
  private long sequence;
  private long offset;

  FrameWriter(ArchiveTarget target, String name, RunId run, PayloadCoding coding) {
    this.coding = coding;
    this.target = target;
    this.name = name;
    this.run = run;
  }

  /** Appends a frame. The buffer keeps its position and limit. */
  void append(
      FrameKind kind, long first, long second, long third, long fourth, ByteBuffer payload) {
    fill(header, run, kind, sequence, first, second, third, fourth, payload.remaining());
    ByteBuffer stored = coding.encode(name, sequence, header, payload);
    int length = stored.remaining();
    finish(header, Crc32c.of(stored, stored.position(), stored.limit()));
    target.append(name, offset, header.clear());
    offset += ArchiveFrameLayout.HEADER_LENGTH;
    if (length > 0) {
      target.append(name, offset, stored.duplicate());
      offset += length;
    }
    sequence++;
  }

  private static void fill(
      ByteBuffer header,
      RunId run,
      FrameKind kind,
      long sequence,
      long first,
      long second,
      long third,
      long fourth,
      int length) {
    header
        .clear()
        .putLong(ArchiveFrameLayout.MAGIC_OFFSET, ArchiveFrameLayout.MAGIC)
        .putInt(ArchiveFrameLayout.VERSION_OFFSET, ArchiveFrameLayout.VERSION)
        .putInt(ArchiveFrameLayout.KIND_OFFSET, kind.code)
        .putLong(ArchiveFrameLayout.STORE_ID_HIGH_OFFSET, run.storeId().high())
        .putLong(ArchiveFrameLayout.STORE_ID_LOW_OFFSET, run.storeId().low())
        .putLong(ArchiveFrameLayout.RUN_OFFSET, run.number())
        .putLong(ArchiveFrameLayout.NONCE_OFFSET, run.nonce())
        .putLong(ArchiveFrameLayout.SEQUENCE_OFFSET, sequence)
        .putLong(ArchiveFrameLayout.FIRST_OFFSET, first)
        .putLong(ArchiveFrameLayout.SECOND_OFFSET, second)
        .putLong(ArchiveFrameLayout.THIRD_OFFSET, third)
        .putLong(ArchiveFrameLayout.FOURTH_OFFSET, fourth)
        .putInt(ArchiveFrameLayout.LENGTH_OFFSET, length)
        .putInt(ArchiveFrameLayout.STORED_LENGTH_OFFSET, length)
        .putInt(ArchiveFrameLayout.FLAGS_OFFSET, 0)
        .putInt(ArchiveFrameLayout.RESERVED_OFFSET, 0);
  }

  private static void finish(ByteBuffer header, int storedCrc) {
    header.putInt(ArchiveFrameLayout.PAYLOAD_CRC_OFFSET, storedCrc);
    header.putInt(
        ArchiveFrameLayout.CRC_OFFSET, Crc32c.of(header, 0, ArchiveFrameLayout.CRC_OFFSET));
  }

  /** Writes the object that names the archive. */
  static void putArchive(ArchiveTarget target, RunId run) {
    try (StagingMemory memory = StagingMemory.confined()) {
      ByteBuffer header = memory.allocate(ArchiveFrameLayout.HEADER_LENGTH);
      fill(header, run, FrameKind.ARCHIVE, 0, 0, 0, 0, 0, 0);
      finish(header, Crc32c.of(NO_PAYLOAD, 0, 0));
      target.put(ArchiveNames.ARCHIVE, header.clear());
    }
  }

  /** Makes all frames durable. */
  void force() {
    target.force(name);
  }

  /** Returns the name of the object. */
  String name() {
    return name;
  }

  /** Returns the length of the object. */
  long bytes() {
    return offset;
  }

  /** Returns the number of frames. */
  long frames() {
    return sequence;
  }

  /** Ends the object; forces nothing. */
  @Override
  public void close() {
    memory.close();
    target.finish(name);
  }
}
