package io.howdah.nvmsim.crash.thynvm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory recovers from every power cut, and the checks notice when it would not. */
final class CrashRunTest {
  @Test
  void smallRunsRecoverFromACutAfterEveryEvent() {
    CrashResult found = CrashResult.NOTHING;
    for (int seed = 1; seed <= 4; seed++) {
      found = found.plus(CrashRun.run(CrashSetup.small(), Mistake.NONE, seed));
    }
    assertThat(found.violations()).isEmpty();
    assertThat(found.points()).isGreaterThan(1000);
    assertThat(found.cutRecoveries()).isGreaterThan(1000);
  }

  @Test
  void mediumRunsRecoverFromCutsAtSamples() {
    CrashResult found = CrashResult.NOTHING;
    for (int seed = 1; seed <= 3; seed++) {
      found = found.plus(CrashRun.run(CrashSetup.medium(), Mistake.NONE, seed));
    }
    assertThat(found.violations()).isEmpty();
    assertThat(found.points()).isGreaterThan(1000);
  }

  /** Otherwise the runs would prove little. */
  @Test
  void smallRunsPromoteDemoteAndSwap() {
    CrashResult found = CrashRun.run(CrashSetup.small(), Mistake.NONE, 1);
    assertThat(found.promotions()).isPositive();
    assertThat(found.demotions()).isPositive();
    assertThat(found.swaps()).isPositive();
  }

  @ParameterizedTest
  @EnumSource(value = Mistake.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedMistakeIsFound(Mistake mistake) {
    boolean found = false;
    for (int seed = 1; seed <= 20 && !found; seed++) {
      found = !CrashRun.run(CrashSetup.small(), mistake, seed).violations().isEmpty();
    }
    assertThat(found).isTrue();
  }
}
