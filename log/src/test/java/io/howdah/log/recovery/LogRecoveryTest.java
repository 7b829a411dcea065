package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.UnsupportedStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentHeader;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.core.storage.Storage;
import io.howdah.core.storage.StorageFile;
import io.howdah.core.superblock.ClosedGeneration;
import io.howdah.core.superblock.RingPlacement;
import io.howdah.log.commit.Lsn;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The log's recovery without rings, on logs made by hand. */
class LogRecoveryTest {

  private SimulatedDisk disk;
  private HandMadeLog log;

  @BeforeEach
  void emptyDisk() {
    disk = SimulatedDisk.seeded(9);
    log = HandMadeLog.on(disk.storage());
  }

  private static RecoveryOutcome.AfterPowerCut powerCut(Outcome outcome) {
    return (RecoveryOutcome.AfterPowerCut) outcome.log().outcome();
  }

  private static ClosedGeneration closed(Outcome outcome) {
    return Objects.requireNonNull(outcome.log().closed());
  }

  private static CorruptStoreException damage(HandMadeLog log) {
    return org.assertj.core.api.Assertions.catchThrowableOfType(
        CorruptStoreException.class, log::recover);
  }

  // ---- order and cut

  @Test
  void aGenerationWithoutBatchesIsEmpty() {
    log.segment();
    Outcome outcome = log.recover();
    assertThat(outcome.words()).isEmpty();
    assertThat(powerCut(outcome).cut()).isZero();
    assertThat(outcome.log().closed())
        .isEqualTo(new ClosedGeneration(1, 0, 0, 0L, List.of(0L, 0L, 0L)));
    assertThat(outcome.log().nextSegmentSequence()).isEqualTo(2);
  }

