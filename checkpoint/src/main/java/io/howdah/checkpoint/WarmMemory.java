package io.howdah.checkpoint;

import io.howdah.core.Region;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.WarmLayout;
import io.howdah.core.storage.FileIdentity;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.commit.ApplyingWords;
import io.howdah.log.commit.RingDirectory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Memory of a store that outlives its process: the region and the maps of dirty pages, in two files
 * of a volatile place ({@link WarmLayout}). The region holds only what published commits wrote. So
 * after a kill it is what a recovery would make, except for the words of commits that were storing.
 * The next opening stores those again and uses the memory (docs/protocol.md, section 12). It is
 * only a copy of what files and rings prove: an opening that finds anything else than it expects
 * recovers into new memory.
 *
 * <p>For the thread that opens or closes the store, except {@link #invalidate}.
 */
public final class WarmMemory implements AutoCloseable {

  private static final int PAGE_BYTES = Alignment.PAGE_BYTES;
  private static final int ZEROS_BYTES = 1 << 20;

  private final Storage place;
  private final Region region;
  private final Region words;
  private final FileIdentity regionFile;
  private final FileIdentity warmFile;
  private final Superblock superblock;

  /** Whether the image was verified when it was loaded. */
  private boolean imageVerified;

  private WarmMemory(
      Storage place,
      Region region,
      Region words,
      FileIdentity regionFile,
      FileIdentity warmFile,
      Superblock superblock) {
    this.place = place;
    this.region = region;
    this.words = words;
    this.regionFile = regionFile;
    this.warmFile = warmFile;
    this.superblock = superblock;
  }

  // ---- Memory of the process before.

  /**
   * Returns the memory that the last process has left, if it is of the opening that the superblock
   * names (R48). Changes nothing. The caller still has to find that the rings can be trusted.
   *
   * @param superblock the store's state, as the last process has left it
   * @throws UnusableMemoryException if there is none, or if it is not exactly as expected
   */
  public static WarmMemory find(Storage storage, Superblock superblock) {
    require(
        superblock.clean()
            || (superblock.rings() instanceof RingPlacement.VolatilePlace(String rings, long _)
                && rings.equals(RingDirectory.name(storage, superblock))),
        "the superblock names no rings in memory of this store");
    require(superblock.rings().nonce() != 0, "the store was closed, and its memory was not kept");
    try {
      Storage place =
          storage
              .volatilePlace(RingDirectory.memoryName(storage, superblock), false, 0)
              .orElseThrow(() -> new UnusableMemoryException("there is none"));
      boolean isFound = false;
      try {
        WarmMemory found = open(place, superblock);
        isFound = true;
        return found;
      } finally {
        if (!isFound) {
          place.close();
        }
      }
    } catch (StorageException e) {
      throw new UnusableMemoryException("it cannot be read: " + e.getMessage());
    }
  }

  private static WarmMemory open(Storage place, Superblock superblock) {
    long capacity = superblock.geometry().maxSizeBytes();
    requireLength(place, WarmLayout.REGION, capacity);
    requireLength(place, WarmLayout.WARM, lengthBytes(superblock));
    WarmMemory found = map(place, superblock);
    boolean isUsable = false;
    try {
      found.requireHeader();
      found.requireMaps();
      found.requireNoFatalError();
      isUsable = true;
      return found;
    } finally {
      if (!isUsable) {
        found.unmap();
      }
    }
  }

  private static void requireLength(Storage place, String name, long lengthBytes) {
    try (StorageFile file = place.open(name, Storage.Access.READ)) {
      require(file.sizeBytes() == lengthBytes, "the file " + name + " has another length");
    }
  }

  private void requireHeader() {
    ByteBuffer header = header();
    words.copyTo(0, header);
    header.flip();
    require(
        header.getLong(WarmLayout.MAGIC_OFFSET) == WarmLayout.MAGIC
            && header.getInt(WarmLayout.CRC_OFFSET) == Crc32c.of(header, 0, WarmLayout.CRC_OFFSET),
        "it was not complete");
    require(
        header.getInt(WarmLayout.VERSION_OFFSET) == WarmLayout.VERSION, "its format is another");
    require(
        header.getLong(WarmLayout.NONCE_OFFSET) == superblock.rings().nonce()
            && header.getLong(WarmLayout.GENERATION_OFFSET) == superblock.generation(),
        "it is of another opening");
    imageVerified = (header.getInt(WarmLayout.FLAGS_OFFSET) & WarmLayout.IMAGE_VERIFIED) != 0;
    ByteBuffer expected = header(superblock.rings().nonce());
    require(header.equals(expected), "it is of another store, boot, file or size");
  }

  /**
   * A process that has reported a fatal error may have stored anything anywhere before. The note of
   * where it would report one was written before the header.
   */
  private void requireNoFatalError() {
    long head = words.getLongOpaque(WarmLayout.NOTE_LENGTH_OFFSET);
    int length = (int) head;
    require(length >= 0 && length <= WarmLayout.MAX_NOTE_BYTES, "its note is damaged");
    ByteBuffer note = ByteBuffer.allocate(WarmLayout.MAX_NOTE_BYTES);
    words.copyTo(WarmLayout.NOTE_OFFSET, note);
    note.clear().limit(length);
    require(Crc32c.of(note, 0, length) == (int) (head >>> Integer.SIZE), "its note is damaged");
    Optional<String> report = place.fatalError(StandardCharsets.UTF_8.decode(note).toString());
    require(
        report.isEmpty(),
        "the process before has reported a fatal error, in " + report.orElse("no file"));
  }

  private void writeNote() {
    byte[] bytes = place.fatalErrorNote().getBytes(StandardCharsets.UTF_8);
    ByteBuffer note = ByteBuffer.allocate((int) Alignment.up(bytes.length, Region.WORD_BYTES));
    note.put(bytes).clear();
    words.copyFrom(WarmLayout.NOTE_OFFSET, note);
    int crc = Crc32c.of(note.clear(), 0, bytes.length);
    words.setLongOpaque(
        WarmLayout.NOTE_LENGTH_OFFSET, bytes.length | Integer.toUnsignedLong(crc) << Integer.SIZE);
  }

  private void requireMaps() {
    CheckpointState checkpoint = superblock.checkpoint();
    long clearedFor = words.getLongOpaque(WarmLayout.MAPS_OFFSET);
    require(
        clearedFor >= 0
            && clearedFor <= checkpoint.sequence()
            && checkpoint.phase() != CheckpointState.Phase.ABANDONED,
        "the store's image is older than its maps of dirty pages");
    long applied = appliedLsn();
    require(
        superblock.clean()
            ? applied == Long.MAX_VALUE // a close waits for all lanes
            : applied >= checkpoint.replayAboveLsn() && applied >= superblock.baseLsn(),
        "the words of its lanes are damaged");
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new UnusableMemoryException(problem);
    }
  }

  /**
   * Returns the dense LSN up to which the region has the words of every published commit, and the
   * maps have their pages; {@link Long#MAX_VALUE} if no commit was under way.
   */
  public long appliedLsn() {
    return applying().appliedLsn(superblock.baseLsn());
  }

  // ---- New memory.

  /**
   * Creates memory with zeros, in place of what there is. It is of no opening until {@link #own}.
   *
   * @param usedBytes determines the part of the region that the store's data needs now, whose
   *     blocks are occupied
   * @param reservedBytes the tmpfs must have room for so much of the region, at least what is used;
   *     0 to ask for what is used
   * @throws StorageException if no tmpfs is available with room for it, for the store's rings and
   *     for others
   */
  public static WarmMemory create(
      Storage storage, Superblock superblock, LongSupplier usedBytes, long reservedBytes) {
    String name = RingDirectory.memoryName(storage, superblock);
    RingDirectory.removeVolatile(storage, name);
    // With a reservation, which is not less than what is used, the log need not be read to refuse.
    long needed =
        (reservedBytes > 0 ? reservedBytes : usedBytes.getAsLong())
            + lengthBytes(superblock)
            + RingDirectory.neededBytes(superblock);
    Optional<Storage> found = storage.volatilePlace(name, true, needed);
    if (found.isEmpty()) {
      throw new StorageException(
          StorageException.Reason.NO_SPACE,
          "find a tmpfs with " + needed + " bytes that this process may write to (/dev/shm),",
          null);
    }
    Storage place = found.get();
    try {
      long used = Alignment.up(usedBytes.getAsLong(), PAGE_BYTES);
      createFile(place, WarmLayout.REGION, used, superblock.geometry().maxSizeBytes());
      createFile(place, WarmLayout.WARM, lengthBytes(superblock), lengthBytes(superblock));
      return map(place, superblock);
    } catch (Throwable t) {
      discard(place, t);
      throw t;
    }
  }

  /** Creates a file. Blocks are written before the file is mapped: a full tmpfs is told in time. */
  private static void createFile(Storage place, String name, long usedBytes, long lengthBytes) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = place.create(name)) {
      ByteBuffer zeros = memory.allocate((int) Math.min(usedBytes, ZEROS_BYTES));
      for (long offset = 0; offset < usedBytes; ) {
        int run = (int) Math.min(usedBytes - offset, ZEROS_BYTES);
        file.write(offset, zeros.clear().limit(run));
        offset += run;
      }
      if (usedBytes < lengthBytes) {
        file.setSize(lengthBytes);
      }
    }
  }

  private static WarmMemory map(Storage place, Superblock superblock) {
    FileIdentity regionFile = place.identity(WarmLayout.REGION);
    FileIdentity warmFile = place.identity(WarmLayout.WARM);
    Region region = place.mapShared(WarmLayout.REGION, superblock.geometry().maxSizeBytes());
    boolean isMapped = false;
    try {
      Region words = place.mapShared(WarmLayout.WARM, lengthBytes(superblock));
      isMapped = true;
      return new WarmMemory(place, region, words, regionFile, warmFile, superblock);
    } finally {
      if (!isMapped) {
        region.close();
      }
    }
  }

  private static long lengthBytes(Superblock superblock) {
    return Alignment.up(
        WarmLayout.MAPS_OFFSET
            + DirtyPages.lengthBytes(
                superblock.geometry().maxSizeBytes(), superblock.geometry().pageBytes()),
        PAGE_BYTES);
  }

  /** Records that every page of the image was verified when it was loaded. */
  public void imageVerified() {
    imageVerified = true;
  }

  // ---- Use.

  /** Returns the region; {@link #close} closes it. */
  public Region region() {
    return region;
  }

  /** Returns the words of the lanes. */
  public ApplyingWords applying() {
    return new ApplyingWords(
        words, WarmLayout.APPLYING_OFFSET, WarmLayout.APPLYING_SPACING, WarmLayout.LANES);
  }

  /** Returns the maps of dirty pages, with the marks that they have. */
  public DirtyPages dirtyPages(Storage storage) {
    DirtyPages dirty =
        DirtyPages.in(
            words,
            WarmLayout.MAPS_OFFSET,
            storage,
            region.capacityBytes(),
            superblock.geometry().pageBytes());
    if (imageVerified) {
      dirty.imageLoaded();
    }
    return dirty;
  }

  /**
   * Makes this the memory of an opening. All that was recovered is in the region, the superblock
   * that closes the generation before is durable, and no commit has begun. The superblock that
   * names the opening's rings is written afterwards (R49). The memory then stays the opening's also
   * after a close whose superblock keeps the nonce (R61).
   *
   * @param current the store's state
   * @param nonce of the opening's rings
   */
  public void own(Superblock current, long nonce) {
    writeNote();
    applying().reset();
    ByteBuffer header = header(current, nonce);
    words.copyFrom(0, header);
  }

  private ByteBuffer header(long nonce) {
    return header(superblock, nonce);
  }

  private static ByteBuffer header() {
    return ByteBuffer.allocate(WarmLayout.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
  }

  private ByteBuffer header(Superblock of, long nonce) {
    Optional<UUID> boot = place.boot();
    ByteBuffer header =
        header()
            .putLong(WarmLayout.MAGIC_OFFSET, WarmLayout.MAGIC)
            .putInt(WarmLayout.VERSION_OFFSET, WarmLayout.VERSION)
            .putInt(WarmLayout.PAGE_BYTES_OFFSET, of.geometry().pageBytes())
            .putLong(WarmLayout.STORE_ID_HIGH_OFFSET, of.storeId().high())
            .putLong(WarmLayout.STORE_ID_LOW_OFFSET, of.storeId().low())
            .putLong(WarmLayout.NONCE_OFFSET, nonce)
            .putLong(WarmLayout.GENERATION_OFFSET, of.generation())
            .putLong(WarmLayout.BOOT_HIGH_OFFSET, boot.map(UUID::getMostSignificantBits).orElse(0L))
            .putLong(WarmLayout.BOOT_LOW_OFFSET, boot.map(UUID::getLeastSignificantBits).orElse(0L))
            .putLong(WarmLayout.DEVICE_OFFSET, regionFile.device())
            .putLong(WarmLayout.INODE_OFFSET, regionFile.inode())
            .putLong(WarmLayout.OWN_DEVICE_OFFSET, warmFile.device())
            .putLong(WarmLayout.OWN_INODE_OFFSET, warmFile.inode())
            .putLong(WarmLayout.CAPACITY_OFFSET, region.capacityBytes())
            .putInt(WarmLayout.FLAGS_OFFSET, imageVerified ? WarmLayout.IMAGE_VERIFIED : 0);
    return header.putInt(WarmLayout.CRC_OFFSET, Crc32c.of(header, 0, WarmLayout.CRC_OFFSET));
  }

  /**
   * Makes the memory unusable for any later opening: the store has failed, and a store of a commit
   * may be missing although its lane is idle (R6a). Any thread; no effect once this is closed.
   */
  @SuppressWarnings("EmptyCatch")
  public void invalidate() {
    try {
      words.setLongVolatile(WarmLayout.NONCE_OFFSET, 0);
    } catch (IllegalStateException | InternalError e) {
      // It is closed, and deleted with the close of the store; or its file is gone.
    }
  }

  /**
   * Unmaps the memory and deletes the files. Files that cannot be deleted occupy memory and have no
   * other effect, since no superblock names their opening; the next opening tries again.
   */
  @SuppressWarnings("EmptyCatch") // said above
  public void delete() {
    unmap();
    try {
      place.list("").forEach(place::delete);
      place.delete("");
    } catch (StorageException e) {
      // As said above.
    }
  }

  private static void discard(Storage place, Throwable cause) {
    try (place) {
      place.list("").forEach(place::delete);
      place.delete("");
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  private void unmap() {
    region.close();
    words.close();
  }

  /** Unmaps the memory; its files stay unless they were deleted. Idempotent. */
  @Override
  public void close() {
    unmap();
    place.close();
  }
}
