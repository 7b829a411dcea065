package io.howdah.collections.structure;

import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import java.util.Arrays;

/**
 * The words of a node of a {@link Tree}, or those of them that were read, and how they are searched
 * and changed. It knows where entries are and their heads, and nothing of their keys and values.
 * {@link TreeNodeLayout} has the format. Not thread-safe.
 */
final class NodeImage {

  /** The words, at their places in the node. */
  final long[] words = new long[NodeLayout.MAX_WORDS];

  /** How many heads are below the one that was searched last. */
  int below;

  /** How many heads are equal to it. */
  int equal;

  private TreeNodeLayout layout = TreeNodeLayout.SMALL;
  private long node;

  /** Becomes the image of a node, whose words are still to be read or written. */
  void become(long reference) {
    node = reference;
    TreeNodeLayout layout = TreeNodeLayout.of(reference);
    if (this.layout != layout) { // storing a reference costs a barrier of the collector
      this.layout = layout;
    }
  }

  /** Becomes an empty node. */
  void clear(long reference, int level, int tag) {
    become(reference);
    Arrays.fill(words, 0, layout.entriesAt, 0);
    words[0] = TreeNodeLayout.header(level, 0, 0, tag);
    for (int unit = 0; unit < layout.firstUnit; unit += Long.SIZE) {
      int few = Math.min(Long.SIZE, layout.firstUnit - unit);
      words[layout.usedAt + unit / Long.SIZE] = few == Long.SIZE ? -1L : (1L << few) - 1;
    }
  }

  /** Returns the reference of the node. */
  long node() {
    return node;
  }

  TreeNodeLayout layout() {
    return layout;
  }

  int count() {
    return TreeNodeLayout.count(words[0]);
  }

  int prefix() {
    return TreeNodeLayout.prefix(words[0]);
  }

  void prefix(int bytes) {
    words[0] = TreeNodeLayout.withPrefix(words[0], bytes);
  }

  long next() {
    return words[layout.nextAt];
  }

  void next(long reference) {
    words[layout.nextAt] = reference;
  }

  long low() {
    return words[layout.lowAt];
  }

  void low(long fence) {
    words[layout.lowAt] = fence;
  }

  long high() {
    return words[layout.highAt];
  }

  void high(long fence) {
    words[layout.highAt] = fence;
  }

  // ---- Searching.

  /**
   * Counts the heads that are below one, and those that are equal to it. All are compared without a
   * branch: which one is the first above cannot be predicted.
   */
  void search(long head) {
    long[] words = this.words;
    int from = layout.headsAt;
    int end = from + count();
    int below = 0;
    int equal = 0;
    for (int i = from; i < end; i++) {
      long other = words[i];
      below += other < head ? 1 : 0;
      equal += other == head ? 1 : 0;
    }
    this.below = below;
    this.equal = equal;
  }

  /** Returns the unit at which the entry with an index begins; not verified. */
  int unit(int index) {
    return TreeNodeLayout.unit(words[TreeNodeLayout.orderAt(index)], index);
  }

  /** Returns the word at which the entry with an index begins; -1 if no entry can be there. */
  int entry(int index) {
    int unit = unit(index);
    return unit >= layout.firstUnit && unit < layout.units ? layout.word(unit) : -1;
  }

  /** Copies the heads in their order. */
  void sortedHeads(long[] target) {
    int count = count();
    System.arraycopy(words, layout.headsAt, target, 0, count);
    Arrays.sort(target, 0, count);
  }

  // ---- Units.

  /** Returns the first of some free units side by side, at most 64; -1 if there are none. */
  int freeRun(int units) {
    long[] words = this.words;
    int from = layout.usedAt;
    boolean isLong = layout.units > 2 * Long.SIZE;
    long first = ~words[from];
    long second = ~words[from + 1];
    long third = isLong ? ~words[from + 2] : 0;
    long fourth = isLong ? ~words[from + 3] : 0;
    // A bit stays if the next ones are free, too: first one of them, then as many again.
    for (int have = 1; have < units; ) {
      int step = Math.min(have, units - have);
      first &= (first >>> step) | (second << (Long.SIZE - step));
      second &= (second >>> step) | (third << (Long.SIZE - step));
      third &= (third >>> step) | (fourth << (Long.SIZE - step));
      fourth &= fourth >>> step;
      have += step;
    }
    if (first != 0) {
      return Long.numberOfTrailingZeros(first);
    }
    if (second != 0) {
      return Long.SIZE + Long.numberOfTrailingZeros(second);
    }
    if (third != 0) {
      return 2 * Long.SIZE + Long.numberOfTrailingZeros(third);
    }
    return fourth != 0 ? 3 * Long.SIZE + Long.numberOfTrailingZeros(fourth) : -1;
  }

