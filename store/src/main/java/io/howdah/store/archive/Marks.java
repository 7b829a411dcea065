package io.howdah.store.archive;

import io.howdah.store.archive.ArchiveIndex.Mark;
import java.util.Arrays;
import java.util.Optional;

/**
 * The marks of a stretch of log, in their order: neither LSNs nor times become smaller. 24 bytes
 * each, because an archive may have one for each second of a year. Used by one thread while it
 * grows.
 */
final class Marks {

  private static final int COLUMNS = 3;

  private long[] values = new long[COLUMNS];
  private int size;

  void add(Mark mark) {
    int at = size * COLUMNS;
    if (at == values.length) {
      values = Arrays.copyOf(values, Math.multiplyExact(2, at));
    }
    values[at] = mark.lsn();
    values[at + 1] = mark.millis();
    values[at + 2] = mark.nextBatch();
    size++;
  }

  void removeLast() {
    size--;
  }

  boolean isEmpty() {
    return size == 0;
  }

  private Mark get(int index) {
    int at = index * COLUMNS;
    return new Mark(values[at], values[at + 1], values[at + 2]);
  }

  /** Returns the last mark, if there is one. */
  Optional<Mark> last() {
    return size == 0 ? Optional.empty() : Optional.of(get(size - 1));
  }

  /** Returns the first mark that covers an LSN, if there is one. */
  Optional<Mark> firstFrom(long lsn) {
    int index = below(0, lsn);
    return index == size ? Optional.empty() : Optional.of(get(index));
  }

  /** Returns the last mark that is not later than a time, if there is one. */
  Optional<Mark> lastUpTo(long millis) {
    int index = millis == Long.MAX_VALUE ? size : below(1, millis + 1);
    return index == 0 ? Optional.empty() : Optional.of(get(index - 1));
  }

  /** Returns the number of marks whose value in a column is smaller than a bound. */
  private int below(int column, long bound) {
    int from = 0;
    int to = size;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (values[middle * COLUMNS + column] < bound) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
