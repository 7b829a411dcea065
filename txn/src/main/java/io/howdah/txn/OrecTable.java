package io.howdah.txn;

import io.howdah.core.Region;
import io.howdah.log.Lsn;

/**
 * The ownership records: one word for every stripe of {@value #STRIPE_BYTES} bytes of the region,
 * by hash, so stripes far apart may share one. Thread-safe; modes and order are the callers' (docs/
 * protocol.md, section 7).
 *
 * <pre>
 *   unlocked  packed LSN of the last commit that wrote the stripe &lt;&lt; 1
 *   locked    (index in the owner's lock list &lt;&lt; 8 | the owner's lane) &lt;&lt; 1 | 1
 * </pre>
 *
 * A lane is leased to one commit at a time, so it names the owner.
 */
final class OrecTable {

  /** Bytes that share an orec in any case: half a cache line, as TinySTM has it. */
  static final int STRIPE_BYTES = 32;

  /** Fewest orecs. */
  static final int MIN_ORECS = 1 << 6;

  /** Most orecs: 512 MiB of them. */
  static final int MAX_ORECS = 1 << 26;

  private static final int STRIPE_SHIFT = 5;

  /** Orecs of a cache line. */
  private static final int LINE_BITS = 3;

  private static final int LINE_MASK = (1 << LINE_BITS) - 1;
  private static final int LINE_SHIFT = STRIPE_SHIFT + LINE_BITS;
  private static final int LANE_BITS = 8;

  // 2^64 / golden ratio: its high product bits spread regular strides over the whole table, where
  // a modulus would fold strides of the table's size onto one orec.
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private final Region words;
  private final SnapshotHistory history = new SnapshotHistory();
  private final int shift;

  /**
   * Wraps a table.
   *
   * @param words zeroed: all stripes start at version 0
   * @param orecs a power of two
   */
  OrecTable(Region words, int orecs) {
    if (Integer.bitCount(orecs) != 1 || orecs < MIN_ORECS || orecs > MAX_ORECS) {
      throw new IllegalArgumentException("not a possible number of orecs: " + orecs);
    }
    this.words = words;
    this.shift = Long.SIZE - Integer.numberOfTrailingZeros(orecs) + LINE_BITS;
  }

  /** Returns the bytes needed for so many orecs. */
  static long lengthBytes(int orecs) {
    return (long) orecs * Long.BYTES;
  }

  /** Returns what was overwritten while snapshots are open. */
  SnapshotHistory history() {
    return history;
  }

  /** Returns the words that {@link #offset} points into. */
  Region words() {
    return words;
  }

  /**
   * Returns where the orec of an address stands. Stripes of one line of 256 bytes have theirs in
   * one cache line, since an object's words are used together: the hash chooses the line.
   */
  long offset(long address) {
    long line = ((address >>> LINE_SHIFT) * MULTIPLIER) >>> shift << LINE_BITS;
    return (line | (address >>> STRIPE_SHIFT & LINE_MASK)) << 3;
  }

  static boolean isLocked(long orec) {
    return (orec & 1) != 0;
  }

  /** Returns an unlocked orec. */
  static long unlocked(long packedLsn) {
    return packedLsn << 1;
  }

  /** Returns the packed LSN in an unlocked orec. */
  static long version(long orec) {
    return orec >>> 1;
  }

  /** Returns the largest unlocked orec of a snapshot: what lies above is too new for it. */
  static long limit(long lsn) {
    return unlocked(Lsn.ceiling(lsn));
  }

  static long locked(int index, int lane) {
    return ((long) index << LANE_BITS | lane) << 1 | 1;
  }

  /** Returns whether a lane's holder has locked the orec. */
  static boolean isLockedBy(long orec, int lane) {
    return (orec & ((1 << (LANE_BITS + 1)) - 1)) == ((long) lane << 1 | 1);
  }

  /** Returns the index in the owner's lock list that a locked orec holds. */
  static int lockIndex(long orec) {
    return (int) (orec >>> (LANE_BITS + 1));
  }
}
