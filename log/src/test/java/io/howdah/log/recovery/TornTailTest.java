package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.SegmentLayout;
import io.howdah.log.recovery.HandMadeLog.Outcome;
import io.howdah.log.report.RecoveryOutcome;
import io.howdah.testkit.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where a chain of batches ends: at the last byte of a segment, behind the copy that a recovery has
 * made of its last batch, and with a batch that had begun to be written.
 */
class TornTailTest {

  private static final int PAGE = BatchLayout.ALIGNMENT;
  private static final int HEADER = SegmentLayout.HEADER_LENGTH;
  private static final int SEGMENT = SegmentLayout.MIN_LENGTH;
  private static final int PAGES = SEGMENT / PAGE - 1;

  private final SimulatedDisk disk = SimulatedDisk.seeded(9);
  private final HandMadeLog log = HandMadeLog.on(disk.storage());

  private void commit(long lsn) {
    log.commit(0, lsn);
    log.batch(lsn, lsn - 1);
  }

  /** Adds a batch whose length without padding is exactly this. */
  private ByteBuffer batchOf(long lsn, int lengthBytes) {
    int record = lengthBytes - BatchLayout.HEADER_LENGTH - BatchLayout.SECTION_HEADER_LENGTH;
    log.run(0, lsn, 0, (record - RedoRecordLayout.MIN_LENGTH) / Long.BYTES - 1);
    ByteBuffer batch = log.encode(lsn, lsn - 1);
    assertThat(batch.getInt(BatchLayout.LENGTH_OFFSET)).isEqualTo(lengthBytes);
    log.batch(lsn, lsn - 1);
    return batch;
  }

  private void requireEnd(Outcome outcome, long lsn, long tornBytes) {
    assertThat(outcome.log().outcome())
        .isEqualTo(new RecoveryOutcome.AfterPowerCut(lsn, 0, 0, tornBytes));
    assertThat(outcome.words()).isEqualTo(log.replayUpTo(lsn));
  }

  // ---- the ends of segments

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSegmentIsReadToItsLastByte(boolean more) {
    log.segment(SEGMENT);
    for (int lsn = 1; lsn <= PAGES; lsn++) {
      commit(lsn);
    }
    assertThat(log.offset).isEqualTo(SEGMENT);
    if (more) {
      log.segment(SEGMENT);
      commit(PAGES + 1);
    }
    requireEnd(log.recover(), more ? PAGES + 1 : PAGES, 0);
  }

  /** Adds commits of one page each, and behind them a batch that ends in the last page. */
  private long fillWith(int lastBytes) {
    log.segment(SEGMENT);
    long lsn = 0;
    for (int page = (lastBytes + PAGE - 1) / PAGE; page < PAGES; page++) {
      lsn++;
      commit(lsn);
    }
    lsn++;
    batchOf(lsn, lastBytes);
    assertThat(log.offset).isEqualTo(SEGMENT);
    return lsn;
  }

  /** A batch may end anywhere in the last page of its segment, also with its last byte. */
  @ParameterizedTest
  @ValueSource(ints = {200, PAGE - 8, PAGE, 2 * PAGE - 8, 2 * PAGE, PAGES * PAGE - 8, PAGES * PAGE})
  void aBatchMayFillItsSegment(int lastBytes) {
    long last = fillWith(lastBytes);
    log.segment(SEGMENT);
    commit(last + 1);
    requireEnd(log.recover(), last + 1, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, PAGE - 8, PAGE, 2 * PAGE - 8, 2 * PAGE, PAGES * PAGE - 8, PAGES * PAGE})
  void theLastBatchMayFillItsSegment(int lastBytes) {
    long last = fillWith(lastBytes);
    requireEnd(log.recover(), last, 0);
  }

