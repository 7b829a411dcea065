package io.howdah.log.recovery;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.RingDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds the rings of the last opening, and reads their records that are in no batch. */
final class RingReader {

  private final Storage storage;
  private final Superblock superblock;
  private final RingScan scan;

  RingReader(Storage storage, Superblock superblock, LogIdentity identity, StagingMemory memory) {
    this.storage = storage;
    this.superblock = superblock;
    this.scan = new RingScan(superblock, identity, memory);
  }

  /**
   * Opens and returns the volatile place of the rings; empty if they are in the store's directory.
   *
   * @throws UntrustedRingsException if it does not exist, or belongs to another store
   */
  Optional<Storage> place() {
    if (!(superblock.rings() instanceof RingPlacement.VolatilePlace(String name, long _))) {
      return Optional.empty();
    }
    if (!name.equals(RingDirectory.name(storage, superblock))) {
      throw new UntrustedRingsException(
          "the volatile place " + name + " belongs to the store that this one is a copy of");
    }
    Optional<Storage> place = storage.volatilePlace(name, false, 0);
    if (place.isEmpty()) {
      throw new UntrustedRingsException("the volatile place " + name + " is gone");
    }
    return place;
  }

  /**
   * Returns the rings of the last opening.
   *
   * @throws UntrustedRingsException if one is missing or belongs to another opening
   */
  List<RingFile> find(Optional<Storage> place) {
    long nonce = superblock.rings().nonce();
    return place.isPresent()
        ? scan.find(place.get(), "", nonce, false)
        : scan.find(storage, RingDirectory.DIRECTORY, nonce, true);
  }

  /**
   * Compares the log with the forced positions of the rings, if some other rings are missing or
   * damaged. A forced position is stored in a ring after the log is forced up to it. Only rings in
   * a volatile place are compared, since a ring on a disk may contain words of an earlier time.
   *
   * @throws CorruptStoreException if a forced position is beyond the end of the log
   */
  void requireForced(Optional<Storage> place, Replay replay, BatchReader reader) {
    if (place.isPresent()) {
      for (RingFile ring : scan.findSome(place.get(), superblock.rings().nonce())) {
        long end = replay.endPosition(ring.partition());
        if (ring.forcedPosition() > end) {
          throw forcedFurther(ring, end, reader);
        }
      }
    }
  }

  /** Verifies and stashes the records of rings that are in no batch; returns their positions. */
  List<Relog.Section> sections(List<RingFile> rings, Replay replay, BatchReader reader) {
    List<Relog.Section> sections = new ArrayList<>();
    for (RingFile ring : rings) {
      long end = replay.endPosition(ring.partition());
      if (ring.forcedPosition() > end) {
        if (superblock.rings() instanceof RingPlacement.StoreDirectory) {
          requireGenuine(ring, end);
        }
        throw forcedFurther(ring, end, reader);
      }
      if (ring.tail() < end) {
        throw new UntrustedRingsException(
            "ring " + ring.describe() + " ends at position " + ring.tail() + ", the log at " + end);
      }
      if (ring.tail() > end) {
        try (StagingMemory records = StagingMemory.confined()) {
          replay.addRing(ring.partition(), scan.records(ring, end, records));
        } catch (MalformedRecordException e) {
          throw contradicting(e);
        }
        sections.add(new Relog.Section(ring, end));
      }
    }
    return sections;
  }

  private static CorruptStoreException forcedFurther(RingFile ring, long end, BatchReader reader) {
    return reader.missing(
        "ring "
            + ring.describe()
            + " says that partition "
            + ring.partition()
            + " was forced up to position "
            + ring.forcedPosition()
            + ", and the batches end at "
            + end
            + ". If the store's files were put back to an earlier state on purpose, as by"
            + " rolling back a file system's snapshot, these rings are of the later state:"
            + " 'howdah accept-rollback' gives them up, and the store opens with what its log"
            + " contains");
  }

  /**
   * Verifies that the moving words of a ring in the store's directory belong to its header. After a
   * shutdown of the file system, blocks of such a file may have older contents: moving words of an
   * older generation after a header of this one. The checksums of records cover generation and
   * position.
   *
   * @throws UntrustedRingsException if the ring does not contain the records that its words promise
   */
  private void requireGenuine(RingFile ring, long end) {
    long from =
        ring.tail() - end <= superblock.geometry().ringBytes() ? end : ring.forcedPosition();
    try (StagingMemory records = StagingMemory.confined()) {
      scan.records(ring, from, records);
    }
  }

  /**
   * Returns the stashed records of the rings.
   *
   * @throws UntrustedRingsException if the rings do not continue the log
   */
  static LogTail tail(Replay replay) {
    try {
      return replay.tail();
    } catch (MalformedRecordException e) {
      throw contradicting(e);
    }
  }

  private static UntrustedRingsException contradicting(MalformedRecordException e) {
    return new UntrustedRingsException("the rings do not continue the log: " + e.problem());
  }

  /** Returns the announcements of the commits that ran at the end of the last opening. */
  static List<Long> announcements(List<RingFile> rings) {
    List<Long> announcements = new ArrayList<>();
    for (RingFile ring : rings) {
      if (ring.announcement() != RingLayout.IDLE) {
        announcements.add(ring.announcement());
      }
    }
    return announcements;
  }

  /** Returns the bytes of records in sections. */
  static long bytes(List<Relog.Section> sections) {
    long bytes = 0;
    for (Relog.Section section : sections) {
      bytes += section.lengthBytes();
    }
    return bytes;
  }
}
