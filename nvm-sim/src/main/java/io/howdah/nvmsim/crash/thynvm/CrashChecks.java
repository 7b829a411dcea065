package io.howdah.nvmsim.crash.thynvm;

import java.util.function.DoubleConsumer;

/**
 * All crash checks: small runs cut after every event, medium runs cut at samples.
 *
 * @param small findings of the small runs
 * @param medium findings of the medium runs
 */
public record CrashChecks(CrashResult small, CrashResult medium) {
  private static final int SMALL_RUNS = 10;
  private static final int MEDIUM_RUNS = 14;
  private static final int QUICK_SHARE = 5;

  /** Runs them; {@code quick}: a fifth of the runs. */
  public static CrashChecks run(boolean quick, DoubleConsumer progress) {
    CrashResult small = runs(CrashSetup.small(), quick ? SMALL_RUNS / QUICK_SHARE : SMALL_RUNS);
    progress.accept(0.6);
    CrashResult medium = runs(CrashSetup.medium(), quick ? MEDIUM_RUNS / QUICK_SHARE : MEDIUM_RUNS);
    progress.accept(1);
    return new CrashChecks(small, medium);
  }

  private static CrashResult runs(CrashSetup setup, int count) {
    CrashResult all = CrashResult.NOTHING;
    for (int seed = 1; seed <= count; seed++) {
      all = all.plus(CrashRun.run(setup, seed));
    }
    return all;
  }

  public long points() {
    return small.points() + medium.points();
  }

  public long states() {
    return small.states() + medium.states();
  }
}
