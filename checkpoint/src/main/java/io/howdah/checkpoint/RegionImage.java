package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ImageSumsLayout;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code image}: the region as of the newest checkpoint, each page at the offset equal to
 * its address. The file is sparse and has the region's length from its creation on, so a shorter
 * file is damaged. The checksums of its pages are in {@link ImageSums}.
 */
public final class RegionImage {

  private static final int STAGING_BYTES = 1 << 20;

  /** Maximum number of bytes of one force: a longer one would delay the forces of the log. */
  private static final long FORCE_BYTES = 8 << 20;

  private RegionImage() {}

  /** Creates the image of an empty region, its checksums, and the journals' directory, durably. */
  public static void create(Storage storage, StoreId storeId, Geometry geometry) {
    storage.createDirectory(Journal.DIRECTORY);
    try (StorageFile file = storage.create(ImageFile.NAME)) {
      file.setSize(geometry.maxSizeBytes());
      file.force();
    }
    ImageSums.create(storage, storeId, geometry);
    storage.forceDirectory("");
  }

  /**
   * Extends the image for a larger region, durably, with a hole that reads as zeros. The caller
   * must have detected an image that is too short before ({@link #requireWhole}).
   */
  public static void grow(Storage storage, Geometry geometry) {
    try (StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ_WRITE)) {
      file.setSize(Math.max(file.sizeBytes(), geometry.maxSizeBytes()));
      file.force();
    }
    ImageSums.grow(storage, geometry);
  }

  /**
   * Verifies the lengths of the file and of the file of its checksums.
   *
   * @throws CorruptStoreException if one is missing or truncated, or the checksums belong to
   *     another store
   */
  public static void requireWhole(Storage storage, StoreId storeId, Geometry geometry) {
    long capacityBytes = geometry.maxSizeBytes();
    if (!storage.exists(ImageFile.NAME)) {
      throw new CorruptStoreException(
          ImageFile.NAME, -1, "the region's image is missing; restore the store from a backup");
    }
    try (StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ)) {
      if (file.sizeBytes() < capacityBytes) {
        throw new CorruptStoreException(
            ImageFile.NAME,
            file.sizeBytes(),
            "the region's image ends here, but has "
                + capacityBytes
                + " bytes; restore the store from a backup");
      }
    }
    ImageSums.requireWhole(storage, storeId, geometry);
  }

  /**
   * Returns a buffer for {@link #load}.
   *
   * @param endBytes end of the part to load
   */
  public static ByteBuffer staging(StagingMemory memory, long endBytes) {
    return memory.allocate(
        (int) Math.min(STAGING_BYTES, Alignment.up(endBytes, Alignment.PAGE_BYTES)));
  }

  /**
   * Writes the pages and lines of a journal to their places in the image, durably.
   *
   * @return the number of pages
   */
  static long fold(
      Storage storage,
      Journal journal,
      CheckpointState state,
      int pageBytes,
      CheckpointProgress progress) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ_WRITE);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ_WRITE, memory, pageBytes)) {
      long[] unforced = new long[1];
      long pages =
          journal.read(
              state,
              group -> {
                unforced[0] += fold(file, group, progress);
                if (unforced[0] >= FORCE_BYTES) {
                  file.force();
                  unforced[0] = 0;
                }
                fold(sums, group, progress);
              });
      file.force();
      sums.force();
      return pages;
    }
  }

  /** Writes a group to the image; returns the maximum number of bytes that a force must write. */
  private static long fold(StorageFile file, JournalGroup group, CheckpointProgress progress) {
    int at = JournalLayout.GROUP_HEADER_LENGTH;
    JournalGroup.RunConsumer write =
        (address, source) -> {
          int bytes = source.remaining();
          file.write(address, source);
          progress.folded(bytes);
        };
    for (int entry = 0; entry < group.count(); ) {
      int from = entry;
      int end = at;
      // Consecutive whole pages are contiguous in the group, so they are written with one call.
      while (entry < group.count()
          && group.isWhole(entry)
          && group.page(entry) == group.page(from) + (entry - from)) {
        end += group.dataBytes(entry++);
      }
      if (entry > from) {
        write.accept(
            group.page(from) * group.dataBytes(from),
            group.bytes().duplicate().clear().position(at).limit(end));
        at = end;
      } else {
        group.runs(entry, at, write);
        at += group.dataBytes(entry++);
      }
    }
    return (long) group.count() * Alignment.PAGE_BYTES;
  }

  private static void fold(ImageSums sums, JournalGroup group, CheckpointProgress progress) {
    for (int entry = 0; entry < group.count(); entry++) {
      sums.put(group.page(entry), group.crc32c(entry));
    }
    progress.folded((long) group.count() * ImageSumsLayout.SUM_LENGTH);
  }

  /**
   * Writes the pages and lines of a leftover journal to their places in the image, durably, and
   * verifies each page against its checksum in the journal. A page that the journal contains as a
   * whole is not read before. Lines repair a page only if the rest of the page is unchanged.
   *
   * @param journal verified before
   * @return the number of pages
   * @throws CorruptStoreException if a page of the image is damaged
   */
  static long foldChecked(Storage storage, Journal journal, CheckpointState state, int pageBytes) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ_WRITE);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ_WRITE, memory, pageBytes)) {
      ByteBuffer page = memory.allocate(pageBytes);
      long pages =
          journal.read(
              state,
              group -> {
                patch(file, group, page, address -> file.write(address, page.clear()));
                fold(sums, group, CheckpointProgress.NONE);
              });
      file.force();
      sums.force();
      return pages;
    }
  }

  /**
   * Copies the pages of the image that a leftover journal changes, with these changes, to a region.
   * Changes no file.
   *
   * @param journal verified before
   * @return the number of pages
   * @throws CorruptStoreException if a page of the image is damaged
   */
  static long copyPatched(
      Storage storage, Journal journal, CheckpointState state, int pageBytes, Region region) {
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ)) {
      ByteBuffer page = memory.allocate(pageBytes);
      return journal.read(
          state,
          group ->
              patch(
                  file,
                  group,
                  page,
                  address -> region.copyFrom(address, page.duplicate().clear())));
    }
  }

  /**
   * Passes each page of a group to a consumer: that of the image, with the lines of the journal.
   */
  private static void patch(
      StorageFile file, JournalGroup group, ByteBuffer page, LongConsumer consumer) {
    int at = JournalLayout.GROUP_HEADER_LENGTH;
    for (int entry = 0; entry < group.count(); entry++) {
      long address = group.page(entry) * page.capacity();
      // A whole page is not read. After a power cut, a sector whose write was interrupted may be
      // unreadable until it is written again (docs/protocol.md, R19).
      if (!group.isWhole(entry) && file.read(address, page.clear()) < page.capacity()) {
        throw ImageFile.shrank(address);
      }
      group.patch(entry, at, page.clear());
      if (Crc32c.of(page, 0, page.capacity()) != group.crc32c(entry)) {
        throw new CorruptStoreException(
            ImageFile.NAME,
            address,
            "page "
                + group.page(entry)
                + " is damaged: with the lines of the journal it does not have the checksum in the"
                + " journal; restore the store from a backup");
      }
      consumer.accept(address);
      at += group.dataBytes(entry);
    }
  }

  /** Receives the image piece by piece. */
  interface PieceConsumer {

    /**
     * Receives a piece.
     *
     * @param address of the piece, a multiple of the length of a page
     * @param bytes of the piece, from position to limit; valid only during the call
     */
    void accept(long address, ByteBuffer bytes);
  }

  /**
   * Passes every page up to an end to a consumer, each after verifying its checksum. Changes
   * nothing.
   *
   * @param journal the journal of a checkpoint that counts and is not folded, or null; its changes
   *     are applied to the pages
   * @param hasSums false if pages of the image may differ from their checksums; then nothing is
   *     verified
   * @param damaged receives the exception for a page that does not match its checksum
   * @throws CorruptStoreException if a page is damaged, or its sum, or the journal
   */
  static void read(
      Storage storage,
      @Nullable Journal journal,
      CheckpointState state,
      boolean hasSums,
      Geometry geometry,
      long endBytes,
      PieceConsumer consumer,
      PageDamage damaged) {
    int pageBytes = geometry.pageBytes();
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, pageBytes)) {
      ByteBuffer page = memory.allocate(pageBytes);
      Pieces pieces =
          new Pieces(
              file, hasSums ? sums : null, pageBytes, staging(memory, endBytes), consumer, damaged);
      if (journal != null) {
        // The image may contain any part of these pages, and the journal has their checksums.
        journal.read(
            state,
            group ->
                patch(
                    file,
                    group,
                    page,
                    address -> {
                      pieces.readTo(address);
                      consumer.accept(address, page.clear());
                      pieces.skipTo(address + pageBytes);
                    }));
      }
      pieces.readTo(endBytes);
      if (hasSums) {
        sums.requireNothingBeyond(
            Alignment.up(endBytes, pageBytes) / pageBytes, geometry.maxSizeBytes() / pageBytes);
      }
    }
  }

  /**
   * Reads whole pages into a direct buffer, from its position to its limit, each after verifying
   * its checksum.
   *
   * @throws CorruptStoreException if a page or its sum is damaged
   */
  static void readPages(Storage storage, Geometry geometry, long address, ByteBuffer pages) {
    int from = pages.position();
    int length = pages.remaining();
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ);
        ImageSums sums =
            new ImageSums(storage, Storage.Access.READ, memory, geometry.pageBytes())) {
      int read = file.read(address, pages);
      if (read < length) {
        throw ImageFile.shrank(address + read);
      }
      for (int at = 0; at < length; at += geometry.pageBytes()) {
        sums.requireRight((address + at) / geometry.pageBytes(), pages, from + at);
      }
    }
  }

  /** Reads the image in pieces, from front to back. */
  private static final class Pieces {
    private final StorageFile file;
    private final @Nullable ImageSums sums;
    private final int pageBytes;
    private final ByteBuffer staging;
    private final PieceConsumer consumer;
    private final PageDamage damaged;
    private long from;

    Pieces(
        StorageFile file,
        @Nullable ImageSums sums,
        int pageBytes,
        ByteBuffer staging,
        PieceConsumer consumer,
        PageDamage damaged) {
      this.file = file;
      this.sums = sums;
      this.pageBytes = pageBytes;
      this.staging = staging;
      this.consumer = consumer;
      this.damaged = damaged;
    }

    void readTo(long to) {
      for (; from < to; from = Math.min(from + STAGING_BYTES, to)) {
        int length = read(file, from, to, staging);
        if (sums != null) {
          check(sums, from, length, pageBytes, staging, damaged);
        }
        consumer.accept(from, staging.clear().limit(length));
      }
    }

    void skipTo(long to) {
      from = to;
    }
  }

  private static void check(
      ImageSums sums,
      long offset,
      int length,
      int pageBytes,
      ByteBuffer pages,
      PageDamage damaged) {
    for (int at = 0; at < length; at += pageBytes) {
      long page = (offset + at) / pageBytes;
      try {
        sums.requireRight(page, pages, at);
      } catch (CorruptStoreException e) {
        damaged.accept(page, e);
      }
    }
  }

  /** Verifies pages against their checksums, and some also against a journal's witnesses. */
  static void check(Storage storage, Geometry geometry, SortedMap<Long, Optional<Witness>> pages) {
    int pageBytes = geometry.pageBytes();
    try (StagingMemory memory = StagingMemory.confined();
        StorageFile file = storage.open(ImageFile.NAME, Storage.Access.READ);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, pageBytes)) {
      ByteBuffer bytes = memory.allocate(pageBytes);
      for (Map.Entry<Long, Optional<Witness>> page : pages.entrySet()) {
        read(file, page.getKey(), bytes);
        sums.requireRight(page.getKey(), bytes, 0);
        if (page.getValue().isPresent()) {
          page.getValue().get().require(bytes);
        }
      }
    }
  }

  private static void read(StorageFile file, long page, ByteBuffer bytes) {
    if (file.read(page * bytes.capacity(), bytes.clear()) < bytes.capacity()) {
      throw ImageFile.shrank(page * bytes.capacity());
    }
  }

  /**
   * Reads a range into a region; pages of zeros are skipped, so that holes occupy no memory.
   *
   * @param sums the checksums of the pages, or null if pages may differ from them
   * @param pageBytes length of a page; the range consists of whole pages
   * @throws CorruptStoreException if a page is damaged
   */
  public static void load(
      StorageFile file,
      @Nullable ImageSums sums,
      Region region,
      long from,
      long to,
      int pageBytes,
      ByteBuffer staging) {
    for (long offset = from; offset < to; offset += STAGING_BYTES) {
      int pieceBytes = read(file, offset, to, staging);
      if (sums != null) {
        check(sums, offset, pieceBytes, pageBytes, staging, PageDamage.FATAL);
      }
      copyWithoutZeros(region, offset, staging, pieceBytes);
    }
  }

  /** Fills a buffer up to the end of the image; returns the number of bytes. */
  private static int read(StorageFile file, long offset, long end, ByteBuffer staging) {
    int pieceBytes = (int) Math.min(STAGING_BYTES, end - offset);
    int length = (int) Alignment.up(pieceBytes, Alignment.PAGE_BYTES);
    int read = file.read(offset, staging.clear().limit(length));
    if (read < pieceBytes) {
      throw ImageFile.shrank(offset + read);
    }
    return pieceBytes;
  }

  private static void copyWithoutZeros(Region region, long offset, ByteBuffer source, int length) {
    for (int at = 0; at < length; ) {
      int end = at;
      while (end < length && !isZero(source, end, length)) {
        end = Math.min(end + Alignment.PAGE_BYTES, length);
      }
      if (end > at) {
        region.copyFrom(offset + at, source.duplicate().limit(end).position(at));
      }
      at = Math.min(end + Alignment.PAGE_BYTES, length);
    }
  }

  private static boolean isZero(ByteBuffer source, int from, int limit) {
    int to = Math.min(from + Alignment.PAGE_BYTES, limit);
    for (int i = from; i < to; i += Long.BYTES) {
      if (source.getLong(i) != 0) {
        return false;
      }
    }
    return true;
  }
}
