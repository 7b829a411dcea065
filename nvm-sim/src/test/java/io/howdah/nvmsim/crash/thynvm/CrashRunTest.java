package io.howdah.nvmsim.crash.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Memory recovers from every power cut. Five planted mistakes of the protocol ({@code sim-thynvm-*}
 * of the planted bugs) are judged here.
 */
final class CrashRunTest {
  @Test
  void smallRunsRecoverFromACutAfterEveryEvent() {
    CrashResult found = CrashResult.NOTHING;
    for (int seed = 1; seed <= 4; seed++) {
      found = found.plus(CrashRun.run(CrashSetup.small(), seed));
    }
    assertThat(found.violations()).isEmpty();
    assertThat(found.points()).isGreaterThan(1000);
    assertThat(found.cutRecoveries()).isGreaterThan(1000);
  }

  @Test
  void mediumRunsRecoverFromCutsAtSamples() {
    CrashResult found = CrashResult.NOTHING;
    for (int seed = 1; seed <= 3; seed++) {
      found = found.plus(CrashRun.run(CrashSetup.medium(), seed));
    }
    assertThat(found.violations()).isEmpty();
    assertThat(found.points()).isGreaterThan(1000);
  }

  /** Otherwise the runs would prove little. */
  @Test
  void smallRunsPromoteDemoteAndSwap() {
    CrashResult found = CrashRun.run(CrashSetup.small(), 1);
    assertThat(found.promotions()).isPositive();
    assertThat(found.demotions()).isPositive();
    assertThat(found.swaps()).isPositive();
  }
}
