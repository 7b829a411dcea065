package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nothing acknowledged is lost, whatever the engine does within its promises. */
class SimulatedGroupTest {

  private static final int SEEDS = Integer.getInteger("howdah.seeds", 60);

  @Test
  void aCalmGroupCommits() {
    GroupRun run = new GroupRun(1, 20, SimulatedGroup.Habits.CALM);
    run.run();
    assertThat(run.acknowledged).isGreaterThan(20);
  }

  @Test
  void aWildGroupKeepsWhatItHasAcknowledged() {
    int acknowledged = 0;
    int unknown = 0;
    int newestReads = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      GroupRun run = new GroupRun(seed, 12, SimulatedGroup.Habits.WILD);
      try {
        run.run();
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed + ": " + e + "; " + run.describe(), e);
      }
      if (Boolean.getBoolean("howdah.tell")) {
        System.out.println("seed " + seed + ": " + run.describe());
      }
      acknowledged += run.acknowledged;
      unknown += run.unknown;
      newestReads += run.newestReads;
    }
    // Or the runs would show nothing.
    assertThat(acknowledged).isGreaterThan(5 * SEEDS);
    assertThat(unknown).isGreaterThan(SEEDS);
    assertThat(newestReads).isGreaterThan(SEEDS);
  }
}
