package io.howdah.store.export;

import io.howdah.collections.RawCollections.Described;
import io.howdah.collections.RawCollections.Item;
import io.howdah.collections.RawCollections.Kind;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.Crc32c;
import io.howdah.core.layout.ExportLayout;
import io.howdah.core.storage.StorageFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads the blocks of an export, and refuses whatever {@link ExportLayout} does not allow: with
 * file, offset and reason, before a byte of it is used. For one thread.
 */
final class ExportReader {

  private static final int MAX_NAME = 255;

  private final StorageFile file;
  private final String name;
  private final ByteBuffer block;
  private final UUID id;
  private final long length;

  /** Where the next block begins. */
  private long offset = ExportLayout.HEADER_LENGTH;

  private long number;
  private long shapes;
  private long structures;
  private long items;
  private long itemsOfStructure;
  private String lastShape = "";
  private String lastStructure = "";
  private @Nullable Described open;

  /**
   * Reads the header.
   *
   * @param name of the file, for messages
   * @param block direct, with room for the longest block
   */
  ExportReader(StorageFile file, String name, ByteBuffer block) {
    this.file = file;
    this.name = name;
    this.block = block.order(ByteOrder.LITTLE_ENDIAN);
    this.length = file.sizeBytes();
    read(0, ExportLayout.HEADER_LENGTH);
    if (block.getLong(ExportLayout.MAGIC_OFFSET) != ExportLayout.MAGIC) {
      throw damaged(ExportLayout.MAGIC_OFFSET, "the file does not begin as an export does");
    }
    int version = block.getInt(ExportLayout.VERSION_OFFSET);
    if (version != ExportLayout.VERSION) {
      throw new UnsupportedStoreException(
          "%s is an export of format %d, and this release reads format %d"
              .formatted(name, version, ExportLayout.VERSION));
    }
    if (block.getInt(ExportLayout.CRC_OFFSET) != Crc32c.of(block, 0, ExportLayout.CRC_OFFSET)) {
      throw damaged(ExportLayout.CRC_OFFSET, "the header's checksum is wrong");
    }
    this.id =
        new UUID(
            block.getLong(ExportLayout.ID_HIGH_OFFSET), block.getLong(ExportLayout.ID_LOW_OFFSET));
  }

  /** What a reader finds, one block after the other, and has checked. */
  interface Visitor {
    /** Sees a shape; {@code at} is where its block begins. */
    default void shape(String shapeName, String text, long at) {}

    /** Sees the beginning of a structure. */
    default void structure(Described structure, long at) {}

    /** Sees some items of the structure that was begun last. */
    default void items(Described structure, List<Item> some) {}

    /** Sees the end of the structure that was begun last. */
    default void closed(Described structure, long count, long at) {}
  }

  UUID id() {
    return id;
  }

  /** Returns where the next block begins. */
  long offset() {
    return offset;
  }

  /** Reads all blocks, those that are there already included. */
  Transferred all(Visitor visitor) {
    while (next(visitor)) {
      // The visitor has what it needs.
    }
    return new Transferred(structures, items, length);
  }

  /** Reads a block; returns false if it was the last one. */
  boolean next(Visitor visitor) {
    long at = offset;
    int payload = readBlock(at);
    offset = at + ExportLayout.PAYLOAD_OFFSET + payload;
    number++;
    int kind = block.getInt(ExportLayout.KIND_OFFSET);
    block.position(ExportLayout.PAYLOAD_OFFSET).limit(ExportLayout.PAYLOAD_OFFSET + payload);
    switch (kind) {
      case ExportLayout.SHAPE -> shape(visitor, at);
      case ExportLayout.STRUCTURE -> structure(visitor, at);
      case ExportLayout.ITEMS -> items(visitor, at);
      case ExportLayout.CLOSED -> closed(visitor, at);
      case ExportLayout.END -> end(at);
      default -> throw damaged(at, "there is no kind of blocks " + kind);
    }
    if (block.hasRemaining()) {
      throw damaged(at + block.position(), "the block has more bytes than its contents");
    }
    return kind != ExportLayout.END;
  }

  /** Reads and checks a block; returns the length of its payload. */
  private int readBlock(long at) {
    read(at, ExportLayout.PAYLOAD_OFFSET);
    int payload = block.getInt(ExportLayout.LENGTH_OFFSET);
    if (payload < 0 || payload > ExportLayout.MAX_PAYLOAD_BYTES) {
      throw damaged(
          at + ExportLayout.LENGTH_OFFSET, "a block has a length of " + payload + " bytes");
    }
    read(at, ExportLayout.PAYLOAD_OFFSET + payload);
    int crc =
        Crc32c.around(block, ExportLayout.BLOCK_CRC_OFFSET, ExportLayout.PAYLOAD_OFFSET + payload);
    if (block.getInt(ExportLayout.BLOCK_CRC_OFFSET) != crc) {
      throw damaged(at, "the checksum of the block is wrong");
    }
    if (block.getLong(ExportLayout.NUMBER_OFFSET) != number
        || block.getInt(ExportLayout.TAG_OFFSET) != (int) id.getLeastSignificantBits()) {
      throw damaged(at, "here is not block " + number + " of this export");
    }
    return payload;
  }

