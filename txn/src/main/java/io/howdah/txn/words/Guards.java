package io.howdah.txn.words;

import java.util.Arrays;

/**
 * Addresses whose orecs a commit locks although it does not write there. Their number is bounded by
 * the number of words that a transaction may write: one for each word ({@link Words#guard}), or the
 * stripes of a page for its descriptor ({@link Words#guardPage}). Not thread-safe.
 */
public final class Guards {

  private static final int FIRST_ENTRIES = 16;
  private static final int KEPT_ENTRIES = 1 << 12;

  private long[] addresses = new long[FIRST_ENTRIES];
  private int count;

  public int count() {
    return count;
  }

  public long address(int index) {
    return addresses[index];
  }

  public void add(long address) {
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    addresses[count++] = address;
  }

  /** Drops all guards after the first {@code count}. */
  public void rollBack(int count) {
    this.count = count;
  }

  void clear() {
    count = 0;
  }

  /** Frees memory that an unusually large transaction needed. */
  void trim() {
    count = 0;
    if (addresses.length > KEPT_ENTRIES) {
      addresses = new long[FIRST_ENTRIES];
    }
  }
}
