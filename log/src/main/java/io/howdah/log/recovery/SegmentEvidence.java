package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;

/**
 * Verifies that no needed segment of a log is missing, and deletes segments that were prepared and
 * never used. {@link RecoveryRun} calls it with the segments that a {@link SegmentScan} has found.
 */
final class SegmentEvidence {

  private final Storage storage;
  private final Superblock superblock;
  private final BatchTraces traces;
  private final long lastGeneration;
  private final Runnable beforeChange;

  /**
   * Creates the checks of one recovery.
   *
   * @param lastGeneration largest generation whose segments may contain batches
   * @param beforeChange runs before segments are deleted
   */
  SegmentEvidence(
      Storage storage,
      Superblock superblock,
      BatchTraces traces,
      long lastGeneration,
      Runnable beforeChange) {
    this.storage = storage;
    this.superblock = superblock;
    this.traces = traces;
    this.lastGeneration = lastGeneration;
    this.beforeChange = beforeChange;
  }

  /** Requires that the first segment of the current generation exists. */
  void requireFirstSegment(SegmentScan scan) {
    SegmentFile first = scan.firstSegmentOf(superblock.generation());
    long expected = Math.max(superblock.log().firstSegment(), superblock.log().oldestSegment());
    if (first == null || first.sequence() != expected) {
      throw new CorruptStoreException(
          first != null
              ? first.name()
              : scan.headless().isEmpty() ? SegmentNames.DIRECTORY : scan.headless().getFirst(),
          first == null && scan.headless().isEmpty() ? -1 : 0,
          "segment "
              + expected
              + ", the first of generation "
              + superblock.generation()
              + ", is missing or damaged; restore the log's files from a copy");
    }
  }

  /**
   * Requires that no segment is missing after the end of a chain. A segment, its header and its
   * entry in the directory are durable before the next sequence is used (docs/protocol.md, R35).
   * Before the end of the chain a missing segment cannot have contained a batch.
   *
   * @param from index of the segment that the chain of batches has reached
   */
  void requireNoGap(SegmentScan scan, int from) {
    for (int i = from + 1; i < scan.needed().size(); i++) {
      SegmentFile before = scan.needed().get(i - 1);
      SegmentFile segment = scan.needed().get(i);
      if (segment.sequence() != before.sequence() + 1) {
        throw new CorruptStoreException(
            segment.name(),
            SegmentLayout.SEQUENCE_OFFSET,
            "segment "
                + (before.sequence() + 1)
                + " of the log, between "
                + before.name()
                + " and this file, is missing or damaged, and may have contained durable batches;"
                + " restore the log's files from a copy");
      }
    }
  }

  /**
   * Requires that no segment without a valid header contains a batch after the chain. A segment's
   * header is durable before its first batch, so the header of such a segment is damaged.
   */
  void requireNoTraces(SegmentScan scan, long lastSequence) {
    for (String name : scan.headless()) {
      long offset =
          traces.firstAfter(
              name,
              SegmentLayout.HEADER_LENGTH,
              superblock.generation(),
              lastSequence,
              Long.MAX_VALUE);
      if (offset >= 0) {
        throw new CorruptStoreException(
            name,
            0,
            "the segment's header is damaged, but a batch of generation "
                + superblock.generation()
                + " or later lies at offset "
                + offset
                + "; restore the file from a copy");
      }
    }
  }

  /**
   * Requires that no segment without a valid header contains any batch. The part of the log that is
   * read later may need such a segment, and {@link #discardUnused} would delete it.
   */
  void requireNoBatches(SegmentScan scan) {
    for (String name : scan.headless()) {
      long offset = traces.firstAfter(name, SegmentLayout.HEADER_LENGTH, 0, 0, Long.MAX_VALUE);
      if (offset >= 0) {
        throw new CorruptStoreException(
            name, 0, "the segment's header is damaged, but a batch lies at offset " + offset);
      }
    }
  }

  /**
   * Deletes segments that were prepared for a generation that never began, and segments whose
   * creation a crash interrupted. The sequences of the former will be used again. If one contains a
   * batch, the superblock is older than the log.
   *
   * <p>The headers of the former are first overwritten, durably. On some file systems a new file
   * may have the contents of a deleted one after a power cut, and a new segment with such a header
   * would have the sequence of another segment.
   */
  void discardUnused(SegmentScan scan, boolean readOnly) {
    for (String name : scan.unused()) {
      long offset =
          traces.firstAfter(
              name, SegmentLayout.HEADER_LENGTH, lastGeneration + 1, 0, Long.MAX_VALUE);
      if (offset >= 0) {
        throw new CorruptStoreException(
            name,
            offset,
            "a batch lies here of a generation that the superblock does not know: the superblock"
                + " is older than the log; restore it from a copy");
      }
    }
    if (!readOnly && (!scan.unused().isEmpty() || !scan.headless().isEmpty())) {
      beforeChange.run();
      scan.unused().forEach(this::wipeHeader);
      scan.unused().forEach(storage::delete);
      scan.headless().forEach(storage::delete);
      storage.forceDirectory(SegmentNames.DIRECTORY);
    }
  }

  private void wipeHeader(String name) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
      file.write(0, memory.allocate(SegmentLayout.HEADER_LENGTH));
      file.force();
    }
  }
}
