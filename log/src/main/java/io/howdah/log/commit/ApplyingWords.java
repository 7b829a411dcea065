package io.howdah.log.commit;

import io.howdah.core.Region;

/**
 * A word for each lane, in memory that outlives the process: 0, or the dense LSN of the commit that
 * may be storing its words. After a kill, every published commit with an LSN below all of these has
 * stored all of its words and marked their pages (docs/protocol.md, R43).
 *
 * @param memory that has the words
 * @param firstAddress address of the word of lane 0
 * @param spacingBytes distance of the words of two lanes: at least a cache line, since each word is
 *     written by one commit at a time
 * @param lanes number of words
 */
public record ApplyingWords(Region memory, long firstAddress, int spacingBytes, int lanes) {

  /** The value of a word while its lane has no commit that may be storing. */
  public static final long IDLE = 0;

  /** Returns the address of a lane's word. */
  long address(int lane) {
    if (lane >= lanes) {
      throw new IllegalArgumentException("lane " + lane + " of " + lanes);
    }
    return firstAddress + (long) lane * spacingBytes;
  }

  /** Resets all words. No commit runs. */
  public void reset() {
    for (int lane = 0; lane < lanes; lane++) {
      if (memory.getLongOpaque(address(lane)) != IDLE) {
        memory.setLongRelease(address(lane), IDLE);
      }
    }
  }

  /**
   * Returns the dense LSN up to which every published commit has stored its words and marked their
   * pages; {@link Long#MAX_VALUE} if all have. For the words of a process that has ended.
   *
   * @param baseLsn dense LSN above which the lanes have taken theirs
   * @return -1 if a word is none that a lane can have left
   */
  public long appliedLsn(long baseLsn) {
    long least = Long.MAX_VALUE;
    for (int lane = 0; lane < lanes; lane++) {
      long lsn = memory.getLongAcquire(address(lane));
      if (lsn != IDLE) {
        if (lsn <= baseLsn || lsn > Lsn.MAX) {
          return -1;
        }
        least = Math.min(least, lsn - 1);
      }
    }
    return least;
  }
}
