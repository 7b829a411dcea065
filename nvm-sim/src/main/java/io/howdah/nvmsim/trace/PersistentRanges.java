package io.howdah.nvmsim.trace;

import java.util.Map;
import java.util.TreeMap;

/** The persistent address ranges of a trace that tells them by allocation, as the tracer's does. */
final class PersistentRanges {
  /** Live allocations kept; a trace with more is refused. */
  static final int MAX_RANGES = 1 << 20;

  private final TreeMap<Long, Long> endByStart = new TreeMap<>();
  private long lastStart = 1;
  private long lastEnd;

  void add(long start, long length) {
    if (length <= 0 || start < 0 || start + length < start) {
      throw new IllegalArgumentException(
          "persistent allocation of " + length + " bytes at 0x" + Long.toHexString(start));
    }
    Map.Entry<Long, Long> below = endByStart.lowerEntry(start + length);
    if (below != null && below.getValue() > start) {
      throw new IllegalArgumentException(
          "persistent allocation at 0x"
              + Long.toHexString(start)
              + "+"
              + length
              + " overlaps the one at 0x"
              + Long.toHexString(below.getKey()));
    }
    if (endByStart.size() >= MAX_RANGES) {
      throw new IllegalArgumentException("more than " + MAX_RANGES + " live allocations");
    }
    endByStart.put(start, start + length);
  }

  void remove(long start) {
    if (endByStart.remove(start) == null) {
      throw new IllegalArgumentException(
          "free of 0x" + Long.toHexString(start) + ", which is not allocated");
    }
    lastStart = 1;
    lastEnd = 0;
  }

  /** Whether the access lies in persistent memory; one that straddles a border is refused. */
  boolean contains(long address, int size) {
    if (address >= lastStart && address + size <= lastEnd) {
      return true;
    }
    Map.Entry<Long, Long> range = endByStart.lowerEntry(address + size);
    if (range == null || range.getValue() <= address) {
      return false;
    }
    if (address < range.getKey() || address + size > range.getValue()) {
      throw new IllegalArgumentException(
          "access 0x"
              + Long.toHexString(address)
              + "+"
              + size
              + " straddles the border of persistent memory at 0x"
              + Long.toHexString(range.getKey()));
    }
    lastStart = range.getKey();
    lastEnd = range.getValue();
    return true;
  }
}
