package io.howdah.server.items;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Which large values must not be freed now, because a connection writes or reads them, and which
 * are being freed. In memory only: a crash ends all holds. Thread-safe.
 */
final class ValueHolds {

  /** Instead of the number of holds: the value is being freed. */
  private static final int FREEING = -1;

  /** A bit beside the number of holds: the value is to be freed when the last hold ends. */
  private static final int FREE_AT_END = 1 << 30;

  private final ConcurrentHashMap<Long, Integer> states = new ConcurrentHashMap<>();

  /**
   * Keeps a value from being freed; returns false if it is being freed. A caller that did not write
   * the value must check afterwards that an item still has it: if none has it, the value may have
   * been freed before the hold.
   */
  boolean hold(long id) {
    return states.merge(id, 1, (old, one) -> old == FREEING ? FREEING : old + one) != FREEING;
  }

  /** Ends a hold; returns whether it was the last one and the caller has to free the value. */
  boolean release(long id) {
    boolean[] isToBeFreed = {false};
    states.computeIfPresent(
        id,
        (_, state) -> {
          int rest = state - 1;
          isToBeFreed[0] = rest == FREE_AT_END;
          return (rest & ~FREE_AT_END) == 0 ? null : rest;
        });
    return isToBeFreed[0];
  }

  /** Begins to free a value; returns false if it is held, or being freed by another thread. */
  boolean beginFreeing(long id) {
    boolean[] begins = {false};
    states.compute(
        id,
        (_, state) -> {
          begins[0] = state == null;
          return state == null || state == FREEING ? FREEING : state | FREE_AT_END;
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
