package io.howdah.nvmsim.workload;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list of items by their last use, as memcached keeps: two links in each item's
 * header, and a head. Every change of a link is a store.
 */
final class RecencyList {
  private static final int NONE = -1;
  private static final long HEAD = 1L << 29;

  /** The links lie in the header, in front of the item. */
  private static final int NEXT_OFFSET = -16;

  private static final int PREVIOUS_OFFSET = -8;

  private final int[] next;
  private final int[] previous;
  private final IntToLongFunction address;
  private int head = NONE;

  RecencyList(int items, IntToLongFunction address) {
    this.address = address;
    next = new int[items];
    previous = new int[items];
    Arrays.fill(next, NONE);
    Arrays.fill(previous, NONE);
  }

  /** Links an item in front; tells the sink, if there is one. */
  void addFirst(int item, @Nullable AccessSink sink) {
    int second = head;
    next[item] = second;
    previous[item] = NONE;
    head = item;
    if (second != NONE) {
      previous[second] = item;
    }
    if (sink != null) {
      sink.load(HEAD);
      sink.store(address.applyAsLong(item) + NEXT_OFFSET);
      sink.store(address.applyAsLong(item) + PREVIOUS_OFFSET);
      if (second != NONE) {
        sink.store(address.applyAsLong(second) + PREVIOUS_OFFSET);
      }
      sink.store(HEAD);
    }
  }

  /** Takes an item out. */
  void remove(int item, AccessSink sink) {
    int after = next[item];
    int before = previous[item];
    sink.load(address.applyAsLong(item) + NEXT_OFFSET);
    sink.load(address.applyAsLong(item) + PREVIOUS_OFFSET);
    if (before == NONE) {
      head = after;
      sink.store(HEAD);
    } else {
      next[before] = after;
      sink.store(address.applyAsLong(before) + NEXT_OFFSET);
    }
    if (after != NONE) {
      previous[after] = before;
      sink.store(address.applyAsLong(after) + PREVIOUS_OFFSET);
    }
  }
}
