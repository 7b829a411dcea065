package io.howdah.nvmsim.loc;

/**
 * The memory log area (LOC, §III-A, Figure 2), counted in 64-byte lines. All words little-endian.
 *
 * <pre>
 *   line 0          head: word 0 = first needed SID (40 bits) | first TxID of its window (24 bits)
 *                         word 1 = that TxID, all its bits
 *   line 1          unused
 *   line 2 + 8 s    group slot s: lines 0..6 data blocks, line 7 META
 *
 *   META  word 0    SID; group SID lies in slot SID mod slots
 *         word 1+i  tag of block i, 0 if unused
 *
 *   tag   bits 63-62 CID | 61-60 TID | 59 lap of the SID | 58 used = 1 | 57-44 TxID mod 2^14
 *              43-32 TxCnt | 31-0 home line, or {@link #ENTRIES}, or {@link #COMMIT_RECORD}
 *
 *   entry bits 63-62 kind | 61-48 Tx mod 2^14 | 47-34 Ty mod 2^14 | 33-22 n | 21-10 TxCnt | 9-0 zero
 * </pre>
 *
 * A cut may leave one word of a head and the other of the head before it. Word 0 decides; it and
 * word 1 differ by less than 2^23 transactions, so together they give the whole TxID.
 *
 * <p>An entry block holds eight entries, unused ones zero. A pair (kind 1) is the paper's
 * dependency pair ⟨Tx, Ty, n⟩; a count (2) carries the TxCnt of a transaction that has no block to
 * carry it; a void entry (3) says that Tx has nothing to replay.
 */
public final class LogLayout {
  public static final int BLOCKS = 7;
  public static final int META = 7;
  public static final int GROUP_LINES = 8;

  /**
   * Lines before the first group slot. Lines are dealt to banks in turn, so META lines of all slots
   * lie in every eighth bank. With one line, the head would be in one of these banks, and half of
   * the transactions would wait for the truncation of the one before: the commit records and META
   * lines of H-WAL come 16 lines apart. With two, only the seventh block of a group can meet the
   * head.
   */
  public static final int HEAD_LINES = 2;

  public static final int ENTRIES_PER_BLOCK = 8;

  /** Home line of a block of entries. */
  public static final long ENTRIES = 0xFFFF_FFFFL;

  /** Home line of a commit record, which has no block. */
  public static final long COMMIT_RECORD = 0xFFFF_FFFEL;

  /** Home lines lie below. */
  public static final long MAX_HOME_LINES = 0xFFFF_FFF0L;

  public static final int MAX_TX_COUNT = (1 << 12) - 1;
  public static final int TX_ID_BITS = 14;
  static final long TX_ID_MASK = (1L << TX_ID_BITS) - 1;
  private static final int HEAD_TX_BITS = 24;
  private static final long HEAD_TX_MASK = (1L << HEAD_TX_BITS) - 1;
  private static final long USED = 1L << 58;
  private static final int LAP_SHIFT = 59;
  private static final int TAG_TX_SHIFT = 44;
  private static final int TAG_COUNT_SHIFT = 32;
  private static final int KIND_SHIFT = 62;
  private static final int ENTRY_TX_SHIFT = 48;
  private static final int ENTRY_LATER_SHIFT = 34;
  private static final int ENTRY_BLOCKS_SHIFT = 22;
  private static final int ENTRY_COUNT_SHIFT = 10;
  private static final long ENTRY_RESERVED = (1L << ENTRY_COUNT_SHIFT) - 1;

  static final int PAIR = 1;
  static final int COUNT = 2;
  static final int VOID = 3;

  private LogLayout() {}

  static long head(long firstSid, long firstTxId) {
    return firstSid << HEAD_TX_BITS | (firstTxId & HEAD_TX_MASK);
  }

  static long headSid(long head) {
    return head >>> HEAD_TX_BITS;
  }

  /**
   * The TxID of word 0, whose bits beyond its own are those of word 1, which may be older or newer.
   */
  static long headTx(long head, long wholeTxId) {
    long difference =
        (head - wholeTxId) << (Long.SIZE - HEAD_TX_BITS) >> (Long.SIZE - HEAD_TX_BITS);
    return wholeTxId + difference;
  }

  /** Puts a head in a line of words. */
  static void putHead(long[] words, int offset, long firstSid, long firstTxId) {
    words[offset] = head(firstSid, firstTxId);
    words[offset + 1] = firstTxId;
  }

  /** A tag of core 0, hardware thread 0. */
  static long tag(long lap, long txId, int txCount, long homeLine) {
    return (lap & 1) << LAP_SHIFT
        | USED
        | (txId & TX_ID_MASK) << TAG_TX_SHIFT
        | (long) txCount << TAG_COUNT_SHIFT
        | homeLine;
  }

  /** Whether the tag is in use and of this lap. */
  static boolean isOfLap(long tag, long lap) {
    return (tag & USED) != 0 && (tag >>> LAP_SHIFT & 1) == (lap & 1);
  }

  static long tagTx(long tag) {
    return tag >>> TAG_TX_SHIFT & TX_ID_MASK;
  }

  static int tagCount(long tag) {
    return (int) (tag >>> TAG_COUNT_SHIFT) & MAX_TX_COUNT;
  }

  static long tagHome(long tag) {
    return tag & 0xFFFF_FFFFL;
  }

  static long entry(int kind, long tx, long later, int blocks, int txCount) {
    return (long) kind << KIND_SHIFT
        | (tx & TX_ID_MASK) << ENTRY_TX_SHIFT
        | (later & TX_ID_MASK) << ENTRY_LATER_SHIFT
        | (long) blocks << ENTRY_BLOCKS_SHIFT
        | (long) txCount << ENTRY_COUNT_SHIFT;
  }

  static int entryKind(long entry) {
    return (int) (entry >>> KIND_SHIFT);
  }

  static long entryTx(long entry) {
    return entry >>> ENTRY_TX_SHIFT & TX_ID_MASK;
  }

  static long entryLater(long entry) {
    return entry >>> ENTRY_LATER_SHIFT & TX_ID_MASK;
  }

  static int entryBlocks(long entry) {
    return (int) (entry >>> ENTRY_BLOCKS_SHIFT) & MAX_TX_COUNT;
  }

  static int entryCount(long entry) {
    return (int) (entry >>> ENTRY_COUNT_SHIFT) & MAX_TX_COUNT;
  }

  static boolean hasReservedBits(long entry) {
    return (entry & ENTRY_RESERVED) != 0 || entryKind(entry) == 0;
  }
}
