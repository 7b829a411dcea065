package io.howdah.nvmsim.program;

import java.util.List;

/**
 * A few threads of a few instructions. Every location and register holds 0 at first.
 *
 * @param locations names of the locations
 * @param lines cache line of each location: equal numbers share one
 * @param volatileLocations whether each location is lost in a failure, and so not part of the state
 *     after it
 * @param registers names of each thread's registers
 * @param threads instructions of each thread
 */
public record LitmusProgram(
    List<String> locations,
    List<Integer> lines,
    List<Boolean> volatileLocations,
    List<List<String>> registers,
    List<List<Instruction>> threads) {
  /** More would make an exhaustive search hopeless. */
  public static final int MAX_THREADS = 6;

  public LitmusProgram {
    locations = List.copyOf(locations);
    lines = List.copyOf(lines);
    volatileLocations = List.copyOf(volatileLocations);
    registers = registers.stream().map(List::copyOf).toList();
    threads = threads.stream().map(List::copyOf).toList();
    if (threads.isEmpty() || threads.size() > MAX_THREADS) {
      throw new IllegalArgumentException(
          "threads must be 1 to " + MAX_THREADS + ": " + threads.size());
    }
  }

  /** Index of a thread's first register when all threads' registers lie in one array. */
  public int firstRegister(int thread) {
    int first = 0;
    for (int i = 0; i < thread; i++) {
      first += registers.get(i).size();
    }
    return first;
  }

  /** Whether two locations share a cache line. */
  public boolean sameLine(int a, int b) {
    return lines.get(a).equals(lines.get(b));
  }
}
