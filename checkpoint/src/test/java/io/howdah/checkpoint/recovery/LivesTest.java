package io.howdah.checkpoint.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.checkpoint.recovery.Lives.Death;
import io.howdah.testkit.crash.CrashUnit;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random lives of a store, one seed each: see {@link Lives}. */
@Tag("scaled")
class LivesTest {

  private static final int SEEDS = Integer.getInteger("howdah.lives", 4);

  private static Lives run(long seed, boolean ringsInStore, List<Death> deaths) {
    SimulatedDisk disk =
        SimulatedDisk.builder(seed).unit(List.of(CrashUnit.values()).get((int) (seed % 3))).build();
    HandStore.Setup setup =
        new HandStore.Setup(1 + (int) (seed % 6), ringsInStore, seed % 5 == 0 ? 0 : 1L << 40);
    Lives lives = new Lives(disk, seed, setup, deaths);
    try {
      lives.live(6);
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          "seed " + seed + ", rings in store " + ringsInStore + "\n  " + lives, e);
    }
    return lives;
  }

  @Test
  void everyOpeningKeepsWhatWasPromised() {
    int holes = 0;
    int beyond = 0;
    int discarded = 0;
    int cleanCloses = 0;
    int kills = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Lives lives =
          run(
              seed,
              false,
              List.of(
                  Death.KILL,
                  Death.KILL,
                  Death.POWER_CUT,
                  Death.FILE_SYSTEM_SHUTDOWN,
                  Death.CONTAINER_REPLACED,
                  Death.RING_LOST));
      holes += lives.holes;
      beyond += lives.survivorsBeyond;
      discarded += lives.discarded;
      cleanCloses += lives.cleanCloses;
      kills += lives.kills;
    }
    assertThat(holes).isPositive();
    assertThat(beyond).isPositive();
    assertThat(discarded).isPositive();
    assertThat(cleanCloses).isPositive();
    assertThat(kills).isPositive();
  }

  @Test
  void ringsInTheStoreSurviveKillsAndNothingElse() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(seed, true, List.of(Death.KILL, Death.KILL, Death.POWER_CUT));
    }
  }

  @Test
  void killsAloneLoseNothingThatReturned() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      run(seed, seed % 2 == 0, List.of(Death.KILL));
    }
  }
}
