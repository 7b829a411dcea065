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
final class TxWordsTest {

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
  private final TxContext context = engine.contexts.take();

  @AfterEach
  void close() {
    engine.contexts.give(context);
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
    void read(TxContext context);
  }

  private static long[] line(TxContext context) {
    long[] line = new long[8];
    context.getLine(LINE, line);
    return line;
  }

  private static byte[] range(TxContext context, int words) {
    byte[] range = new byte[8 * words];
    context.getRange(LINE, range, 0, words);
    return range;
  }

  private static long[] scattered(TxContext context, int words) {
    long[] values = new long[words];
    context.get(IntStream.range(0, words).mapToLong(i -> LINE + 8L * i).toArray(), values);
    return values;
  }

  /** Each of its stripes, and no other one, makes the transaction lose if it changes. */
  private void assertDependsOn(int words, Reading reading) {
    for (int i = -8; i < words + 8; i++) {
      long changed = LINE + 8L * i;
      context.begin(false);
      reading.read(context);
      assertThat(context.areReadsCurrent()).isTrue();
      engine.put(changed, 0);
      boolean isRead =
          changed >= (LINE & -STRIPE) && changed < ((LINE + 8L * words - 1) & -STRIPE) + STRIPE;
      assertThat(context.areReadsCurrent()).as("after a change of word %s", i).isEqualTo(!isRead);
    }
  }

  @Test
  void aReadDependsOnEachWordThatItHasRead() {
    assertDependsOn(1, context -> context.get(LINE));
    assertDependsOn(8, TxWordsTest::line);
    assertDependsOn(3, context -> range(context, 3));
    assertDependsOn(75, context -> range(context, 75));
    assertDependsOn(330, context -> range(context, 330));
    assertDependsOn(70, context -> scattered(context, 70));
  }

  /** Whichever word it is, alone or together with others. */
  private void assertMeetsLocks(int words, Reading reading) {
    for (int i = 0; i < words; i++) {
      long locked = LINE + 8L * i;
      set(locked, LOCKED);
      context.begin(false);
      assertLost(AbortCause.LOCKED, () -> reading.read(context));
      set(locked, 0);
      context.begin(false);
      reading.read(context);
    }
  }

  @Test
  void aReadOfALockedWordLoses() {
    assertMeetsLocks(1, context -> context.get(LINE));
    assertMeetsLocks(8, TxWordsTest::line);
    assertMeetsLocks(66, context -> range(context, 66));
    assertMeetsLocks(70, context -> scattered(context, 70));
  }

  /** Words that the transaction has not written, beside one that it has. */
  @Test
  void theNeighboursOfOwnWritesAreReadLikeOthers() {
    context.begin(false);
    context.put(LINE, 1);
    set(LINE, LOCKED);
    assertThat(context.get(LINE)).isEqualTo(1);
    assertLost(AbortCause.LOCKED, () -> context.get(LINE + 8));
    set(LINE, 0);
    context.begin(false);
    context.get(OTHER);
    context.put(LINE, 1);
    engine.put(LINE + 8, 5);
    assertThat(context.get(LINE + 8)).isEqualTo(5);
    assertThat(context.get(LINE)).isEqualTo(1);
    engine.put(LINE + 8, 6);
    assertThat(context.areReadsCurrent()).isFalse();
  }

