package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.StoreClosedException;
import io.howdah.core.layout.RedoRecordLayout;
import io.howdah.core.layout.RingLayout;
import io.howdah.log.commit.Lsn;
import io.howdah.log.commit.Ring;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.stm.LoggedEngine.Found;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits that do not fit into one record: what is in the ring, and what they wait for. */
final class MultipartCommitTest {

  private static final long ROW = WORD + 4096;
  private static final long FAR = WORD + (1 << 18);
  private static final int PARTITIONS = LoggedEngine.PARTITIONS;
  private static final int SHORT = 256;

  /** As many words far apart as a record of {@link #SHORT} bytes has. */
  private static final int SHORT_WORDS = (SHORT - RedoRecordLayout.MIN_LENGTH) / 16;

  private static LoggedEngine withShortRecords(int lanes) {
    return new LoggedEngine(lanes, SHORT);
  }

  private static void assertLost(AbortCause cause, LoggedEngine engine, Attempt attempt) {
    assertThatThrownBy(() -> engine.commit(attempt))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(cause));
  }

  private static void putApart(Attempt attempt, int words) {
    attempt.begin(false);
    for (int i = 0; i < words; i++) {
      attempt.words.put(WORD + 64L * i, i + 1);
    }
  }

  private static void assertIsWhole(List<Found> records, int words) {
    Map<Long, Long> all = new HashMap<>();
    Found last = records.getLast();
    assertThat(last.kind()).isEqualTo(RedoRecordLayout.KIND_MULTIPART_COMMIT);
    assertThat(last.parts()).isEqualTo(records.size() - 1);
    for (int i = 0; i < records.size(); i++) {
      Found record = records.get(i);
      assertThat(record.lengthBytes()).isLessThanOrEqualTo(SHORT);
      if (i < records.size() - 1) {
        assertThat(record.kind()).isEqualTo(RedoRecordLayout.KIND_PART);
        assertThat(record.lsn()).isEqualTo(last.group());
        assertThat(record.dep()).isEqualTo(i);
      }
      record
          .words()
          .forEach(
              (address, value) -> {
                if (address >= 0) {
                  assertThat(all.put(address, value)).isNull();
                }
              });
    }
    assertThat(all).hasSize(words);
    all.forEach((address, value) -> assertThat(value).isEqualTo((address - WORD) / 64 + 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void whatDoesNotFitIntoARecordGoesInParts(int lanes) {
    try (LoggedEngine engine = withShortRecords(lanes)) {
      Attempt attempt = engine.attempt();
      putApart(attempt, SHORT_WORDS);
      engine.commit(attempt);
      assertThat(attempt.wroteParts()).isFalse();
      assertThat(engine.records(0)).hasSize(1);
      assertThat(engine.records(0).getFirst().lengthBytes()).isEqualTo(SHORT);
      Set<Long> groups = new HashSet<>();
      int former = 1;
      for (int words : new int[] {SHORT_WORDS + 1, 2 * SHORT_WORDS, 100}) {
        putApart(attempt, words);
        long begun = attempt.progress.begun;
        long lsn = engine.commit(attempt);
        assertThat(attempt.progress.begun).isEqualTo(begun + 1);
        assertThat(attempt.wroteParts()).isTrue();
        List<Found> all = engine.records(0);
        List<Found> records = all.subList(former, all.size());
        former = all.size();
        assertIsWhole(records, words);
        assertThat(records.getLast().lsn()).isEqualTo(Lsn.pack(lsn, 0));
        assertThat(groups.add(records.getLast().group())).isTrue();
        assertThat(engine.lanes.lane(0).firstPartPosition()).isEqualTo(Long.MAX_VALUE);
        assertThat(engine.region.getLong(WORD + 64L * (words - 1))).isEqualTo(words);
        assertThat(attempt.point.end()).isEqualTo(engine.ring(0).tail());
      }
      assertThat(LoggedEngine.count(attempt, Counters.COMMITS)).isEqualTo(4);
      assertThat(LoggedEngine.count(attempt, Counters.MULTIPART_COMMITS)).isEqualTo(3);
    }
  }

  @Test
  void rowsGoInPartsToo() {
    try (LoggedEngine engine = withShortRecords(PARTITIONS)) {
      Attempt other = engine.attempt();
      Attempt attempt = engine.attempt();
      engine.put(other, WORD, 1);
      attempt.begin(false);
      attempt.words.get(WORD);
      attempt.words.putWords(ROW, new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
      attempt.words.putWords(ROW + 160, new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
      attempt.words.putWords(ROW + 320, new long[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10);
      engine.commit(attempt);
      List<Found> records = engine.records(1);
      assertThat(records.getLast().dep()).isEqualTo(Lsn.pack(1, 0));
      Map<Long, Long> all = new HashMap<>();
      records.forEach(record -> all.putAll(record.words()));
      for (int row = 0; row < 3; row++) {
        for (int i = 0; i < 10; i++) {
          long address = ROW + 160L * row + 8L * i;
          assertThat(all).containsEntry(address, i + 1L);
          assertThat(engine.region.getLong(address)).isEqualTo(i + 1);
        }
      }
    }
  }

  /** Nothing is locked or announced while it waits, and the log keeps its first part. */
  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void aCommitLongerThanItsRingWaitsForSpace(int lanes) {
    int words = 6000;
    try (LoggedEngine engine = withShortRecords(lanes)) {
      Attempt attempt = engine.attempt();
      engine.put(attempt, FAR, 1);
      Ring ring = engine.ring(0);
      long before = ring.tail();
      List<Long> waits = new ArrayList<>();
      engine.onFull =
          () -> {
            waits.add(ring.tail());
            assertThat(ring.tail() - ring.forcedPosition())
                .isLessThanOrEqualTo(ring.capacityBytes());
            assertThat(ring.inflight()).isEqualTo(RingLayout.IDLE);
            assertThat(OrecTable.isLocked(engine.orecs.getOpaque(engine.orecs.of(WORD)))).isFalse();
            assertThat(engine.lanes.lane(0).firstPartPosition()).isEqualTo(before);
            ring.publishForced(ring.tail());
          };
      putApart(attempt, words);
      engine.commit(attempt);
      assertThat(waits).hasSizeGreaterThanOrEqualTo(1);
      for (int i = 0; i < words; i++) {
        assertThat(engine.region.getLong(WORD + 64L * i)).isEqualTo(i + 1);
      }
      assertThat(ring.tail() - ring.forcedPosition()).isLessThanOrEqualTo(ring.capacityBytes());
    }
  }

  /** Whichever of its records finds no space. */
  @ParameterizedTest
  @CsvSource({"3, 15", "3, 42", "6, 15", "6, 42"})
  void aCommitInPartsNeverOverwritesWhatIsNotForced(int lanes, int words) {
    for (int last = 1; last <= SHORT_WORDS; last++) {
      try (LoggedEngine engine = withShortRecords(lanes)) {
        Attempt attempt = engine.attempt();
        Ring ring = engine.ring(0);
        while (ring.capacityBytes() - ring.tail() > 2 * SHORT) {
          putApart(attempt, SHORT_WORDS);
          engine.commit(attempt);
        }
        putApart(attempt, last);
        engine.commit(attempt);
        engine.onFull =
            () -> {
              assertThat(ring.tail() - ring.forcedPosition())
                  .isLessThanOrEqualTo(ring.capacityBytes());
              ring.publishForced(ring.tail());
            };
        putApart(attempt, words);
        engine.commit(attempt);
        assertThat(ring.tail() - ring.forcedPosition()).isLessThanOrEqualTo(ring.capacityBytes());
      }
    }
  }

  /** Another lane has filled the ring meanwhile. The log keeps nothing for it until it begins. */
  @Test
  void aCommitInPartsWaitsForItsFirstPartBeforeItBegins() {
    try (LoggedEngine engine = withShortRecords(2 * PARTITIONS)) {
      Attempt[] attempts = {engine.attempt(), engine.attempt(), engine.attempt(), engine.attempt()};
      Attempt other = attempts[PARTITIONS];
      Ring ring = engine.ring(0);
      while (ring.capacityBytes() - ring.tail() >= SHORT) {
        putApart(other, SHORT_WORDS);
        engine.commit(other);
      }
      List<Long> kept = new ArrayList<>();
      engine.onFull =
          () -> {
            kept.add(engine.lanes.lane(0).firstPartPosition());
            ring.publishForced(ring.tail());
          };
      putApart(attempts[0], SHORT_WORDS + 1);
      engine.commit(attempts[0]);
      assertThat(attempts[0].point.partition()).isZero();
      assertThat(kept).containsExactly(Long.MAX_VALUE);
    }
  }

  @Test
  void aCommitThatMustNotWaitDoesNotGoInParts() {
    try (LoggedEngine engine = withShortRecords(PARTITIONS)) {
      Attempt attempt = engine.attempt();
      putApart(attempt, SHORT_WORDS + 1);
      attempt.mustNotWait(true);
      assertLost(AbortCause.LOCKED, engine, attempt);
      assertThat(engine.ring(0).tail()).isZero();
      assertThat(attempt.wroteParts()).isFalse();
      putApart(attempt, SHORT_WORDS);
      engine.commit(attempt);
      assertThat(engine.ring(0).tail()).isEqualTo(SHORT);
    }
  }

  @Test
  void aConflictBehindThePartsTakesNoLsn() {
    try (LoggedEngine engine = withShortRecords(PARTITIONS)) {
      Attempt attempt = engine.attempt();
      long orec = engine.orecs.of(WORD + 64);
      long locked = OrecTable.locked(0, 200);
      engine.onFull =
          () -> {
            engine.orecs.setRelease(orec, locked);
            engine.ring(0).publishForced(engine.ring(0).tail());
          };
      putApart(attempt, 6000);
      assertLost(AbortCause.LOCKED, engine, attempt);
      assertThat(engine.orecs.getOpaque(orec)).isEqualTo(locked);
      assertThat(engine.orecs.getOpaque(engine.orecs.of(WORD))).as("of the first word").isZero();
      assertThat(engine.lanes.clock()).isZero();
      assertThat(engine.lanes.lane(0).firstPartPosition()).isEqualTo(Long.MAX_VALUE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, SHORT_WORDS + 1})
  void aStoreThatStopsWhileALaneIsLeasedTakesNoCommit(int words) {
    try (LoggedEngine engine = withShortRecords(PARTITIONS)) {
      Attempt attempt = engine.attempt();
      putApart(attempt, words);
      engine.afterLook = engine.lifecycle::stop;
      assertThatThrownBy(() -> engine.committer.commit(attempt, 0))
          .isInstanceOf(StoreClosedException.class);
      assertThat(attempt.progress.stage).isEqualTo(CommitProgress.LEASED);
      new CommitRepair(engine.environment, engine.fatal::add)
          .repair(attempt, new StackOverflowError("by the test"));
      assertThat(engine.lanes.isIdle()).isTrue();
      assertThat(engine.lanes.clock()).isZero();
    }
  }
}
