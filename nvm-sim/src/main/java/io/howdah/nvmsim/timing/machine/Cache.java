package io.howdah.nvmsim.timing.machine;

import io.howdah.nvmsim.timing.CacheGeometry;
import io.howdah.nvmsim.timing.MemoryDevice;
import java.util.Arrays;

/** The tags of one set-associative level with least-recently-used replacement. */
final class Cache {
  static final long EMPTY = -1;
  static final int NOT_FOUND = -1;

  final int ways;
  final long latencyPs;
  private final int setMask;
  private final int foldShift;
  final long[] tags;
  final boolean[] dirty;
  private final long[] used;
  private long uses;

  /**
   * With {@code folded} sets the upper bits of the line take part in the index, as in the last
   * level of processors: the first lines of pages would else meet in few sets.
   */
  Cache(CacheGeometry geometry, boolean folded) {
    ways = geometry.ways();
    latencyPs = geometry.latencyNs() * MemoryDevice.PS_PER_NS;
    setMask = geometry.sets() - 1;
    foldShift = folded ? Integer.bitCount(setMask) : Long.SIZE - 1;
    int lines = geometry.sets() * ways;
    tags = new long[lines];
    Arrays.fill(tags, EMPTY);
    dirty = new boolean[lines];
    used = new long[lines];
  }

  int firstWay(long line) {
    return ((int) (line ^ (line >>> foldShift)) & setMask) * ways;
  }

  int find(long line) {
    int first = firstWay(line);
    long[] all = tags;
    for (int way = first; way < first + ways; way++) {
      if (all[way] == line) {
        return way;
      }
    }
    return NOT_FOUND;
  }

  void touch(int way) {
    used[way] = ++uses;
  }

  /** Whether the first way was used longer ago than the second. */
  boolean older(int first, int second) {
    return used[first] < used[second];
  }

  /** An empty way of the line's set, or the one used longest ago. */
  int victim(long line) {
    int first = firstWay(line);
    int oldest = first;
    for (int way = first; way < first + ways; way++) {
      if (tags[way] == EMPTY) {
        return way;
      }
      if (used[way] < used[oldest]) {
        oldest = way;
      }
    }
    return oldest;
  }

  void fill(int way, long line) {
    tags[way] = line;
    dirty[way] = false;
    touch(way);
  }

  void clear(int way) {
    tags[way] = EMPTY;
    dirty[way] = false;
  }
}
