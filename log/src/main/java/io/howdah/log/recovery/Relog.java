package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.BatchHeader;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.flush.EmptySegment;
import io.howdah.log.flush.SegmentNames;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the current generation durable as the recovery has read it, before the store depends on it
 * (docs/protocol.md, R21).
 *
 * <p>All segments are forced, since the recovery may have read bytes that are only in the page
 * cache. For the last batch a force is not enough. If the process before stopped because a force
 * had failed, that batch may be in the page cache only, in pages that are marked clean, and no
 * later force writes those pages. The batch is therefore copied, unchanged, to a new segment.
 *
 * <p>After the copy, the records that only the rings contain are written as further batches. They
 * keep their partitions, positions, LSNs and dependencies. A crash during this leaves some of the
 * batches, and the next recovery continues after them, since the position of a record identifies
 * it.
 */
final class Relog implements AutoCloseable {

  private static final int PAGE_BYTES = BatchLayout.ALIGNMENT;

  private final Storage storage;
  private final LogIdentity identity;
  private final long generation;
  private final BatchReader reader;
  private final List<SegmentFile> segments;
  private final List<String> written = new ArrayList<>();
  private final StagingMemory memory;
  private final RingScan rings;

  // The section whose records are in memory. Only one at a time: a ring may have 16 MiB, and a
  // store may have 256 rings.
  private StagingMemory ringMemory = new StagingMemory();
  private @Nullable Section loaded;
  private ByteBuffer loadedRecords = ByteBuffer.allocate(0);

  private ByteBuffer staging = ByteBuffer.allocate(0);

  private long lastSequence;
  private int lastCrc;
  private long nextSegment;
  private int nextName;

  /** The records of a ring from a position on. They were verified before. */
  record Section(RingFile ring, long position) {

    int lengthBytes() {
      return (int) (ring.tail() - position);
    }
  }

  /**
   * Prepares to continue a generation.
   *
   * @param reader at the end of the generation
   * @param rings reads the sections
   */
  Relog(
      Storage storage,
      StagingMemory memory,
      LogIdentity identity,
      long generation,
      BatchReader reader,
      SegmentScan scan,
      RingScan rings) {
    this.storage = storage;
    this.memory = memory;
    this.rings = rings;
    this.identity = identity;
    this.generation = generation;
    this.reader = reader;
    this.segments = scan.needed();
    this.lastSequence = reader.lastSequence();
    this.lastCrc = reader.lastCrc();
    this.nextSegment = scan.nextSequence();
    this.nextName = scan.nextName();
  }

  /** Forces every segment of the log, and their entries in the directory. */
  void force() {
    for (SegmentFile segment : segments) {
      try (StorageFile file = storage.open(segment.name(), Storage.Access.READ_WRITE)) {
        file.force();
      }
    }
    storage.forceDirectory(directory());
  }

  /**
   * Writes a copy of the last batch, and the sections after it, durably. No effect if there is
   * neither.
   *
   * @param cut dense LSN: the cut in the headers of the batches
   * @param stable dense LSN: the stable LSN in the headers
   * @param maxLsn dense LSN: no record has a larger one
   */
  void write(List<Section> sections, long cut, long stable, long maxLsn) {
    int index = 0;
    int at = 0;
    boolean copied = reader.lastLength() == 0;
    if (!copied || !sections.isEmpty()) {
      // No batch is longer than its segment.
      staging =
          memory.allocate(Math.min(BatchLayout.MAX_LENGTH, segmentLength(sections, index, at)));
    }
    while (!copied || index < sections.size()) {
      String name = SegmentNames.name(nextName);
      int length = segmentLength(sections, index, at);
      MemorySegment.ofBuffer(staging.clear()).fill((byte) 0);
      try (StorageFile file = EmptySegment.create(storage, name, length, staging)) {
        // Durable before the first batch, so that a segment with a batch always has a whole header.
        writeHeader(file, length);
        written.add(name);
        int offset = SegmentLayout.HEADER_LENGTH;
        if (!copied) {
          offset += copyLast(file);
          copied = true;
        }
        while (index < sections.size()) {
          int room = Math.min(length - offset, BatchLayout.MAX_LENGTH);
          staging.clear().limit(room).position(Math.min(room, BatchLayout.HEADER_LENGTH));
          int count = 0;
          while (index < sections.size()) {
            ByteBuffer records = load(sections.get(index));
            int end = fill(sections.get(index), records, at);
            if (end > at) {
              count++;
            }
            at = end;
            if (at < records.limit()) {
              break;
            }
            index++;
            at = 0;
          }
          if (count == 0) {
            break;
          }
          offset += writeBatch(file, offset, count, cut, stable, maxLsn);
        }
      }
      nextSegment++;
      nextName++;
    }
  }

