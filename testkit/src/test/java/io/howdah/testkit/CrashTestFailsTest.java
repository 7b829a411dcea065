package io.howdah.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.testkit.ToyLog.Bug;
import io.howdah.testkit.crash.CrashUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A crash test fails when it should; driven as the extension drives it. */
class CrashTestFailsTest {

  /** Carries the annotation; JUnit does not run it. */
  interface Carrier {
    @CrashTest(units = CrashUnit.SECTOR, points = 30, states = 20, recoveryPoints = 0)
    void settings();
  }

  private static CrashTestRun plan() {
    try {
      return new CrashTestRun(
          Carrier.class.getDeclaredMethod("settings").getAnnotation(CrashTest.class));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private static void test(CrashControl crash, Set<Bug> bugs) {
    List<Long> acknowledged = new ArrayList<>();
    crash.run(
        () -> {
          try (ToyLog log = new ToyLog(crash.machine().storage(), bugs)) {
            log.append(1);
            acknowledged.add(1L);
          }
        });
    crash.check(
        machine -> {
          try (ToyLog log = new ToyLog(machine.storage(), bugs)) {
            assertThat(log.keys()).containsAll(acknowledged);
          }
        });
  }

  @Test
  void aMissingForceFailsAndIsReplayed() {
    Set<Bug> bug = EnumSet.of(Bug.NO_FORCE);
    CrashTestRun plan = plan();
    CrashTestFailure failure =
        catchThrowableOfType(
            CrashTestFailure.class,
            () -> {
              while (plan.hasNext()) {
                test(plan.next(), bug);
              }
            });
    assertThat(failure).isNotNull();
    CrashControl again = plan.only(failure.replay());
    assertThatThrownBy(() -> test(again, bug))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessage(failure.getMessage());
    assertThat(again.describe()).contains(failure.replay().toString());
  }

  @Test
  void aWholeRunThatFailsIsTheOnlyOne() {
    CrashTestRun plan = plan();
    CrashControl crash = plan.next();
    assertThatThrownBy(
            () ->
                crash.run(
                    () -> {
                      throw new IllegalStateException("broken anyway");
                    }))
        .isInstanceOf(CrashTestFailure.class)
        .hasMessageContaining("broken anyway");
    assertThat(plan.hasNext()).isFalse();
  }

  @Test
  void aTestThatChecksNothingFails() {
    CrashControl crash = plan().next();
    crash.run(() -> {});
    assertThatThrownBy(crash::requireChecked).hasMessageContaining("has not called");
    assertThatThrownBy(() -> crash.run(() -> {})).isInstanceOf(IllegalStateException.class);
    CrashControl idle = plan().next();
    assertThatThrownBy(() -> idle.check(machine -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call run first");
  }
}
