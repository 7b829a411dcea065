package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.flush.BatchId;
import io.howdah.log.flush.OpenFiles;
import io.howdah.log.report.LogCounts;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.Fault;
import io.howdah.testkit.disk.Operation;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log that is recovered from a summary's shortcut on, and the part before it, read later. */
class RecoveryBehindTest {

  private SimulatedDisk disk;
  private HandMadeLog log;
  private String firstSegment = "";

  @BeforeEach
  void emptyDisk() {
    disk = SimulatedDisk.seeded(9);
    log = HandMadeLog.on(disk.storage());
  }

  private final Map<Long, Long> words = new TreeMap<>();

  private final RedoSink sink =
      (source, from, to) -> {
        for (int at = from; at < to; ) {
          long entry = source.getLong(at);
          at += Long.BYTES;
          for (int i = 0; i < RedoRecordLayout.entryRun(entry); i++, at += Long.BYTES) {
            words.put(RedoRecordLayout.entryAddress(entry) + 8L * i, source.getLong(at));
          }
        }
      };

  private RecoveredLog behind(LogShortcut shortcut) {
    words.clear();
    return LogRecovery.recoverFrom(
        log.storage, new HandMadeLog.OneProcessor(), log.superblock(), sink, shortcut, () -> {});
  }

  private LogCounts before(LogShortcut shortcut) {
    words.clear();
    return LogRecovery.replayBefore(
        log.storage, new HandMadeLog.OneProcessor(), log.superblock(), sink, shortcut);
  }

  private CorruptStoreException damageBehind(LogShortcut shortcut) {
    return catchThrowableOfType(CorruptStoreException.class, () -> behind(shortcut));
  }

  private CorruptStoreException damageBefore(LogShortcut shortcut) {
    return catchThrowableOfType(CorruptStoreException.class, () -> before(shortcut));
  }

  private void requireWords(long first, long last) {
    List<Long> lsns =
        LongStream.rangeClosed(first, last).filter(log.byLsn::containsKey).boxed().toList();
    assertThat(words).isEqualTo(log.replayOf(lsns));
  }

  /** LSNs 1 to 6 in one segment, 7 to 11 in the next, by batches 3 and 4. */
  private LogShortcut usual() {
    firstSegment = log.segment();
    log.commit(0, 1).commit(1, 2).commit(2, 3);
    log.batch(3, 0);
    log.commit(0, 4).commit(1, 5).commit(2, 6);
    log.batch(5, 3);
    log.segment();
    log.commit(0, 7).commit(1, 8).commit(2, 9);
    log.batch(8, 5);
    BatchId third = new BatchId(3, log.previousCrc);
    log.commit(0, 10).commit(1, 11);
    log.batch(11, 8);
    return new LogShortcut(1, 2, 3, 0, 6, 8, third);
  }

  @Test
  void bothPartsTogetherAreTheWholeLog() {
    LogShortcut shortcut = usual();
    RecoveredLog recovered = behind(shortcut);
    requireWords(7, 11);
    assertThat(recovered.outcome()).isEqualTo(new RecoveryOutcome.AfterPowerCut(11, 0, 0, 0));
    assertThat(recovered.counts().records()).isEqualTo(5);
    assertThat(recovered.counts().batches()).isEqualTo(2);
    LogCounts counts = before(shortcut);
    requireWords(1, 6);
    assertThat(counts.records()).isEqualTo(6);
    assertThat(counts.words()).isEqualTo(6);
    assertThat(counts.batches()).isEqualTo(3);
    assertThat(counts.scannedBytes()).isEqualTo(3 * BatchLayout.ALIGNMENT);
  }

  @Test
  void theFirstPartLeavesOutWhatTheImageHas() {
    LogShortcut shortcut = usual();
    log.replayAbove = 4;
    before(shortcut);
    requireWords(5, 6);
    behind(shortcut);
    requireWords(7, 11);
  }

  @Test
  void theFirstPartIsReadToTheShortcutsBatchAtLeast() {
    LogShortcut usual = usual();
    LogShortcut shortcut = new LogShortcut(1, 2, 3, 0, 3, 8, usual.lastBatch());
    assertThat(before(shortcut).batches()).isEqualTo(3);
    requireWords(1, 3);
  }

  @Test
  void theFirstPartNeedsItsSegmentsAndChangesNothing() {
    LogShortcut shortcut = usual();
    disk.flipBit(firstSegment, SegmentLayout.HEADER_LENGTH + 100, 3);
    behind(shortcut);
    requireWords(7, 11);
    assertThat(damageBefore(shortcut)).hasMessageContaining("names batch 3");
  }

  /** Batches hold LSNs up to 9, and none claims a cut above 5, as if a kill had come before. */
  private LogShortcut withoutCut(boolean isWhole) {
    log.segment();
    log.commit(0, 1).commit(1, 2).commit(2, 3);
    log.batch(3, 0);
    if (isWhole) {
      log.commit(0, 4);
    }
    log.commit(1, 5).commit(2, 6);
    log.batch(3, 3);
    log.segment();
    log.commit(0, 7).commit(1, 8).commit(2, 9);
    log.batch(3, 3);
    return new LogShortcut(1, 2, 3, 0, 8, 8, new BatchId(3, log.previousCrc));
  }

  @Test
  void whereNoBatchClaimsItsCutTheRecordsThemselvesTell() {
    LogShortcut shortcut = withoutCut(true);
    assertThat(before(shortcut).records()).isEqualTo(8);
    requireWords(1, 8);
  }

