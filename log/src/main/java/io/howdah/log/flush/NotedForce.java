package io.howdah.log.flush;

import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ForceNoteLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A batch that a store's {@link ForceNote} names. The batch was forced before it was noted
 * (docs/protocol.md, R42).
 *
 * @param generation the batch's generation
 */
public record NotedForce(long generation, BatchId batch) {

  /**
   * Returns the batches that the note of a store names, at most two. Empty if the file is missing,
   * or is not a note of this store. A damaged slot counts as one that was never stored.
   *
   * @throws io.howdah.core.storage.StorageException if the file cannot be read
   */
  public static Optional<List<NotedForce>> readAll(
      Storage storage, long storeIdHigh, long storeIdLow) {
    if (!storage.exists(ForceNote.NAME)) {
      return Optional.empty();
    }
    ByteBuffer page =
        ByteBuffer.allocateDirect(ForceNoteLayout.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = storage.open(ForceNote.NAME, Storage.Access.READ)) {
      if (file.read(0, page) < ForceNoteLayout.LENGTH || !isNote(page, storeIdHigh, storeIdLow)) {
        return Optional.empty();
      }
    }
    List<NotedForce> found = new ArrayList<>();
    addSlot(found, page, ForceNoteLayout.EVEN_SLOT_OFFSET);
    addSlot(found, page, ForceNoteLayout.ODD_SLOT_OFFSET);
    return Optional.of(found);
  }

  private static boolean isNote(ByteBuffer page, long storeIdHigh, long storeIdLow) {
    return page.getLong(ForceNoteLayout.MAGIC_OFFSET) == ForceNoteLayout.MAGIC
        && page.getInt(ForceNoteLayout.VERSION_OFFSET) == ForceNoteLayout.VERSION
        && page.getLong(ForceNoteLayout.STORE_ID_HIGH_OFFSET) == storeIdHigh
        && page.getLong(ForceNoteLayout.STORE_ID_LOW_OFFSET) == storeIdLow
        && page.getInt(ForceNoteLayout.CRC_OFFSET)
            == Crc32c.around(page, ForceNoteLayout.CRC_OFFSET, ForceNoteLayout.HEADER_LENGTH);
  }

  private static void addSlot(List<NotedForce> found, ByteBuffer page, int slot) {
    int crc = Crc32c.of(page, slot, slot + ForceNoteLayout.SLOT_CRC_OFFSET);
    if (page.getInt(slot + ForceNoteLayout.SLOT_CRC_OFFSET) == crc) {
      found.add(
          new NotedForce(
              page.getLong(slot + ForceNoteLayout.SLOT_GENERATION_OFFSET),
              new BatchId(
                  page.getLong(slot + ForceNoteLayout.SLOT_SEQUENCE_OFFSET),
                  page.getInt(slot + ForceNoteLayout.SLOT_BATCH_CRC_OFFSET))));
    }
  }
}
