package io.howdah.core.layout;

/**
 * An export: the named structures of a store as keys, values and elements, without addresses. It
 * depends on codecs and on nothing else of a store's formats, so a store of another format can be
 * filled from it. A header, then blocks, each behind the one before. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDEXPRT"
 *    8 | version      | reserved = 0 |
 *   16 | idHigh                      |  random: tells exports apart
 *   24 | idLow                       |
 *   32 | reserved = 0 | crc          |  crc32c over bytes [0, 36)
 *   40
 *
 *  block
 *    0 | kind         | length       |  length: of the payload in bytes
 *    8 | number                      |  of the block, from 0 on
 *   16 | tag          | crc          |  tag: the low half of idLow; crc32c over bytes [0, 20) and the
 *                                       payload
 *   24 | payload ...                 |
 * </pre>
 *
 * <p>The blocks, in their order:
 *
 * <ul>
 *   <li>SHAPE: name and text of a record, an enum or a sealed interface, see {@link
 *       ShapeTextLayout}; in the order of the names' bytes
 *   <li>STRUCTURE: begins one, in the order of the names' bytes. keyLength and valueLength, 4 bytes
 *       each, of all keys, and of all values or elements, or -1 if they differ; then four words: of
 *       a change journal the number of the newest change, how many it keeps, for how many
 *       nanoseconds it holds writers, and the number of the last change that was released; of a
 *       cache, what its entries may weigh and how many there may be; else 0; then name and type as
 *       the catalogue has them
 *   <li>ITEMS: of the structure that was begun last, each a key and a value. Elements of lists and
 *       queues, the 8 bytes of a counter, and the parts of a blob are values with an empty key. The
 *       value of an entry that expires begins with its time, as in the store
 *   <li>CLOSED: a word with the number of items of the structure that was begun last
 *   <li>END: three words: how many shapes, structures and items there are. Nothing follows
 * </ul>
 *
 * <p>A name, text, type, key or value is its length in 4 bytes, then its bytes; texts are in UTF-8.
 * An index that is not finished has no items: the program that declares it builds it anew.
 */
public final class ExportLayout {

  /** "HWDEXPRT" read as a little-endian word. */
  public static final long MAGIC = 0x5452_5058_4544_5748L;

  /** Current version of the format. */
  public static final int VERSION = 1;

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the export's id, its high half. */
  public static final int ID_HIGH_OFFSET = VERSION_OFFSET + Long.BYTES;

  /** Offset of the export's id, its low half. */
  public static final int ID_LOW_OFFSET = ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = ID_LOW_OFFSET + Long.BYTES + Integer.BYTES;

  /** Length of the header; the first block follows. */
  public static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;

  /** Offset of a block's kind. */
  public static final int KIND_OFFSET = 0;

  /** Offset of the length of a block's payload. */
  public static final int LENGTH_OFFSET = KIND_OFFSET + Integer.BYTES;

  /** Offset of a block's number. */
  public static final int NUMBER_OFFSET = LENGTH_OFFSET + Integer.BYTES;

  /** Offset of what a block shares with all others of its export. */
  public static final int TAG_OFFSET = NUMBER_OFFSET + Long.BYTES;

  /** Offset of a block's checksum. */
  public static final int BLOCK_CRC_OFFSET = TAG_OFFSET + Integer.BYTES;

  /** Offset of a block's payload. */
  public static final int PAYLOAD_OFFSET = BLOCK_CRC_OFFSET + Integer.BYTES;

  /** Longest payload: the longest change of a journal and what stands before it. */
  public static final int MAX_PAYLOAD_BYTES = 1 << 24;

  /** Kind of a block with a shape. */
  public static final int SHAPE = 1;

  /** Kind of a block that begins a structure. */
  public static final int STRUCTURE = 2;

  /** Kind of a block with items of a structure. */
  public static final int ITEMS = 3;

  /** Kind of a block behind the last item of a structure. */
  public static final int CLOSED = 4;

  /** Kind of the last block. */
  public static final int END = 5;

  private ExportLayout() {}
}
