package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.StorageException;
import io.howdah.core.storage.StorageException.Reason;
import io.howdah.core.superblock.CheckpointState;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.core.superblock.Superblock;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.log.report.RingTrust;
import io.howdah.testkit.crash.CrashChoice;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log of a store that was closed, and logs that are only read. */
class ClosedLogTest {

  private static final RedoSink NOTHING =
      (source, from, to) -> {
        throw new AssertionError("nothing is to be replayed");
      };

  private final SimulatedDisk disk = SimulatedDisk.seeded(9);
  private final HandMadeLog log = HandMadeLog.on(disk.storage());

  private Superblock closed(long replayAboveLsn) {
    return log.superblock()
        .change()
        .withClean(true)
        .withRings(new RingPlacement.None())
        .withCheckpoint(
            new CheckpointState(
                1, replayAboveLsn, replayAboveLsn, 0, CheckpointState.Phase.FOLDED, 0, 4096, 0))
        .build();
  }

  private RecoveredLog recover(Superblock superblock) {
    return LogRecovery.recover(log.storage, new HandMadeLog.OneProcessor(), superblock, NOTHING);
  }

  private List<String> segments() {
    return log.storage.list("log/0").stream().map(name -> "log/0/" + name).toList();
  }

  @Test
  void nothingIsReadAndEverySegmentIsFree() {
    String first = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    String second = log.segment();
    log.baseLsn = 1;
    RecoveredLog recovered = recover(closed(5));
    assertThat(recovered.outcome()).isEqualTo(new RecoveryOutcome.Clean());
    assertThat(recovered.rings()).isEqualTo(new RingTrust.NotNeeded());
    assertThat(recovered.closed()).isNull();
    assertThat(recovered.baseLsn()).isEqualTo(5);
    assertThat(recovered.lastLsn()).isEqualTo(5);
    assertThat(recovered.freeSegments()).containsExactly(first, second);
    assertThat(recovered.neededSegments()).isEmpty();
    assertThat(recovered.nextSegmentSequence()).isEqualTo(3);
    assertThat(recovered.nextSegmentName()).isEqualTo(2);
    assertThat(recovered.counts()).isEqualTo(new LogCounts(0, 0, 0, 0, 0));
    assertThat(recovered.scanNanos()).isZero();
    assertThat(recovered.relogNanos()).isZero();
  }

  @Test
  void aSegmentThatLostItsEndIsNotUsedAgain() {
    String first = log.segment();
    String second = log.segment();
    disk.truncate(first, SegmentLayout.MIN_LENGTH);
    disk.truncate(second, SegmentLayout.MIN_LENGTH - 1);
    assertThat(recover(closed(5)).freeSegments()).containsExactly(first);
    assertThat(segments()).containsExactly(first);
  }

  @Test
  void theLargestLsnMayBeThatOfTheGenerationsStart() {
    log.segment();
    log.baseLsn = 9;
    assertThat(recover(closed(5)).baseLsn()).isEqualTo(9);
  }

  @Test
  void segmentsThatWereMadeReadyForTheNextGenerationAreDeletedDurably() {
    String first = log.segment();
    Superblock superblock = closed(5);
    log.generation = 2;
    String unused = log.segment();
    log.generation = 1;
    assertThat(LogRecovery.check(log.storage, new HandMadeLog.OneProcessor(), superblock))
        .isNotNull();
    assertThat(segments()).as("only read").containsExactly(first, unused);
    long forces = disk.operations(Operation.FORCE_DIRECTORY);
    recover(superblock);
    assertThat(segments()).containsExactly(first);
    assertThat(disk.operations(Operation.FORCE_DIRECTORY)).isEqualTo(forces + 1);
    recover(superblock);
    assertThat(disk.operations(Operation.FORCE_DIRECTORY)).isEqualTo(forces + 1);
  }

