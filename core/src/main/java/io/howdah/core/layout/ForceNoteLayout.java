package io.howdah.core.layout;

/**
 * The force note, the file {@code log/forced}: which batches were forced last. One page, mapped
 * shared, with two slots that are stored by turns. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDFORCE"
 *    8 | formatVersion| crc          |  crc32c over bytes [0, 12) and [16, 32)
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *      | zeros to 1024               |
 * 1024 | slot                        |  of batches with an even sequence
 *      | zeros to 2048               |
 * 2048 | slot                        |  of batches with an odd sequence
 *      | zeros to 4096               |
 *
 *  slot
 *    0 | generation                  |
 *    8 | batchSequence               |  of a batch that was forced
 *   16 | batchCrc     | crc          |  the batch's crc; crc32c over the slot's bytes [0, 20)
 * </pre>
 *
 * The header is written once. Header and slots lie in sectors of their own: a power cut that tears
 * the page leaves each of them old or new.
 */
public final class ForceNoteLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = CRC_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Length of the header. */
  public static final int HEADER_LENGTH = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the slot of batches with an even sequence. */
  public static final int EVEN_SLOT_OFFSET = 1024;

  /** Offset of the slot of batches with an odd sequence. */
  public static final int ODD_SLOT_OFFSET = 2048;

  /** Offset, in a slot, of the batch's generation. */
  public static final int SLOT_GENERATION_OFFSET = 0;

  /** Offset, in a slot, of the batch's sequence. */
  public static final int SLOT_SEQUENCE_OFFSET = SLOT_GENERATION_OFFSET + Long.BYTES;

  /** Offset, in a slot, of the batch's checksum. */
  public static final int SLOT_BATCH_CRC_OFFSET = SLOT_SEQUENCE_OFFSET + Long.BYTES;

  /** Offset, in a slot, of the slot's checksum. */
  public static final int SLOT_CRC_OFFSET = SLOT_BATCH_CRC_OFFSET + Integer.BYTES;

  /** Length of a slot. */
  public static final int SLOT_LENGTH = SLOT_CRC_OFFSET + Integer.BYTES;

  /** Length of the file. */
  public static final int LENGTH = 4096;

  /** "HWDFORCE" read as a little-endian word. */
  public static final long MAGIC = 0x4543_524F_4644_5748L;

  /** Current version of the format. */
  public static final int VERSION = 1;

  private ForceNoteLayout() {}

  /** Returns the offset of a batch's slot. */
  public static int slotOffset(long batchSequence) {
    return (batchSequence & 1) == 0 ? EVEN_SLOT_OFFSET : ODD_SLOT_OFFSET;
  }
}
