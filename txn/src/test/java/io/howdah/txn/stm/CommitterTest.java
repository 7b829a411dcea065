package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a commit leaves, won or lost, and which LSNs it takes. */
final class CommitterTest {

  private static final long ROW = WORD + 4096;
  private static final long GUARDED = WORD + 8192;
  private static final long READ = WORD + 12288;
  private static final int OTHERS_LANE = 200;

  private final SmallEngine engine = new SmallEngine();
  private final OrecTable orecs = engine.environment.orecs();
  private final Attempt attempt = engine.attempts.take();

  @BeforeEach
  void begin() {
    engine.put(READ, 5);
    attempt.begin(false);
  }

  @AfterEach
  void close() {
    assertThat(engine.lanes.isIdle()).isTrue();
    assertThat(attempt.progress.stage).isEqualTo(CommitProgress.NONE);
    assertThat(engine.fatal).isEmpty();
    engine.attempts.give(attempt);
    engine.close();
  }

  private long orec(long address) {
    return orecs.getOpaque(orecs.of(address));
  }

  private void set(long address, long word) {
    orecs.setRelease(orecs.of(address), word);
  }

  /** Writes a word and a row, and guards another word. */
  private void write() {
    attempt.words.guard(GUARDED);
    attempt.words.put(WORD, 1);
    attempt.words.putWords(ROW, new long[] {2, 3, 4, 5, 6, 7}, 6);
  }

  private void assertLost(AbortCause cause) {
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(cause));
    assertThat(attempt.progress.isReleased).isFalse();
    assertThat(engine.environment.region().getLong(WORD)).isZero();
    assertThat(engine.environment.region().getLong(ROW)).isZero();
  }

  @Test
  void aCommitStoresItsWordsUnderItsVersion() {
    long clock = engine.lanes.clock();
    long read = orec(READ);
    assertThat(attempt.words.get(READ)).isEqualTo(5);
    write();
    engine.runner.commit(attempt);
    assertThat(attempt.lsn()).isEqualTo(clock + 1);
    assertThat(engine.lanes.clock()).isEqualTo(clock + 1);
    assertThat(attempt.progress.isReleased).isTrue();
    for (long address : new long[] {WORD, ROW, ROW + 32, GUARDED}) {
      assertThat(orec(address)).isBetween(OrecTable.limit(clock) + 1, OrecTable.limit(clock + 1));
    }
    assertThat(orec(READ)).isEqualTo(read);
    assertThat(engine.get(WORD)).isEqualTo(1);
    for (int i = 0; i < 6; i++) {
      assertThat(engine.get(ROW + 8L * i)).isEqualTo(2 + i);
    }
    assertThat(engine.get(GUARDED)).isZero();
    assertThat(engine.count(Counters.COMMITS)).isEqualTo(2);
    assertThat(engine.count(Counters.VOIDS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {WORD, ROW, ROW + 32, GUARDED})
  void aLockOfAnotherCommitIsWaitedForNotForLong(long address) {
    long clock = engine.lanes.clock();
    set(address, OrecTable.locked(0, OTHERS_LANE));
    write();
    assertLost(AbortCause.LOCKED);
    assertThat(engine.clock.spins).isBetween(Backoff.MAX_SPINS, Backoff.MAX_SPINS + 10);
    assertThat(orec(address)).isEqualTo(OrecTable.locked(0, OTHERS_LANE));
    assertThat(engine.lanes.clock()).as("took no LSN").isEqualTo(clock);
    set(address, 0);
    for (long other : new long[] {WORD, ROW, ROW + 32, GUARDED}) {
      assertThat(orec(other)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {WORD, ROW + 32, GUARDED})
  void aLockThatGoesMeanwhileIsNoConflict(long address) {
    set(address, OrecTable.locked(0, OTHERS_LANE));
    engine.clock.onSpin =
        () -> {
          if (engine.clock.spins == 20) {
            set(address, 0);
          }
        };
    write();
    engine.runner.commit(attempt);
    assertThat(engine.get(WORD)).isEqualTo(1);
  }

  /** What was read is written, too, so its new version shows as soon as it is locked. */
  @Test
  void aConflictThatTheLocksShowTakesNoLsn() {
    attempt.words.get(WORD);
    engine.put(WORD, 0);
    long clock = engine.lanes.clock();
    write();
    assertLost(AbortCause.VALIDATION);
    assertThat(engine.lanes.clock()).isEqualTo(clock);
    assertThat(engine.count(Counters.VOIDS)).isZero();
    assertThat(OrecTable.isLocked(orec(WORD))).isFalse();
  }

  @Test
  void aConflictWithWhatWasOnlyReadLeavesAVoid() {
    attempt.words.get(READ);
    engine.put(READ, 6);
    long clock = engine.lanes.clock();
    write();
    assertLost(AbortCause.VALIDATION);
    assertThat(engine.lanes.clock()).isEqualTo(clock + 1);
    assertThat(engine.count(Counters.VOIDS)).isEqualTo(1);
    for (long address : new long[] {WORD, ROW, ROW + 32, GUARDED}) {
      assertThat(orec(address)).isZero();
    }
  }

  /** A newer version alone is none: the word was not read. */
  @Test
  void aWordWrittenBlindlyHasNoConflict() {
    engine.put(WORD, 0);
    attempt.words.get(READ);
    write();
    engine.runner.commit(attempt);
    assertThat(engine.get(WORD)).isEqualTo(1);
  }

  @Test
  void whatSnapshotsNeedIsKept() {
    engine.put(WORD, 70);
    engine.put(ROW + 40, 71);
    long snapshot = orecs.history().open(engine.lanes::clock);
    write();
    engine.runner.commit(attempt);
    assertThat(orecs.history().value(WORD, snapshot, 1)).isEqualTo(70);
    assertThat(orecs.history().value(ROW + 40, snapshot, 7)).isEqualTo(71);
    assertThat(orecs.history().value(ROW, snapshot, 2)).isZero();
    assertThat(orecs.history().value(WORD, attempt.lsn(), 1)).isEqualTo(1);
    orecs.history().close();
    assertThat(orecs.history().isOpen()).isFalse();
    assertThat(orecs.history().value(WORD, snapshot, 1)).as("nothing is kept now").isEqualTo(1);
  }

  @Test
  void aCommitWithoutWritesTakesNothing() {
    long clock = engine.lanes.clock();
    attempt.words.get(READ);
    engine.runner.commit(attempt);
    assertThat(attempt.lsn()).isEqualTo(clock);
    assertThat(engine.lanes.clock()).isEqualTo(clock);
    assertThat(engine.count(Counters.READ_ONLY_COMMITS)).isEqualTo(1);
  }

  @Test
  void guardsNeedLocksLikeWords() {
    int count = 100; // more than an attempt has room for before
    for (int i = 0; i < count; i++) {
      attempt.words.put(WORD + 1024 + 32L * i, i);
      attempt.words.guard(ROW + 32L * i);
    }
    long clock = engine.lanes.clock();
    engine.runner.commit(attempt);
    for (int i = 0; i < count; i++) {
      assertThat(orec(WORD + 1024 + 32L * i)).isGreaterThan(OrecTable.limit(clock));
      assertThat(orec(ROW + 32L * i)).isGreaterThan(OrecTable.limit(clock));
    }
  }
}
