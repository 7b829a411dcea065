package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.TransactionStateException;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.words.OrecTable;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which words an access depends on, what it may not do, and what it does not see. */
final class WordsTest {

  private static final long END = 1 << 20;
  private static final long LINE = WORD + 1024;
  private static final long OTHER = WORD + 65536;
  private static final int STRIPE = OrecTable.STRIPE_BYTES;
  private static final long LOCKED = OrecTable.locked(0, 200);

  private static final String OUTSIDE = "lies outside the region's data, " + WORD + " to " + END;

  /** As many as the engine lets a transaction write. */
  private static final int MAX_WORDS = 1 << 13;

  private final SmallEngine engine = new SmallEngine();
  private final OrecTable orecs = engine.environment.orecs();
  private final Attempt attempt = engine.attempts.take();

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
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

  // ---- What a read depends on.

  /** A way to read some words from {@link #LINE} on. */
  private interface Reading {
    void read(Attempt attempt);
  }

  private static long[] line(Attempt attempt) {
    long[] line = new long[8];
    attempt.words.getLine(LINE, line);
    return line;
  }

  private static byte[] range(Attempt attempt, int words) {
    byte[] range = new byte[8 * words];
    attempt.words.getRange(LINE, range, 0, words);
    return range;
  }

  private static long[] scattered(Attempt attempt, int words) {
    long[] values = new long[words];
    attempt.words.get(IntStream.range(0, words).mapToLong(i -> LINE + 8L * i).toArray(), values);
    return values;
  }

  /** Each of its stripes, and no other one, makes the transaction lose if it changes. */
  private void assertDependsOn(int words, Reading reading) {
    for (int i = -8; i < words + 8; i++) {
      long changed = LINE + 8L * i;
      attempt.begin(false);
      reading.read(attempt);
      assertThat(attempt.words.areReadsCurrent()).isTrue();
      engine.put(changed, 0);
      boolean isRead =
          changed >= (LINE & -STRIPE) && changed < ((LINE + 8L * words - 1) & -STRIPE) + STRIPE;
      assertThat(attempt.words.areReadsCurrent())
          .as("after a change of word %s", i)
          .isEqualTo(!isRead);
    }
  }

  @Test
  void aReadDependsOnEachWordThatItHasRead() {
    assertDependsOn(1, attempt -> attempt.words.get(LINE));
    assertDependsOn(8, WordsTest::line);
    assertDependsOn(3, attempt -> range(attempt, 3));
    assertDependsOn(75, attempt -> range(attempt, 75));
    assertDependsOn(330, attempt -> range(attempt, 330));
    assertDependsOn(70, attempt -> scattered(attempt, 70));
  }

  /** Whichever word it is, alone or together with others. */
  private void assertMeetsLocks(int words, Reading reading) {
    for (int i = 0; i < words; i++) {
      long locked = LINE + 8L * i;
      set(locked, LOCKED);
      attempt.begin(false);
      assertLost(AbortCause.LOCKED, () -> reading.read(attempt));
      set(locked, 0);
      attempt.begin(false);
      reading.read(attempt);
    }
  }

  @Test
  void aReadOfALockedWordLoses() {
    assertMeetsLocks(1, attempt -> attempt.words.get(LINE));
    assertMeetsLocks(8, WordsTest::line);
    assertMeetsLocks(66, attempt -> range(attempt, 66));
    assertMeetsLocks(70, attempt -> scattered(attempt, 70));
  }

  /** Words that the transaction has not written, beside one that it has. */
  @Test
  void theNeighboursOfOwnWritesAreReadLikeOthers() {
    attempt.begin(false);
    attempt.words.put(LINE, 1);
    set(LINE, LOCKED);
    assertThat(attempt.words.get(LINE)).isEqualTo(1);
    assertLost(AbortCause.LOCKED, () -> attempt.words.get(LINE + 8));
    set(LINE, 0);
    attempt.begin(false);
    attempt.words.get(OTHER);
    attempt.words.put(LINE, 1);
    engine.put(LINE + 8, 5);
    assertThat(attempt.words.get(LINE + 8)).isEqualTo(5);
    assertThat(attempt.words.get(LINE)).isEqualTo(1);
    engine.put(LINE + 8, 6);
    assertThat(attempt.words.areReadsCurrent()).isFalse();
  }

