package io.howdah.log.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.BatchLayout;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.flush.BatchId;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The smallest parts of a recovery, each at its bounds: headers, entries, lists of records. */
class RecoveryPartsTest {

  private static final int AT = 64;
  private static final long ROOM = 10_000;

  private static ByteBuffer header() {
    return ByteBuffer.allocate(512)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(AT + BatchLayout.MAGIC_OFFSET, BatchLayout.MAGIC)
        .putLong(AT + BatchLayout.STORE_TAG_OFFSET, 21)
        .putLong(AT + BatchLayout.GENERATION_OFFSET, 22)
        .putLong(AT + BatchLayout.SEQUENCE_OFFSET, 23)
        .putInt(AT + BatchLayout.LENGTH_OFFSET, 4000)
        .putInt(AT + BatchLayout.SECTION_COUNT_OFFSET, 2)
        .putLong(AT + BatchLayout.CUT_OFFSET, 5)
        .putLong(AT + BatchLayout.STABLE_OFFSET, 4)
        .putLong(AT + BatchLayout.MAX_LSN_OFFSET, 9);
  }

  private static boolean isPlausible(ByteBuffer header) {
    return Batch.isPlausible(header, AT, 3, ROOM);
  }

  @Test
  void aBatchBeginsWithItsMagicItsStoreAndItsGeneration() {
    assertThat(Batch.isBegun(header(), AT, 21, 22)).isTrue();
    assertThat(Batch.isBegun(header(), AT, 20, 22)).isFalse();
    assertThat(Batch.isBegun(header(), AT, 21, 21)).isFalse();
    assertThat(Batch.isBegun(header().putLong(AT, 1), AT, 21, 22)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0, false", "-1, false", "10000, true", "10001, false"})
  void aBatchEndsWithinItsSegment(int length, boolean expected) {
    assertThat(isPlausible(header().putInt(AT + BatchLayout.LENGTH_OFFSET, length)))
        .isEqualTo(expected);
  }

  @Test
  void aBatchHoldsItsHeaderAndIsNoLongerThanTheLongest() {
    int[] lengths = {
      BatchLayout.HEADER_LENGTH - 1,
      BatchLayout.HEADER_LENGTH,
      BatchLayout.MAX_LENGTH,
      BatchLayout.MAX_LENGTH + 1
    };
    List<Boolean> plausible = new ArrayList<>();
    for (int length : lengths) {
      ByteBuffer header = header().putInt(AT + BatchLayout.LENGTH_OFFSET, length);
      plausible.add(Batch.isPlausible(header, AT, 3, Long.MAX_VALUE));
    }
    assertThat(plausible).containsExactly(false, true, true, false);
  }

  @ParameterizedTest
  @CsvSource({"-1, false", "0, true", "3, true", "4, false"})
  void aBatchHasAtMostASectionForEachPartition(int sections, boolean expected) {
    assertThat(isPlausible(header().putInt(AT + BatchLayout.SECTION_COUNT_OFFSET, sections)))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"-1, false", "0, true", "9, true", "10, false"})
  void cutAndStableLsnLieUpToTheBound(long lsn, boolean expected) {
    assertThat(isPlausible(header().putLong(AT + BatchLayout.CUT_OFFSET, lsn))).isEqualTo(expected);
    assertThat(isPlausible(header().putLong(AT + BatchLayout.STABLE_OFFSET, lsn)))
        .isEqualTo(expected);
  }

  @Test
  void theBoundIsAnLsnAndReservedBytesAreZero() {
    assertThat(isPlausible(header().putLong(AT + BatchLayout.MAX_LSN_OFFSET, Lsn.MAX))).isTrue();
    assertThat(isPlausible(header().putLong(AT + BatchLayout.MAX_LSN_OFFSET, Lsn.MAX + 1)))
        .isFalse();
    assertThat(isPlausible(header().putLong(AT + BatchLayout.RESERVED_OFFSET, 1))).isFalse();
  }

  @Test
  void aMessageTellsWhereInItsFileAByteOfABatchLies() {
    Batch batch = new Batch();
    batch.set(header(), AT);
    batch.fileOffset = 8192;
    assertThat(batch.offsetInFile(AT)).isEqualTo(8192);
    assertThat(batch.offsetInFile(AT + 24)).isEqualTo(8216);
    assertThat(batch.sequence).isEqualTo(23);
    assertThat(batch.length).isEqualTo(4000);
    assertThat(batch.maxLsn).isEqualTo(9);
  }

  // ---- entries of a record

  private static final long CAPACITY = 1024;
  private static final int RECORD = 16;

  /** Returns a commit whose body has these words. */
  private static ByteBuffer record(int count, long... body) {
    ByteBuffer record = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
    int length = RedoRecordLayout.MIN_LENGTH + body.length * Long.BYTES;
    record.putLong(RECORD, RedoRecordLayout.head(length, RedoRecordLayout.KIND_COMMIT, count));
    for (int i = 0; i < body.length; i++) {
      record.putLong(RECORD + RedoRecordLayout.ENTRIES_OFFSET + i * Long.BYTES, body[i]);
    }
    return record;
  }

  private static long entry(long address, int run) {
    return RedoRecordLayout.entryHead(address, run);
  }

  private static MalformedRecordException malformed(ByteBuffer record) {
    return catchThrowableOfType(
        MalformedRecordException.class, () -> RecordEntries.check(record, RECORD, CAPACITY));
  }

  @Test
  void theWordsOfARecordAreCountedAndReplayedInOnePiece() {
    ByteBuffer record = record(2, entry(8, 2), 7, 7, entry(1016, 1), 7);
    assertThat(RecordEntries.check(record, RECORD, CAPACITY)).isEqualTo(3);
    List<Integer> pieces = new ArrayList<>();
    long words =
        RecordEntries.replay(
            record,
            RECORD,
            CAPACITY,
            (_, from, to) -> {
              pieces.add(from);
              pieces.add(to);
            });
    assertThat(words).isEqualTo(3);
    int start = RECORD + RedoRecordLayout.ENTRIES_OFFSET;
    assertThat(pieces).containsExactly(start, start + 5 * Long.BYTES);
  }

  @Test
  void aRecordWithoutEntriesReplaysNothing() {
    RedoSink sink =
        (_, _, _) -> {
          throw new IllegalStateException();
        };
    assertThat(RecordEntries.replay(record(0), RECORD, CAPACITY, sink)).isZero();
  }

  @Test
  void anEntryThatDoesNotFitIsToldWithItsPlace() {
    int start = RECORD + RedoRecordLayout.ENTRIES_OFFSET;
    assertThat(malformed(record(1, entry(1016, 2), 7, 7)).problem())
        .contains("entry of 2 words at address 1016");
    assertThat(malformed(record(1, entry(8, 0), 7)).problem()).contains("entry of 0 words");
    assertThat(malformed(record(1, entry(8, 2), 7)).problem()).contains("entry of 2 words");
    MalformedRecordException second = malformed(record(2, entry(8, 1), 7, entry(8, 3), 7, 7));
    assertThat(second.at()).isEqualTo(start + 16);
    assertThat(malformed(record(1, entry(8, 1), 7, 7)).problem()).contains("bytes after");
    assertThat(malformed(record(1, entry(8, 1), 7, 7)).at()).isEqualTo(start + 16);
    assertThat(malformed(record(2, entry(8, 1), 7, 7)).problem()).contains("before its last");
    assertThat(malformed(record(1)).problem()).contains("before its last");
  }

  // ---- lists of records

  private static LogTail tail(long... lsns) {
    LogTail tail = new LogTail();
    for (long lsn : lsns) {
      tail.add(lsn, lsn / 2, lsn * 10);
    }
    return tail;
  }

  @Test
  void twoListsBecomeOneInTheOrderOfLsns() {
    long[] odd = new long[100];
    long[] even = new long[200];
    for (int i = 0; i < 200; i++) {
      even[i] = 2L * i + 2;
      if (i < 100) {
        odd[i] = 2L * i + 1;
      }
    }
    for (LogTail merged :
        List.of(LogTail.merge(tail(odd), tail(even)), LogTail.merge(tail(even), tail(odd)))) {
      assertThat(merged.size()).isEqualTo(300);
      long last = 0;
      for (int i = 0; i < 300; i++) {
        long lsn = merged.lsn(i);
        assertThat(lsn).isGreaterThan(last);
        assertThat(merged.dep(i)).isEqualTo(lsn / 2);
        assertThat(merged.node(i)).isEqualTo(lsn * 10);
        last = lsn;
      }
      assertThat(merged.largest()).isEqualTo(400);
      assertThat(merged.contains(199)).isTrue();
      assertThat(merged.contains(201)).isFalse();
    }
    assertThat(LogTail.merge(tail(), tail(5)).size()).isEqualTo(1);
    assertThat(LogTail.merge(tail(), tail()).largest()).isZero();
  }

  // ---- the batch that a summary of the log names

  private static final LogShortcut SHORTCUT =
      new LogShortcut(7, 5, 20, 100, 120, 130, new BatchId(25, 4711));

  private static Batch batch(long sequence, int crc, long maxLsn) {
    Batch batch = new Batch();
    batch.sequence = sequence;
    batch.crc = crc;
    batch.maxLsn = maxLsn;
    batch.file = "log/0/00000001.seg";
    return batch;
  }

  private static CorruptStoreException missing(String evidence) {
    return new CorruptStoreException("log/0/00000001.seg", 4096, evidence);
  }

  @Test
  void theBatchThatASummaryNamesMustBeThere() {
    LogEvidence proof = LogEvidence.of(SHORTCUT);
    proof.compare(6, batch(25, 4711, 130));
    proof.compare(7, batch(24, 4711, 130));
    proof.requireSeen(6, 1, RecoveryPartsTest::missing);
    assertThatThrownBy(() -> proof.requireSeen(7, 25, RecoveryPartsTest::missing))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("names batch 25");
    // The log was trimmed behind it.
    proof.requireSeen(7, 26, RecoveryPartsTest::missing);
    proof.compare(7, batch(25, 4711, 130));
    proof.requireSeen(7, 1, RecoveryPartsTest::missing);
  }

  @Test
  void theBatchThatASummaryNamesIsTheOneThatItMeant() {
    LogEvidence proof = LogEvidence.of(SHORTCUT);
    assertThatThrownBy(() -> proof.compare(7, batch(25, 4712, 130)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("another checksum");
    assertThatThrownBy(() -> proof.compare(7, batch(25, 4711, 129)))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("contains LSNs up to 129 only");
    proof.compare(6, batch(25, 4712, 129));
  }

  @Test
  void withoutASummaryThereIsNothingToProve() {
    LogEvidence proof = LogEvidence.of(null);
    proof.compare(7, batch(25, 1, 1));
    proof.requireSeen(7, 1, RecoveryPartsTest::missing);
  }
}
