package io.howdah.nvmsim.loc;

import static io.howdah.nvmsim.timing.MemoryDevice.LINE_WORDS;

import org.jspecify.annotations.Nullable;

/**
 * What a non-volatile last-level cache holds, for crash checks: two cells per home line behind the
 * data, since a committed copy stays until the next one is committed, and the commit mark before
 * them.
 *
 * <pre>
 *   line 0           mark: word 0 = last committed TxID
 *   line 1 + 4 h     tag of the first cell of home line h: word 0 = TxID, 0 if never used
 *   line 2 + 4 h     its contents; the second cell follows
 * </pre>
 */
final class NvCacheImage {
  static final int CELL_LINES = 2;

  private final Contents contents;
  private final long base;
  private final byte[] newestCell;
  private final long[] scratch = new long[LINE_WORDS];

  NvCacheImage(CoreConfig config, Contents contents) {
    this.contents = contents;
    base = config.logLine();
    newestCell = new byte[(int) config.homeLines()];
    for (int home = 0; home < newestCell.length; home++) {
      newestCell[home] =
          contents.word(cell(base, home, 1), 0) > contents.word(cell(base, home, 0), 0)
              ? (byte) 1
              : 0;
    }
  }

  /** Last committed transaction. */
  static long marked(CoreConfig config, Contents contents) {
    return contents.word(config.logLine(), 0);
  }

  /**
   * Brings what is committed home, and empties the cells of what is not: its ids will be used
   * again.
   */
  static void recover(CoreConfig config, Contents contents) {
    long base = config.logLine();
    long mark = marked(config, contents);
    long[] words = new long[LINE_WORDS];
    for (long home = 0; home < config.homeLines(); home++) {
      int newest = -1;
      long newestTx = 0;
      for (int which = 0; which < 2; which++) {
        long txId = contents.word(cell(base, home, which), 0);
        if (txId > mark) {
          contents.sendLine(cell(base, home, which), new long[LINE_WORDS], 0);
        } else if (txId > newestTx) {
          newest = which;
          newestTx = txId;
        }
      }
      if (newest >= 0) {
        contents.copyTo(cell(base, home, newest) + 1, words, 0);
        contents.sendLine(home, words, 0);
      }
    }
    contents.sink().waited();
  }

  static long cell(long base, long home, int which) {
    return base + 1 + (home * 2 + which) * CELL_LINES;
  }

  /** Puts a version beside the committed one. The line is its own content from now on. */
  void store(long home, long txId, long @Nullable [] words, int offset) {
    if (words == null) {
      return;
    }
    int which = newestCell[(int) home] ^ 1;
    newestCell[(int) home] = (byte) which;
    long cell = cell(base, home, which);
    contents.sendLine(cell + 1, words, offset);
    scratch[0] = txId;
    contents.sendLine(cell, scratch, 0);
    contents.copyFrom(words, offset, home);
  }

  /** Commits everything up to a transaction, after what was stored before. */
  void mark(long txId) {
    contents.sink().waited();
    scratch[0] = txId;
    contents.sendLine(base, scratch, 0);
    contents.sink().waited();
  }

  void reported(long txId) {
    contents.sink().waited();
    contents.sink().reported(txId);
  }
}
