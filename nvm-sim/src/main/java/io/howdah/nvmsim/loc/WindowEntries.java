package io.howdah.nvmsim.loc;

/**
 * The entries of a window: Tx Dependency Pairs (LOC, §III-B), and what completes them for
 * transactions without a block in the log. Bounded by degree: pairs point from an earlier place to
 * a later one, and a transaction has at most one other entry.
 */
final class WindowEntries {
  /** The paper's pair buffer. */
  static final int BUFFER_LENGTH_BYTES = 32 << 10;

  private final int degree;
  private final int[] blocks;
  private final int[] alone;
  private final int[] txCounts;
  private final long[] packed;

  WindowEntries(int degree) {
    this.degree = degree;
    blocks = new int[degree * degree];
    alone = new int[degree];
    txCounts = new int[degree];
    packed = new long[degree * (degree + 1) / 2];
    if (packed.length * Long.BYTES > BUFFER_LENGTH_BYTES) {
      throw new IllegalArgumentException(
          "a window of " + degree + " transactions needs more than the pair buffer's 32 KB");
    }
  }

  void clear() {
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = 0;
    }
    for (int i = 0; i < degree; i++) {
      alone[i] = 0;
    }
  }

  /** One more block of a transaction is left to a later one. */
  void pair(int slot, int later) {
    blocks[slot * degree + later]++;
  }

  void voided(int slot) {
    alone[slot] = LogLayout.VOID;
  }

  void counted(int slot, int txCount) {
    alone[slot] = LogLayout.COUNT;
    txCounts[slot] = txCount;
  }

  /** Adds the entries to the log, under the window's last transaction. */
  void send(LogWriter log, long firstTxId, long lastTxId) {
    int count = 0;
    for (int slot = 0; slot < degree; slot++) {
      for (int later = slot + 1; later < degree; later++) {
        int n = blocks[slot * degree + later];
        if (n > 0) {
          packed[count++] =
              LogLayout.entry(LogLayout.PAIR, firstTxId + slot, firstTxId + later, n, 0);
        }
      }
      if (alone[slot] != 0) {
        int txCount = alone[slot] == LogLayout.COUNT ? txCounts[slot] : 0;
        packed[count++] = LogLayout.entry(alone[slot], firstTxId + slot, 0, 0, txCount);
      }
    }
    for (int from = 0; from < count; from += LogLayout.ENTRIES_PER_BLOCK) {
      log.addEntries(lastTxId, packed, from, Math.min(LogLayout.ENTRIES_PER_BLOCK, count - from));
    }
  }
}
