package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Region;
import io.howdah.core.StoreId;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.StagingMemory;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One of the two journals: the pages of a checkpoint, kept until they are durable in the image, so
 * that a page torn there is repaired ({@link JournalLayout}). The checkpoints take turns, so a
 * journal is overwritten only after the next one was folded (docs/protocol.md, R18).
 *
 * <p>Memory is one group of pages, at most a megabyte. Owned by one thread.
 */
final class Journal implements AutoCloseable {

  /** Directory of the journals. */
  static final String DIRECTORY = "journal";

  private final Storage storage;
  private final StoreId storeId;
  private final int pageBytes;
  private final long capacityBytes;
  private final int area;
  private final String name;
  private final StagingMemory memory = new StagingMemory();
  private final ByteBuffer group;

  Journal(Storage storage, StoreId storeId, Geometry geometry, int area) {
    this.storage = storage;
    this.storeId = storeId;
    this.pageBytes = geometry.pageBytes();
    this.capacityBytes = geometry.maxSizeBytes();
    this.area = area;
    this.name = DIRECTORY + "/" + area;
    int length = JournalLayout.groupLength(JournalLayout.pagesPerGroup(pageBytes), pageBytes);
    this.group = memory.allocate(length);
  }

  /**
   * Writes the dirty pages of a quiescent region, durably.
   *
   * @param checkpoint sequence of the checkpoint
   * @param imageEnd bytes of the image beyond which it was never written so far
   * @return the state that makes the journal count once the superblock holds it
   */
  CheckpointState write(
      Region region, DirtyPages dirty, long checkpoint, long replayAboveLsn, long imageEnd) {
    // Not the file that is there: a force of it may have failed once, after which no force proves
    // anything about its pages.
    storage.delete(name);
    storage.create(name).close();
    storage.forceDirectory(DIRECTORY);
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      CRC32C crc = new CRC32C();
      long pageCount = 0;
      long end = imageEnd;
      for (long page = dirty.next(0); page >= 0; page = dirty.next(page + 1)) {
        pageCount++;
        end = Math.max(end, (page + 1) * pageBytes);
      }
      clear(JournalLayout.HEADER_LENGTH);
      new JournalHeader(
              JournalLayout.VERSION, pageBytes, storeId, checkpoint, replayAboveLsn, pageCount, end)
          .write(group);
      add(crc);
      file.write(0, group.clear().limit(JournalLayout.HEADER_LENGTH));
      long length = JournalLayout.HEADER_LENGTH;
      for (long page = dirty.next(0); page >= 0; ) {
        page = fillGroup(region, dirty, page, checkpoint);
        add(crc);
        length += group.limit();
        file.write(length - group.limit(), group);
      }
      file.force();
      return new CheckpointState(
          checkpoint,
          replayAboveLsn,
          CheckpointState.Phase.JOURNALED,
          area,
          length,
          (int) crc.getValue());
    }
  }

  /** Fills a group, from a dirty page on; returns the next page to come, or -1. */
  private long fillGroup(Region region, DirtyPages dirty, long firstPage, long checkpoint) {
    int most = JournalLayout.pagesPerGroup(pageBytes);
    clear(JournalLayout.GROUP_HEADER_LENGTH);
    int count = 0;
    long page = firstPage;
    while (page >= 0 && count < most) {
      int at = JournalLayout.GROUP_HEADER_LENGTH + count * pageBytes;
      region.copyTo(page * pageBytes, group.limit(at + pageBytes).position(at));
      int entry = JournalLayout.GROUP_ENTRIES_OFFSET + count * JournalLayout.ENTRY_LENGTH;
      group
          .putLong(entry + JournalLayout.ENTRY_INDEX_OFFSET, page)
          .putInt(entry + JournalLayout.ENTRY_CRC_OFFSET, Crc32c.of(group, at, at + pageBytes));
      count++;
      page = dirty.next(page + 1);
    }
    int end = JournalLayout.GROUP_HEADER_LENGTH + count * pageBytes;
    int length = JournalLayout.groupLength(count, pageBytes);
    group.limit(length).position(end);
    while (group.hasRemaining()) {
      group.put((byte) 0);
    }
    group
        .putLong(JournalLayout.GROUP_MAGIC_OFFSET, JournalLayout.GROUP_MAGIC)
        .putLong(JournalLayout.GROUP_CHECKPOINT_OFFSET, checkpoint)
        .putInt(JournalLayout.GROUP_COUNT_OFFSET, count)
        .putInt(JournalLayout.GROUP_CRC_OFFSET, groupCrc());
    group.position(0);
    return page;
  }

  private void clear(int bytes) {
    group.clear();
    for (int i = 0; i < bytes; i += Long.BYTES) {
      group.putLong(i, 0);
    }
  }

  /** Adds the page at the start of the buffer to the journal's checksum. */
  private void add(CRC32C crc) {
    crc.update(group.duplicate().position(0).limit(JournalLayout.GROUP_HEADER_LENGTH));
  }

  private int groupCrc() {
    return Crc32c.around(group, JournalLayout.GROUP_CRC_OFFSET, JournalLayout.GROUP_HEADER_LENGTH);
  }

  /**
   * Hands every page of the journal to a consumer, after checking it.
   *
   * @param state that the superblock holds
   * @return how many pages
   * @throws CorruptStoreException if a byte of it is not as the superblock vouches
   */
  long read(CheckpointState state, PageConsumer consumer) {
    if (!storage.exists(name)) {
      throw damaged(-1, "the journal is missing");
    }
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      long length = state.journalLengthBytes();
      if (file.sizeBytes() < length) {
        throw damaged(file.sizeBytes(), "the journal ends here, but has " + length + " bytes");
      }
      CRC32C crc = new CRC32C();
      readFully(file, 0, 0, JournalLayout.HEADER_LENGTH);
      JournalHeader header = header(state);
      add(crc);
      long pages = 0;
      long lastPage = -1;
      long offset = JournalLayout.HEADER_LENGTH;
      while (offset < length) {
        int count = readGroup(file, offset, length, state);
        add(crc);
        for (int i = 0; i < count; i++) {
          long page = entryPage(offset, i, lastPage, header.imageEnd());
          consumer.accept(page, group, JournalLayout.GROUP_HEADER_LENGTH + i * pageBytes);
          lastPage = page;
        }
        pages += count;
        offset += JournalLayout.groupLength(count, pageBytes);
      }
      if ((int) crc.getValue() != state.journalCrc() || pages != header.pageCount()) {
        throw damaged(
            -1,
            "the journal is not the one that the superblock names: "
                + pages
                + " of "
                + header.pageCount()
                + " pages, checksum 0x"
                + Long.toHexString(crc.getValue())
                + " instead of 0x"
                + Integer.toHexString(state.journalCrc()));
      }
      return pages;
    }
  }

  private JournalHeader header(CheckpointState state) {
    JournalHeader header = JournalHeader.read(group.duplicate().order(ByteOrder.LITTLE_ENDIAN));
    if (header == null || !isOf(header, state) || header.version() != JournalLayout.VERSION) {
      throw damaged(0, "the header is damaged or of another checkpoint: " + header);
    }
    return header;
  }

  private boolean isOf(JournalHeader header, CheckpointState state) {
    return header.storeId().equals(storeId)
        && header.pageBytes() == pageBytes
        && header.imageEnd() >= 0
        && header.imageEnd() <= capacityBytes
        && header.checkpoint() == state.sequence()
        && header.replayAboveLsn() == state.replayAboveLsn();
  }

  /**
   * Returns the end of what the image holds, as the newest journal tells, or null if the journal is
   * gone. It only spares reading holes, so nothing is wrong then.
   */
  @Nullable Long imageEnd(CheckpointState state) {
    if (!storage.exists(name)) {
      return null;
    }
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      group.clear().limit(JournalLayout.HEADER_LENGTH);
      if (file.read(0, group) < JournalLayout.HEADER_LENGTH) {
        return null;
      }
    }
    JournalHeader header = JournalHeader.read(group.flip());
    return header != null && isOf(header, state) ? (Long) header.imageEnd() : null;
  }

  private int readGroup(StorageFile file, long offset, long length, CheckpointState state) {
    if (length - offset < JournalLayout.GROUP_HEADER_LENGTH) {
      throw damaged(offset, "the journal ends within a group");
    }
    readFully(file, offset, 0, JournalLayout.GROUP_HEADER_LENGTH);
    if (group.getLong(JournalLayout.GROUP_MAGIC_OFFSET) != JournalLayout.GROUP_MAGIC
        || group.getLong(JournalLayout.GROUP_CHECKPOINT_OFFSET) != state.sequence()
        || group.getInt(JournalLayout.GROUP_CRC_OFFSET) != groupCrc()) {
      throw damaged(offset, "a group's first page is damaged");
    }
    int count = group.getInt(JournalLayout.GROUP_COUNT_OFFSET);
    if (count < 1
        || count > JournalLayout.pagesPerGroup(pageBytes)
        || JournalLayout.groupLength(count, pageBytes) > length - offset) {
      throw damaged(offset, "a group of " + count + " pages");
    }
    int pagesLength =
        JournalLayout.groupLength(count, pageBytes) - JournalLayout.GROUP_HEADER_LENGTH;
    readFully(
        file,
        offset + JournalLayout.GROUP_HEADER_LENGTH,
        JournalLayout.GROUP_HEADER_LENGTH,
        pagesLength);
    return count;
  }

  private long entryPage(long groupOffset, int index, long lastPage, long imageEnd) {
    int entry = JournalLayout.GROUP_ENTRIES_OFFSET + index * JournalLayout.ENTRY_LENGTH;
    long page = group.getLong(entry + JournalLayout.ENTRY_INDEX_OFFSET);
    if (page <= lastPage || page >= imageEnd / pageBytes) {
      throw damaged(groupOffset + entry, "page " + page + " after page " + lastPage);
    }
    int at = JournalLayout.GROUP_HEADER_LENGTH + index * pageBytes;
    int expected = group.getInt(entry + JournalLayout.ENTRY_CRC_OFFSET);
    int actual = Crc32c.of(group, at, at + pageBytes);
    if (actual != expected) {
      throw damaged(
          groupOffset + at,
          "page "
              + page
              + " has checksum 0x"
              + Integer.toHexString(actual)
              + " instead of 0x"
              + Integer.toHexString(expected));
    }
    return page;
  }

  private void readFully(StorageFile file, long offset, int at, int length) {
    int read = file.read(offset, group.clear().limit(at + length).position(at));
    group.clear();
    if (read < length) {
      throw damaged(offset + read, "the journal ends here");
    }
  }

  /** Gives the journal's blocks back but for its header; the checkpoint that wrote it is folded. */
  void shrink() {
    try (StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
      file.setSize(JournalLayout.HEADER_LENGTH);
    }
  }

  /** Frees the journal's buffer. */
  @Override
  public void close() {
    memory.close();
  }

  private CorruptStoreException damaged(long offset, String problem) {
    return new CorruptStoreException(
        name,
        offset,
        problem
            + "; the image may hold torn pages that only this journal repairs: restore the store"
            + " from a backup");
  }

  /** Takes pages one by one. */
  interface PageConsumer {

    /**
     * Takes a page.
     *
     * @param source holds its bytes from {@code at} on; valid during the call only
     */
    void accept(long page, ByteBuffer source, int at);
  }
}
