package io.howdah.nvmsim.crash.thynvm;

import java.util.Arrays;

/** Writes to NVM, from the oldest, of which a power failure may lose any. */
final class WritesUnderWay {
  private int[] cells = new int[64];
  private long[] values = new long[64];
  private int count;

  void add(int cell, long value) {
    if (count == cells.length) {
      cells = Arrays.copyOf(cells, 2 * count);
      values = Arrays.copyOf(values, 2 * count);
    }
    cells[count] = cell;
    values[count++] = value;
  }

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  int cell(int index) {
    return cells[index];
  }

  long value(int index) {
    return values[index];
  }

  void drainTo(long[] nvm) {
    for (int i = 0; i < count; i++) {
      nvm[cells[i]] = values[i];
    }
    count = 0;
  }
}
