package io.howdah.nvmsim.crash;

import java.math.BigInteger;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The number of cuts of a persist order.
 *
 * @param value the number, or of what could be counted
 * @param exact false if counting was given up: there are more than {@code value}
 */
public record CutCount(BigInteger value, boolean exact) {
  /** No cuts. */
  public static final CutCount ZERO = new CutCount(BigInteger.ZERO, true);

  /** Sub-orders the count may look at. */
  private static final int MAX_PARTS = 1 << 14;

  /** The sum of two counts. */
  public CutCount plus(CutCount other) {
    return new CutCount(value.add(other.value), exact && other.exact);
  }

  @Override
  public String toString() {
    return exact ? value.toString() : "more than " + value;
  }

  /** Counts the cuts within a set of persists. */
  static CutCount of(BitSet[] ancestors, BitSet[] descendants, BitSet persists) {
    Counter counter = new Counter(ancestors, descendants);
    BigInteger value = counter.count(persists);
    return new CutCount(value, !counter.gaveUp);
  }

  /**
   * Counting cuts is hard in general; these orders fall apart quickly. A set without ties between
   * two parts has the product of their counts; otherwise the cuts with the persist that ties most
   * are counted, and those without.
   */
  private static final class Counter {
    private final BitSet[] ancestors;
    private final BitSet[] descendants;
    private final Map<BitSet, BigInteger> known = new HashMap<>();
    boolean gaveUp;

    Counter(BitSet[] ancestors, BitSet[] descendants) {
      this.ancestors = ancestors;
      this.descendants = descendants;
    }

    BigInteger count(BitSet set) {
      BigInteger product = BigInteger.ONE;
      BitSet left = (BitSet) set.clone();
      while (!left.isEmpty()) {
        BitSet part = partOf(left.nextSetBit(0), left);
        left.andNot(part);
        product = product.multiply(countPart(part));
      }
      return product;
    }

    private BitSet partOf(int node, BitSet within) {
      BitSet part = new BitSet();
      BitSet reached = new BitSet();
      reached.set(node);
      for (int i = node; i >= 0; i = reached.nextSetBit(0)) {
        reached.clear(i);
        part.set(i);
        BitSet tied = (BitSet) ancestors[i].clone();
        tied.or(descendants[i]);
        tied.and(within);
        tied.andNot(part);
        reached.or(tied);
      }
      return part;
    }

    private BigInteger countPart(BitSet part) {
      if (part.cardinality() == 1) {
        return BigInteger.TWO;
      }
      BigInteger before = known.get(part);
      if (before != null) {
        return before;
      }
      if (known.size() >= MAX_PARTS) {
        gaveUp = true;
        return BigInteger.ONE;
      }
      int pivot = -1;
      int most = -1;
      for (int i = part.nextSetBit(0); i >= 0; i = part.nextSetBit(i + 1)) {
        int ties = common(ancestors[i], part) + common(descendants[i], part);
        if (ties > most) {
          most = ties;
          pivot = i;
        }
      }
      BitSet with = (BitSet) part.clone();
      with.andNot(ancestors[pivot]);
      with.clear(pivot);
      BitSet without = (BitSet) part.clone();
      without.andNot(descendants[pivot]);
      without.clear(pivot);
      BigInteger value = count(with).add(count(without));
      known.put((BitSet) part.clone(), value);
      return value;
    }

    private static int common(BitSet a, BitSet b) {
      BitSet both = (BitSet) a.clone();
      both.and(b);
      return both.cardinality();
    }
  }
}