  @Test
  void recordsAreReplayedInTheOrderOfLsns() {
    log.segment();
    log.commit(2, 1, 0, 0, 71).commit(0, 3, 0, 0, 73);
    log.batch(1, 0);
    log.commit(1, 2, 0, 0, 72).commit(0, 5, 0, 8, 75);
    log.batch(3, 1);
    log.voided(2, 4).commit(1, 6, 0, 8, 76);
    log.batch(6, 3);
    Outcome outcome = log.recover();
    assertThat(outcome.order()).containsExactly(71L, 72L, 73L, 75L, 76L);
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(6));
    assertThat(powerCut(outcome)).isEqualTo(new RecoveryOutcome.AfterPowerCut(6, 0, 0, 0));
    assertThat(outcome.log().baseLsn()).isEqualTo(6);
    assertThat(outcome.log().counts().records()).isEqualTo(6);
  }

  @Test
  void beyondTheCutIndependentRunsSurvive() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    // LSN 2 is lost with its partition's record.
    log.commit(1, 3).commit(2, 4, Lsn.pack(3, 1), 0, 44).commit(1, 5);
    log.batch(1, 1);
    Outcome outcome = log.recover();
    assertThat(powerCut(outcome)).isEqualTo(new RecoveryOutcome.AfterPowerCut(1, 1, 1, 0));
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(1L, 3L, 5L)));
    assertThat(closed(outcome).survivorEnds()).containsExactly(0L, 5L, 0L);
    assertThat(outcome.log().baseLsn()).isEqualTo(5);
  }

  @Test
  void replayStartsAboveTheCheckpoint() {
    log.segment();
    log.commit(0, 1).commit(0, 2);
    log.batch(2, 0);
    log.commit(1, 3);
    log.batch(3, 2);
    log.replayAbove = 2;
    Outcome outcome = log.recover();
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(3L)));
    assertThat(powerCut(outcome).cut()).isEqualTo(3);
  }

  // ---- parts

  @Test
  void partsCountWithTheirCommitOnly() {
    log.segment();
    log.commit(0, 1).part(1, 7, 0, 800, 1).part(1, 7, 1, 808, 2);
    log.batch(1, 0);
    log.part(1, 7, 2, 816, 3);
    log.commit(0, 2, 0, 800, 99);
    log.batch(2, 1);
    log.multipartCommit(1, 3, 7, 3, 824, 4);
    log.batch(3, 2);
    Outcome outcome = log.recover();
    assertThat(outcome.words())
        .containsEntry(800L, 1L)
        .containsEntry(808L, 2L)
        .containsEntry(816L, 3L)
        .containsEntry(824L, 4L);
  }

  @Test
  void partsGivenUpAreNeverSeen() {
    log.segment();
    log.part(1, 1, 0, 800, 1).voided(1, 1);
    log.part(1, 2, 0, 800, 2).part(1, 3, 0, 808, 3).multipartCommit(1, 2, 3, 1, 816, 4);
    log.batch(2, 0);
    log.part(1, 4, 0, 800, 5);
    log.batch(2, 2);
    assertThat(log.recover().words()).isEqualTo(Map.of(808L, 3L, 816L, 4L));
  }

  @Test
  void aCommitOfPartsThatAreNotThereIsDamage() {
    log.segment();
    log.part(1, 1, 0, 800, 1).multipartCommit(1, 1, 1, 2, 816, 4);
    log.batch(1, 0);
    assertThat(damage(log)).hasMessageContaining("follows 1 parts");
  }

  @Test
  void aPartOutOfTurnIsDamage() {
    log.segment();
    log.part(1, 1, 0, 800, 1).part(1, 1, 2, 800, 1);
    log.batch(0, 0);
    assertThat(damage(log)).hasMessageContaining("part 2 of group 1");
  }

  // ---- where the log ends

  @Test
  void theReportSaysHowMuchWasTorn() {
    log.segment();
    log.commit(0, 1);
    ByteBuffer torn = log.encode(1, 0);
    torn.put(100, (byte) (torn.get(100) ^ 1));
    log.write(log.offset, torn);
    assertThat(powerCut(log.recover())).isEqualTo(new RecoveryOutcome.AfterPowerCut(0, 0, 0, 4096));
  }

  @Test
  void aBadBatchBeforeAGoodOneIsDamage() {
    String segment = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(0, 2);
    int bad = log.batch(2, 1);
    log.commit(0, 3);
    log.batch(3, 2);
    disk.flipBit(segment, bad + 100, 3);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(segment);
    assertThat(e.offset()).isEqualTo(bad);
    assertThat(e).hasMessageContaining("batch 2 of generation 1");
    disk.flipBit(segment, bad + 100, 3);
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(3));
  }

  @Test
  void aGoodBatchInALaterSegmentProvesDamageToo() {
    String first = log.segment();
    log.commit(0, 1);
    int bad = log.batch(1, 0);
    log.segment();
    log.commit(0, 2);
    log.batch(2, 1);
    disk.flipBit(first, bad + 8, 0);
    assertThat(damage(log).offset()).isEqualTo(bad);
  }

  @Test
  void aTornBatchAfterABadOneProvesDamage() {
    String segment = log.segment();
    log.commit(0, 1);
    int bad = log.batch(1, 0);
    log.commit(0, 2);
    ByteBuffer torn = log.encode(2, 1);
    torn.put(120, (byte) ~torn.get(120));
    log.write(log.offset, torn);
    disk.flipBit(segment, bad + 100, 3);
    assertThat(damage(log).offset()).isEqualTo(bad);
  }

  @Test
  void theChainGoesOnInLaterSegmentsPastUnusedOnes() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.segment();
    log.segment();
    log.commit(0, 2);
    log.batch(2, 1);
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(2));
  }

  @Test
  void anUnusedSegmentMayBeMissingAndAUsedOneMayNot() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    String unused = log.segment();
    String used = log.segment();
    log.commit(0, 2);
    log.batch(2, 1);
    log.segment();
    log.commit(0, 3);
    log.batch(3, 2);
    disk.remove(unused);
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(3));
    disk.remove(used);
    assertThat(damage(log)).hasMessageContaining("batch 2 of generation 1");
  }

  /** Nothing else would tell of a segment that is gone with all of its batches. */
  @Test
  void aSegmentMayNotBeMissingBehindTheLastBatch() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    String used = log.segment();
    log.commit(0, 2);
    log.batch(2, 1);
    String prepared = log.segment();
    disk.remove(used);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(prepared);
    assertThat(e.offset()).isEqualTo(SegmentLayout.SEQUENCE_OFFSET);
    assertThat(e).hasMessageContaining("segment 2 of the log");
  }

  @Test
  void theFirstSegmentMustBeThere() {
    String first = log.segment();
    disk.flipBit(first, SegmentLayout.GENERATION_OFFSET, 1);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(first);
    disk.remove(first);
    assertThat(damage(log)).hasMessageContaining("the first of generation 1");
  }

  @Test
  void staleBatchesOfAnEarlierLapAreNotRead() {
    // The same segment twice: what an earlier generation left follows the new batches closely.
    log.segment();
    for (int i = 1; i <= 6; i++) {
      log.commit(0, i);
      log.batch(i, 0);
    }
    String recycled = log.segment;
    int end = log.offset;
    ByteBuffer stale = ByteBuffer.allocateDirect(end).order(ByteOrder.LITTLE_ENDIAN);
    try (StorageFile file = log.storage.open(recycled, Storage.Access.READ)) {
      file.read(0, stale);
    }
    log.nextGeneration(6, 6);
    log.closed.clear();
    log.oldestSegment = 2;
    log.replayAbove = 6;
    log.commit(1, 7);
    log.batch(7, 6);
    // Now in the recycled file's shape: header new, first batch new, then the old lap.
    log.write(log.offset, stale.clear().position(log.offset).limit(end).slice());
    Outcome outcome = log.recover();
    assertThat(powerCut(outcome).cut()).isEqualTo(7);
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(7L)));
  }

  @Test
  void staleBatchesOfTheSameGenerationAreNotRead() {
    String segment = log.segment();
    int first = 0;
    for (int i = 1; i <= 5; i++) {
      log.commit(0, i);
      first = i == 1 ? log.batch(i, 0) : Math.min(first, log.batch(i, 0));
    }
    ByteBuffer lap = ByteBuffer.allocateDirect(log.offset - first);
    try (StorageFile file = log.storage.open(segment, Storage.Access.READ)) {
      file.read(first, lap);
    }
    log.segment();
    log.write(SegmentLayout.HEADER_LENGTH, lap.flip());
    // The copy of the last batch is skipped where a recovery would put it, and only there.
    Outcome outcome = log.recover();
    assertThat(powerCut(outcome).cut()).isEqualTo(5);
    assertThat(closed(outcome).lastBatch()).isEqualTo(5L);
  }

  @Test
  void aBatchOfAnotherGenerationOrStoreDoesNotContinueTheChain() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(0, 2);
    for (int field : new int[] {BatchLayout.GENERATION_OFFSET, BatchLayout.STORE_TAG_OFFSET}) {
      log.forgery = batch -> batch.putLong(field, batch.getLong(field) + 1);
      log.write(log.offset, log.encode(2, 1));
      assertThat(powerCut(log.recover()).cut()).isEqualTo(1);
    }
    log.forgery = batch -> batch.putInt(BatchLayout.PREVIOUS_CRC_OFFSET, 5);
    log.write(log.offset, log.encode(2, 1));
    assertThat(powerCut(log.recover()).cut()).isEqualTo(1);
  }

  // ---- generations

  @Test
  void threeGenerationsInOneLogAreEachJudgedByTheirRecord() {
    log.segment();
    log.commit(0, 1).commit(1, 3).commit(2, 4, Lsn.pack(3, 1), 0, 4);
    log.batch(1, 0);
    log.nextGeneration(1, 4, 0L, 3L);
    log.commit(0, 5).commit(1, 7);
    log.batch(5, 4);
    log.nextGeneration(7, 7);
    log.commit(2, 8);
    log.batch(8, 7);
    Outcome outcome = log.recover();
    // 4 was discarded by the first record, 6 was a hole that the second made a VOID.
    assertThat(outcome.words()).isEqualTo(log.replayOf(List.of(1L, 3L, 5L, 7L, 8L)));
    assertThat(powerCut(outcome).cut()).isEqualTo(8);
  }

  @Test
  void aDiscardedRecordDoesNotComeBackWithALargerCut() {
    log.segment();
    log.commit(1, 2, Lsn.pack(1, 0), 0, 2);
    log.batch(0, 0);
    log.nextGeneration(0, 2);
    log.commit(0, 3, 0, 8, 3);
    log.batch(3, 2);
    assertThat(log.recover().words()).isEqualTo(Map.of(8L, 3L));
  }

  @Test
  void everyBatchOfAClosedGenerationMustBeThere() {
    String first = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.commit(0, 2);
    int last = log.batch(2, 1);
    log.nextGeneration(2, 2);
    disk.flipBit(first, last + 90, 0);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(first);
    assertThat(e.offset()).isEqualTo(last);
    disk.remove(first);
    assertThat(damage(log)).hasMessageContaining("batch 1 of generation 1");
  }

  @Test
  void aRecordThatGrantsLessThanItsBatchesIsDamage() {
    log.segment();
    log.commit(0, 1).commit(0, 2);
    log.batch(2, 0);
    log.nextGeneration(1, 2);
    assertThat(damage(log)).hasMessageContaining("recovery record of that generation ends at 1");
  }

  @Test
  void lsnsOfAGenerationLieAboveItsBase() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.nextGeneration(1, 5);
    log.commit(0, 4);
    log.batch(5, 5);
    assertThat(damage(log)).hasMessageContaining("starts above 5");
  }

  @Test
  void aGenerationThatNeverAcceptedACommitIsUsedAgain() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.nextGeneration(1, 1);
    String made = log.segment;
    log.placement = new RingPlacement.None();
    Outcome outcome = log.recover();
    assertThat(outcome.log().closed()).isNull();
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(1));
    assertThat(outcome.log().nextSegmentSequence()).isEqualTo(2);
    assertThat(disk.storage().exists(made)).isFalse();
  }

  // ---- what contradicts itself

  @Test
  void anLsnBelowTheCutMustBeThere() {
    log.segment();
    log.commit(0, 1).commit(0, 3);
    log.batch(3, 0);
    assertThat(damage(log)).hasMessageContaining("LSN 2 is in no batch");
  }

  @Test
  void anLsnBelowAStableOneMustBeThere() {
    log.segment();
    log.commit(0, 1).commit(0, 3);
    log.batch(1, 1);
    log.commit(1, 4);
    log.batch(1, 3);
    assertThat(damage(log)).hasMessageContaining("up to LSN 3 was durable");
  }

  @Test
  void anLsnOccursOnce() {
    log.segment();
    log.commit(0, 1).commit(1, 1);
    log.batch(1, 0);
    assertThat(damage(log)).hasMessageContaining("occurs twice");
    setUpAgain();
    log.commit(0, 1).commit(1, 1);
    log.batch(0, 0);
    assertThat(damage(log)).hasMessageContaining("occurs twice");
  }

  private void setUpAgain() {
    emptyDisk();
    log.segment();
  }

  @Test
  void aPartitionsOrderHolds() {
    log.segment();
    log.commit(0, 2).commit(0, 1);
    log.batch(0, 0);
    assertThat(damage(log)).hasMessageContaining("has LSN 1");
    setUpAgain();
    log.commit(0, 4, Lsn.pack(3, 1), 0, 0).commit(0, 5, Lsn.pack(2, 1), 0, 0);
    log.batch(0, 0);
    assertThat(damage(log)).hasMessageContaining("depends on 2");
    setUpAgain();
    log.commit(0, 4, Lsn.pack(4, 1), 0, 0);
    log.batch(0, 0);
    assertThat(damage(log)).hasMessageContaining("depends on 4");
  }

  @Test
  void entriesStayWithinTheRegion() {
    for (long address : new long[] {HandMadeLog.REGION_BYTES, 1L << 40, (1L << 51) - 8}) {
      setUpAgain();
      log.commit(0, 1, 0, address, 5);
      log.batch(1, 0);
      assertThat(damage(log)).hasMessageContaining("in a region of");
      setUpAgain();
      // Stashed first: above the cut.
      log.commit(0, 1, 0, address, 5);
      log.batch(0, 0);
      assertThat(damage(log)).hasMessageContaining("in a region of");
    }
  }

  // ---- files that do not belong

  @Test
  void aSegmentOfAnotherStoreIsRefused() {
    log.segment();
    ByteBuffer page = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);
    new SegmentHeader(1, 0, 1, 2, 1, 1, SegmentLayout.MIN_LENGTH).write(page);
    try (StorageFile file = log.storage.create("log/0/00000777.seg")) {
      file.write(0, page);
    }
    assertThatThrownBy(log::recover)
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("log/0/00000777.seg");
  }

  @Test
  void aSegmentOfANewerFormatIsRefused() {
    log.segment();
    ByteBuffer page = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);
    new SegmentHeader(
            2, 0, HandMadeLog.STORE.high(), HandMadeLog.STORE.low(), 2, 1, SegmentLayout.MIN_LENGTH)
        .write(page);
    try (StorageFile file = log.storage.create("log/0/00000777.seg")) {
      file.write(0, page);
    }
    assertThatThrownBy(log::recover)
        .isInstanceOf(UnsupportedStoreException.class)
        .hasMessageContaining("newer release");
  }

  @Test
  void impossibleSegmentHeadersAreDamage() {
    long[][] headers = {
      {1, 1, 2, 1, 1 << 20}, {0, 0, 2, 1, 1 << 20}, {1, 0, 0, 1, 1 << 20}, {1, 0, 2, 0, 1 << 20},
      {1, 0, 2, 1, 4096}, {1, 0, 2, 1, 1L << 40}, {1, 0, 2, 1, (1 << 20) + 1}, {1, 0, 2, 1, -4096},
      {1, 0, Long.MAX_VALUE, 1, 1 << 20},
    };
    for (long[] h : headers) {
      setUpAgain();
      ByteBuffer page = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);
      new SegmentHeader(
              (int) h[0],
              (int) h[1],
              HandMadeLog.STORE.high(),
              HandMadeLog.STORE.low(),
              h[2],
              h[3],
              h[4])
          .write(page);
      try (StorageFile file = log.storage.create("log/0/00000777.seg")) {
        file.setSize(1 << 20);
        file.write(0, page);
      }
      assertThat(damage(log)).as(h[4] + "").isNotNull();
    }
  }

  @Test
  void otherFilesInTheLogsDirectoryAreLeftAlone() {
    log.segment();
    for (String name : List.of("log/0/notes.txt", "log/0/1.seg", "log/0/00000001.seg.old")) {
      log.storage.create(name).close();
    }
    log.recover();
    assertThat(log.storage.list("log/0")).contains("notes.txt", "1.seg", "00000001.seg.old");
  }

  @Test
  void aCopiedSegmentIsNoticed() {
    String segment = log.segment();
    ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);
    try (StorageFile from = log.storage.open(segment, Storage.Access.READ);
        StorageFile to = log.storage.create("log/0/00000777.seg")) {
      from.read(0, bytes);
      to.write(0, bytes.flip());
    }
    assertThat(damage(log)).hasMessageContaining("same sequence");
  }

  @Test
  void aSegmentWithoutAHeaderIsDeletedUnlessItWasUsed() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    String never = log.segment();
    disk.flipBit(never, 0, 0);
    log.recover();
    assertThat(log.storage.exists(never)).isFalse();

    String used = log.segment();
    log.commit(0, 2);
    log.batch(2, 1);
    disk.flipBit(used, SegmentLayout.STORE_ID_HIGH_OFFSET, 0);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(used);
    assertThat(log.storage.exists(used)).isTrue();
  }

  @Test
  void anEarlierSuperblockThanTheLogIsNoticed() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    log.nextGeneration(1, 1);
    log.commit(0, 2);
    log.batch(2, 1);
    log.generation = 1;
    log.baseLsn = 0;
    log.firstSegment = 1;
    log.closed.clear();
    assertThat(damage(log)).hasMessageContaining("superblock is older than the log");
  }

  @Test
  void truncatedSegmentsAreDamageIfTheyWereUsed() {
    String first = log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    disk.truncate(first, 1 << 19);
    CorruptStoreException e = damage(log);
    assertThat(e.file()).isEqualTo(first);
    assertThat(e.offset()).isEqualTo(1 << 19);
  }

  @Test
  void anUnusedSegmentMayBeTruncated() {
    log.segment();
    log.commit(0, 1);
    log.batch(1, 0);
    String unused = log.segment();
    for (int size : new int[] {1 << 19, 5000, 4097, 4096, 4095, 1, 0}) {
      // Behind it lies the copy of the last batch that the recovery before has made.
      if (log.storage.exists(unused)) {
        disk.truncate(unused, size);
      }
      assertThat(log.recover().words()).isEqualTo(log.replayUpTo(1));
    }
  }

  // ---- making it durable

  @Test
  void theLastBatchIsCopiedToAFreshSegmentAndReadOnce() {
    String first = log.segment();
    log.commit(0, 1);
    int last = log.batch(1, 0);
    Outcome outcome = log.recover();
    assertThat(outcome.log().neededSegments()).hasSize(2);
    // Another recovery of the same state, and one that finds the copy only.
    assertThat(log.recover().words()).isEqualTo(log.replayUpTo(1));
    disk.flipBit(first, last + 90, 4);
    Outcome again = log.recover();
    assertThat(again.words()).isEqualTo(log.replayUpTo(1));
    assertThat(closed(again).lastBatch()).isEqualTo(1L);
  }

  @Test
  void recoveryOfARecoveryFindsTheSame() {
    log.segment();
    for (int i = 1; i < 30; i++) {
      log.commit(i % 3, i);
      log.batch(i, 0);
    }
    Outcome first = log.recover();
    for (int i = 0; i < 5; i++) {
      Outcome next = log.recover();
      assertThat(next.words()).isEqualTo(first.words());
      assertThat(next.log().closed()).isEqualTo(first.log().closed());
      assertThat(next.log().outcome()).isEqualTo(first.log().outcome());
    }
  }
}
