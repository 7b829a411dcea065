package io.howdah.nvmsim.study.persistency;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Figure 1 of <i>Memory Persistency</i> (ISCA 2014, §4.3) as a litmus test: stores that may become
 * visible out of order across a persist barrier, barriers that order persists, and strong persist
 * atomicity cannot all hold. Two threads persist to two words in opposite orders, each with a
 * barrier between; every order in which the stores can become visible is tried.
 *
 * @param storesReorderAcrossBarriers whether visibility may differ from program order at a barrier
 * @param strongPersistAtomicity whether persists to one word follow the order of its stores
 */
public record CoherenceCycle(boolean storesReorderAcrossBarriers, boolean strongPersistAtomicity) {
  /**
   * A store of the test.
   *
   * @param thread 1 or 2
   * @param word A or B
   * @param index its place in its thread
   */
  public record Store(int thread, char word, int index) {
    @Override
    public String toString() {
      return "T" + thread + ":" + word;
    }
  }

  /**
   * A cycle of persist constraints.
   *
   * @param visibility the order in which stores became visible
   * @param cycle persists, each of which must come before the next and the last before the first
   */
  public record Found(List<Store> visibility, List<Store> cycle) {
    public Found {
      visibility = List.copyOf(visibility);
      cycle = List.copyOf(cycle);
    }
  }

  private static final List<Store> STORES =
      List.of(
          new Store(1, 'A', 0), new Store(1, 'B', 1), new Store(2, 'B', 0), new Store(2, 'A', 1));

  /** The first visibility order whose persist constraints no order of persists can satisfy. */
  public Optional<Found> search() {
    return extend(new ArrayList<>());
  }

  private Optional<Found> extend(List<Store> visible) {
    if (visible.size() == STORES.size()) {
      return cycleIn(visible);
    }
    for (Store next : STORES) {
      if (!visible.contains(next) && mayBecomeVisible(next, visible)) {
        visible.add(next);
        Optional<Found> found = extend(visible);
        visible.removeLast();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private boolean mayBecomeVisible(Store next, List<Store> visible) {
    return storesReorderAcrossBarriers
        || STORES.stream()
            .filter(s -> s.thread == next.thread && s.index < next.index)
            .allMatch(visible::contains);
  }

  private Optional<Found> cycleIn(List<Store> visible) {
    for (Store start : STORES) {
      List<Store> path = new ArrayList<>(List.of(start));
      if (reaches(start, start, visible, path)) {
        return Optional.of(new Found(visible, path));
      }
    }
    return Optional.empty();
  }

  private boolean reaches(Store from, Store goal, List<Store> visible, List<Store> path) {
    for (Store to : STORES) {
      if (!mustPersistBefore(from, to, visible)) {
        continue;
      }
      if (to.equals(goal)) {
        return true;
      }
      if (!path.contains(to)) {
        path.add(to);
        if (reaches(to, goal, visible, path)) {
          return true;
        }
        path.removeLast();
      }
    }
    return false;
  }

  private boolean mustPersistBefore(Store before, Store after, List<Store> visible) {
    boolean byBarrier = before.thread == after.thread && before.index < after.index;
    boolean byAtomicity =
        strongPersistAtomicity
            && before.word == after.word
            && visible.indexOf(before) < visible.indexOf(after);
    return byBarrier || byAtomicity;
  }
}
