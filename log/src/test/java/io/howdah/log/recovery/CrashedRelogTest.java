package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RingLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.log.commit.Lsn;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.crash.CrashMoment;
import io.howdah.testkit.disk.CrashStates;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.testkit.schedule.SimulatedCrash;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** One commit, forced or not, and three that only the rings hold. */
  private HandMadeLog usual(boolean inStore, boolean hasBatch) {
    disk = SimulatedDisk.seeded(9);
    HandMadeLog log = log();
    if (inStore) {
      log.placement = new RingPlacement.StoreDirectory(HandMadeLog.NONCE);
    }
    log.segment();
    log.commit(0, 1);
    if (hasBatch) {
      log.batch(1, 0);
    }
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

  /** All kept, all lost, then what is lost at random. */
  private CrashChoice choice(int number) {
    CrashStates states = disk.crashStates();
    return switch (number) {
      case 0 -> CrashChoice.KEEP_ALL;
      case 1 -> CrashChoice.LOSE_ALL;
      default ->
          states.choice(states.isExhaustive() ? number % states.count() : states.count() + number);
    };
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false"})
  void aPowerCutAnywhereInARecoveryLeavesALogThatCanBeRecovered(boolean inStore, boolean hasBatch) {
    HandMadeLog whole = usual(inStore, hasBatch);
    long from = disk.operations();
    whole.recover();
    long to = disk.operations();
    List<Long> changes =
        LongStream.rangeClosed(from + 1, to)
            .filter(n -> disk.operation(n).changesDisk())
            .boxed()
            .toList();
    List<Long> forces = changes.stream().filter(n -> disk.operation(n) == Operation.FORCE).toList();
    for (long n : changes) {
      // There the most may be lost, in any part; without a batch a header too, and not what
      // follows.
      int choices = !forces.contains(n) ? 3 : hasBatch ? 8 : 40;
      for (int i = 0; i < choices; i++) {
        HandMadeLog log = usual(inStore, hasBatch);
        disk.crashAtOperation(n, CrashMoment.BEFORE);
        try {
          log.recover();
        } catch (SimulatedCrash e) {
          // as planned
        }
        disk.powerCut(choice(i));
        Outcome outcome = reopened(log).recover();
        RecoveryOutcome.AfterPowerCut found =
            (RecoveryOutcome.AfterPowerCut) outcome.log().outcome();
        assertThat(found.cut())
            .as("operation %s, choice %s", n, i)
            .isBetween(hasBatch ? 1L : 0L, 4L);
        assertThat(outcome.words()).isEqualTo(log.replayUpTo(found.cut()));
      }
    }
  }

  /** A copy of the log's segment, of which a file system may show the bytes in a new file. */
  private void deleteCopyOf(String segment) {
    Storage storage = disk.storage();
    byte[] contents = disk.contents(segment);
    String copy = "log/0/00000090.seg";
    try (StorageFile file = storage.create(copy)) {
      file.write(0, ByteBuffer.allocateDirect(contents.length).put(contents).flip());
      file.force();
    }
    storage.forceDirectory("log/0");
    storage.delete(copy);
    storage.forceDirectory("log/0");
  }

  @Test
  void aSegmentThatARecoveryMakesNeverShowsADeletedOne() {
    String segment = "log/0/" + usual(false, true).storage.list("log/0").getFirst();
    deleteCopyOf(segment);
    int states = 0;
    boolean isOver = false;
    for (int operation = 1; !isOver; operation++) {
      HandMadeLog log = usual(false, true);
      deleteCopyOf(segment);
      long end = disk.operations() + operation;
      disk.crashAtOperation(end, CrashMoment.AFTER);
      try {
        log.recover();
      } catch (SimulatedCrash e) {
        assertThat(disk.hasCrashed()).isTrue();
      }
      isOver = disk.operations() < end;
      SimulatedDisk died = disk;
      long count = died.crashStates().count();
      for (int i = 0; count > CrashStates.EXHAUSTIVE_STATES && i < 100; i++) {
        disk = died.fork();
        disk.powerCut(disk.crashStates().choice(3L * i + 2)); // the states with stale bytes
        RecoveryOutcome.AfterPowerCut found =
            (RecoveryOutcome.AfterPowerCut) reopened(log).recover().log().outcome();
        assertThat(found.cut()).as("operation %s, state %s", operation, i).isBetween(1L, 4L);
        states++;
      }
    }
    assertThat(states).isPositive();
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

  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false"})
  void recordsThatOnlyRingsContainedAreDurableAfterTheReturn(boolean inStore, boolean hasBatch) {
    HandMadeLog log = usual(inStore, hasBatch);
    ClosedGeneration record = closed(log.recover());
    assertThat(record.lastBatch()).isEqualTo(hasBatch ? 2 : 1);
    disk.powerCut(CrashChoice.LOSE_ALL);
    HandMadeLog last = reopened(log);
    last.closed.add(record);
    last.generation = 2;
    last.baseLsn = 4;
    last.firstSegment = 3;
    last.placement = new RingPlacement.None();
    assertThat(last.recover().words()).isEqualTo(log.replayUpTo(4));
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
