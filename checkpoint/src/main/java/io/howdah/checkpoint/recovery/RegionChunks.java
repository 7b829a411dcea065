package io.howdah.checkpoint.recovery;

import io.howdah.core.layout.SplitMix64;

/**
 * The division of a region into chunks for the replay: at most {@value #MAX_CHUNKS} chunks of equal
 * length, a power of two. While the log is read, each chunk belongs to one of several threads.
 *
 * <p>A chunk is the unit of the deferred replay: a thread that needs one word waits for its whole
 * chunk. With many chunks this wait is short. The number is limited so that the ends of the lists
 * of all chunks stay in the second level cache of the processor, which makes sorting by chunk fast.
 *
 * @param shift base-two logarithm of the length of a chunk in bytes
 */
record RegionChunks(int count, int shift) {

  /** Maximum number of chunks of a region. */
  static final int MAX_CHUNKS = 1 << 12;

  /** A page of the store: in smaller chunks, several chunks would mark the same page dirty. */
  private static final int MIN_SHIFT = 12;

  static RegionChunks of(long capacityBytes) {
    int shift = MIN_SHIFT;
    while ((capacityBytes - 1) >>> shift >= MAX_CHUNKS) {
      shift++;
    }
    return new RegionChunks((int) ((capacityBytes - 1) >>> shift) + 1, shift);
  }

  /** Returns the chunk that contains an address of the region. */
  int containing(long address) {
    return (int) (address >>> shift);
  }

  /** Returns the first address after a chunk. */
  long end(int chunk) {
    return (chunk + 1L) << shift;
  }

  long bytes() {
    return 1L << shift;
  }

  /**
   * Returns the number of the thread to which a chunk belongs. The hash distributes the chunks
   * evenly for every stride in which an application writes.
   */
  static int owner(int chunk, int threads) {
    long hash = (chunk * SplitMix64.GOLDEN_GAMMA) >>> 32;
    return (int) ((hash * threads) >>> 32);
  }
}
