package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/** SPS: swaps two random entries of 64 bytes, eight words each way. */
final class ArraySwaps implements TransactionalWorkload {
  private static final int WORDS = 8;
  private static final int ENTRY_BYTES = 64;

  private final TracedHeap heap;
  private final int entries;
  private final long array;

  ArraySwaps(TracedHeap heap, int footprint) {
    this.heap = heap;
    entries = footprint / ENTRY_BYTES;
    array = heap.reserve((long) entries * ENTRY_BYTES, 64);
  }

  @Override
  public void populate(SplitMix random) {
    for (int i = 0; i < entries; i++) {
      for (int word = 0; word < WORDS; word++) {
        heap.store(address(i, word), i);
      }
    }
  }

  private long address(int entry, int word) {
    return array + (long) entry * ENTRY_BYTES + word * 8L;
  }

  @Override
  public void operate(SplitMix random) {
    int first = random.below(entries);
    int second = random.below(entries);
    heap.work(10);
    for (int word = 0; word < WORDS; word++) {
      long kept = heap.load(address(first, word));
      heap.store(address(first, word), heap.load(address(second, word)));
      heap.store(address(second, word), kept);
    }
  }

  @Override
  public void check() {
    long sum = 0;
    for (int i = 0; i < entries; i++) {
      sum += heap.load(address(i, 0));
    }
    if (sum != (long) entries * (entries - 1) / 2) {
      throw new IllegalStateException("an entry was lost: sum " + sum);
    }
  }
}