  private void read(long at, int bytes) {
    if (bytes > length - at) {
      throw damaged(
          length,
          "the export is incomplete: the file ends, and %,d bytes are missing at least"
              .formatted(bytes - (length - at)));
    }
    block.clear().limit(bytes);
    int found = file.read(at, block);
    if (found != bytes) {
      throw damaged(at + found, "the file has become shorter");
    }
    block.clear();
  }

  private void shape(Visitor visitor, long at) {
    String shape = text(at, "a name");
    String text = text(at, "a shape");
    if (structures > 0 || NameOrder.BY_BYTES.compare(shape, lastShape) <= 0) {
      throw damaged(at, "the shape \"" + shape + "\" is out of order");
    }
    lastShape = shape;
    shapes++;
    visitor.shape(shape, text, at);
  }

  private void structure(Visitor visitor, long at) {
    if (block.remaining() < 2 * Integer.BYTES + 4 * Long.BYTES) {
      throw damaged(at, "the block is too short");
    }
    int keyLength = block.getInt();
    int valueLength = block.getInt();
    long newest = block.getLong();
    long kept = block.getLong();
    long heldNanos = block.getLong();
    long released = block.getLong();
    String structure = text(at, "a name");
    String type = text(at, "a type");
    if (open != null || NameOrder.BY_BYTES.compare(structure, lastStructure) <= 0) {
      throw damaged(at, "the structure \"" + structure + "\" is out of order");
    }
    Kind kind = Kind.of(type);
    if (kind == null || structure.length() > MAX_NAME) {
      throw damaged(at, "\"%s\" is a structure of the type \"%s\"".formatted(structure, type));
    }
    boolean hasLengths =
        isLength(keyLength) && isLength(valueLength) && (kind.hasKeys() || keyLength == 0);
    boolean hasNumbers =
        newest >= 0 && kept >= 0 && heldNanos >= 0 && released >= 0 && released <= newest;
    if (!hasLengths || !hasNumbers) {
      throw damaged(
          at,
          "\"%s\" has lengths of %d and %d, and the numbers %d, %d, %d and %d"
              .formatted(structure, keyLength, valueLength, newest, kept, heldNanos, released));
    }
    lastStructure = structure;
    structures++;
    itemsOfStructure = 0;
    Described described =
        new Described(structure, type, keyLength, valueLength, newest, kept, heldNanos, released);
    open = described;
    visitor.structure(described, at);
  }

  private static boolean isLength(int fixed) {
    return fixed >= -1 && fixed <= ExportLayout.MAX_PAYLOAD_BYTES;
  }

  private void items(Visitor visitor, long at) {
    Described structure = requireOpen(at);
    Kind kind = Kind.of(structure.type());
    List<Item> some = new ArrayList<>();
    while (block.hasRemaining()) {
      long here = at + block.position();
      byte[] key = bytes(at, "a key");
      byte[] value = bytes(at, "a value");
      boolean isFitting =
          isOf(key.length, kind != null && kind.hasKeys() ? structure.keyLength() : 0)
              && isOf(value.length, kind == Kind.COUNTER ? Long.BYTES : structure.valueLength());
      if (!isFitting) {
        throw damaged(
            here,
            "\"%s\" has an item with a key of %d and a value of %d bytes"
                .formatted(structure.name(), key.length, value.length));
      }
      some.add(new Item(key, value));
    }
    itemsOfStructure += some.size();
    if (kind == Kind.COUNTER && itemsOfStructure > 1) {
      throw damaged(at, "the counter \"" + structure.name() + "\" has two numbers");
    }
    visitor.items(structure, some);
  }

  private static boolean isOf(int bytes, int fixed) {
    return fixed < 0 || bytes == fixed;
  }

  private void closed(Visitor visitor, long at) {
    Described structure = requireOpen(at);
    if (block.remaining() < Long.BYTES) {
      throw damaged(at, "the block is too short");
    }
    long count = block.getLong();
    if (count != itemsOfStructure) {
      throw damaged(
          at,
          "\"%s\" has %,d items, and %,d are here"
              .formatted(structure.name(), count, itemsOfStructure));
    }
    items += count;
    open = null;
    visitor.closed(structure, count, at);
  }

  private void end(long at) {
    if (open != null || block.remaining() < 3 * Long.BYTES) {
      throw damaged(at, "the export ends within a structure");
    }
    long shapesThere = block.getLong();
    long structuresThere = block.getLong();
    long itemsThere = block.getLong();
    if (shapesThere != shapes || structuresThere != structures || itemsThere != items) {
      throw damaged(at, "the export has less than its end says");
    }
    if (offset != length) {
      throw damaged(offset, "bytes follow behind the end of the export");
    }
  }

  private Described requireOpen(long at) {
    Described structure = open;
    if (structure == null) {
      throw damaged(at, "the block belongs to no structure");
    }
    return structure;
  }

  private String text(long at, String what) {
    ByteBuffer bytes = ByteBuffer.wrap(bytes(at, what));
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      throw damaged(at, what + " is not UTF-8");
    }
  }

  private byte[] bytes(long at, String what) {
    int count = block.remaining() < Integer.BYTES ? -1 : block.getInt();
    if (count < 0 || count > block.remaining()) {
      throw damaged(at + block.position(), what + " is longer than its block");
    }
    byte[] bytes = new byte[count];
    block.get(bytes);
    return bytes;
  }

  /** Returns what tells that the file is damaged. */
  CorruptStoreException damaged(long at, String problem) {
    return new CorruptStoreException(
        name,
        at,
        problem + "; nothing behind this was used. Copy the export again, or make another");
  }
}
