package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.log.flush.SegmentNames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of the log, classified by their headers.
 *
 * @param needed segments that recovery reads, in the order of their sequences
 * @param free names of segments without needed records
 * @param headless names of segments without a valid header. They were never used, unless they
 *     contain a batch
 * @param unused names of segments that were prepared for a generation that never began
 * @param nextSequence sequence of the next segment to be used
 * @param nextName number for the name of the next segment file
 */
record SegmentScan(
    List<SegmentFile> needed,
    List<String> free,
    List<String> headless,
    List<String> unused,
    long nextSequence,
    int nextName) {

  SegmentScan {
    needed = List.copyOf(needed);
    free = List.copyOf(free);
    headless = List.copyOf(headless);
    unused = List.copyOf(unused);
  }

  /**
   * Reads the headers of the segments.
   *
   * @param generation the current one
   * @param oldest smallest sequence that is needed; {@link Long#MAX_VALUE} if none is
   * @param next smallest sequence that the next segment may have
   * @throws CorruptStoreException if a needed segment is missing or damaged
   * @throws UnsupportedStoreException if a segment belongs to another store or has a newer format
   */
  static SegmentScan of(
      Storage storage,
      StagingMemory memory,
      LogIdentity identity,
      long generation,
      long oldest,
      long next) {
    List<SegmentFile> needed = new ArrayList<>();
    List<String> free = new ArrayList<>();
    List<String> headless = new ArrayList<>();
    List<String> unused = new ArrayList<>();
    long nextSequence = next;
    int nextName = 0;
    ByteBuffer page = memory.allocate(SegmentLayout.HEADER_LENGTH);
    for (String entry : storage.list(SegmentNames.DIRECTORY)) {
      int number = SegmentNames.number(entry);
      if (number < 0) {
        continue;
      }
      String name = SegmentNames.DIRECTORY + "/" + entry;
      nextName = Math.max(nextName, number + 1);
      long size;
      SegmentHeader header;
      try (StorageFile file = storage.open(name, Storage.Access.READ)) {
        size = file.sizeBytes();
        page.clear();
        header = SegmentHeader.read(page.limit(file.read(0, page)));
      } catch (StorageException e) {
        if (e.reason() == StorageException.Reason.MISSING) {
          // The deferred part of a log is read while the store is open and may delete free
          // segments.
          continue;
        }
        throw e;
      }
      if (header == null) {
        headless.add(name);
        continue;
      }
      requireOwn(name, header, identity);
      if (header.generation() > generation) {
        unused.add(name);
        continue;
      }
      nextSequence = Math.max(nextSequence, header.sequence() + 1);
      if (header.sequence() < oldest) {
        // A truncated segment may be too short to be reused.
        (size < SegmentLayout.MIN_LENGTH ? headless : free).add(name);
      } else {
        long end = Math.min(size, header.lengthBytes());
        needed.add(
            new SegmentFile(
                name,
                header.sequence(),
                header.generation(),
                (int) end,
                end < header.lengthBytes()));
      }
    }
    needed.sort(new BySequence());
    requireOrder(needed);
    return new SegmentScan(needed, free, headless, unused, nextSequence, nextName);
  }

  private static final class BySequence implements Comparator<SegmentFile> {
    @Override
    public int compare(SegmentFile a, SegmentFile b) {
      return Long.compare(a.sequence(), b.sequence());
    }
  }

  private static void requireOwn(String name, SegmentHeader header, LogIdentity identity) {
    if (header.version() > SegmentLayout.VERSION) {
      throw new UnsupportedStoreException(
          name
              + " has format version "
              + header.version()
              + ", this release reads up to "
              + SegmentLayout.VERSION
              + ": open the store with a newer release");
    }
    if (header.storeIdHigh() != identity.storeIdHigh()
        || header.storeIdLow() != identity.storeIdLow()) {
      throw new UnsupportedStoreException(
          name + " is a segment of another store: move it out of this one's log");
    }
    if (header.version() < 1
        || header.set() != 0
        || header.sequence() < 1
        || header.sequence() == Long.MAX_VALUE
        || header.generation() < 1
        || header.lengthBytes() < SegmentLayout.MIN_LENGTH
        || header.lengthBytes() > SegmentLayout.MAX_LENGTH
        || header.lengthBytes() % BatchLayout.ALIGNMENT != 0) {
      throw new CorruptStoreException(
          name, 0, "the segment's header has a valid checksum and impossible contents: " + header);
    }
  }

  /**
   * Requires that no sequence occurs twice and that generations do not decrease. {@link
   * SegmentEvidence#requireNoGap} checks gaps.
   */
  private static void requireOrder(List<SegmentFile> needed) {
    SegmentFile before = null;
    for (SegmentFile segment : needed) {
      if (before != null && segment.sequence() == before.sequence()) {
        throw new CorruptStoreException(
            segment.name(),
            SegmentLayout.SEQUENCE_OFFSET,
            "the segment has the same sequence, "
                + segment.sequence()
                + ", as "
                + before.name()
                + ": remove the one that was copied here");
      }
      if (before != null && segment.generation() < before.generation()) {
        throw new CorruptStoreException(
            segment.name(),
            SegmentLayout.GENERATION_OFFSET,
            "generation "
                + segment.generation()
                + " follows generation "
                + before.generation()
                + " of "
                + before.name());
      }
      before = segment;
    }
  }

  /** Returns the index of the first needed segment of a generation, or of a later one. */
  int firstOf(long generation) {
    int index = 0;
    while (index < needed.size() && needed.get(index).generation() < generation) {
      index++;
    }
    return index;
  }

  /** Returns the first needed segment of a generation, or null. */
  @Nullable SegmentFile firstSegmentOf(long generation) {
    int index = firstOf(generation);
    return index < needed.size() && needed.get(index).generation() == generation
        ? needed.get(index)
        : null;
  }

  /** Returns the number of bytes of the needed segments. */
  long neededBytes() {
    long bytes = 0;
    for (SegmentFile segment : needed) {
      bytes += segment.endBytes();
    }
    return bytes;
  }
}
