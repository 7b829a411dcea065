package io.howdah.log.commit;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The rings of one opening: a mapped file for each partition, named by the partition's number, in a
 * separate directory.
 */
public final class RingSet implements AutoCloseable {

  private static final int ZEROS_BYTES = 1 << 20;

  /** The storage of the files; null for rings in memory alone. */
  private final @Nullable Storage place;

  private final String directory;
  private final List<Ring> rings;
  private final List<FileIdentity> identities;

  private RingSet(
      @Nullable Storage place, String directory, List<Ring> rings, List<FileIdentity> identities) {
    this.place = place;
    this.directory = directory;
    this.rings = List.copyOf(rings);
    this.identities = List.copyOf(identities);
  }

  /**
   * Returns the name of a partition's ring.
   *
   * @param directory the directory of the rings, relative to their storage; empty for its root
   */
  public static String name(String directory, int partition) {
    return directory.isEmpty() ? Integer.toString(partition) : directory + "/" + partition;
  }

  /**
   * Creates and maps the rings of a new generation. The files are not forced, since a ring is
   * needed only while the machine runs. All blocks are written before the mapping, since a full
   * disk would otherwise cause a fault at a later access.
   *
   * @param place the storage of the rings
   * @param nonce the nonce of this opening, which the superblock also contains
   * @param capacityBytes the capacity of each ring, a power of two
   */
  public static RingSet create(
      Storage place,
      String directory,
      LogStart start,
      long nonce,
      int partitions,
      long capacityBytes) {
    ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS_BYTES);
    List<Ring> rings = new ArrayList<>(partitions);
    List<FileIdentity> identities = new ArrayList<>(partitions);
    try {
      for (int partition = 0; partition < partitions; partition++) {
        String name = name(directory, partition);
        long lengthBytes = RingLayout.HEADER_LENGTH + capacityBytes;
        try (StorageFile file = place.create(name)) {
          for (long offset = 0; offset < lengthBytes; ) {
            int run = (int) Math.min(lengthBytes - offset, ZEROS_BYTES);
            file.write(offset, zeros.clear().limit(run));
            offset += run;
          }
        }
        FileIdentity identity = place.identity(name);
        Region region = place.mapShared(name, lengthBytes);
        rings.add(new Ring(region, partition, capacityBytes));
        identities.add(identity);
        region.setLongRelease(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
        region.copyFrom(0, header(start, nonce, partition, capacityBytes, place.boot(), identity));
      }
      return new RingSet(place, directory, rings, identities);
    } catch (RuntimeException | Error e) {
      rings.forEach(Ring::close);
      throw e;
    }
  }

  /**
   * Creates rings in memory that ends with the process, for a log that keeps its commits elsewhere.
   *
   * @param memory allocates zeroed memory
   * @param capacityBytes the capacity of each ring, a power of two
   */
  public static RingSet inMemory(LongFunction<Region> memory, int partitions, long capacityBytes) {
    List<Ring> rings = new ArrayList<>(partitions);
    try {
      for (int partition = 0; partition < partitions; partition++) {
        Region region = memory.apply(RingLayout.HEADER_LENGTH + capacityBytes);
        rings.add(new Ring(region, partition, capacityBytes));
        region.setLongRelease(RingLayout.INFLIGHT_OFFSET, RingLayout.IDLE);
      }
      return new RingSet(null, "", rings, List.of());
    } catch (RuntimeException | Error e) {
      rings.forEach(Ring::close);
      throw e;
    }
  }

  private static ByteBuffer header(
      LogStart start,
      long nonce,
      int partition,
      long capacityBytes,
      Optional<UUID> boot,
      FileIdentity identity) {
    ByteBuffer header =
        ByteBuffer.allocateDirect(RingLayout.CRC_OFFSET + Integer.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(RingLayout.MAGIC_OFFSET, RingLayout.MAGIC)
            .putInt(RingLayout.VERSION_OFFSET, RingLayout.VERSION)
            .putInt(RingLayout.PARTITION_OFFSET, partition)
            .putLong(RingLayout.STORE_ID_HIGH_OFFSET, start.storeIdHigh())
            .putLong(RingLayout.STORE_ID_LOW_OFFSET, start.storeIdLow())
            .putLong(RingLayout.NONCE_OFFSET, nonce)
            .putLong(RingLayout.GENERATION_OFFSET, start.generation())
            .putLong(
                RingLayout.BOOT_HIGH_OFFSET,
                boot.isPresent() ? boot.get().getMostSignificantBits() : 0)
            .putLong(
                RingLayout.BOOT_LOW_OFFSET,
                boot.isPresent() ? boot.get().getLeastSignificantBits() : 0)
            .putLong(RingLayout.DEVICE_OFFSET, identity.device())
            .putLong(RingLayout.INODE_OFFSET, identity.inode())
            .putLong(RingLayout.CAPACITY_OFFSET, capacityBytes);
    return header.putInt(RingLayout.CRC_OFFSET, Crc32c.of(header, 0, RingLayout.CRC_OFFSET));
  }

  /** Returns the rings, in the order of their partitions. */
  public List<Ring> rings() {
    return rings;
  }

  /** Returns the number of rings. */
  public int partitions() {
    return rings.size();
  }

  /**
   * Returns whether every ring's file still exists under its name. Otherwise the next opening after
   * a kill would not find the ring, and acknowledged commits would be lost. Rings in memory are not
   * found anyway.
   */
  public boolean isReachable() {
    Storage place = this.place;
    if (place == null) {
      return true;
    }
    try {
      for (int partition = 0; partition < identities.size(); partition++) {
        if (!place.identity(name(directory, partition)).equals(identities.get(partition))) {
          return false;
        }
      }
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  /**
   * Returns a more specific exception for a memory fault of a ring, which names a truncated ring;
   * otherwise {@code thrown}.
   */
  public Throwable explained(Throwable thrown) {
    Throwable explained = thrown;
    for (Ring ring : rings) {
      explained = ring.explained(thrown);
      if (explained instanceof CorruptStoreException) {
        return explained;
      }
    }
    return explained;
  }

  /** Returns the location of the rings, for messages. */
  public String describe() {
    Storage place = this.place;
    return place == null
        ? "memory of the process"
        : place.describe() + (directory.isEmpty() ? "" : "/" + directory);
  }

  /** Unmaps the rings and keeps their files. Idempotent. */
  @Override
  public void close() {
    rings.forEach(Ring::close);
  }
}
