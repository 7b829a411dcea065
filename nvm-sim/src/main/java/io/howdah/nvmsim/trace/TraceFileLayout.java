package io.howdah.nvmsim.trace;

/**
 * Binary trace file, little-endian, format version 1: a header, then chunks, the last of kind
 * {@link #CHUNK_END}. A chunk is read whole before it is believed.
 *
 * <pre>
 * header       0              4              8
 *            +--------------+--------------+
 *          0 | magic "HWDTRACE"            |
 *          8 | version      | flags        |  flags: 1 = values present
 *         16 | seed                        |
 *         24 | policy, ASCII, 32 bytes     |  padded with zeros
 *         56 | reserved = 0 | crc32c       |  over bytes [0, 60)
 *
 * chunk        0              4              8
 *            +--------------+--------------+
 *          0 | length       | events       |  length: of the payload, at most MAX_PAYLOAD_LENGTH
 *          8 | kind         | crc32c       |  over bytes [0, 12) and the payload
 *         16 | payload ...
 * </pre>
 *
 * <p>Events payload, per event: a tag byte (kind in bits 0..3; 0x10 persistent, 0x20 same thread as
 * the event before, 0x40 site follows, 0x80 value follows), then as the tag says: thread (varint);
 * for an access or a write-back its size (varint); for kinds with an address the difference to the
 * same thread's last address (zigzag varint); site (varint, numbered in order of first use); value
 * (zigzag varint). Threads' last addresses start at 0 in each chunk, so a chunk is read without
 * those before it.
 *
 * <p>Sites payload, per site: line (varint), then file and text, each a length (varint) and UTF-8.
 * Sites are numbered from 1 in the order they stand in the file, and stand before their first use.
 *
 * <p>End payload: the number of events in the file (8 bytes).
 */
public final class TraceFileLayout {
  /** "HWDTRACE" read as a little-endian long. */
  public static final long MAGIC = 0x4543_4152_5444_5748L;

  public static final int VERSION = 1;
  public static final int MAGIC_OFFSET = 0;
  public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;
  public static final int FLAGS_OFFSET = VERSION_OFFSET + Integer.BYTES;
  public static final int SEED_OFFSET = FLAGS_OFFSET + Integer.BYTES;
  public static final int POLICY_OFFSET = SEED_OFFSET + Long.BYTES;
  public static final int POLICY_LENGTH = 32;
  public static final int RESERVED_OFFSET = POLICY_OFFSET + POLICY_LENGTH;
  public static final int CRC_OFFSET = RESERVED_OFFSET + Integer.BYTES;
  public static final int HEADER_LENGTH = CRC_OFFSET + Integer.BYTES;

  public static final int FLAG_VALUES = 1;

  public static final int CHUNK_LENGTH_OFFSET = 0;
  public static final int CHUNK_EVENTS_OFFSET = CHUNK_LENGTH_OFFSET + Integer.BYTES;
  public static final int CHUNK_KIND_OFFSET = CHUNK_EVENTS_OFFSET + Integer.BYTES;
  public static final int CHUNK_CRC_OFFSET = CHUNK_KIND_OFFSET + Integer.BYTES;
  public static final int CHUNK_HEADER_LENGTH = CHUNK_CRC_OFFSET + Integer.BYTES;

  public static final int CHUNK_EVENTS = 1;
  public static final int CHUNK_SITES = 2;
  public static final int CHUNK_END = 3;

  /** Longest payload a reader accepts; a writer stays below it by making chunks of one batch. */
  public static final int MAX_PAYLOAD_LENGTH = 1 << 20;

  static final int TAG_PERSISTENT = 0x10;
  static final int TAG_SAME_THREAD = 0x20;
  static final int TAG_SITE = 0x40;
  static final int TAG_VALUE = 0x80;

  /** Longest encoding of one event: tag, thread, size, address, site, value. */
  static final int MAX_EVENT_LENGTH = 1 + 2 + 3 + 10 + 4 + 10;

  private TraceFileLayout() {}

  /** Whether events of this kind carry an address in the file. */
  static boolean hasAddress(int kind) {
    return Event.hasSize(kind) || kind == Event.PMALLOC || kind == Event.PFREE;
  }
}