  /** The snapshot moves in the middle of the words, which all are of the new one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 4, 7})
  void wordsThatAreNewerMoveTheSnapshot(int word) {
    long value = 0;
    for (Reading reading :
        new Reading[] {
          context -> assertThat(line(context)[word]).isEqualTo(9),
          context -> assertThat(range(context, 8)[8 * word]).isEqualTo((byte) 9),
          context -> assertThat(scattered(context, 8)[word]).isEqualTo(9)
        }) {
      context.begin(false);
      assertThat(context.get(OTHER)).isEqualTo(value);
      engine.put(LINE + 8L * word, 9);
      reading.read(context);
      assertThat(context.snapshot()).isEqualTo(engine.lanes.clock());
      engine.put(LINE + 8L * word, 9);
      assertThat(context.areReadsCurrent()).isFalse();
      context.begin(false);
      context.get(OTHER);
      engine.put(OTHER, ++value);
      engine.put(LINE + 8L * word, 9);
      assertLost(AbortCause.EXTENSION, () -> reading.read(context));
    }
  }

  /** A long reader goes on with what was there when it began, whatever changes. */
  @Test
  void aKeptSnapshotShowsFormerWordsInEachWayToRead() {
    for (int i = 0; i < 8; i++) {
      engine.put(LINE + 8L * i, 5);
    }
    context.begin(true);
    for (int i = 0; i < 1100; i++) {
      context.get(OTHER + 32L * i);
    }
    assertThat(context.isSnapshotOpen).isTrue();
    for (int i = 0; i < 8; i++) {
      engine.put(LINE + 8L * i, 6);
    }
    assertThat(line(context)).containsOnly(5);
    assertThat(scattered(context, 8)).containsOnly(5);
    for (int i = 0; i < 8; i++) {
      assertThat(range(context, 8)[8 * i]).isEqualTo((byte) 5);
    }
    assertThat(context.getGuess(LINE)).isEqualTo(5);
    assertThat(context.getConstant(LINE)).as("has to be read like any other").isZero();
    assertThat(context.peek(LINE)).isEqualTo(6);
  }

  @Test
  void aGuessAndAConstantAreNoConflict() {
    context.begin(false);
    context.get(OTHER);
    engine.put(OTHER, 1);
    engine.put(LINE, 7);
    assertThat(context.getGuess(LINE)).isEqualTo(7);
    assertThat(context.getConstant(LINE)).isEqualTo(7);
    assertThat(context.peek(LINE)).isEqualTo(7);
    long[] words = {3, 3, 3};
    context.peek(LINE, words, 2);
    assertThat(words).containsExactly(7, 0, 3);
    assertThat(context.reads.count()).isEqualTo(1);
    context.put(LINE, 8);
    assertThat(context.getGuess(LINE)).as("its own").isEqualTo(8);
  }

  @Test
  void whatIsLoadedInAdvanceIsNotRead() {
    engine.put(LINE, 7);
    engine.put(LINE + 8, 8);
    context.begin(false);
    assertThat(context.preload(LINE)).isEqualTo(7);
    long[] sink = {0, 0, 3};
    context.preload(new long[] {LINE + 8, LINE}, 2, sink);
    assertThat(sink).containsExactly(8, 7, 3);
    context.preloadWords(new long[] {LINE, LINE + 8}, 1, sink);
    assertThat(sink).containsExactly(7, 7, 3);
    context.preload(LINE, 64);
    context.prepare(LINE);
    context.prepare(OTHER);
    assertThat(context.reads.count()).isZero();
    assertThat(engine.get(LINE)).isEqualTo(7);
    assertThat(engine.get(OTHER)).isZero();
  }

  // ---- Guarded words.