  /** The snapshot moves in the middle of the words, which all are of the new one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 4, 7})
  void wordsThatAreNewerMoveTheSnapshot(int word) {
    long value = 0;
    for (Reading reading :
        new Reading[] {
          attempt -> assertThat(line(attempt)[word]).isEqualTo(9),
          attempt -> assertThat(range(attempt, 8)[8 * word]).isEqualTo((byte) 9),
          attempt -> assertThat(scattered(attempt, 8)[word]).isEqualTo(9)
        }) {
      attempt.begin(false);
      assertThat(attempt.words.get(OTHER)).isEqualTo(value);
      engine.put(LINE + 8L * word, 9);
      reading.read(attempt);
      assertThat(attempt.words.snapshot()).isEqualTo(engine.lanes.clock());
      engine.put(LINE + 8L * word, 9);
      assertThat(attempt.words.areReadsCurrent()).isFalse();
      attempt.begin(false);
      attempt.words.get(OTHER);
      engine.put(OTHER, ++value);
      engine.put(LINE + 8L * word, 9);
      assertLost(AbortCause.EXTENSION, () -> reading.read(attempt));
    }
  }

  /** A long reader goes on with what was there when it began, whatever changes. */
  @Test
  void aKeptSnapshotShowsFormerWordsInEachWayToRead() {
    for (int i = 0; i < 8; i++) {
      engine.put(LINE + 8L * i, 5);
    }
    attempt.begin(true);
    for (int i = 0; i < 1100; i++) {
      attempt.words.get(OTHER + 32L * i);
    }
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    for (int i = 0; i < 8; i++) {
      engine.put(LINE + 8L * i, 6);
    }
    assertThat(line(attempt)).containsOnly(5);
    assertThat(scattered(attempt, 8)).containsOnly(5);
    for (int i = 0; i < 8; i++) {
      assertThat(range(attempt, 8)[8 * i]).isEqualTo((byte) 5);
    }
    assertThat(attempt.words.getGuess(LINE)).isEqualTo(5);
    assertThat(attempt.words.getConstant(LINE)).as("has to be read like any other").isZero();
    assertThat(attempt.words.peek(LINE)).isEqualTo(6);
  }

  @Test
  void aGuessAndAConstantAreNoConflict() {
    attempt.begin(false);
    attempt.words.get(OTHER);
    engine.put(OTHER, 1);
    engine.put(LINE, 7);
    assertThat(attempt.words.getGuess(LINE)).isEqualTo(7);
    assertThat(attempt.words.getConstant(LINE)).isEqualTo(7);
    assertThat(attempt.words.peek(LINE)).isEqualTo(7);
    long[] words = {3, 3, 3};
    attempt.words.peek(LINE, words, 2);
    assertThat(words).containsExactly(7, 0, 3);
    assertThat(attempt.words.reads.count()).isEqualTo(1);
    attempt.words.put(LINE, 8);
    assertThat(attempt.words.getGuess(LINE)).as("its own").isEqualTo(8);
  }

  @Test
  void whatIsLoadedInAdvanceIsNotRead() {
    engine.put(LINE, 7);
    engine.put(LINE + 8, 8);
    attempt.begin(false);
    assertThat(attempt.words.preload(LINE)).isEqualTo(7);
    long[] sink = {0, 0, 3};
    attempt.words.preload(new long[] {LINE + 8, LINE}, 2, sink);
    assertThat(sink).containsExactly(8, 7, 3);
    attempt.words.preloadWords(new long[] {LINE, LINE + 8}, 1, sink);
    assertThat(sink).containsExactly(7, 7, 3);
    attempt.words.preload(LINE, 64);
    attempt.words.prepare(LINE);
    attempt.words.prepare(OTHER);
    assertThat(attempt.words.reads.count()).isZero();
    assertThat(engine.get(LINE)).isEqualTo(7);
    assertThat(engine.get(OTHER)).isZero();
  }

  // ---- Guarded words.

