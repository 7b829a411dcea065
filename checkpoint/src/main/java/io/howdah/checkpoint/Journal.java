package io.howdah.checkpoint;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreId;
import io.howdah.core.engine.StagingMemory;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.JournalLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.Geometry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One of the two journals. It contains the new contents of a checkpoint's pages until they are
 * durable in the image, so that a torn page of the image can be repaired ({@link JournalLayout}).
 * Checkpoints alternate between the journals, so a journal is overwritten only after the next one
 * was folded (docs/protocol.md, R18).
 *
 * <p>The memory is a group, a window on the image and a page, at most 1.3 megabytes. Owned by one
 * thread.
 */
final class Journal implements AutoCloseable {

  /** Directory of the journals. */
  static final String DIRECTORY = "journal";

  /** Number of journals. */
  static final int AREAS = 2;

  private final Storage storage;
  private final StoreId storeId;
  private final int pageBytes;
  private final long capacityBytes;
  private final int area;
  private final String name;
  private final StagingMemory memory = new StagingMemory();
  private @Nullable JournalGroup group;
  private final ByteBuffer header;

  Journal(Storage storage, StoreId storeId, Geometry geometry, int area) {
    this.storage = storage;
    this.storeId = storeId;
    this.pageBytes = geometry.pageBytes();
    this.capacityBytes = geometry.maxSizeBytes();
    this.area = area;
    this.name = name(area);
    this.header = memory.allocate(JournalLayout.HEADER_LENGTH);
  }

  /** Returns the group. The first call creates it, since an opening after a close needs none. */
  private JournalGroup group() {
    JournalGroup created = group;
    if (created == null) {
      created = new JournalGroup(memory, pageBytes);
      group = created;
    }
    return created;
  }

  /**
   * The input of a journal.
   *
   * @param pages the pages of the checkpoint
   * @param dirty the state of each page from earlier checkpoints
   * @param hasSums false if pages of the image may differ from their checksums; then no page is
   *     verified or compared, and every page is written as a whole
   * @param checkpoint the checkpoint's sequence
   * @param replayAboveLsn the effects of all dense LSNs up to it are in the region
   * @param fallbackLsn the former {@code replayAboveLsn}
   * @param imageEnd end of the part of the image that was ever written, in bytes
   * @param witnesses the witnesses of the previous journal, which stay valid if this one is empty
   * @param imageLsn called after the copy; returns a dense LSN such that no effect of a larger LSN
   *     was copied
   */
  record Contents(
      PageSource pages,
      DirtyPages dirty,
      boolean hasSums,
      Granularity granularity,
      long checkpoint,
      long replayAboveLsn,
      long fallbackLsn,
      long imageEnd,
      List<Witness> witnesses,
      LongSupplier imageLsn) {}

