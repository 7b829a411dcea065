package io.howdah.nvmsim.timing;

import java.util.Locale;

/**
 * Shape of one cache level.
 *
 * @param name for messages
 * @param capacityBytes of all its lines
 * @param ways lines per set
 * @param latencyNs what a lookup adds to an access that comes to this level
 */
public record CacheGeometry(String name, int capacityBytes, int ways, int latencyNs) {
  private static final int MAX_CAPACITY = 1 << 30;
  private static final int MAX_WAYS = 64;
  private static final int MAX_LATENCY_NS = 10_000;

  public CacheGeometry {
    if (ways < 1 || ways > MAX_WAYS) {
      throw new IllegalArgumentException(
          name + ": associativity must be 1 to " + MAX_WAYS + ": " + ways);
    }
    int setBytes = ways * MemoryDevice.LINE_LENGTH;
    if (capacityBytes < setBytes
        || capacityBytes > MAX_CAPACITY
        || capacityBytes % setBytes != 0
        || Integer.bitCount(capacityBytes / setBytes) != 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%s: %d bytes with %d ways of %d bytes: the sets must be a power of two, from 1",
              name,
              capacityBytes,
              ways,
              MemoryDevice.LINE_LENGTH));
    }
    if (latencyNs < 0 || latencyNs > MAX_LATENCY_NS) {
      throw new IllegalArgumentException(
          name + ": latency must be 0 to " + MAX_LATENCY_NS + " ns: " + latencyNs);
    }
  }

  /** Sets of {@link #ways} lines. */
  public int sets() {
    return capacityBytes / (ways * MemoryDevice.LINE_LENGTH);
  }

  /** The same shape with a capacity of {@code numerator / denominator} times this one's. */
  public CacheGeometry scaled(int numerator, int denominator) {
    return new CacheGeometry(
        name, (int) ((long) capacityBytes * numerator / denominator), ways, latencyNs);
  }
}
