package io.howdah.log.recovery;

import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RecordChecksum;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.RingSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Finds the rings to which the superblock refers and determines whether the last process left them.
 * If one ring is missing or doubtful, no ring is trusted. A hole would then not prove that no
 * transaction has read the missing commit (docs/protocol.md, R23).
 */
final class RingScan {

  private final Superblock superblock;
  private final LogIdentity identity;
  private final StagingMemory memory;

  RingScan(Superblock superblock, LogIdentity identity, StagingMemory memory) {
    this.superblock = superblock;
    this.identity = identity;
    this.memory = memory;
  }

  /**
   * Returns the rings of the current generation, in the order of partitions.
   *
   * @param place storage that contains them
   * @param directory of the rings in that storage
   * @param nonce that their headers must contain
   * @param outliveBoot whether the storage may contain files of an earlier boot
   * @throws UntrustedRingsException if one is missing or doubtful
   */
  List<RingFile> find(Storage place, String directory, long nonce, boolean outliveBoot) {
    List<RingFile> rings = new ArrayList<>();
    for (int p = 0; p < superblock.geometry().partitions(); p++) {
      rings.add(open(place, RingSet.name(directory, p), p, nonce, outliveBoot));
    }
    return rings;
  }

  /**
   * Returns the rings of the current generation that are whole, even if others are not. Their
   * records do not count (R23), but each contains the position up to which its partition was
   * forced.
   *
   * @param place volatile storage that contains them
   */
  List<RingFile> findSome(Storage place, long nonce) {
    List<RingFile> rings = new ArrayList<>();
    for (int p = 0; p < superblock.geometry().partitions(); p++) {
      addIfWhole(place, p, nonce, rings);
    }
    return rings;
  }

  @SuppressWarnings("EmptyCatch") // the comment says why
  private void addIfWhole(Storage place, int partition, long nonce, List<RingFile> rings) {
    try {
      rings.add(open(place, RingSet.name("", partition), partition, nonce, false));
    } catch (UntrustedRingsException e) {
      // It is missing, damaged, or of another opening, and proves nothing.
    }
  }

  private RingFile open(
      Storage place, String name, int partition, long nonce, boolean outliveBoot) {
    ByteBuffer header = memory.allocate(RingLayout.HEADER_LENGTH);
    String described = place.describe() + "/" + name;
    long capacity = superblock.geometry().ringBytes();
    try (StorageFile file = place.open(name, Storage.Access.READ)) {
      require(
          file.sizeBytes() >= RingLayout.HEADER_LENGTH + capacity, described, "it is truncated");
      file.read(0, header);
    } catch (StorageException e) {
      if (e.reason() != StorageException.Reason.MISSING) {
        // The ring's records still exist. An opening without it would discard acknowledged commits.
        throw e;
      }
      throw new UntrustedRingsException("ring " + described + " is missing");
    }
    require(
        header.getLong(RingLayout.MAGIC_OFFSET) == RingLayout.MAGIC
            && header.getInt(RingLayout.CRC_OFFSET) == Crc32c.of(header, 0, RingLayout.CRC_OFFSET),
        described,
        "its header is damaged");
    require(
        header.getInt(RingLayout.VERSION_OFFSET) == RingLayout.VERSION
            && header.getInt(RingLayout.PARTITION_OFFSET) == partition
            && header.getLong(RingLayout.CAPACITY_OFFSET) == capacity
            && header.getInt(RingLayout.RESERVED_OFFSET) == 0,
        described,
        "its version, partition or capacity is another");
    require(
        header.getLong(RingLayout.STORE_ID_HIGH_OFFSET) == identity.storeIdHigh()
            && header.getLong(RingLayout.STORE_ID_LOW_OFFSET) == identity.storeIdLow()
            && header.getLong(RingLayout.NONCE_OFFSET) == nonce
            && header.getLong(RingLayout.GENERATION_OFFSET) == superblock.generation(),
        described,
        "it is of another store or opening");
    if (outliveBoot) {
      requireSameBoot(place, name, header, described);
    }
    return withMovingWords(place, name, partition, capacity, header, described);
  }

  /** Throws if a ring on a file system is of an earlier boot, or a copy of a ring (R27). */
  private static void requireSameBoot(
      Storage place, String name, ByteBuffer header, String described) {
    UUID boot =
        new UUID(
            header.getLong(RingLayout.BOOT_HIGH_OFFSET),
            header.getLong(RingLayout.BOOT_LOW_OFFSET));
    require(place.boot().equals(Optional.of(boot)), described, "the machine was restarted since");
    FileIdentity file =
        new FileIdentity(
            header.getLong(RingLayout.DEVICE_OFFSET), header.getLong(RingLayout.INODE_OFFSET));
    require(file.equals(place.identity(name)), described, "it is a copy");
  }

  /** Checks the words of a header that commits and the flusher change, and returns the ring. */
  private static RingFile withMovingWords(
      Storage place,
      String name,
      int partition,
      long capacity,
      ByteBuffer header,
      String described) {
    long announcement = header.getLong(RingLayout.INFLIGHT_OFFSET);
    long tail = header.getLong(RingLayout.TAIL_OFFSET);
    long forced = header.getLong(RingLayout.FORCED_OFFSET);
    require(
        announcement == RingLayout.IDLE || (announcement >= 0 && announcement <= Lsn.MAX),
        described,
        "its announcement is " + announcement);
    require(
        forced >= 0
            && (forced & 7) == 0
            && (tail & 7) == 0
            && tail >= forced
            && tail - forced <= capacity,
        described,
        "its positions are " + forced + " and " + tail);
    return new RingFile(place, name, partition, capacity, announcement, tail, forced);
  }

  /**
   * Reads the records of a ring from a position on, and verifies each: its head, its checksum,
   * which covers generation, partition and position, and its entries.
   *
   * @throws UntrustedRingsException if one is not as it was published
   */
  ByteBuffer records(RingFile ring, long from, StagingMemory target) {
    ByteBuffer records = ring.read(from, target);
    long logSeed = identity.logSeed(superblock.generation(), ring.partition());
    for (int at = 0; at < records.limit(); ) {
      long head = records.getLong(at);
      int length = RedoRecordLayout.length(head);
      require(
          RedoRecordLayout.isSaneHead(head) && length <= records.limit() - at,
          ring.describe(),
          "no record starts at position " + (from + at));
      require(
          hasValidChecksum(records, at, length, logSeed, from + at),
          ring.describe(),
          "the record at position " + (from + at) + " is damaged");
      try {
        RecordEntries.check(records, at, superblock.geometry().maxSizeBytes());
      } catch (MalformedRecordException e) {
        throw new UntrustedRingsException(
            "ring " + ring.describe() + ": position " + (from + at) + ": " + e.problem());
      }
      at += length;
    }
    return records;
  }

  private static boolean hasValidChecksum(
      ByteBuffer records, int at, int length, long logSeed, long position) {
    int end = at + length - RedoRecordLayout.CHECKSUM_BYTES;
    return RecordChecksum.of(records, at, end, logSeed, position) == records.getLong(end);
  }

  private static void require(boolean condition, String ring, String problem) {
    if (!condition) {
      throw new UntrustedRingsException("ring " + ring + ": " + problem);
    }
  }
}
