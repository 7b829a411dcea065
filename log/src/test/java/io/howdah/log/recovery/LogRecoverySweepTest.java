package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.Execution;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The log's recovery on large logs, and on every variant of a short one: each test takes seconds.
 */
class LogRecoverySweepTest {

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

  @Test
  void manyRandomBatchesComeOutInOrderWithAndWithoutAThread() {
    SplittableRandom random = new SplittableRandom(3);
    long lsn = 0;
    int left = 0;
    for (int b = 0; b < 120; b++) {
      if (left < 64 << 10) {
        log.segment();
        left = (1 << 20) - SegmentLayout.HEADER_LENGTH;
      }
      // A round takes some LSNs that lanes publish too late for it.
      long late = lsn + 1;
      int size = random.nextInt(2, 400);
      for (int i = 0; i < size; i++) {
        lsn++;
        if (lsn != late) {
          log.commit(random.nextInt(2), lsn, 0, random.nextInt(100) * 8L, lsn);
        }
      }
      log.batch(late - 1, 0);
      left -= 64 << 10;
      log.commit(2, late, 0, random.nextInt(100) * 8L, late);
    }
    log.batch(lsn, 0);
    Outcome inline = log.recover();
    assertThat(inline.words()).isEqualTo(log.replayUpTo(lsn));
    assertThat(powerCut(inline).cut()).isEqualTo(lsn);
    Outcome threaded = log.recover(Execution.system());
    assertThat(threaded.words()).isEqualTo(inline.words());
    assertThat(threaded.order()).isEqualTo(inline.order());
  }

  @Test
  void theLongestBatchIsReadInOnePiece() {
    HandMadeLog large = new HandMadeLog(disk.storage(), 3, 1 << 23);
    large.segment(SegmentLayout.MAX_LENGTH);
    large.commit(0, 1);
    large.batch(1, 0);
    long lsn = 1;
    for (int i = 0; i < 130; i++) {
      large.run((int) (lsn % 2), ++lsn, 8L * i, 8000);
    }
    int at = large.batch(lsn, 1);
    assertThat(large.offset - at)
        .isBetween(BatchLayout.MAX_LENGTH - 100_000, BatchLayout.MAX_LENGTH);
    large.commit(2, ++lsn);
    large.batch(lsn, 1);
    for (Execution execution : List.of(new HandMadeLog.OneProcessor(), Execution.system())) {
      Outcome outcome = large.recover(execution);
      assertThat(outcome.words()).isEqualTo(large.replayUpTo(lsn));
    }
  }

  @Test
  void aTailTornAtAnyByteIsCutOff() {
    log.segment();
    log.commit(0, 1).commit(1, 2);
    log.batch(2, 0);
    log.commit(2, 3).commit(0, 4);
    ByteBuffer next = log.encode(4, 2);
    int at = log.offset;
    for (int length = 0; length < next.getInt(BatchLayout.LENGTH_OFFSET); length++) {
      ByteBuffer torn = ByteBuffer.allocateDirect(next.limit()).order(ByteOrder.LITTLE_ENDIAN);
      torn.put(0, next, 0, length);
      log.write(at, torn);
      Outcome outcome = log.recover();
      assertThat(powerCut(outcome).cut()).as("%s bytes", length).isEqualTo(2);
      assertThat(outcome.words()).isEqualTo(log.replayUpTo(2));
      // What a recovery adds would be the next one's tail.
      outcome.log().neededSegments().stream()
          .filter(name -> !name.equals(log.segment))
          .forEach(log.storage::delete);
    }
    log.write(at, next);
    assertThat(powerCut(log.recover()).cut()).isEqualTo(4);
  }

  @Test
  void everyWordOfABatchMayLieUnderAValidChecksum() {
    log.segment();
    log.commit(0, 1).commit(1, 2);
    log.batch(2, 0);
    log.commit(0, 3).part(1, 1, 0, 8, 8).multipartCommit(1, 4, 1, 1, 16, 16).voided(2, 5);
    ByteBuffer honest = log.encode(5, 2);
    int length = honest.getInt(BatchLayout.LENGTH_OFFSET);
    long[] values = {
      0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 31, 1L << 32, 0x7FFF_FFF8L
    };
    List<String> survived = new ArrayList<>();
    for (int at = 0; at < length; at += 4) {
      for (long value : values) {
        ByteBuffer forged =
            ByteBuffer.allocateDirect(honest.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        forged.put(0, honest, 0, honest.capacity());
        if (at % 8 == 0) {
          forged.putLong(at, value);
        } else {
          forged.putInt(at, (int) value);
        }
        log.write(log.offset, HandMadeLog.seal(forged));
        try {
          Outcome outcome = log.recover();
          outcome.log().neededSegments().stream()
              .filter(name -> !name.equals(log.segment))
              .forEach(log.storage::delete);
          long cut = powerCut(outcome).cut();
          assertThat(cut).as("word at %s", at).isBetween(2L, 5L);
        } catch (CorruptStoreException e) {
          survived.add(e.getMessage());
        }
      }
    }
    assertThat(survived).hasSizeGreaterThan(100);
  }
}
