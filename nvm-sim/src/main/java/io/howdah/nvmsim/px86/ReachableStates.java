package io.howdah.nvmsim.px86;

import java.util.List;
import java.util.Set;

/**
 * What a program can do on a machine.
 *
 * @param explored states of the machine
 * @param durable contents of persistent memory a failure can leave, at any moment; one value per
 *     location
 * @param ended registers after every thread ended; all threads' in one list
 */
public record ReachableStates(int explored, Set<List<Integer>> durable, Set<List<Integer>> ended) {
  public ReachableStates {
    durable = Set.copyOf(durable);
    ended = Set.copyOf(ended);
  }
}
