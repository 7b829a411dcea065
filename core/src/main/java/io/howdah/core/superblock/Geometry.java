package io.howdah.core.superblock;

import io.howdah.core.Region;
import io.howdah.core.layout.Alignment;
import io.howdah.core.layout.RingLayout;
import io.howdah.core.layout.SuperblockLayout;

/**
 * The dimensions of a store.
 *
 * @param partitions of the log, 1 to 256
 * @param ringBytes capacity of each partition's ring, a power of two
 * @param maxSizeBytes capacity of the region, a multiple of {@code pageBytes}
 * @param orecCount a power of two, at most 2^40
 * @param orecStripeBytes bytes of the region that share an orec, a power of two, 8 to 4096
 * @param pageBytes what a checkpoint tracks and copies, a power of two, 512 to 65536
 */
public record Geometry(
    int partitions,
    long ringBytes,
    long maxSizeBytes,
    long orecCount,
    int orecStripeBytes,
    int pageBytes) {

  private static final long MAX_OREC_COUNT = 1L << 40;

  /** Largest region: what the 48 bits of a redo record's word index address. */
  public static final long MAX_REGION_BYTES = (1L << 48) * Region.WORD_BYTES;

  /** Refuses values out of bounds. */
  public Geometry {
    Bounds.require("partitions", partitions, 1, SuperblockLayout.MAX_PARTITIONS);
    Bounds.requirePowerOfTwo(
        "ringBytes", ringBytes, RingLayout.MIN_CAPACITY, RingLayout.MAX_CAPACITY);
    Bounds.requirePowerOfTwo("orecCount", orecCount, 1, MAX_OREC_COUNT);
    Bounds.requirePowerOfTwo("orecStripeBytes", orecStripeBytes, Region.WORD_BYTES, 4096);
    Bounds.requirePowerOfTwo("pageBytes", pageBytes, 512, 1 << 16);
    Bounds.require("maxSizeBytes", maxSizeBytes, pageBytes, MAX_REGION_BYTES);
    if (!Alignment.isAligned(maxSizeBytes, pageBytes)) {
      throw new IllegalArgumentException(
          "maxSizeBytes " + maxSizeBytes + " is no multiple of pageBytes " + pageBytes);
    }
  }

  /** Returns this geometry with another {@link #maxSizeBytes}. */
  public Geometry withMaxSizeBytes(long value) {
    return new Geometry(partitions, ringBytes, value, orecCount, orecStripeBytes, pageBytes);
  }
}
