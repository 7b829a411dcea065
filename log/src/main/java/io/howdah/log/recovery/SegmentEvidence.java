package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.flush.SegmentNames;

/**
 * Verifies that no needed segment of a log is missing, and deletes segments that are not needed.
 */
final class SegmentEvidence {

  private final Storage storage;
  private final Superblock superblock;
  private final BatchTraces traces;
  private final long lastGeneration;
  private final Runnable beforeChange;

  /**
   * Creates one.
   *
   * @param lastGeneration of the segments that may hold batches
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
   * Requires that no segment is missing behind the end of a chain. A segment, its header and its
   * entry in the directory are durable before the next sequence is given out (docs/protocol.md,
   * R35). Before the end of the chain, one that is missing held nothing.
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
                + " and this file, is missing or damaged, and may have held durable batches;"
                + " restore the log's files from a copy");
      }
    }
  }

  /** A segment's header is durable before its first batch: with a batch inside it was damaged. */
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
   * Requires that no segment without a header holds a batch. What is read later may need such a
   * segment, and {@link #discardUnused} would delete it.
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
   * Deletes segments made ready for a generation that never began, whose sequences will be used
   * again, and those whose making was cut short. One with a batch inside is the work of an opening
   * that the superblock knows nothing of.
   *
   * <p>The headers of the former are wiped first, durably: on some file systems a power cut leaves
   * in a new file what a deleted one held, and a new segment with such a header would have the
   * sequence of another one.
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
