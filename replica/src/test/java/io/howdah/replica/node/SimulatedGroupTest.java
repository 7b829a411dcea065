package io.howdah.replica.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nothing acknowledged is lost, whatever the engine does within its promises. */
class SimulatedGroupTest {

  private static final int SEEDS = Integer.getInteger("howdah.seeds", 250);
  private static final int FIRST_SEED = Integer.getInteger("howdah.firstSeed", 1);
  private static final int POWER_CUTS = Integer.getInteger("howdah.powerCuts", 3);

  @Test
  void aCalmGroupCommits() {
    GroupRun run = new GroupRun(1, 30, SimulatedGroup.Habits.CALM, 0);
    run.run();
    assertThat(run.acknowledged).isGreaterThan(12);
  }

  @Test
  void aWildGroupKeepsWhatItHasAcknowledged() {
    int acknowledged = 0;
    int unknown = 0;
    int newestReads = 0;
    int localReads = 0;
    int positionReads = 0;
    int snapshots = 0;
    int transfers = 0;
    int powerCutsOfAll = 0;
    for (int seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      GroupRun run =
          new GroupRun(seed, 16, SimulatedGroup.Habits.WILD, seed % 2 == 0 ? POWER_CUTS : 0);
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
      localReads += run.localReads;
      positionReads += run.positionReads;
      snapshots += run.snapshots;
      transfers += run.transfers;
      powerCutsOfAll += run.cutsOfAll;
    }
    // Or the runs would show nothing.
    assertThat(acknowledged).isGreaterThan(5 * SEEDS);
    assertThat(unknown).isGreaterThan(SEEDS);
    assertThat(newestReads).isGreaterThan(SEEDS);
    assertThat(localReads).isGreaterThan(SEEDS);
    assertThat(positionReads).isGreaterThan(SEEDS);
    assertThat(snapshots).isGreaterThan(SEEDS / 4);
    assertThat(transfers).isGreaterThan(SEEDS / 4);
    assertThat(powerCutsOfAll).isGreaterThanOrEqualTo(SEEDS * POWER_CUTS / 24);
  }
}
