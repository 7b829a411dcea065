package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * A table in 4-KB pages under a sorted page directory, with 16-byte keys and 100-byte values. The
 * operations are those of the key-value benchmark the paper ran on its database, in equal shares:
 * fill in order, fill at random, overwrite, read, delete. Every change counts in the table's header
 * and in its page's, as a database's change counter and page LSN do.
 *
 * <pre>
 *   page  0    records, 8 change count
 *         64   positions of the records in key order, 32 x 8
 *         384  records, 30 x 120: key (16), value (100), 4 unused
 * </pre>
 */
final class PageTable implements TransactionalWorkload {
  private static final int PAGE_BYTES = 4096;
  private static final int RECORDS = 30;
  private static final int RECORD_BYTES = 120;
  private static final int KEY_WORDS = 2;
  private static final int VALUE_WORDS = 13;
  private static final int CHANGES = 8;
  private static final int POSITIONS = 64;
  private static final int CELLS = 384;
  private static final int DIRECTORY_ENTRY_BYTES = 16;
  private static final int FILLED_PERCENT = 65;

  private final TracedHeap heap;
  private final int keySpace;
  private final long header;
  private final long directory;
  private final int directoryCapacity;
  private long nextSequential;

  PageTable(TracedHeap heap, int footprint) {
    this.heap = heap;
    int present = footprint / PAGE_BYTES * RECORDS * FILLED_PERCENT / 100;
    keySpace = present * 3 / 2;
    header = heap.reserve(64, 64);
    directoryCapacity = 4 * (keySpace / RECORDS + 1);
    directory = heap.reserve((long) directoryCapacity * DIRECTORY_ENTRY_BYTES, PAGE_BYTES);
    heap.store(directory, Long.MIN_VALUE);
    heap.store(directory + 8, heap.reserve(PAGE_BYTES, PAGE_BYTES));
    heap.store(header, 1);
  }

  @Override
  public void populate(SplitMix random) {
    for (int i = 0; i < keySpace; i++) {
      if (i % 3 != 0) {
        put(i, i);
      }
    }
  }

  @Override
  public void operate(SplitMix random) {
    heap.work(20);
    int key = random.below(keySpace);
    switch (random.below(5)) {
      case 0 -> put(nextSequential++ % keySpace, random.next());
      case 1, 2 -> put(key, random.next());
      case 3 -> read(key);
      default -> delete(key);
    }
  }

  private long pages() {
    return heap.load(header);
  }

  private static long entry(long directory, long index) {
    return directory + index * DIRECTORY_ENTRY_BYTES;
  }

  /** Place in the directory of the last page whose first key is not above. */
  private long pageIndex(long key) {
    long from = 0;
    long to = pages() - 1;
    while (from < to) {
      long middle = (from + to + 1) >>> 1;
      if (heap.load(entry(directory, middle)) <= key) {
        from = middle;
      } else {
        to = middle - 1;
      }
    }
    return from;
  }

  private long cell(long page, int rank) {
    return page + CELLS + heap.load(page + POSITIONS + rank * 8L) * RECORD_BYTES;
  }

