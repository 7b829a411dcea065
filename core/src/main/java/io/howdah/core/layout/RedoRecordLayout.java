package io.howdah.core.layout;

/**
 * One redo record, in a ring and in a batch alike. Little-endian, 8-byte aligned.
 *
 * <pre>
 *        0              4      5      6      8
 *      +--------------+------+------+------+
 *    0 | length       | kind | zero | count|  length: bytes, header and checksum included, multiple of 8
 *    8 | lsn                               |  packed LSN of the commit; a part: its group number
 *   16 | depLsn                            |  packed LSN this commit depends on, 0 = none; a part: its index
 *   24 | entries ...                       |
 *  n-8 | checksum                          |  over the words before it, seeded with generation and
 *                                               position: {@link RecordChecksum}
 *      +-----------------------------------+
 *
 *  kind COMMIT        count entries
 *  kind VOID          no entries: an LSN that was taken and not used
 *  kind PART          count entries of a transaction larger than one record; lsn = group, depLsn = index
 *  kind MULTIPART_COMMIT count entries, after the parts that precede it in this partition
 *
 *  multipart commit, what its entries come after
 *   24 | group                             |  of its parts
 *   32 | partCount                         |
 *   40 | entries ...
 *
 *  an entry: wordIndex &lt;&lt; 16 | run;  run (1 to 65535) after-image words follow, for the words from
 *  wordIndex on
 * </pre>
 *
 * A record's position is the number of ring bytes that precede it in its partition and generation;
 * it seeds the checksum, so a record that surfaces anywhere else is not accepted.
 */
public final class RedoRecordLayout {

  /** Offset of length, kind and count, one word. */
  public static final int HEAD_OFFSET = 0;

  /** Offset of the packed LSN, or a part's group number. */
  public static final int LSN_OFFSET = HEAD_OFFSET + Long.BYTES;

  /** Offset of the packed LSN depended on, or a part's index. */
  public static final int DEP_OFFSET = LSN_OFFSET + Long.BYTES;

  /** Offset of the first entry, or of the group number in a multipart commit. */
  public static final int ENTRIES_OFFSET = DEP_OFFSET + Long.BYTES;

  /** Offset, in a multipart commit, of its parts' group number. */
  public static final int MULTIPART_GROUP_OFFSET = ENTRIES_OFFSET;

  /** Offset, in a multipart commit, of the number of its parts. */
  public static final int MULTIPART_COUNT_OFFSET = MULTIPART_GROUP_OFFSET + Long.BYTES;

  /** Bytes a multipart commit spends before its entries: group and part count. */
  public static final int MULTIPART_PREFIX_BYTES = 2 * Long.BYTES;

  /** Bytes of the trailing checksum. */
  public static final int CHECKSUM_BYTES = Long.BYTES;

  /** Length of the shortest record: header and checksum. */
  public static final int MIN_LENGTH = ENTRIES_OFFSET + CHECKSUM_BYTES;

  /** Longest record, in bytes; keeps the entry count within its 16 bits. */
  public static final int MAX_LENGTH = 1 << 19;

  /** Most words one entry carries. */
  public static final int MAX_RUN = 0xFFFF;

  /** A transaction's after-images. */
  public static final int KIND_COMMIT = 1;

  /** An LSN that was taken and not used. */
  public static final int KIND_VOID = 2;

  /** A part of a transaction larger than one record. */
  public static final int KIND_PART = 3;

  /** The record that commits the parts before it. */
  public static final int KIND_MULTIPART_COMMIT = 4;

  /** The byte of a head word between kind and count. */
  private static final long RESERVED = 0xFFL << 40;

  private static final long GOLDEN = SplitMix64.GOLDEN_GAMMA;
  private static final long MULTIPLIER = 0xD6E8FEB86659FD93L;

  private RedoRecordLayout() {}

  /** Packs length, kind, and entry count. */
  public static long head(int lengthBytes, int kind, int count) {
    return (lengthBytes & 0xFFFF_FFFFL) | (long) kind << 32 | (long) count << 48;
  }

  /** Returns the length in bytes that a head word declares; unchecked, may be negative. */
  public static int length(long head) {
    return (int) head;
  }

  /** Returns the kind that a head word declares. */
  public static int kind(long head) {
    return (int) (head >>> 32) & 0xFF;
  }

  /** Returns the entry count that a head word declares. */
  public static int count(long head) {
    return (int) (head >>> 48);
  }

  /**
   * Returns whether a head word could start a record: known kind, a length that holds what the kind
   * and the entry count need at least, and a reserved byte that is 0.
   */
  public static boolean isSaneHead(long head) {
    int length = length(head);
    int kind = kind(head);
    int prefix = kind == KIND_MULTIPART_COMMIT ? MULTIPART_PREFIX_BYTES : 0;
    return (head & RESERVED) == 0
        && kind >= KIND_COMMIT
        && kind <= KIND_MULTIPART_COMMIT
        && length >= MIN_LENGTH
        && length <= MAX_LENGTH
        && (length & 7) == 0
        && (long) count(head) * 2 * Long.BYTES <= length - MIN_LENGTH - prefix;
  }

  /** Packs the head of an entry. */
  public static long entryHead(long address, int run) {
    return address >>> 3 << 16 | run;
  }

  /** Returns the region address of an entry's first word; unchecked. */
  public static long entryAddress(long entryHead) {
    return entryHead >>> 16 << 3;
  }

  /** Returns how many words an entry carries. */
  public static int entryRun(long entryHead) {
    return (int) entryHead & MAX_RUN;
  }

  /**
   * Folds one word into a checksum: a multiplication and a rotation. Any changed word changes the
   * result, since this is a bijection of the state, and of the word.
   */
  public static long mix(long state, long word) {
    return Long.rotateLeft((state ^ word) * MULTIPLIER, 29);
  }

  /** Returns the seed that all records of one generation of one partition share. */
  public static long logSeed(long storeIdHigh, long storeIdLow, long generation, int partition) {
    return mix(mix(mix(mix(GOLDEN, storeIdHigh), storeIdLow), generation), partition);
  }
}
