package io.howdah.nvmsim.thynvm.control;

import java.util.Arrays;

/**
 * A binary heap of pages that breaks ties as GNU libstdc++'s {@code make_heap} and {@code pop_heap}
 * do: the hole left by the first goes down to a leaf before the last element is put there and goes
 * up. The first is the page with the highest rank; of equal ranks, with the highest value.
 */
final class PageHeap {
  private long[] pages = new long[16];
  private int[] ranks = new int[16];
  private int[] values = new int[16];
  private int size;

  void clear() {
    size = 0;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Appends without order; {@link #order} follows. */
  void append(long page, int rank, int value) {
    if (size == pages.length) {
      pages = Arrays.copyOf(pages, 2 * size);
      ranks = Arrays.copyOf(ranks, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    pages[size] = page;
    ranks[size] = rank;
    values[size] = value;
    size++;
  }

  void order() {
    for (int parent = (size - 2) / 2; size >= 2 && parent >= 0; parent--) {
      sink(parent, size, pages[parent], ranks[parent], values[parent]);
    }
  }

  long firstPage() {
    return pages[0];
  }

  int firstRank() {
    return ranks[0];
  }

  int firstValue() {
    return values[0];
  }

  void removeFirst() {
    size--;
    if (size > 0) {
      sink(0, size, pages[size], ranks[size], values[size]);
    }
  }

  private boolean isBelow(int at, int other) {
    return isBelow(at, ranks[other], values[other]);
  }

  private boolean isBelow(int at, int rank, int value) {
    return ranks[at] != rank ? ranks[at] < rank : values[at] < value;
  }

  private void sink(int top, int length, long page, int rank, int value) {
    int hole = top;
    int child = top;
    while (child < (length - 1) / 2) {
      child = 2 * (child + 1);
      if (isBelow(child, child - 1)) {
        child--;
      }
      move(child, hole);
      hole = child;
    }
    if ((length & 1) == 0 && child == (length - 2) / 2) {
      child = 2 * (child + 1);
      move(child - 1, hole);
      hole = child - 1;
    }
    int parent = (hole - 1) / 2;
    while (hole > top && isBelow(parent, rank, value)) {
      move(parent, hole);
      hole = parent;
      parent = (hole - 1) / 2;
    }
    pages[hole] = page;
    ranks[hole] = rank;
    values[hole] = value;
  }

  private void move(int from, int to) {
    pages[to] = pages[from];
    ranks[to] = ranks[from];
    values[to] = values[from];
  }
}