  /** Rank of the first record whose key is not below. */
  private int rank(long page, int count, long key) {
    int from = 0;
    int to = count;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (heap.load(cell(page, middle)) < key) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private void put(long key, long value) {
    long index = pageIndex(key);
    long page = heap.load(entry(directory, index) + 8);
    int count = (int) heap.load(page);
    if (count == RECORDS) {
      split(index, page);
      put(key, value);
      return;
    }
    int rank = rank(page, count, key);
    if (rank == count || heap.load(cell(page, rank)) != key) {
      long free = freeCell(page, count);
      for (int i = count; i > rank; i--) {
        heap.store(page + POSITIONS + i * 8L, heap.load(page + POSITIONS + (i - 1) * 8L));
      }
      heap.store(page + POSITIONS + rank * 8L, free);
      heap.store(page, count + 1);
      long cell = page + CELLS + free * RECORD_BYTES;
      for (int i = 0; i < KEY_WORDS; i++) {
        heap.store(cell + i * 8L, key);
      }
    }
    long cell = cell(page, rank);
    for (int i = 0; i < VALUE_WORDS; i++) {
      heap.store(cell + (KEY_WORDS + i) * 8L, value + i);
    }
    changed(page);
  }

  /** Positions of present records and of freed ones share the array: the free ones come after. */
  private long freeCell(long page, int count) {
    long position = heap.load(page + POSITIONS + count * 8L);
    // A page that never had so many records has zeroes there; the next fresh cell is its count.
    return position == 0 ? count : position - RECORDS;
  }

  private void delete(long key) {
    long page = heap.load(entry(directory, pageIndex(key)) + 8);
    int count = (int) heap.load(page);
    int rank = rank(page, count, key);
    if (rank == count || heap.load(cell(page, rank)) != key) {
      return;
    }
    long freed = heap.load(page + POSITIONS + rank * 8L);
    for (int i = rank; i + 1 < count; i++) {
      heap.store(page + POSITIONS + i * 8L, heap.load(page + POSITIONS + (i + 1) * 8L));
    }
    heap.store(page + POSITIONS + (count - 1) * 8L, freed + RECORDS);
    heap.store(page, count - 1);
    changed(page);
  }

  private void changed(long page) {
    heap.store(page + CHANGES, heap.load(page + CHANGES) + 1);
    heap.store(header + CHANGES, heap.load(header + CHANGES) + 1);
  }

  private void read(long key) {
    long page = heap.load(entry(directory, pageIndex(key)) + 8);
    int count = (int) heap.load(page);
    int rank = rank(page, count, key);
    if (rank < count) {
      long cell = cell(page, rank);
      for (int i = 0; i < VALUE_WORDS; i++) {
        heap.load(cell + (KEY_WORDS + i) * 8L);
      }
    }
  }

  /** Moves the upper half of a full page to a new one. */
  private void split(long index, long page) {
    long pages = pages();
    if (pages == directoryCapacity) {
      throw new IllegalStateException("page directory full: " + pages + " pages");
    }
    int half = RECORDS / 2;
    long right = heap.reserve(PAGE_BYTES, PAGE_BYTES);
    for (int i = half; i < RECORDS; i++) {
      long from = cell(page, i);
      long to = right + CELLS + (long) (i - half) * RECORD_BYTES;
      for (int word = 0; word < KEY_WORDS + VALUE_WORDS; word++) {
        heap.store(to + word * 8L, heap.load(from + word * 8L));
      }
      heap.store(right + POSITIONS + (i - half) * 8L, i - half);
    }
    heap.store(right, RECORDS - half);
    for (int i = half; i < RECORDS; i++) {
      long position = page + POSITIONS + i * 8L;
      heap.store(position, heap.load(position) + RECORDS);
    }
    heap.store(page, half);
    for (long i = pages; i > index + 1; i--) {
      heap.store(entry(directory, i), heap.load(entry(directory, i - 1)));
      heap.store(entry(directory, i) + 8, heap.load(entry(directory, i - 1) + 8));
    }
    heap.store(entry(directory, index + 1), heap.load(right + CELLS));
    heap.store(entry(directory, index + 1) + 8, right);
    heap.store(header, pages + 1);
    changed(page);
    changed(right);
  }

  @Override
  public void check() {
    long before = Long.MIN_VALUE;
    for (long index = 0; index < pages(); index++) {
      long page = heap.load(entry(directory, index) + 8);
      int count = (int) heap.load(page);
      for (int i = 0; i < count; i++) {
        long key = heap.load(cell(page, i));
        if (key <= before) {
          throw new IllegalStateException("key " + key + " follows " + before);
        }
        before = key;
      }
    }
  }
}