  /** Behind a damaged batch it is found all the same, as what shows that the log lacks one. */
  @ParameterizedTest
  @ValueSource(ints = {200, PAGE - 8, PAGE, 2 * PAGE - 8, 2 * PAGE})
  void aBatchThatFillsItsSegmentIsFoundBehindDamage(int lastBytes) {
    long last = fillWith(lastBytes);
    String name = "log/0/" + disk.storage().list("log/0").getFirst();
    disk.flipBit(name, HEADER + (last - 2) * PAGE + BatchLayout.HEADER_LENGTH, 1);
    assertThatThrownBy(log::recover).isInstanceOf(CorruptStoreException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 5000, PAGES * PAGE - 8, PAGES * PAGE})
  void aCopyOfTheLastBatchIsPassedOver(int lengthBytes) {
    log.segment(2 * SEGMENT);
    ByteBuffer last = batchOf(1, lengthBytes);
    log.segment(SEGMENT);
    log.write(HEADER, last.clear());
    log.offset = HEADER + last.capacity();
    if (log.offset == SEGMENT) {
      log.segment(SEGMENT);
    }
    commit(2);
    requireEnd(log.recover(), 2, 0);
  }

  @Test
  void aBatchThatIsLongerThanTheNextSegmentHasNoCopyThere() {
    log.segment(2 * SEGMENT);
    batchOf(1, PAGES * PAGE + 8);
    log.segment(SEGMENT);
    commit(2);
    requireEnd(log.recover(), 2, 0);
  }

  /** What lies behind it is not looked for: a later batch than the next would be damage. */
  @Test
  void aDamagedCopyIsNone() {
    log.segment(SEGMENT);
    ByteBuffer last = batchOf(1, 5000);
    String fresh = log.segment(SEGMENT);
    log.write(HEADER, last.clear());
    log.offset = HEADER + last.capacity();
    commit(2);
    disk.flipBit(fresh, HEADER + 4990, 1);
    requireEnd(log.recover(), 1, 0);
  }

  /** A segment that is used again keeps its name. */
  @Test
  void segmentsAreReadInTheOrderOfTheirSequencesWhateverTheirNames() {
    String first = log.segment(SEGMENT);
    commit(1);
    String second = log.segment(SEGMENT);
    commit(2);
    log.segment(SEGMENT);
    commit(3);
    disk.storage().rename(first, "log/0/00000017.seg");
    disk.storage().rename(second, first);
    Outcome outcome = log.recover();
    requireEnd(outcome, 3, 0);
    assertThat(outcome.log().nextSegmentName()).isGreaterThan(17);
  }

  /** Only at the start of a segment, and only the very batch. */
  @Test
  void anotherBatchIsNoCopy() {
    log.segment(SEGMENT);
    log.commit(0, 1);
    ByteBuffer first = log.encode(1, 0);
    log.batch(1, 0);
    log.write(log.offset, first);
    log.offset += PAGE;
    commit(2);
    // What lies behind something else is not looked for: a later batch would be damage.
    requireEnd(log.recover(), 1, 0);
  }

  // ---- batches that had begun