  private boolean getGuarded(long slot) {
    return attempt.words.getGuarded(OTHER, new byte[16], 2, slot);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, false", "24, 16, false", "32, 8, true", "56, 40, false", "0, 32, true"})
  void whatIsGuardedIsReadIfItsGuardHasNotChanged(int slot, int changed, boolean isRead) {
    attempt.begin(false);
    line(attempt);
    assertThat(getGuarded(LINE + slot)).isTrue();
    engine.put(LINE + changed, 1);
    assertThat(getGuarded(LINE + slot)).isEqualTo(isRead);
  }

  /** Each half of the line is looked at by its own ownership record. */
  @ParameterizedTest
  @ValueSource(longs = {0, 32})
  void aLineOfDifferentVersionsGuardsToo(long newer) {
    engine.put(LINE + newer, 1);
    attempt.begin(false);
    attempt.words.get(LINE + newer);
    line(attempt);
    assertThat(getGuarded(LINE)).isTrue();
    assertThat(getGuarded(LINE + 32)).isTrue();
  }

  @Test
  void withoutTheLineOfItsGuardNothingIsGuarded() {
    attempt.begin(false);
    assertThat(getGuarded(LINE)).as("no line was read").isFalse();
    line(attempt);
    assertThat(getGuarded(LINE)).isTrue();
    attempt.begin(false);
    assertThat(getGuarded(LINE)).as("by an attempt before").isFalse();
    engine.put(LINE, 1);
    attempt.begin(false);
    attempt.words.get(OTHER);
    engine.put(LINE + 32, 1);
    line(attempt);
    assertThat(getGuarded(LINE)).as("its words were read one by one").isFalse();
  }

  @Test
  void whatTheTransactionHasWrittenIsSeenWhereItIsGuarded() {
    engine.put(OTHER, 3);
    attempt.begin(false);
    line(attempt);
    attempt.words.put(OTHER + 8, 4);
    byte[] words = new byte[16];
    assertThat(attempt.words.getGuarded(OTHER, words, 2, LINE)).isTrue();
    assertThat(words[0]).isEqualTo((byte) 3);
    assertThat(words[8]).isEqualTo((byte) 4);
    attempt.words.put(LINE + 8, 1);
    assertThat(getGuarded(LINE)).as("the guard is in a stripe that was written").isFalse();
    assertThat(getGuarded(LINE + 32)).isTrue();
  }

  // ---- How much may be written.

  /** A way to write so many words from {@link #OTHER} on. */
  private interface Writing {
    void write(Attempt attempt, int words);
  }

  private static void putEach(Attempt attempt, int words) {
    for (int i = 0; i < words; i++) {
      attempt.words.put(OTHER + 8L * i, i + 1);
    }
  }

  private static void putRanges(Attempt attempt, int words) {
    byte[] bytes = new byte[8 * words];
    IntStream.range(0, words).forEach(i -> bytes[8 * i] = 1);
    for (int i = 0; i < words; i += 100) {
      attempt.words.putRange(OTHER + 8L * i, bytes, 8 * i, Math.min(100, words - i));
    }
  }

  private static void putRange(Attempt attempt, int words) {
    byte[] bytes = new byte[8 * words];
    IntStream.range(0, words).forEach(i -> bytes[8 * i] = 1);
    attempt.words.putRange(OTHER, bytes, 0, words);
  }

  private static void putWords(Attempt attempt, int words) {
    attempt.words.putWords(OTHER, IntStream.range(1, words + 1).asLongStream().toArray(), words);
  }

  private void assertLimited(Writing writing, boolean inStripes) {
    attempt.begin(false);
    if (inStripes) {
      attempt.words.put(OTHER + 8, 1); // so the range is no row
    }
    writing.write(attempt, MAX_WORDS);
    engine.runner.commit(attempt);
    assertThat(engine.get(OTHER)).isNotZero();
    assertThat(engine.get(OTHER + 8L * (MAX_WORDS - 1))).isNotZero();
    engine.put(OTHER, 0);
    attempt.begin(false);
    if (inStripes) {
      attempt.words.put(OTHER + 8, 1);
    }
    assertThatThrownBy(() -> writing.write(attempt, MAX_WORDS + 1))
        .isInstanceOf(TransactionTooLargeException.class)
        .hasMessageContaining("writes more than " + 8 * MAX_WORDS + " bytes");
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOf(TransactionTooLargeException.class);
    assertThat(engine.get(OTHER)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransactionMayWriteSoManyWordsInWhateverWay(boolean inStripes) {
    assertLimited(WordsTest::putEach, inStripes);
    assertLimited(WordsTest::putRanges, inStripes);
    assertLimited(WordsTest::putRange, inStripes);
    assertLimited(WordsTest::putWords, inStripes);
  }

  @Test
  void aTransactionThatReadsMayWriteNothing() {
    for (Writing writing :
        new Writing[] {WordsTest::putEach, WordsTest::putRange, WordsTest::putWords}) {
      for (int words : new int[] {1, 3, 20}) {
        attempt.begin(true);
        assertThat(attempt.words.isReadOnly()).isTrue();
        assertThatThrownBy(() -> writing.write(attempt, words))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageContaining("a read-only transaction cannot write");
      }
    }
    attempt.begin(false);
    assertThat(attempt.words.isReadOnly()).isFalse();
    attempt.words.put(OTHER, 1);
    assertThat(attempt.words.hasWritten(OTHER)).isTrue();
    assertThat(attempt.words.hasWritten(OTHER + 8)).isFalse();
  }

  @Test
  void aStoreThatIsOpenForReadingTakesNoWrites() {
    try (SmallEngine readOnly = new SmallEngine(region -> region, true, 0)) {
      Attempt reader = readOnly.attempts.take();
      for (boolean isReadOnly : new boolean[] {true, false}) {
        reader.begin(isReadOnly);
        assertThatThrownBy(() -> reader.words.put(OTHER, 1))
            .isInstanceOf(ReadOnlyStoreException.class);
      }
      readOnly.attempts.give(reader);
    }
  }

  // ---- Addresses.

  @Test
  void theFirstAndTheLastWordExistAndTheirNeighboursDoNot() {
    attempt.begin(false);
    for (long address : new long[] {WORD, END - 8}) {
      attempt.words.put(address, 4);
      assertThat(attempt.words.get(address)).isEqualTo(4);
      attempt.words.requireField(address, 8);
      attempt.words.requireField(address + 7, 1);
      attempt.words.requireField(address + 6, 2);
      attempt.words.requireRange(address, 8);
    }
    attempt.words.requireRange(WORD, END - WORD);
    attempt.words.requireRange(END, 0);
    for (long address : new long[] {WORD - 8, END, WORD + 1, WORD + 4, -8, Long.MIN_VALUE}) {
      String problem = (address & 7) != 0 ? "is not a multiple of 8" : OUTSIDE;
      assertRefused(problem, () -> attempt.words.get(address));
      assertRefused(problem, () -> attempt.words.put(address, 1));
      assertRefused(problem, () -> attempt.words.get(new long[] {WORD, address}, new long[2]));
      assertThat(attempt.words.writes.count()).isZero();
    }
    assertRefused("is not a multiple of 4", () -> attempt.words.requireField(WORD + 2, 4));
    assertRefused(OUTSIDE, () -> attempt.words.requireField(END, 1));
    assertRefused(OUTSIDE, () -> attempt.words.requireField(WORD - 1, 1));
    assertRefused(OUTSIDE, () -> attempt.words.requireRange(WORD - 1, 1));
    assertRefused(OUTSIDE, () -> attempt.words.requireRange(END - 8, 9));
    assertRefused(OUTSIDE, () -> attempt.words.requireRange(WORD, -1));
  }

  private void assertRefused(String problem, ThrowingCallable call) {
    attempt.begin(false);
    assertThatThrownBy(call)
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void linesAndBlocksLieInTheRegion() {
    assertThat(attempt.words.isLine(WORD)).isTrue();
    assertThat(attempt.words.isLine(END - 64)).isTrue();
    for (long address : new long[] {WORD - 64, END, WORD + 32, WORD + 8, END - 32, -64}) {
      assertThat(attempt.words.isLine(address)).as("line at %s", address).isFalse();
    }
    assertThat(attempt.words.isBlock(WORD, 16)).isTrue();
    assertThat(attempt.words.isBlock(WORD + 16, 1000)).isTrue();
    assertThat(attempt.words.isBlock(END - 48, 48)).isTrue();
    for (long address : new long[] {WORD - 16, END - 32, WORD + 8, END, -16}) {
      assertThat(attempt.words.isBlock(address, 48)).as("block at %s", address).isFalse();
    }
    assertThat(attempt.words.capacityBytes()).isEqualTo(END);
  }

  @Test
  void randomNumbersAreThoseOfTheExecution() {
    assertThat(attempt.words.randomLong()).isNotEqualTo(attempt.words.randomLong());
  }
}
