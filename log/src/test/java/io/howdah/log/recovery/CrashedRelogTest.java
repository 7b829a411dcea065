package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.log.commit.Lsn;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a recovery makes durable before its outcome counts: power cuts within it, and behind it with
 * a log that nobody had forced.
 */
class CrashedRelogTest {

  private static final long RING_BYTES = RingLayout.MIN_CAPACITY;

  private SimulatedDisk disk = SimulatedDisk.seeded(9);

  private HandMadeLog log() {
    return new HandMadeLog(disk.storage(), 3, RING_BYTES);
  }

  /** One forced commit, three that only the rings hold. */
  private HandMadeLog usual(boolean inStore) {
    disk = SimulatedDisk.seeded(9);
    HandMadeLog log = log();
    if (inStore) {
      log.placement = new RingPlacement.StoreDirectory(HandMadeLog.NONCE);
    }
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(1, 2).commit(2, 3, Lsn.pack(2, 1), 800, 3).commit(0, 4);
    log.rings();
    return log;
  }

  /** Returns the same log, seen by a process that knows what the superblock says. */
  private HandMadeLog reopened(HandMadeLog before) {
    HandMadeLog log = log();
    log.byLsn.putAll(before.byLsn);
    log.placement = before.placement;
    return log;
  }

  private static ClosedGeneration closed(Outcome outcome) {
    return Objects.requireNonNull(outcome.log().closed());
  }

  private static List<CrashChoice> choices(long seed) {
    return List.of(
        CrashChoice.KEEP_ALL,
        new CrashChoice(seed, 0),
        new CrashChoice(seed, 1),
        new CrashChoice(seed, 2));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPowerCutAnywhereInARecoveryLeavesALogThatCanBeRecovered(boolean inStore) {
    HandMadeLog whole = usual(inStore);
    long from = disk.operations();
    whole.recover();
    long to = disk.operations();
    List<Long> changes =
        LongStream.rangeClosed(from + 1, to)
            .filter(n -> disk.operation(n).changesDisk())
            .boxed()
            .toList();
    for (long n : changes) {
      for (CrashChoice choice : choices(n)) {
        HandMadeLog log = usual(inStore);
        disk.crashAtOperation(n, CrashMoment.BEFORE);
        try {
          log.recover();
        } catch (SimulatedCrash e) {
          // as planned
        }
        disk.powerCut(choice);
        Outcome outcome = reopened(log).recover();
        RecoveryOutcome.AfterPowerCut found =
            (RecoveryOutcome.AfterPowerCut) outcome.log().outcome();
        assertThat(found.cut()).as("operation %s, choice %s", n, choice).isBetween(1L, 4L);
        assertThat(outcome.words()).isEqualTo(log.replayUpTo(found.cut()));
      }
    }
  }

  @Test
  void whatARecoveryHasReadIsDurableWhenItReturns() {
    HandMadeLog log = log();
    log.isForced = false;
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.segment();
    log.commit(1, 2);
    log.batch(2, 1);
    disk.kill();
    HandMadeLog next = reopened(log);
    ClosedGeneration record = closed(next.recover());
    disk.powerCut(CrashChoice.LOSE_ALL);
    HandMadeLog last = reopened(log);
    last.closed.add(record);
    last.generation = 2;
    last.baseLsn = 2;
    last.firstSegment = 4;
    last.placement = new RingPlacement.None();
    assertThat(last.recover().words()).isEqualTo(log.replayUpTo(2));
  }

  /** After a force that failed, no other force proves anything about what it covered. */
  @Test
  void theLastBatchIsDurableInItsCopyAlthoughAForceOfItHadFailed() {
    HandMadeLog log = log();
    String segment = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(1, 2);
    disk.inject(Fault.onNth(Operation.FORCE, 1).in(segment));
    try {
      log.batch(2, 0);
    } catch (RuntimeException e) {
      // the flusher stops here
    }
    disk.clearFaults();
    disk.kill();
    HandMadeLog next = reopened(log);
    ClosedGeneration record = closed(next.recover());
    assertThat(record.lastBatch()).isEqualTo(2);
    disk.powerCut(CrashChoice.LOSE_ALL);
    HandMadeLog last = reopened(log);
    last.closed.add(record);
    last.generation = 2;
    last.baseLsn = 2;
    last.firstSegment = 3;
    last.placement = new RingPlacement.None();
    assertThat(last.recover().words()).isEqualTo(log.replayOf(List.of(1L, 2L)));
  }
}