  private boolean getGuarded(long slot) {
    return context.getGuarded(OTHER, new byte[16], 2, slot);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, false", "24, 16, false", "32, 8, true", "56, 40, false", "0, 32, true"})
  void whatIsGuardedIsReadIfItsGuardHasNotChanged(int slot, int changed, boolean isRead) {
    context.begin(false);
    line(context);
    assertThat(getGuarded(LINE + slot)).isTrue();
    engine.put(LINE + changed, 1);
    assertThat(getGuarded(LINE + slot)).isEqualTo(isRead);
  }

  /** Each half of the line is looked at by its own ownership record. */
  @ParameterizedTest
  @ValueSource(longs = {0, 32})
  void aLineOfDifferentVersionsGuardsToo(long newer) {
    engine.put(LINE + newer, 1);
    context.begin(false);
    context.get(LINE + newer);
    line(context);
    assertThat(getGuarded(LINE)).isTrue();
    assertThat(getGuarded(LINE + 32)).isTrue();
  }

  @Test
  void withoutTheLineOfItsGuardNothingIsGuarded() {
    context.begin(false);
    assertThat(getGuarded(LINE)).as("no line was read").isFalse();
    line(context);
    assertThat(getGuarded(LINE)).isTrue();
    context.begin(false);
    assertThat(getGuarded(LINE)).as("by an attempt before").isFalse();
    engine.put(LINE, 1);
    context.begin(false);
    context.get(OTHER);
    engine.put(LINE + 32, 1);
    line(context);
    assertThat(getGuarded(LINE)).as("its words were read one by one").isFalse();
  }

  @Test
  void whatTheTransactionHasWrittenIsSeenWhereItIsGuarded() {
    engine.put(OTHER, 3);
    context.begin(false);
    line(context);
    context.put(OTHER + 8, 4);
    byte[] words = new byte[16];
    assertThat(context.getGuarded(OTHER, words, 2, LINE)).isTrue();
    assertThat(words[0]).isEqualTo((byte) 3);
    assertThat(words[8]).isEqualTo((byte) 4);
    context.put(LINE + 8, 1);
    assertThat(getGuarded(LINE)).as("the guard is in a stripe that was written").isFalse();
    assertThat(getGuarded(LINE + 32)).isTrue();
  }

  // ---- How much may be written.

  /** A way to write so many words from {@link #OTHER} on. */
  private interface Writing {
    void write(TxContext context, int words);
  }

  private static void putEach(TxContext context, int words) {
    for (int i = 0; i < words; i++) {
      context.put(OTHER + 8L * i, i + 1);
    }
  }

  private static void putRanges(TxContext context, int words) {
    byte[] bytes = new byte[8 * words];
    IntStream.range(0, words).forEach(i -> bytes[8 * i] = 1);
    for (int i = 0; i < words; i += 100) {
      context.putRange(OTHER + 8L * i, bytes, 8 * i, Math.min(100, words - i));
    }
  }

  private static void putRange(TxContext context, int words) {
    byte[] bytes = new byte[8 * words];
    IntStream.range(0, words).forEach(i -> bytes[8 * i] = 1);
    context.putRange(OTHER, bytes, 0, words);
  }

  private static void putWords(TxContext context, int words) {
    context.putWords(OTHER, IntStream.range(1, words + 1).asLongStream().toArray(), words);
  }

  private void assertLimited(Writing writing, boolean inStripes) {
    context.begin(false);
    if (inStripes) {
      context.put(OTHER + 8, 1); // so the range is no row
    }
    writing.write(context, MAX_WORDS);
    engine.runner.commit(context);
    assertThat(engine.get(OTHER)).isNotZero();
    assertThat(engine.get(OTHER + 8L * (MAX_WORDS - 1))).isNotZero();
    engine.put(OTHER, 0);
    context.begin(false);
    if (inStripes) {
      context.put(OTHER + 8, 1);
    }
    assertThatThrownBy(() -> writing.write(context, MAX_WORDS + 1))
        .isInstanceOf(TransactionTooLargeException.class)
        .hasMessageContaining("writes more than " + 8 * MAX_WORDS + " bytes");
    assertThatThrownBy(() -> engine.runner.commit(context))
        .isInstanceOf(TransactionTooLargeException.class);
    assertThat(engine.get(OTHER)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTransactionMayWriteSoManyWordsInWhateverWay(boolean inStripes) {
    assertLimited(TxWordsTest::putEach, inStripes);
    assertLimited(TxWordsTest::putRanges, inStripes);
    assertLimited(TxWordsTest::putRange, inStripes);
    assertLimited(TxWordsTest::putWords, inStripes);
  }

  @Test
  void aTransactionThatReadsMayWriteNothing() {
    for (Writing writing :
        new Writing[] {TxWordsTest::putEach, TxWordsTest::putRange, TxWordsTest::putWords}) {
      for (int words : new int[] {1, 3, 20}) {
        context.begin(true);
        assertThat(context.isReadOnly()).isTrue();
        assertThatThrownBy(() -> writing.write(context, words))
            .isInstanceOf(TransactionStateException.class)
            .hasMessageContaining("a read-only transaction cannot write");
      }
    }
    context.begin(false);
    assertThat(context.isReadOnly()).isFalse();
    context.put(OTHER, 1);
    assertThat(context.hasWritten(OTHER)).isTrue();
    assertThat(context.hasWritten(OTHER + 8)).isFalse();
  }

  @Test
  void aStoreThatIsOpenForReadingTakesNoWrites() {
    try (SmallEngine readOnly = new SmallEngine(region -> region, true, 0)) {
      TxContext reader = readOnly.contexts.take();
      for (boolean isReadOnly : new boolean[] {true, false}) {
        reader.begin(isReadOnly);
        assertThatThrownBy(() -> reader.put(OTHER, 1)).isInstanceOf(ReadOnlyStoreException.class);
      }
      readOnly.contexts.give(reader);
    }
  }

  // ---- Addresses.

  @Test
  void theFirstAndTheLastWordExistAndTheirNeighboursDoNot() {
    context.begin(false);
    for (long address : new long[] {WORD, END - 8}) {
      context.put(address, 4);
      assertThat(context.get(address)).isEqualTo(4);
      context.requireField(address, 8);
      context.requireField(address + 7, 1);
      context.requireField(address + 6, 2);
      context.requireRange(address, 8);
    }
    context.requireRange(WORD, END - WORD);
    context.requireRange(END, 0);
    for (long address : new long[] {WORD - 8, END, WORD + 1, WORD + 4, -8, Long.MIN_VALUE}) {
      String problem = (address & 7) != 0 ? "is not a multiple of 8" : OUTSIDE;
      assertRefused(problem, () -> context.get(address));
      assertRefused(problem, () -> context.put(address, 1));
      assertRefused(problem, () -> context.get(new long[] {WORD, address}, new long[2]));
      assertThat(context.writes.count()).isZero();
    }
    assertRefused("is not a multiple of 4", () -> context.requireField(WORD + 2, 4));
    assertRefused(OUTSIDE, () -> context.requireField(END, 1));
    assertRefused(OUTSIDE, () -> context.requireField(WORD - 1, 1));
    assertRefused(OUTSIDE, () -> context.requireRange(WORD - 1, 1));
    assertRefused(OUTSIDE, () -> context.requireRange(END - 8, 9));
    assertRefused(OUTSIDE, () -> context.requireRange(WORD, -1));
  }

  private void assertRefused(String problem, ThrowingCallable call) {
    context.begin(false);
    assertThatThrownBy(call)
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void linesAndBlocksLieInTheRegion() {
    assertThat(context.isLine(WORD)).isTrue();
    assertThat(context.isLine(END - 64)).isTrue();
    for (long address : new long[] {WORD - 64, END, WORD + 32, WORD + 8, END - 32, -64}) {
      assertThat(context.isLine(address)).as("line at %s", address).isFalse();
    }
    assertThat(context.isBlock(WORD, 16)).isTrue();
    assertThat(context.isBlock(WORD + 16, 1000)).isTrue();
    assertThat(context.isBlock(END - 48, 48)).isTrue();
    for (long address : new long[] {WORD - 16, END - 32, WORD + 8, END, -16}) {
      assertThat(context.isBlock(address, 48)).as("block at %s", address).isFalse();
    }
    assertThat(context.capacityBytes()).isEqualTo(END);
  }

  @Test
  void randomNumbersAreThoseOfTheExecution() {
    assertThat(context.randomLong()).isNotEqualTo(context.randomLong());
  }
}
