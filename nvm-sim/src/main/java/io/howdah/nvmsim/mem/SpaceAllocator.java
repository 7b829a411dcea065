package io.howdah.nvmsim.mem;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** First-fit allocation of one space, with neighbours merged on free. Deterministic. */
final class SpaceAllocator {
  private final String space;
  private final long base;
  private final TreeMap<Long, Long> freeLengthByStart = new TreeMap<>();
  private final Map<Long, Long> liveLengthByStart = new HashMap<>();

  SpaceAllocator(String space, long base, long length) {
    this.space = space;
    this.base = base;
    freeLengthByStart.put(base, length);
  }

  long allocate(long length, long alignment) {
    if (length <= 0 || alignment < Long.BYTES || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException(
          "allocation of "
              + length
              + " bytes aligned to "
              + alignment
              + ": length must be positive, alignment a power of two from 8");
    }
    for (Map.Entry<Long, Long> hole : freeLengthByStart.entrySet()) {
      long start = (hole.getKey() + alignment - 1) & -alignment;
      if (start + length <= hole.getKey() + hole.getValue()) {
        take(hole.getKey(), hole.getValue(), start, length);
        return start;
      }
    }
    throw new IllegalStateException(
        space + " space at 0x" + Long.toHexString(base) + " has no room for " + length + " bytes");
  }

  private void take(long hole, long holeLength, long start, long length) {
    freeLengthByStart.remove(hole);
    if (start > hole) {
      freeLengthByStart.put(hole, start - hole);
    }
    if (start + length < hole + holeLength) {
      freeLengthByStart.put(start + length, hole + holeLength - start - length);
    }
    liveLengthByStart.put(start, length);
  }

  /** Frees an allocation and returns its length. */
  long free(long start) {
    Long length = liveLengthByStart.remove(start);
    if (length == null) {
      throw new IllegalArgumentException(
          "0x" + Long.toHexString(start) + " is not allocated in the " + space + " space");
    }
    long from = start;
    long to = start + length;
    Map.Entry<Long, Long> below = freeLengthByStart.lowerEntry(start);
    if (below != null && below.getKey() + below.getValue() == start) {
      from = below.getKey();
    }
    Long above = freeLengthByStart.remove(to);
    if (above != null) {
      to += above;
    }
    freeLengthByStart.put(from, to - from);
    return length;
  }
}
