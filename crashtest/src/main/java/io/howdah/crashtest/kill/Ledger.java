package io.howdah.crashtest.kill;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What the store must hold, kept by the process that kills. It repeats every transfer that the
 * store says it recovered, on plain arrays, and compares every city. For one thread.
 *
 * <p>The promises, per thread and mode: no acknowledged transfer is missing, if the mode promises
 * that; at most the one transfer under way is there beside them; what an earlier opening showed is
 * still there; and no transfer is there in part.
 */
final class Ledger {

  /** How many violations of one kind are worth reading. */
  private static final int EXAMPLES = 3;

  private final Cities cities;
  private final Transfers transfers;
  private final List<String> modes;
  private final Set<String> promised;
  private final int threads;
  private final long[] populations;
  private final long[][] verified;

  /**
   * Creates one.
   *
   * @param promised the modes of which no acknowledged transfer may be missing
   */
  Ledger(
      Cities cities, Transfers transfers, List<String> modes, int threads, Set<String> promised) {
    this.promised = Set.copyOf(promised);
    this.cities = cities;
    this.transfers = transfers;
    this.modes = List.copyOf(modes);
    this.threads = threads;
    this.populations = cities.populations();
    this.verified = new long[modes.size()][threads];
  }

  /** Returns how many transfers of a thread in a mode the last opening showed. */
  long verified(int mode, int thread) {
    return verified[mode][thread];
  }

  /**
   * Judges what an opening found, and takes it as the starting point for the next.
   *
   * @param acknowledged per mode and thread, how many transfers were ever acknowledged
   */
  Verdict judge(long[][] acknowledged, RecoveredState state) {
    List<String> violations = new ArrayList<>();
    long acknowledgedSum = 0;
    long recoveredSum = 0;
    long lost = 0;
    long dropped = 0;
    for (int mode = 0; mode < modes.size(); mode++) {
      for (int thread = 0; thread < threads; thread++) {
        long before = verified[mode][thread];
        long returned = acknowledged[mode][thread];
        long found = state.transfers(mode, thread);
        acknowledgedSum += returned - before;
        recoveredSum += found - before;
        if (promised.contains(modes.get(mode))) {
          lost += Math.max(0, returned - found);
        } else {
          dropped += Math.max(0, returned - found);
        }
        judgeCount(mode, thread, returned, found, violations);
        // A count that no run can have reached was reported just now; it is not worth replaying.
        long plausible = Math.clamp(found, 0, returned + 1);
        replay(mode, thread, before, plausible);
        verified[mode][thread] = plausible;
      }
    }
    comparePopulations(state, violations);
    return new Verdict(acknowledgedSum, recoveredSum, lost, dropped, violations);
  }

  private void judgeCount(
      int mode, int thread, long returned, long found, List<String> violations) {
    String whose = modes.get(mode) + " thread " + thread;
    long before = verified[mode][thread];
    if (found < before) {
      violations.add(
          "%s: transfers %d to %d were there after an earlier opening and are gone"
              .formatted(whose, found + 1, before));
    } else if (found < returned && promised.contains(modes.get(mode))) {
      violations.add(
          "%s: transfers %d to %d were acknowledged and are lost"
              .formatted(whose, found + 1, returned));
    } else if (found > returned + 1) {
      violations.add(
          "%s: transfer %d is there, but only %d could have begun"
              .formatted(whose, found, returned + 1));
    }
  }

  /** Moves people as transfers {@code before + 1} to {@code found} did; back if there are fewer. */
  private void replay(int mode, int thread, long before, long found) {
    long sign = found >= before ? 1 : -1;
    for (long n = Math.min(before, found) + 1; n <= Math.max(before, found); n++) {
      long draw = transfers.draw(mode, thread, n);
      long people = sign * transfers.people(draw);
      populations[transfers.from(draw)] -= people;
      populations[transfers.to(draw)] += people;
    }
  }

  private void comparePopulations(RecoveredState state, List<String> violations) {
    int wrong = 0;
    long world = 0;
    for (int city = 0; city < populations.length; city++) {
      long found = state.population(city);
      world += found;
      if (found != populations[city] && wrong++ < EXAMPLES) {
        violations.add(
            "%s (%s) has %,d people instead of %,d"
                .formatted(
                    cities.get(city).name(), cities.get(city).country(), found, populations[city]));
      }
    }
    if (wrong > EXAMPLES) {
      violations.add("%,d more cities have a wrong population".formatted(wrong - EXAMPLES));
    }
    if (world != cities.totalPopulation()) {
      violations.add(
          "the world has %,d people instead of %,d".formatted(world, cities.totalPopulation()));
    }
  }
}
