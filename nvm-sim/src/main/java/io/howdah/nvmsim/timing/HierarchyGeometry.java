package io.howdah.nvmsim.timing;

/**
 * Three inclusive levels.
 *
 * @param l1 next to the core
 * @param l2 in the middle, at least as large
 * @param llc last level, at least as large
 */
public record HierarchyGeometry(CacheGeometry l1, CacheGeometry l2, CacheGeometry llc) {
  public HierarchyGeometry {
    if (l1.capacityBytes() > l2.capacityBytes() || l2.capacityBytes() > llc.capacityBytes()) {
      throw new IllegalArgumentException(
          "an inclusive level must hold the one above it: "
              + l1.capacityBytes()
              + ", "
              + l2.capacityBytes()
              + ", "
              + llc.capacityBytes()
              + " bytes");
    }
  }

  /**
   * The caches of the LOC runs. The paper's Table I did not survive; the sizes are ours. An L1 hit
   * is part of the instruction's own cycle.
   */
  public static HierarchyGeometry loc() {
    return new HierarchyGeometry(
        new CacheGeometry("L1", 64 << 10, 2, 0),
        new CacheGeometry("L2", 256 << 10, 8, 7),
        new CacheGeometry("LLC", 1 << 20, 16, 12));
  }

  /** All three levels scaled alike. */
  public HierarchyGeometry scaled(int numerator, int denominator) {
    return new HierarchyGeometry(
        l1.scaled(numerator, denominator),
        l2.scaled(numerator, denominator),
        llc.scaled(numerator, denominator));
  }
}
