package io.howdah.nvmsim.crash.thynvm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;

/**
 * All crash checks: small runs cut after every event, medium runs cut at samples, and the planted
 * mistakes, each of which must be found.
 *
 * @param small findings of the small runs
 * @param medium findings of the medium runs
 * @param caught planted mistakes that were found
 * @param missed planted mistakes that were not
 */
public record CrashChecks(CrashResult small, CrashResult medium, int caught, List<Mistake> missed) {
  private static final int SMALL_RUNS = 10;
  private static final int MEDIUM_RUNS = 14;
  private static final int QUICK_SHARE = 5;
  private static final int MAX_RUNS_PER_MISTAKE = 20;

  public CrashChecks {
    missed = List.copyOf(missed);
  }

  /** Runs them; {@code quick}: a fifth of the runs. */
  public static CrashChecks run(boolean quick, DoubleConsumer progress) {
    CrashResult small = runs(CrashSetup.small(), quick ? SMALL_RUNS / QUICK_SHARE : SMALL_RUNS);
    progress.accept(0.5);
    CrashResult medium = runs(CrashSetup.medium(), quick ? MEDIUM_RUNS / QUICK_SHARE : MEDIUM_RUNS);
    progress.accept(0.8);
    int caught = 0;
    List<Mistake> missed = new ArrayList<>();
    for (Mistake mistake : Mistake.values()) {
      if (mistake != Mistake.NONE) {
        if (isFound(mistake)) {
          caught++;
        } else {
          missed.add(mistake);
        }
      }
    }
    return new CrashChecks(small, medium, caught, missed);
  }

  private static CrashResult runs(CrashSetup setup, int count) {
    CrashResult all = CrashResult.NOTHING;
    for (int seed = 1; seed <= count; seed++) {
      all = all.plus(CrashRun.run(setup, Mistake.NONE, seed));
    }
    return all;
  }

  private static boolean isFound(Mistake mistake) {
    for (int seed = 1; seed <= MAX_RUNS_PER_MISTAKE; seed++) {
      if (!CrashRun.run(CrashSetup.small(), mistake, seed).violations().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  public long points() {
    return small.points() + medium.points();
  }

  public long states() {
    return small.states() + medium.states();
  }

  public int planted() {
    return caught + missed.size();
  }
}