  /**
   * Writes the present contents of the dirty pages, durably. Commits may run at the same time. Each
   * word is copied atomically.
   *
   * @return the state with which the journal counts after it was written to the superblock
   * @throws CorruptStoreException if a page of the image from which the region was made is damaged
   */
  CheckpointState write(Contents contents, CheckpointProgress progress) {
    // A new file: a force of the existing one may have failed, after which a successful force
    // proves nothing about its pages.
    storage.delete(name);
    storage.create(name).close();
    storage.forceDirectory(DIRECTORY);
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT);
        ImageWindow window =
            new ImageWindow(storage, ImageWindow.buffer(memory, capacityBytes), pageBytes);
        ImageSums sums = new ImageSums(storage, Storage.Access.READ, memory, pageBytes)) {
      PageChoice choice =
          new PageChoice(
              contents.granularity(), contents.dirty(), window, contents.hasSums() ? sums : null);
      return new Writing(file, contents, choice, progress).run();
    }
  }

  /** The writing of one journal. */
  private final class Writing {

    private final StorageFile file;
    private final Contents contents;
    private final PageChoice choice;
    private final CheckpointProgress progress;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer copy = memory.allocate(pageBytes);
    private final List<Witness> witnesses = new ArrayList<>();
    private long length = JournalLayout.HEADER_LENGTH;
    private long pageCount;
    private long end;

    Writing(StorageFile file, Contents contents, PageChoice choice, CheckpointProgress progress) {
      this.file = file;
      this.contents = contents;
      this.choice = choice;
      this.progress = progress;
      this.end = contents.imageEnd();
    }

    CheckpointState run() {
      PageSource pages = contents.pages();
      group().clear();
      for (long page = pages.next(0); page >= 0; page = pages.next(page + 1)) {
        pages.copy(page, copy.clear());
        long lines = choice.lines(page, copy);
        progress.copied(Long.bitCount(lines), lines == JournalLayout.allLines(pageBytes));
        if (lines != 0) {
          add(page, lines);
        }
      }
      writeGroup();
      long imageLsn = contents.imageLsn().getAsLong();
      writeHeader();
      file.force();
      return new CheckpointState(
          contents.checkpoint(),
          contents.replayAboveLsn(),
          imageLsn,
          contents.fallbackLsn(),
          CheckpointState.Phase.JOURNALED,
          area,
          length,
          (int) crc.getValue());
    }

    private void add(long page, long lines) {
      int pageCrc = Crc32c.of(copy, 0, pageBytes);
      if (!group().add(page, copy, 0, lines, pageCrc)) {
        writeGroup();
        group().add(page, copy, 0, lines, pageCrc);
      }
      if (page >= ImageFile.HEADER_PAGES) {
        // Pages of the region's header are verified at every opening.
        Witness.add(witnesses, new Witness(page, pageCrc));
      }
      pageCount++;
      end = Math.max(end, (page + 1) * pageBytes);
    }

    private void writeGroup() {
      if (group().count() > 0) {
        ByteBuffer bytes = group().finish(contents.checkpoint());
        int groupLength = bytes.remaining();
        group().addTo(crc);
        file.write(length, bytes);
        length += groupLength;
        progress.journaled(groupLength);
        group().clear();
      }
    }

    private void writeHeader() {
      header.clear();
      for (int i = 0; i < JournalLayout.HEADER_LENGTH; i += Long.BYTES) {
        header.putLong(i, 0);
      }
      new JournalHeader(
              JournalLayout.VERSION,
              pageBytes,
              storeId,
              contents.checkpoint(),
              contents.replayAboveLsn(),
              pageCount,
              end,
              witnesses.isEmpty() ? formerWitnesses() : witnesses)
          .write(header);
      crc.update(header.duplicate());
      file.write(0, header);
      progress.journaled(JournalLayout.HEADER_LENGTH);
    }

    /** Returns the former witnesses, without pages beyond the present end of the image. */
    private List<Witness> formerWitnesses() {
      return contents.witnesses().stream()
          .filter(witness -> witness.page() < end / pageBytes)
          .toList();
    }
  }

  /**
   * Verifies every group of the journal and passes it to a consumer.
   *
   * @param state the state in the superblock
   * @return the number of pages
   * @throws CorruptStoreException if the journal does not match the checksum in the superblock
   */
  long read(CheckpointState state, GroupConsumer consumer) {
    if (!storage.exists(name)) {
      throw damaged(-1, "the journal is missing");
    }
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      long length = state.journalLengthBytes();
      if (file.sizeBytes() < length) {
        throw damaged(file.sizeBytes(), "the journal ends here, but has " + length + " bytes");
      }
      readFully(file, 0, header.clear());
      JournalHeader first = JournalHeader.read(header.clear());
      if (first == null) {
        throw damaged(0, "the header is damaged");
      }
      if (!isOf(first, state) || first.version() != JournalLayout.VERSION) {
        throw damaged(
            0, "the header is not of checkpoint " + state.sequence() + " of this store: " + first);
      }
      CRC32C crc = new CRC32C();
      long pages = 0;
      long lastPage = -1;
      long offset = JournalLayout.HEADER_LENGTH;
      while (offset < length) {
        offset += readGroup(file, offset, length, state, lastPage, first.imageEnd());
        group().addTo(crc);
        consumer.accept(group());
        lastPage = group().page(group().count() - 1);
        pages += group().count();
      }
      crc.update(header.clear());
      if ((int) crc.getValue() != state.journalCrc() || pages != first.pageCount()) {
        throw damaged(
            -1,
            "the journal is not the one that the superblock names: "
                + pages
                + " of "
                + first.pageCount()
                + " pages, checksum 0x"
                + Long.toHexString(crc.getValue())
                + " instead of 0x"
                + Integer.toHexString(state.journalCrc()));
      }
      return pages;
    }
  }

  private boolean isOf(JournalHeader other, CheckpointState state) {
    return isOf(other, state.sequence());
  }

  private boolean isOf(JournalHeader other, long checkpoint) {
    return other.storeId().equals(storeId)
        && other.pageBytes() == pageBytes
        && other.imageEnd() >= 0
        && other.imageEnd() <= capacityBytes
        && areInImage(other.witnesses(), other.imageEnd() / pageBytes)
        && other.checkpoint() == checkpoint;
  }

  private static boolean areInImage(List<Witness> witnesses, long pages) {
    for (Witness witness : witnesses) {
      if (witness.page() < 0 || witness.page() >= pages) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the end of the image's data according to the newest journal, or null if the journal no
   * longer exists. The value only avoids reading holes, so its absence is no error.
   */
  @Nullable Long imageEnd(CheckpointState state) {
    JournalHeader first = header();
    return first != null && isOf(first, state) ? (Long) first.imageEnd() : null;
  }

  /**
   * Returns pages by which an opening verifies that the image is as a checkpoint has left it; empty
   * if this journal is of another checkpoint.
   */
  List<Witness> witnesses(long checkpoint) {
    JournalHeader first = header();
    return first != null && isOf(first, checkpoint) ? first.witnesses() : List.of();
  }

  /**
   * Returns the checkpoint that wrote a journal, 0 if it has no valid header of this store.
   * Allocates memory for the header only.
   */
  static long checkpoint(Storage storage, StoreId storeId, int area) {
    try (StagingMemory memory = StagingMemory.confined()) {
      JournalHeader first =
          header(storage, name(area), memory.allocate(JournalLayout.HEADER_LENGTH));
      return first != null && first.storeId().equals(storeId) ? first.checkpoint() : 0;
    }
  }

  /** Returns the name of a journal. */
  static String name(int area) {
    return DIRECTORY + "/" + area;
  }

  private @Nullable JournalHeader header() {
    return header(storage, name, header);
  }

  private static @Nullable JournalHeader header(Storage storage, String name, ByteBuffer header) {
    if (!storage.exists(name)) {
      return null;
    }
    try (StorageFile file = storage.open(name, Storage.Access.DIRECT)) {
      if (file.read(0, header.clear()) < JournalLayout.HEADER_LENGTH) {
        return null;
      }
    }
    return JournalHeader.read(header.clear().order(ByteOrder.LITTLE_ENDIAN));
  }

  private long readGroup(
      StorageFile file,
      long offset,
      long length,
      CheckpointState state,
      long lastPage,
      long imageEnd) {
    ByteBuffer bytes = group().bytes();
    long left = Math.min(length - offset, JournalLayout.MAX_GROUP_LENGTH);
    if (left < JournalLayout.ALIGNMENT) {
      throw damaged(offset, "the journal ends within a group");
    }
    readFully(file, offset, bytes.clear().limit(JournalLayout.ALIGNMENT));
    long groupLength = group().readHeader(state.sequence());
    if (groupLength < 0 || groupLength > left) {
      throw damaged(offset, "a group's fixed part is damaged");
    }
    if (groupLength > JournalLayout.ALIGNMENT) {
      readFully(
          file,
          offset + JournalLayout.ALIGNMENT,
          bytes.clear().limit((int) groupLength).position(JournalLayout.ALIGNMENT));
    }
    String problem = group().read(lastPage, imageEnd / pageBytes);
    if (problem != null) {
      throw damaged(offset, problem);
    }
    return groupLength;
  }

  private void readFully(StorageFile file, long offset, ByteBuffer target) {
    int length = target.remaining();
    int read = file.read(offset, target);
    if (read < length) {
      throw damaged(offset + read, "the journal ends here");
    }
  }

  /** Truncates the journal of a folded checkpoint to its header, which frees its disk space. */
  void shrink() {
    if (!storage.exists(name)) {
      return; // it was missing, and recovery has used the log
    }
    try (StorageFile file = storage.open(name, Storage.Access.READ_WRITE)) {
      file.setSize(JournalLayout.HEADER_LENGTH);
    }
  }

  /** Discards the journal of a cancelled checkpoint. */
  void discard() {
    storage.delete(name);
  }

  /** Frees the journal's buffers. */
  @Override
  public void close() {
    memory.close();
  }

  private CorruptStoreException damaged(long offset, String problem) {
    return new CorruptStoreException(name, offset, problem);
  }

  /** Receives groups one by one. */
  interface GroupConsumer {

    /** Receives a group, which is valid only during the call. */
    void accept(JournalGroup group);
  }
}
