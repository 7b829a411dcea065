package io.howdah.crashtest.kill;

import java.util.ArrayList;
import java.util.List;

/**
 * What the threads of one child do.
 *
 * @param name for people: the commit mode, or "mixed"
 * @param modeOfThread each thread's commit mode, as an index into {@link TransferChild#MODES}
 */
public record RoundPlan(String name, List<Integer> modeOfThread) {

  /** The name of the plan in which every commit mode has threads. */
  static final String MIXED = "mixed";

  /** Copies the list. */
  public RoundPlan {
    modeOfThread = List.copyOf(modeOfThread);
  }

  /** Returns the plan of a name, or throws if there is none. */
  static RoundPlan named(String name, int threads) {
    List<Integer> modes = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      modes.add(name.equals(MIXED) ? thread % TransferChild.MODES.size() : modeIndex(name));
    }
    return new RoundPlan(name, modes);
  }

  /** Returns what plans there are. */
  public static List<String> names() {
    List<String> names = new ArrayList<>(TransferChild.modeNames());
    names.add(MIXED);
    return names;
  }

  private static int modeIndex(String name) {
    int index = TransferChild.modeNames().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(name + " is none of " + names());
    }
    return index;
  }
}