  /** Else a new segment could show it after a power cut, and have another one's sequence. */
  @Test
  void theirHeadersAreGoneForGoodBeforeTheyAreDeleted() {
    log.segment();
    Superblock superblock = closed(5);
    log.generation = 2;
    String unused = log.segment();
    log.generation = 1;
    disk.inject(Fault.onNth(Operation.DELETE, 1).with(Reason.IO));
    assertThat(catchThrowableOfType(StorageException.class, () -> recover(superblock))).isNotNull();
    disk.powerCut(CrashChoice.LOSE_ALL);
    assertThat(disk.contents(unused)).startsWith(new byte[SegmentLayout.HEADER_LENGTH]);
    LogRecovery.recover(disk.storage(), new HandMadeLog.OneProcessor(), superblock, NOTHING);
    assertThat(disk.storage().exists(unused)).isFalse();
  }

  @Test
  void aBatchInOneOfThemSaysThatTheSuperblockIsAnOldOne() {
    log.segment();
    Superblock superblock = closed(5);
    log.generation = 2;
    String later = log.segment();
    log.commit(0, 6);
    int at = log.batch(6, 5);
    for (boolean isRead : new boolean[] {false, true}) {
      CorruptStoreException e =
          catchThrowableOfType(
              CorruptStoreException.class,
              () -> {
                if (isRead) {
                  LogRecovery.check(log.storage, new HandMadeLog.OneProcessor(), superblock);
                } else {
                  recover(superblock);
                }
              });
      assertThat(e.file()).isEqualTo(later);
      assertThat(e.offset()).isEqualTo(at);
      assertThat(e).hasMessageContaining("older than the log");
    }
    assertThat(segments()).contains(later);
  }

  // ---- logs that are only read

  @Test
  void readingALogComesToWhatARecoveryDoesAndChangesNothing() {
    String segment = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(1, 2).commit(2, 3);
    log.rings();
    byte[] before = disk.contents(segment);
    RecoveredLog read =
        LogRecovery.read(
            log.storage, new HandMadeLog.OneProcessor(), log.superblock(), (_, _, _) -> {});
    assertThat(disk.contents(segment)).isEqualTo(before);
    assertThat(segments()).containsExactly(segment);
    assertThat(read.outcome()).isEqualTo(new RecoveryOutcome.AfterKill(3, 0));
    assertThat(read.baseLsn()).isEqualTo(3);
    assertThat(read.lastLsn()).isEqualTo(3);
    assertThat(read.neededSegments()).containsExactly(segment);
    assertThat(read.counts().records()).isEqualTo(3);
    assertThat(read.relogNanos()).isZero();
    RecoveredLog recovered = log.recover().log();
    assertThat(recovered.outcome()).isEqualTo(read.outcome());
    assertThat(recovered.neededSegments()).hasSize(2);
  }

  // ---- times

  /** A clock that begins late and moves with each look. */
  private static final class LateClock implements Execution {
    private static final long START = 1_000_000_000_000L;
    private final Execution other = new HandMadeLog.OneProcessor();
    private long now = START;

    @Override
    public long nanoTime() {
      now += 1000;
      return now;
    }

    @Override
    public void parkNanos(Object blocker, long nanos) {
      other.parkNanos(blocker, nanos);
    }

    @Override
    public void unpark(Thread thread) {}

    @Override
    public void spinWait() {}

    @Override
    public void yieldNow() {}

    @Override
    public Thread start(String name, Runnable body) {
      return other.start(name, body);
    }

    @Override
    public int availableProcessors() {
      return 1;
    }
  }

  @Test
  void readingAndMakingItDurableTakeAsLongAsTheClockSays() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    LateClock clock = new LateClock();
    RecoveredLog recovered = log.recover(clock).log();
    long taken = clock.now - LateClock.START;
    assertThat(recovered.scanNanos()).isBetween(1000L, taken);
    assertThat(recovered.relogNanos()).isBetween(1000L, taken);
    assertThat(recovered.scanNanos() + recovered.relogNanos()).isLessThanOrEqualTo(taken);
    log.placement = new RingPlacement.None();
    log.nextGeneration(1, 1);
    log.placement = new RingPlacement.None();
    RecoveredLog unopened = log.recover(clock).log();
    assertThat(unopened.scanNanos()).isBetween(1000L, clock.now - LateClock.START);
    assertThat(unopened.relogNanos()).isZero();
  }
}
