package io.howdah.server.items;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Which large values may not be freed now, because a connection writes or reads them, and which are
 * being freed. In memory only: after a crash nobody holds anything. Thread-safe.
 */
final class ValueHolds {

  /** Instead of the number of holds: the value is being freed. */
  private static final int FREEING = -1;

  /** A bit beside the number of holds: somebody wanted to free the value. */
  private static final int WANTED = 1 << 30;

  private final ConcurrentHashMap<Long, Integer> states = new ConcurrentHashMap<>();

  /**
   * Keeps a value from being freed; returns false if it is being freed. A caller who did not write
   * the value looks afterwards whether an item has it still: if not, it may have been freed before.
   */
  boolean hold(long id) {
    return states.merge(id, 1, (old, one) -> old == FREEING ? FREEING : old + one) != FREEING;
  }

  /** Ends a hold, and returns whether the caller is to free the value, as somebody wanted to. */
  boolean release(long id) {
    boolean[] isWanted = {false};
    states.computeIfPresent(
        id,
        (_, state) -> {
          int rest = state - 1;
          isWanted[0] = rest == WANTED;
          return (rest & ~WANTED) == 0 ? null : rest;
        });
    return isWanted[0];
  }

  /** Begins to free a value; returns false if it is held, or being freed by another thread. */
  boolean beginFreeing(long id) {
    boolean[] begins = {false};
    states.compute(
        id,
        (_, state) -> {
          begins[0] = state == null;
          return state == null || state == FREEING ? FREEING : state | WANTED;
        });
    return begins[0];
  }

  void endFreeing(long id) {
    states.remove(id);
  }

  /** Returns how many values are held or being freed, for tests. */
  int count() {
    return states.size();
  }
}
