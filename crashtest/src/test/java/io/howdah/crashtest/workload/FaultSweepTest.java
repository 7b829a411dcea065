package io.howdah.crashtest.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Some of the faults of a workload; {@code howdah test faults} runs all of many. */
class FaultSweepTest {

  private static final int FAULTS = 20;

  @Test
  void whateverFailsTheStoreServesOrSaysThatItHasStopped() {
    FaultSweep sweep = new FaultSweep(1, "put,checkpoint,put-sync");
    assertThat(sweep.count()).isGreaterThan(500);
    Set<FaultSweep.Outcome> outcomes = EnumSet.noneOf(FaultSweep.Outcome.class);
    for (int i = 0; i < FAULTS; i++) {
      outcomes.add(sweep.run(sweep.count() * i / FAULTS));
    }
    assertThat(outcomes).hasSizeGreaterThan(1);
  }
}
