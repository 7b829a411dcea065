package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RingLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The log of a killed process has a hole, and its rings are trusted. The recovery ends at each of
 * its storage operations, by a kill, a power cut or the loss of the rings. The next one finds the
 * same commits after a kill, and a legal cut without the rings; the one after that finds no others.
 */
class CrashedHoleTest {

  private static final long HOLE = 2;

  private SimulatedDisk disk = SimulatedDisk.seeded(9);

  /** Where the commit behind the hole is. */
  enum Behind {
    IN_A_BATCH,
    IN_A_RING
  }

  /** What ends the first recovery. */
  private enum Death {
    KILL,
    RINGS_LOST,
    POWER_CUT_KEEPS_ALL,
    POWER_CUT_LOSES_ALL,
    POWER_CUT_TEARS;

    void of(SimulatedDisk disk) {
      switch (this) {
        case KILL -> disk.kill();
        case RINGS_LOST -> disk.replaceContainer();
        case POWER_CUT_KEEPS_ALL -> disk.powerCut(CrashChoice.KEEP_ALL);
        case POWER_CUT_LOSES_ALL -> disk.powerCut(CrashChoice.LOSE_ALL);
        case POWER_CUT_TEARS ->
            disk.powerCut(disk.crashStates().choice(disk.crashStates().count() / 2));
      }
    }
  }

  private HandMadeLog log() {
    return new HandMadeLog(disk.storage(), 3, RingLayout.MIN_CAPACITY);
  }

  private HandMadeLog killed(Behind behind) {
    disk = SimulatedDisk.seeded(9);
    HandMadeLog log = log();
    log.segment();
    log.commit(0, 1);
    if (behind == Behind.IN_A_BATCH) {
      log.commit(2, 3);
    }
    log.batch(1, 0);
    if (behind == Behind.IN_A_RING) {
      log.commit(2, 3);
    }
    // It has read what LSN 3 wrote; partition 1 has taken LSN 2 and published nothing.
    log.commit(0, 4, Lsn.pack(3, 2), 800, 4).commit(2, 5);
    log.announce(1, HOLE - 1);
    log.rings();
    return log;
  }

  private Outcome again(HandMadeLog before) {
    HandMadeLog log = log();
    log.byLsn.putAll(before.byLsn);
    log.placement = before.placement;
    return log.recover();
  }

  @ParameterizedTest
  @EnumSource(Behind.class)
  void aSecondCrashAnywhereBringsNothingBackAndLosesNothing(Behind behind) {
    Map<Long, Long> all = killed(behind).replayOf(List.of(1L, 3L, 4L, 5L));
    long from = disk.operations();
    Outcome whole = again(killed(behind));
    assertThat(whole.words()).isEqualTo(all);
    assertThat(whole.log().outcome()).isEqualTo(new RecoveryOutcome.AfterKill(5, 1));
    long to = disk.operations();
    // A crash at another operation leaves what one at the operation before leaves.
    List<Long> changes =
        LongStream.rangeClosed(from + 1, to)
            .filter(n -> disk.operation(n).changesDisk())
            .boxed()
            .toList();
    int cuts = 0;
    for (Death death : Death.values()) {
      for (CrashMoment moment : CrashMoment.values()) {
        for (long n : changes) {
          if (moment == CrashMoment.AFTER && n != changes.getLast()) {
            continue; // as before the next one
          }
          String what = death + ", " + moment + " operation " + n + " of " + to;
          HandMadeLog log = killed(behind);
          disk.crashAtOperation(n, moment);
          try {
            again(log);
          } catch (SimulatedCrash e) {
            // as planned
          }
          death.of(disk);
          Outcome second = again(log);
          boolean areRingsThere = second.log().rings() instanceof RingTrust.Trusted;
          assertThat(areRingsThere).as(what).isEqualTo(death == Death.KILL);
          if (areRingsThere) {
            assertThat(second.words()).as(what).isEqualTo(all);
          } else {
            // LSN 4 depends on an LSN above the cut; LSN 5 stands behind LSN 3 in its partition.
            assertThat(second.words())
                .as(what)
                .isIn(
                    log.replayOf(List.of(1L)),
                    log.replayOf(List.of(1L, 3L)),
                    log.replayOf(List.of(1L, 3L, 5L)));
            assertThat(Objects.requireNonNull(second.log().closed()).cut()).as(what).isEqualTo(1);
            cuts++;
          }
          assertThat(second.log().baseLsn()).as(what).isGreaterThanOrEqualTo(1);
          disk.kill();
          assertThat(again(log).words()).as(what + ", once more").isEqualTo(second.words());
        }
      }
    }
    assertThat(cuts).isPositive();
  }
}
