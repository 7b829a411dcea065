package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.CorruptStoreException;
import io.howdah.core.StoreClosedException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.words.Counters;
import io.howdah.txn.words.OrecTable;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which state an attempt reads, and when it keeps one. */
final class SnapshotMovesTest {

  private static final long OTHER = WORD + 4096;
  private static final long THIRD = WORD + 8192;
  private static final long LOCKED = OrecTable.locked(0, 200);

  private final SmallEngine engine = new SmallEngine();
  private final OrecTable orecs = engine.environment.orecs();
  private final Attempt attempt = engine.attempts.take();

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    assertThat(orecs.history().isOpen()).as("a snapshot is open").isFalse();
    engine.close();
  }

  private void set(long address, long word) {
    orecs.setRelease(orecs.of(address), word);
  }

  private static void assertLost(AbortCause cause, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(cause));
  }

  /** Reads a word, has it and another one changed, and reads that: loses without a snapshot. */
  private void readBoth(long value) {
    attempt.begin(true);
    attempt.words.get(WORD);
    engine.put(WORD, value);
    engine.put(OTHER, value);
    attempt.words.get(OTHER);
  }

  @Test
  void aReadOnlyAttemptThatHasLostThriceKeepsItsSnapshot() {
    for (int i = 1; i <= 3; i++) {
      long value = i;
      assertLost(AbortCause.EXTENSION, () -> readBoth(value));
    }
    attempt.begin(true);
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    long snapshot = attempt.words.snapshot();
    assertThat(snapshot).isEqualTo(engine.lanes.clock());
    assertThat(attempt.words.get(WORD)).isEqualTo(3);
    readMany(500);
    assertThat(attempt.words.reads.count()).as("reads kept").isLessThan(100);
    engine.put(WORD, 9);
    engine.put(OTHER, 9);
    assertThat(attempt.words.get(OTHER)).isEqualTo(3);
    assertThat(attempt.words.get(WORD)).isEqualTo(3);
    assertThat(attempt.words.newestRead()).isEqualTo(snapshot);
    assertThat(attempt.words.areReadsCurrent()).isTrue();
    engine.runner.commit(attempt);
    assertThat(attempt.lsn()).isEqualTo(snapshot);
    attempt.begin(true);
    assertThat(attempt.words.isSnapshotOpen()).as("that of the next transaction").isFalse();
  }

  @Test
  void anAttemptThatWritesNeverKeepsASnapshot() {
    for (int i = 1; i <= 5; i++) {
      long value = i;
      assertLost(
          AbortCause.EXTENSION,
          () -> {
            attempt.begin(false);
            attempt.words.get(WORD);
            engine.put(WORD, value);
            engine.put(OTHER, value);
            attempt.words.get(OTHER);
          });
    }
    attempt.begin(false);
    assertThat(attempt.words.isSnapshotOpen()).isFalse();
  }

  /** It has read more than a thousand words, all of which are current. */
  @Test
  void aLongReadOnlyAttemptKeepsItsSnapshot() {
    attempt.begin(true);
    readMany(1100);
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    engine.put(WORD, 9);
    engine.put(OTHER, 9);
    assertThat(attempt.words.get(OTHER)).isZero();
    assertThat(attempt.words.get(WORD)).isZero();
    assertThat(attempt.words.reads.count()).as("reads kept").isLessThan(1000);
    assertLost(AbortCause.EXTENSION, attempt.words::requireReadSet);
    assertThat(attempt.words.isSnapshotOpen()).isFalse();
    attempt.begin(true);
    readMany(1100);
    assertThat(attempt.words.isSnapshotOpen()).as("it has to know what it reads").isFalse();
  }

  private boolean sharesOrec(long address, int count) {
    return LongStream.range(0, count).anyMatch(i -> orecs.of(WORD + 32 * i) == orecs.of(address));
  }

  private void readMany(int count) {
    for (int i = 0; i < count; i++) {
      attempt.words.get(WORD + 32L * i);
    }
  }

  @Test
  void aLongAttemptWhoseReadsHaveChangedLosesAndIsNotRepeatedOften() {
    long far = WORD + (1 << 18); // read before all others, and with an orec of its own
    while (sharesOrec(far, 1100)) {
      far += OrecTable.GROUP_BYTES;
    }
    attempt.begin(true);
    attempt.words.get(far);
    engine.put(far, 1);
    assertLost(AbortCause.EXTENSION, () -> readMany(1100));
    attempt.begin(true);
    assertThat(attempt.words.isSnapshotOpen()).as("at once, since it was long").isTrue();
  }

  @Test
  void anAttemptThatWritesMayBeLong() {
    attempt.begin(false);
    readMany(1100);
    assertThat(attempt.words.isSnapshotOpen()).isFalse();
    assertThat(attempt.words.reads.count()).isGreaterThanOrEqualTo(1000);
  }

  /** A read that meets something newer moves the snapshot, if all else is as it was. */
  @Test
  void aSnapshotMovesIfItsReadsAreCurrent() {
    attempt.begin(false);
    attempt.words.get(WORD);
    engine.put(OTHER, 4);
    long before = engine.count(Counters.EXTENSIONS);
    assertThat(attempt.words.get(OTHER)).isEqualTo(4);
    assertThat(engine.count(Counters.EXTENSIONS)).isEqualTo(before + 1);
    assertThat(attempt.words.snapshot()).isEqualTo(engine.lanes.clock());
    assertThat(attempt.words.newestRead()).isEqualTo(engine.lanes.clock());
    assertThat(attempt.words.isCurrent(WORD)).isTrue();
    engine.put(WORD, 1);
    assertThat(attempt.words.isCurrent(WORD)).isFalse();
    set(OTHER, LOCKED);
    assertThat(attempt.words.isCurrent(OTHER)).isFalse();
    set(OTHER, 0);
    assertLost(AbortCause.EXTENSION, () -> attempt.words.get(WORD));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 40, 3000})
  void aLockedWordIsReadAgainTheMoreOftenTheMoreIsAtStake(int accesses) {
    attempt.begin(false);
    for (int i = 0; i < accesses / 2; i++) {
      attempt.words.get(THIRD + 32L * i);
      attempt.words.put(THIRD + 32L * i, i);
    }
    int limit = Backoff.MAX_SPINS + Math.min(accesses, Backoff.MAX_MORE_SPINS);
    assertThat(attempt.words.spinLimit()).isEqualTo(limit);
    set(WORD, LOCKED);
    assertLost(AbortCause.LOCKED, () -> attempt.words.get(WORD));
    assertThat(engine.clock.spins).isEqualTo(limit);
    set(WORD, 0);
  }

  @Test
  void aLockedWordThatBecomesFreeIsRead() {
    attempt.begin(false);
    set(WORD, LOCKED);
    engine.clock.onSpin = () -> set(WORD, 0);
    assertThat(attempt.words.get(WORD)).isZero();
    assertThat(engine.clock.spins).isEqualTo(1);
    assertThat(attempt.words.reads.count()).isEqualTo(1);
  }

  /** A long reader spins for a while, then parks: it cannot lose, so it has to wait. */
  @Test
  void aKeptSnapshotWaitsForALock() {
    attempt.begin(true);
    readMany(1100);
    set(OTHER, LOCKED);
    engine.clock.onPark =
        () -> {
          if (engine.clock.parks.size() == 3) {
            set(OTHER, 0);
          }
        };
    assertThat(attempt.words.get(OTHER)).isZero();
    assertThat(engine.clock.spins).isEqualTo(Backoff.MAX_SPINS);
    assertThat(engine.clock.parks).containsExactly(20_000L, 20_000L, 20_000L);
    set(OTHER, LOCKED);
    engine.clock.onPark = engine.lifecycle::stop;
    assertThatThrownBy(() -> attempt.words.get(OTHER)).isInstanceOf(StoreClosedException.class);
    set(OTHER, 0);
  }

  /** An interrupted thread that spins keeps the processor from the commit that it waits for. */
  @Test
  void aKeptSnapshotWaitsForALockThroughAnInterrupt() {
    attempt.begin(true);
    readMany(1100);
    set(OTHER, LOCKED);
    Thread.currentThread().interrupt();
    engine.clock.onPark =
        () -> {
          assertThat(Thread.currentThread().isInterrupted())
              .as("such a park ends at once")
              .isFalse();
          if (engine.clock.parks.contains(20_000L)) {
            set(OTHER, 0);
          }
        };
    assertThat(attempt.words.get(OTHER)).isZero();
    assertThat(Thread.interrupted()).as("it is not lost").isTrue();
  }

  @Test
  void whatIsReadIsDamagedOnlyIfItIsCurrent() {
    attempt.begin(false);
    attempt.words.get(WORD);
    assertThat(attempt.words.inconsistentRead(WORD, "the test"))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("the test is damaged");
    attempt.begin(false);
    attempt.words.get(WORD);
    engine.put(WORD, 1);
    assertThat(attempt.words.inconsistentRead(WORD, "the test"))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.VALIDATION));
  }

  @Test
  void anAttemptWithoutReadsRestsOnNothing() {
    engine.put(WORD, 1);
    attempt.begin(true);
    assertThat(attempt.words.newestRead()).isZero();
    attempt.words.get(OTHER);
    assertThat(attempt.words.newestRead()).isZero();
    attempt.words.get(WORD);
    assertThat(attempt.words.newestRead()).isEqualTo(engine.lanes.clock());
    attempt.words.get(THIRD);
    assertThat(attempt.words.newestRead()).isEqualTo(engine.lanes.clock());
  }

  /** It reads no clock for that, unless it has lost: then there is something newer. */
  @Test
  void anAttemptBeginsWithTheNewestStateThatItsContextKnows() {
    attempt.begin(false);
    attempt.words.put(WORD, 1);
    engine.runner.commit(attempt);
    long own = attempt.lsn();
    engine.put(OTHER, 1);
    attempt.begin(false);
    assertThat(attempt.words.snapshot()).isEqualTo(own);
    assertThat(attempt.words.get(OTHER)).isEqualTo(1);
    long moved = attempt.words.snapshot();
    assertThat(moved).isEqualTo(own + 1);
    engine.put(THIRD, 1);
    attempt.begin(true);
    assertThat(attempt.words.snapshot()).as("of the attempt before").isEqualTo(moved);
    attempt.conflict(AbortCause.EXTENSION);
    attempt.begin(true);
    assertThat(attempt.words.snapshot()).as("after a loss").isEqualTo(engine.lanes.clock());
  }

  @Test
  void aLongReadOnlyAttemptKeepsTheNewestSnapshot() {
    long far = WORD + (1 << 18); // with an orec of its own, so no read moves the snapshot
    while (sharesOrec(far, 1100)) {
      far += OrecTable.GROUP_BYTES;
    }
    attempt.begin(true);
    engine.put(far, 5);
    assertThat(attempt.words.snapshot()).isLessThan(engine.lanes.clock());
    readMany(1100);
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    assertThat(attempt.words.snapshot()).isEqualTo(engine.lanes.clock());
    assertThat(attempt.words.get(far)).isEqualTo(5);
    assertLost(AbortCause.EXTENSION, attempt.words::requireReadSet);
    assertThat(attempt.words.lacksReadSet()).as("it has lost to no other transaction").isTrue();
    attempt.begin(true);
    assertThat(attempt.words.lacksReadSet()).isFalse();
  }
}
