package io.howdah.store.export;

import io.howdah.collections.RawCollections.Described;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Writes the blocks of an export, from the file's beginning on. For one thread. */
final class ExportWriter {

  /** Length of bytes from which on a block of items is written. */
  private static final int BLOCK_BYTES = 1 << 18;

  private final StorageFile file;
  private final ByteBuffer block;
  private final int tag;
  private long offset;
  private long number;
  private long shapes;
  private long structures;
  private long items;
  private long itemsOfStructure;

  /**
   * Writes the header.
   *
   * @param block direct, with room for the longest block
   */
  ExportWriter(StorageFile file, UUID id, ByteBuffer block) {
    this.file = file;
    this.block = block.order(ByteOrder.LITTLE_ENDIAN);
    this.tag = (int) id.getLeastSignificantBits();
    block.clear();
    block.putLong(ExportLayout.MAGIC);
    block.putInt(ExportLayout.VERSION).putInt(0);
    block.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    block.putInt(0).putInt(Crc32c.of(block, 0, ExportLayout.CRC_OFFSET));
    write(ExportLayout.HEADER_LENGTH);
    begin();
  }

  void shape(String name, String text) {
    putText(name);
    putText(text);
    end(ExportLayout.SHAPE);
    shapes++;
  }

  void structure(Described structure) {
    block.putInt(structure.keyLength()).putInt(structure.valueLength());
    block.putLong(structure.newest()).putLong(structure.kept());
    block.putLong(structure.heldNanos()).putLong(structure.released());
    putText(structure.name());
    putText(structure.type());
    end(ExportLayout.STRUCTURE);
    structures++;
    itemsOfStructure = 0;
  }

  void item(byte[] key, byte[] value) {
    long length = 2L * Integer.BYTES + key.length + value.length;
    if (length > block.remaining()) {
      endItems();
      if (length > block.remaining()) {
        throw new UnsupportedStoreException(
            "an export has no room for an item of %,d bytes".formatted(length));
      }
    }
    block.putInt(key.length).put(key).putInt(value.length).put(value);
    itemsOfStructure++;
    if (block.position() >= BLOCK_BYTES) {
      endItems();
    }
  }

  private void endItems() {
    if (block.position() > ExportLayout.PAYLOAD_OFFSET) {
      end(ExportLayout.ITEMS);
    }
  }

  /** Ends the structure that was begun last. */
  void close() {
    endItems();
    block.putLong(itemsOfStructure);
    end(ExportLayout.CLOSED);
    items += itemsOfStructure;
  }

  /** Ends the export and forces the file. */
  Transferred end() {
    block.putLong(shapes).putLong(structures).putLong(items);
    end(ExportLayout.END);
    file.force();
    return new Transferred(structures, items, offset);
  }

  private void putText(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    block.putInt(bytes.length).put(bytes);
  }

  private void begin() {
    block.clear().position(ExportLayout.PAYLOAD_OFFSET);
  }

  private void end(int kind) {
    int length = block.position();
    block.putInt(ExportLayout.KIND_OFFSET, kind);
    block.putInt(ExportLayout.LENGTH_OFFSET, length - ExportLayout.PAYLOAD_OFFSET);
    block.putLong(ExportLayout.NUMBER_OFFSET, number++);
    block.putInt(ExportLayout.TAG_OFFSET, tag);
    block.putInt(
        ExportLayout.BLOCK_CRC_OFFSET, Crc32c.around(block, ExportLayout.BLOCK_CRC_OFFSET, length));
    write(length);
    begin();
  }

  private void write(int length) {
    block.position(0).limit(length);
    file.write(offset, block);
    offset += length;
  }
}
