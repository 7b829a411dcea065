package io.howdah.checkpoint.recovery;

import io.howdah.core.layout.SplitMix64;

/**
 * How a region is divided for replay: chunks of equal length, a power of two, {@value #MOST} of
 * them at most. Each belongs to one of several threads while the log is read.
 *
 * <p>The chunk is the unit in which words are brought into memory after the store has opened:
 * whoever needs one word waits for its whole chunk. Many small chunks make that wait short; few
 * enough that the ends of all their lists stay in the processor's second level cache make it cheap
 * to sort words by chunk.
 *
 * @param shift base-two logarithm of a chunk's bytes
 */
record RegionChunks(int count, int shift) {

  /** Most chunks of a region. */
  static final int MOST = 1 << 12;

  /** A page of the store: below, a chunk would share the pages that are marked dirty. */
  private static final int LEAST_SHIFT = 12;

  static RegionChunks of(long capacityBytes) {
    int shift = LEAST_SHIFT;
    while ((capacityBytes - 1) >>> shift >= MOST) {
      shift++;
    }
    return new RegionChunks((int) ((capacityBytes - 1) >>> shift) + 1, shift);
  }

  /** Returns the chunk that an address of the region lies in. */
  int containing(long address) {
    return (int) (address >>> shift);
  }

  /** Returns the first address behind a chunk. */
  long end(int chunk) {
    return (chunk + 1L) << shift;
  }

  long bytes() {
    return 1L << shift;
  }

  /** Neighbouring chunks belong to different threads, whatever stride the application writes in. */
  static int owner(int chunk, int threads) {
    long hash = (chunk * SplitMix64.GOLDEN_GAMMA) >>> 32;
    return (int) ((hash * threads) >>> 32);
  }
}
