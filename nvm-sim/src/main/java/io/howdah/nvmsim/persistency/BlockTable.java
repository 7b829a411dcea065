package io.howdah.nvmsim.persistency;

/**
 * Open-addressing table from memory block to a few longs, all in one array, so that a look-up costs
 * one cache line and no allocation. Grows by doubling up to its bound.
 */
final class BlockTable {
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  private final int stride;
  private final int maxBlocks;
  private long[] slots;
  private int shift;
  private int used;

  /**
   * @param log2Stride longs per block as a power of two; the first one is the key
   * @param maxBlocks most blocks held
   */
  BlockTable(int log2Stride, int maxBlocks) {
    this.stride = 1 << log2Stride;
    this.maxBlocks = maxBlocks;
    allocate(10);
  }

  private void allocate(int log2Capacity) {
    slots = new long[stride << log2Capacity];
    shift = Long.SIZE - log2Capacity;
  }

  /** The array behind {@link #find}; replaced when the table grows. */
  long[] slots() {
    return slots;
  }

  /** Index of the block's first long, added with zeros if it is new; its state follows the key. */
  int find(long block) {
    long key = block + 1;
    long[] table = slots;
    int mask = table.length - 1;
    int i = (int) ((block * GOLDEN_GAMMA) >>> shift) * stride;
    while (true) {
      long there = table[i];
      if (there == key) {
        return i;
      }
      if (there == 0) {
        return insert(key, i);
      }
      i = (i + stride) & mask;
    }
  }

  private int insert(long key, int free) {
    if (used == maxBlocks) {
      throw new IllegalStateException(
          "trace touches more than "
              + maxBlocks
              + " memory blocks; raise maxBlocks or coarsen the"
              + " granularity");
    }
    used++;
    if (2L * used * stride <= slots.length) {
      slots[free] = key;
      return free;
    }
    long[] old = slots;
    allocate(Long.SIZE - shift + 1);
    for (int from = 0; from < old.length; from += stride) {
      if (old[from] != 0) {
        System.arraycopy(old, from, slots, freeSlot(old[from]), stride);
      }
    }
    int target = freeSlot(key);
    slots[target] = key;
    return target;
  }

  private int freeSlot(long key) {
    int mask = slots.length - 1;
    int i = (int) (((key - 1) * GOLDEN_GAMMA) >>> shift) * stride;
    while (slots[i] != 0) {
      i = (i + stride) & mask;
    }
    return i;
  }
}