  /** Returns how many units are free. */
  int freeUnits() {
    int used = 0;
    for (int i = layout.usedAt; i < layout.nextAt; i++) {
      used += Long.bitCount(words[i]);
    }
    return layout.units - used;
  }

  /** Returns the unit behind the last one in use; 0 if none is. */
  int endUnit() {
    int last = layout.nextAt - 1;
    while (last > layout.usedAt && words[last] == 0) {
      last--;
    }
    return (last - layout.usedAt + 1) * Long.SIZE - Long.numberOfLeadingZeros(words[last]);
  }

  /** Marks some units, at most 64, that end within the node. */
  void use(int unit, int units) {
    int at = layout.usedAt + (unit >>> 6);
    long mask = -1L >>> (Long.SIZE - units);
    int bit = unit & 63;
    words[at] |= mask << bit;
    if (bit + units > Long.SIZE) {
      words[at + 1] |= mask >>> (Long.SIZE - bit);
    }
  }

  /** Unmarks some units, at most 64, that end within the node. */
  void free(int unit, int units) {
    int at = layout.usedAt + (unit >>> 6);
    long mask = -1L >>> (Long.SIZE - units);
    int bit = unit & 63;
    words[at] &= ~(mask << bit);
    if (bit + units > Long.SIZE) {
      words[at + 1] &= ~(mask >>> (Long.SIZE - bit));
    }
  }

  // ---- Entries.

  /**
   * Adds an entry, whose words the caller writes. There is space for it.
   *
   * @param index in the order of the keys
   * @param unit the first of its units, which are free
   */
  void insert(int index, int unit, int units, long head) {
    int count = count();
    long[] words = this.words;
    int at = TreeNodeLayout.ORDER_AT + (index >>> 3);
    for (int i = TreeNodeLayout.ORDER_AT + (count >>> 3); i > at; i--) {
      words[i] = (words[i] << 8) | (words[i - 1] >>> 56);
    }
    int shift = (index & 7) << 3;
    long low = (1L << shift) - 1;
    long word = words[at];
    words[at] = (word & low) | ((long) unit << shift) | ((word & ~low) << 8);
    words[layout.headsAt + count] = head;
    words[0] = TreeNodeLayout.withCount(words[0], count + 1);
    use(unit, units);
  }

  /**
   * Adds an entry behind all others, whose words the caller writes; {@link #extend} follows behind
   * the last of several.
   *
   * @param index how many entries there are
   * @param unit the first of its units
   */
  void append(int index, int unit, long head) {
    long[] words = this.words;
    int at = TreeNodeLayout.ORDER_AT + (index >>> 3);
    int shift = (index & 7) << 3;
    words[at] = (words[at] & ((1L << shift) - 1)) | ((long) unit << shift);
    words[layout.headsAt + index] = head;
  }

  /** Makes entries that were appended count, and marks their units, which are side by side. */
  void extend(int count, int unit, int endUnit) {
    words[0] = TreeNodeLayout.withCount(words[0], count);
    for (int from = unit; from < endUnit; from += Long.SIZE) {
      use(from, Math.min(Long.SIZE, endUnit - from));
    }
  }

  /**
   * Removes an entry.
   *
   * @param units how many it has
   * @return the word of the head that was written over, -1 if none was
   */
  int remove(int index, int units, long head) {
    free(unit(index), units);
    int last = count() - 1;
    long[] words = this.words;
    int at = TreeNodeLayout.ORDER_AT + (index >>> 3);
    int end = TreeNodeLayout.ORDER_AT + (last >>> 3);
    int shift = (index & 7) << 3;
    long low = (1L << shift) - 1;
    words[at] = (words[at] & low) | ((words[at] >>> 8) & ~low);
    for (int i = at; i < end; i++) {
      words[i] |= words[i + 1] << 56;
      words[i + 1] >>>= 8;
    }
    words[0] = TreeNodeLayout.withCount(words[0], last);
    int heads = layout.headsAt;
    int place = heads;
    while (place < heads + last && words[place] != head) {
      place++;
    }
    if (place == heads + last) {
      return -1;
    }
    words[place] = words[heads + last];
    return place;
  }

  /** Gives the entry with an index other units. */
  void move(int index, int oldUnits, int unit, int units) {
    free(unit(index), oldUnits);
    use(unit, units);
    int at = TreeNodeLayout.ORDER_AT + (index >>> 3);
    int shift = (index & 7) << 3;
    words[at] = (words[at] & ~(0xFFL << shift)) | ((long) unit << shift);
  }

  /** Forgets the entries from an index on, whose units the caller has unmarked. */
  void truncate(int count) {
    words[0] = TreeNodeLayout.withCount(words[0], count);
  }
}
