package io.howdah.core;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What tells one store's files from another's: 128 random bits, drawn when the store is created.
 *
 * @param high never zero together with {@code low}: zeros are what an unwritten file holds
 */
public record StoreId(long high, long low) {

  /** Refuses the id of all zeros. */
  public StoreId {
    if (high == 0 && low == 0) {
      throw new IllegalArgumentException("a store id is not zero");
    }
  }

  /**
   * Draws an id.
   *
   * @param random {@link Execution#randomLong}, so that ids do not collide
   */
  public static StoreId random(RandomGenerator random) {
    long high;
    long low;
    do {
      high = random.nextLong();
      low = random.nextLong();
    } while (high == 0 && low == 0);
    return new StoreId(high, low);
  }

  /** Returns the id in 32 hexadecimal digits. */
  public String toHex() {
    HexFormat format = HexFormat.of();
    return format.toHexDigits(high) + format.toHexDigits(low);
  }

  // Written out, as each opening compares ids: what a record has takes a new JVM 5 ms to put
  // together.
  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof StoreId id && id.high == high && id.low == low;
  }

  @Override
  public final int hashCode() {
    return Long.hashCode(high ^ low);
  }

  @Override
  public String toString() {
    return toHex();
  }
}
