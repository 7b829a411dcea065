package io.howdah.nvmsim.crash.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.nvmsim.thynvm.SchemePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** The policies of the figures and of the ablations, besides the one of the runs above. */
  @ParameterizedTest
  @CsvSource({
    "4, 3, true, true, true, false",
    "4, 3, true, true, false, false",
    "4, 3, true, false, true, false",
    "4, 3, true, true, false, true",
    "0, 0, true, true, true, false",
  })
  void memoryRecoversUnderEveryPolicy(
      int above, int below, boolean atOnce, boolean switching, boolean joint, boolean pagesOnly) {
    SchemePolicy policy = new SchemePolicy(above, below, atOnce, switching, joint, pagesOnly);
    CrashSetup small = new CrashSetup(8, 2, 4, 32, 6, policy, 1 << 8, 1);
    CrashSetup medium = new CrashSetup(64, 16, 8, 1024, 12, policy, 4, 8);
    CrashResult found = CrashRun.run(small, 1).plus(CrashRun.run(medium, 1));
    assertThat(found.violations()).isEmpty();
    assertThat(found.points()).isGreaterThan(500);
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