  private void tear(int offset, ByteBuffer batch, int lengthBytes) {
    batch.putInt(BatchLayout.LENGTH_OFFSET, lengthBytes);
    batch.putInt(BatchLayout.CRC_OFFSET, ~batch.getInt(BatchLayout.CRC_OFFSET));
    log.write(offset, batch);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 57344",
    "0, 57344",
    "79, 57344",
    "80, 4096",
    "4096, 4096",
    "4097, 8192",
    "57344, 57344",
    "57345, 57344",
    "8388608, 57344"
  })
  void aBatchThatHadBegunIsAsLongAsItsHeaderSaysIfThatCanBe(int lengthBytes, int tornBytes) {
    assertThat(BatchLayout.HEADER_LENGTH).isEqualTo(80);
    log.segment(SEGMENT);
    commit(1);
    log.commit(0, 2);
    tear(log.offset, log.encode(2, 1), lengthBytes);
    requireEnd(log.recover(), 1, tornBytes);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void noBatchIsLongerThanTheLongest(int more) {
    log.segment(9 << 20);
    commit(1);
    log.commit(0, 2);
    int room = (9 << 20) - HEADER - PAGE;
    tear(log.offset, log.encode(2, 1), BatchLayout.MAX_LENGTH + more);
    requireEnd(log.recover(), 1, more == 0 ? BatchLayout.MAX_LENGTH : room);
  }

  @Test
  void aBatchThatDoesNotFollowTheLastOneHadBegun() {
    log.segment(SEGMENT);
    commit(1);
    log.commit(0, 2);
    log.previousCrc++;
    log.write(log.offset, log.encode(2, 1));
    requireEnd(log.recover(), 1, PAGE);
  }

  @Test
  void whatHadBegunAndWasWrittenAgainElsewhereIsNotTorn() {
    log.segment(SEGMENT);
    commit(1);
    log.commit(0, 2);
    tear(log.offset, log.encode(2, 1), 5000);
    log.segment(SEGMENT);
    log.batch(2, 1);
    requireEnd(log.recover(), 2, 0);
  }

  // ---- proofs that the chain went on

  /** Leaves a batch that is torn, of some pages, as the next one; returns where it ends. */
  private int tornNext(int pages) {
    log.run(0, 2, 0, pages * 500 - 20);
    ByteBuffer batch = log.encode(2, 1);
    assertThat(batch.capacity()).isEqualTo(pages * PAGE);
    int at = log.offset;
    tear(at, batch, batch.getInt(BatchLayout.LENGTH_OFFSET));
    return at + pages * PAGE;
  }

  private void begin(int offset, long sequence) {
    log.sequence = sequence - 1;
    ByteBuffer batch = log.encode(2, 1);
    tear(offset, batch, batch.getInt(BatchLayout.LENGTH_OFFSET));
  }

  private CorruptStoreException damage() {
    return catchThrowableOfType(CorruptStoreException.class, log::recover);
  }

  @ParameterizedTest
  @CsvSource({"1, 3, true", "2, 3, true", "2, 2, false", "2, 4, false"})
  void aBatchThatHadBegunRightBehindProvesThatTheOneBeforeWasDurable(
      int pages, long sequence, boolean isDamage) {
    log.segment(SEGMENT);
    commit(1);
    int begun = log.offset;
    begin(tornNext(pages), sequence);
    if (isDamage) {
      CorruptStoreException e = damage();
      assertThat(e.offset()).isEqualTo(begun);
      assertThat(e).hasMessageContaining("at offset " + (begun + pages * PAGE));
    } else {
      requireEnd(log.recover(), 1, (long) pages * PAGE);
    }
  }

  @ParameterizedTest
  @CsvSource({"3, true", "4, false"})
  void soDoesOneAtTheStartOfTheNextSegment(long sequence, boolean isDamage) {
    log.segment(SEGMENT);
    commit(1);
    tornNext(2);
    log.segment(SEGMENT);
    begin(HEADER, sequence);
    if (isDamage) {
      assertThat(damage()).hasMessageContaining("at offset " + HEADER);
    } else {
      requireEnd(log.recover(), 1, 2 * PAGE);
    }
  }

  @Test
  void soDoesOneBehindATornBatchThatBeganItsSegment() {
    log.segment(SEGMENT);
    commit(1);
    log.segment(SEGMENT);
    begin(tornNext(2), 3);
    assertThat(damage()).hasMessageContaining("at offset " + (HEADER + 2 * PAGE));
  }

  /** One may be written ahead of the other only if the other was forced. */
  @Test
  void aBatchThatHadBegunWithoutTheOneBeforeProvesNothing() {
    log.segment(SEGMENT);
    commit(1);
    log.commit(0, 2);
    begin(log.offset, 3);
    requireEnd(log.recover(), 1, 0);
  }

  @Test
  void whatIsLookedThroughIsCounted() {
    log.segment(SEGMENT);
    commit(1);
    log.segment(2 * SEGMENT);
    String last = log.segment(SEGMENT);
    disk.truncate(last, 5000);
    long looked = SEGMENT - HEADER - PAGE + 2 * SEGMENT - HEADER + 5000 - HEADER;
    assertThat(log.recover().log().counts().scannedBytes()).isEqualTo(PAGE + looked);
  }

  @Test
  void aSegmentThatEndsInItsHeaderHasNothingToLookThrough() {
    log.segment(SEGMENT);
    commit(1);
    disk.truncate(log.segment(SEGMENT), HEADER - 1);
    assertThat(log.recover().log().counts().scannedBytes()).isEqualTo(SEGMENT - HEADER);
  }
}