  @Test
  void whereNoBatchClaimsItsCutNoRecordMayBeMissing() {
    LogShortcut shortcut = withoutCut(false);
    assertThat(damageBefore(shortcut)).hasMessageContaining("LSN 4 is in no batch");
  }

  @Test
  void theBatchThatASummaryNamesMustBeReached() {
    LogShortcut usual = withoutCut(true);
    LogShortcut later = new LogShortcut(1, 2, 3, 0, 8, 8, new BatchId(4, 1));
    assertThat(damageBefore(later)).hasMessageContaining("names batch 4");
    assertThat(damageBehind(later)).hasMessageContaining("names batch 4");
    before(usual);
  }

  @Test
  void theSegmentThatASummaryNamesMustBeThere() {
    LogShortcut usual = usual();
    assertThat(damageBehind(new LogShortcut(1, 3, 3, 0, 6, 8, usual.lastBatch())))
        .hasMessageContaining("segment 3 of generation 1");
    assertThat(damageBehind(new LogShortcut(2, 2, 3, 0, 6, 8, usual.lastBatch())))
        .hasMessageContaining("segment 2 of generation 2");
  }

  @Test
  void aSegmentWithoutAHeaderMayHoldWhatIsReadLater() {
    LogShortcut shortcut = usual();
    disk.flipBit(firstSegment, 20, 1);
    assertThat(damageBehind(shortcut)).hasMessageContaining("header is damaged");
  }

  @Test
  void whatASummarySawMustSurvive() {
    log.segment();
    log.commit(0, 1).commit(1, 2).commit(2, 3);
    log.batch(3, 0);
    log.segment();
    log.commit(0, 4).commit(1, 5).commit(2, 7, Lsn.pack(6, 1), 56, 7);
    log.batch(3, 3);
    BatchId second = new BatchId(2, log.previousCrc);
    assertThat(damageBehind(new LogShortcut(1, 2, 2, 0, 3, 6, second)))
        .hasMessageContaining("all LSNs up to 6 as durable, but LSN 6 is missing");
    behind(new LogShortcut(1, 2, 2, 0, 3, 5, second));
    requireWords(4, 5);
  }

  // ---- generations

  @Test
  void aShortcutInTheOpenGenerationLeavesTheClosedOnesForLater() {
    log.segment();
    log.commit(0, 1).commit(1, 2).commit(2, 3);
    log.batch(3, 0);
    log.nextGeneration(3, 3);
    log.commit(0, 4).commit(1, 5).commit(2, 6);
    log.batch(6, 0);
    log.segment();
    log.commit(0, 7).commit(1, 8).commit(2, 9);
    log.batch(9, 6);
    LogShortcut shortcut = new LogShortcut(2, 3, 2, 0, 6, 9, new BatchId(2, log.previousCrc));
    RecoveredLog recovered = behind(shortcut);
    requireWords(7, 9);
    assertThat(recovered.baseLsn()).isEqualTo(9);
    assertThat(before(shortcut).records()).isEqualTo(6);
    requireWords(1, 6);
  }

  @Test
  void aShortcutInAClosedGenerationIsFollowedToItsEnd() {
    log.segment();
    log.commit(0, 1).commit(1, 2).commit(2, 3);
    log.batch(3, 0);
    log.segment();
    log.commit(0, 4).commit(1, 5).commit(2, 6);
    log.batch(6, 3);
    LogShortcut shortcut = new LogShortcut(1, 2, 2, 0, 3, 6, new BatchId(2, log.previousCrc));
    log.nextGeneration(6, 6);
    log.commit(0, 7).commit(1, 8);
    log.batch(8, 0);
    RecoveredLog recovered = behind(shortcut);
    requireWords(4, 8);
    assertThat(recovered.counts().records()).isEqualTo(5);
    assertThat(before(shortcut).records()).isEqualTo(3);
    requireWords(1, 3);
  }

  @Test
  void aBatchThatWasTornBehindTheShortcutIsCutOff() {
    LogShortcut shortcut = usual();
    log.commit(0, 12);
    ByteBuffer torn = log.encode(12, 11);
    log.write(log.offset, torn.putInt(BatchLayout.CRC_OFFSET, 1));
    RecoveredLog recovered = behind(shortcut);
    assertThat(recovered.outcome())
        .isEqualTo(new RecoveryOutcome.AfterPowerCut(11, 0, 0, BatchLayout.ALIGNMENT));
    requireWords(7, 11);
  }

  // ---- descriptors

  @Test
  void everyFileIsClosedWithOneThreadAndWithMore() {
    usual();
    for (Execution execution : List.of(new HandMadeLog.OneProcessor(), Execution.system())) {
      OpenFiles files = new OpenFiles(log.storage);
      words.clear();
      LogRecovery.recover(files.storage(), execution, log.superblock(), sink);
      requireWords(1, 11);
      assertThat(files.open()).isEmpty();
    }
  }

  @Test
  void everyFileIsClosedAfterAFailureToo() {
    usual();
    for (Execution execution : List.of(new HandMadeLog.OneProcessor(), Execution.system())) {
      OpenFiles files = new OpenFiles(log.storage);
      disk.inject(Fault.onNth(Operation.READ, 2).in(firstSegment));
      assertThatThrownBy(
              () -> LogRecovery.recover(files.storage(), execution, log.superblock(), sink))
          .hasMessageContaining(firstSegment);
      disk.clearFaults();
      assertThat(files.open()).isEmpty();
    }
  }
}