  private String directory() {
    return SegmentNames.DIRECTORY;
  }

  /**
   * Returns the length of a segment for the remaining records, limited to the maximum; it is enough
   * for at least one record of any length.
   */
  private int segmentLength(List<Section> sections, int index, int at) {
    long bytes = SegmentLayout.HEADER_LENGTH + (long) reader.lastLength() - at;
    for (int i = index; i < sections.size(); i++) {
      bytes += sections.get(i).lengthBytes() + BatchLayout.SECTION_HEADER_LENGTH;
    }
    // A batch ends before the first record that does not fit, and is padded.
    long batches = 1 + bytes / (BatchLayout.MAX_LENGTH - RedoRecordLayout.MAX_LENGTH - PAGE_BYTES);
    bytes += batches * (RedoRecordLayout.MAX_LENGTH + 2L * PAGE_BYTES);
    return (int)
        Math.max(
            SegmentLayout.MIN_LENGTH,
            Math.min(SegmentLayout.MAX_LENGTH, Alignment.up(bytes, PAGE_BYTES)));
  }

  private void writeHeader(StorageFile file, int length) {
    new SegmentHeader(
            SegmentLayout.VERSION,
            0,
            identity.storeIdHigh(),
            identity.storeIdLow(),
            nextSegment,
            generation,
            length)
        .write(staging.clear());
    file.write(0, staging.limit(PAGE_BYTES));
    file.force();
  }

  /**
   * Copies the last batch of the generation to the start of a segment; returns its padded length.
   */
  private int copyLast(StorageFile file) {
    int padded = Batch.padded(reader.lastLength());
    SegmentFile segment = segments.get(reader.lastSegment());
    try (StorageFile source = storage.open(segment.name(), Storage.Access.DIRECT)) {
      if (source.read(reader.lastOffset(), staging.clear().limit(padded)) < padded) {
        throw new CorruptStoreException(
            segment.name(), reader.lastOffset(), "the last batch ends early: the file was cut");
      }
    }
    file.write(SegmentLayout.HEADER_LENGTH, staging.flip());
    file.force();
    return padded;
  }

  /** Appends a section with as many records as fit; returns where the rest starts. */
  private int fill(Section section, ByteBuffer records, int from) {
    int room = staging.remaining() - BatchLayout.SECTION_HEADER_LENGTH;
    int end = from;
    while (end < records.limit()) {
      int length = RedoRecordLayout.length(records.getLong(end));
      if (end + length - from > room) {
        break;
      }
      end += length;
    }
    if (end > from) {
      staging
          .putInt(section.ring().partition())
          .putInt(end - from)
          .putLong(section.position() + from)
          .put(records.duplicate().position(from).limit(end));
    }
    return end;
  }

  private int writeBatch(
      StorageFile file, int offset, int sections, long cut, long stable, long maxLsn) {
    int length = staging.position();
    int padded = Batch.padded(length);
    int crc =
        new BatchHeader(
                identity.storeTag(),
                generation,
                lastSequence + 1,
                length,
                sections,
                cut,
                stable,
                maxLsn,
                lastCrc)
            .write(staging);
    staging.limit(padded);
    while (staging.hasRemaining()) {
      staging.put((byte) 0);
    }
    file.write(offset, staging.flip());
    // Before the next batch is written, since at most one batch may be torn (R11).
    file.force();
    lastSequence++;
    lastCrc = crc;
    return padded;
  }

  /** Returns the records of a section. They are valid until the next section is loaded. */
  private ByteBuffer load(Section section) {
    if (!section.equals(loaded)) {
      close();
      ringMemory = new StagingMemory();
      try {
        loadedRecords = rings.records(section.ring(), section.position(), ringMemory);
      } catch (UntrustedRingsException e) {
        throw new CorruptStoreException(
            section.ring().describe(),
            -1,
            "the ring changed while the store was opened: " + e.reason());
      }
      loaded = section;
    }
    return loadedRecords;
  }

  /** Frees the memory of the loaded section. */
  @Override
  public void close() {
    ringMemory.close();
    ringMemory = new StagingMemory();
    loaded = null;
  }

  /** Returns the sequence of the generation's last batch. */
  long lastSequence() {
    return lastSequence;
  }

  /** Returns the names of the segments that were written. */
  List<String> written() {
    return List.copyOf(written);
  }

  long nextSegment() {
    return nextSegment;
  }

  int nextName() {
    return nextName;
  }
}
