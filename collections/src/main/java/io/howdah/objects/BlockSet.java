package io.howdah.objects;

/** A set of blocks: one bit for every 16 bytes of a region. Not thread-safe. */
final class BlockSet {

  /** Addresses of blocks are multiples of this. */
  static final int GRAIN = 16;

  private static final int BYTES_OF_WORD = GRAIN * Long.SIZE;

  private final long[] bits;

  /** Creates an empty set of blocks below an address, which is at most 2 TiB. */
  BlockSet(long top) {
    bits = new long[Math.toIntExact(top / BYTES_OF_WORD + 1)];
  }

  private static int index(long address) {
    return (int) (address / BYTES_OF_WORD);
  }

  private static long bit(long address) {
    return 1L << (address / GRAIN % Long.SIZE);
  }

  void add(long address) {
    bits[index(address)] |= bit(address);
  }

  void remove(long address) {
    bits[index(address)] &= ~bit(address);
  }

  boolean has(long address) {
    return (bits[index(address)] & bit(address)) != 0;
  }

  /** Returns the first block from an address on, or -1. */
  long next(long address) {
    int index = index(address);
    long word = index < bits.length ? bits[index] & -bit(address) : 0;
    while (word == 0) {
      if (++index >= bits.length) {
        return -1;
      }
      word = bits[index];
    }
    return (long) index * BYTES_OF_WORD + (long) Long.numberOfTrailingZeros(word) * GRAIN;
  }
}
