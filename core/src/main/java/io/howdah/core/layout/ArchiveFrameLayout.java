package io.howdah.core.layout;

/**
 * The header of a frame. The objects of an archive are sequences of frames: a header, then as many
 * bytes as it says. Little-endian.
 *
 * <pre>
 *        0              4              8
 *      +--------------+--------------+
 *    0 | magic                       |  "HWDARCHV"
 *    8 | formatVersion| kind         |
 *   16 | storeIdHigh                 |
 *   24 | storeIdLow                  |
 *   32 | run                         |  number of the run, from 1; 0 in the object that names the archive
 *   40 | nonce                       |  of the run, random
 *   48 | sequence                    |  of the frame in its object, from 0
 *   56 | first                       |  the meaning of these four depends on the kind
 *   64 | second                      |
 *   72 | third                       |
 *   80 | fourth                      |
 *   88 | length       | storedLength |  bytes of the payload, and of what is stored of it
 *   96 | flags        | payloadCrc   |  how it is stored; crc32c over what is stored
 *  104 | reserved = 0 | crc          |  crc32c over bytes [0, 108)
 *  112 | stored payload ...
 * </pre>
 *
 * <table>
 * <caption>Kinds of frames</caption>
 * <tr><th>kind<th>first<th>second<th>third<th>fourth<th>payload
 * <tr><td>ARCHIVE<td>0<td>0<td>0<td>0<td>none
 * <tr><td>BASE<td>number<td>end of the image<td>first batch<td>0<td>superblock at the start
 * <tr><td>CHAIN<td>number<td>0<td>0<td>0<td>names of the bases that this one refers to, newest first,
 *     each of {@link #NAME_LENGTH} characters. Absent if there are none
 * <tr><td>DIGESTS<td>address<td>pages<td>0<td>0<td>SHA-256 of each page of a slice; zeros for a page
 *     of zeros. Slices of zeros are left out
 * <tr><td>PAGES<td>address<td>pages<td>0<td>0<td>behind the digests of the same slice: 256 bits, of
 *     the pages that are here; 256 bits, of those that are as in the next base of the chain; the pages
 *     that are here. The others are zeros
 * <tr><td>BASE_END<td>number<td>LSN of the image<td>time<td>0<td>superblock at the end
 * <tr><td>LOG_START<td>segment<td>offset<td>next batch<td>0<td>none
 * <tr><td>LOG<td>segment<td>offset, and length of the segment in the upper half<td>first
 *     batch<td>last batch<td>the bytes of the segment from the offset on
 * <tr><td>MARK<td>LSN<td>time<td>next batch<td>0<td>none
 * </table>
 *
 * Times are milliseconds since 1970. LSNs are dense.
 */
public final class ArchiveFrameLayout {

  /** Offset of the magic word. */
  public static final int MAGIC_OFFSET = 0;

  /** Offset of the format version. */
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

  /** Offset of the kind. */
  public static final int KIND_OFFSET = VERSION_OFFSET + Integer.BYTES;

  /** Offset of the store id's high half. */
  public static final int STORE_ID_HIGH_OFFSET = KIND_OFFSET + Integer.BYTES;

  /** Offset of the store id's low half. */
  public static final int STORE_ID_LOW_OFFSET = STORE_ID_HIGH_OFFSET + Long.BYTES;

  /** Offset of the run's number. */
  public static final int RUN_OFFSET = STORE_ID_LOW_OFFSET + Long.BYTES;

  /** Offset of the run's nonce. */
  public static final int NONCE_OFFSET = RUN_OFFSET + Long.BYTES;

  /** Offset of the frame's sequence. */
  public static final int SEQUENCE_OFFSET = NONCE_OFFSET + Long.BYTES;

  /** Offset of the first value. */
  public static final int FIRST_OFFSET = SEQUENCE_OFFSET + Long.BYTES;

  /** Offset of the second value. */
  public static final int SECOND_OFFSET = FIRST_OFFSET + Long.BYTES;

  /** Offset of the third value. */
  public static final int THIRD_OFFSET = SECOND_OFFSET + Long.BYTES;

  /** Offset of the fourth value. */
  public static final int FOURTH_OFFSET = THIRD_OFFSET + Long.BYTES;

  /** Offset of the payload's length. */
  public static final int LENGTH_OFFSET = FOURTH_OFFSET + Long.BYTES;

  /** Offset of the length of what is stored of the payload. */
  public static final int STORED_LENGTH_OFFSET = LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the flags. */
  public static final int FLAGS_OFFSET = STORED_LENGTH_OFFSET + Integer.BYTES;

  /** Offset of the payload's checksum. */
  public static final int PAYLOAD_CRC_OFFSET = FLAGS_OFFSET + Integer.BYTES;

  /** Offset of four reserved bytes. */
  public static final int RESERVED_OFFSET = PAYLOAD_CRC_OFFSET + Integer.BYTES;

  /** Offset of the header's checksum. */
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;

  /** Length of the header. */
  public static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;

  /** Longest payload: a batch, the page of a segment's header, and some room. */
  public static final int MAX_PAYLOAD_LENGTH = 16 << 20;

  /** Length of the part of an image that DIGESTS and PAGES are for; its address is a multiple. */
  public static final int SLICE_BYTES = 1 << 20;

  /** Length of a digest. */
  public static final int DIGEST_LENGTH = 32;

  /** Largest number of bases that one refers to. */
  public static final int MAX_CHAIN = 7;

  /** Length of the name of a base. */
  public static final int NAME_LENGTH = 31;

  /** Flag of a payload that is compressed. */
  public static final int COMPRESSED_FLAG = 1;

  /** Flag of a payload that is encrypted, after it was compressed if it was. */
  public static final int ENCRYPTED_FLAG = 2;

  /** All flags. */
  public static final int FLAGS = COMPRESSED_FLAG | ENCRYPTED_FLAG;

  /** "HWDARCHV" read as a little-endian word. */
  public static final long MAGIC = 0x5648_4352_4144_5748L;

  /** Current version of the format. */
  public static final int VERSION = 1;

  private ArchiveFrameLayout() {}
}
