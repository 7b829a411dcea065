package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.words.RangeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Words, lines and ranges that one transaction after the other writes and reads, and an array. */
final class WordsModelTest {

  private static final int WORDS = 2000;
  private static final int BYTES = WORDS * Long.BYTES;
  private static final int LINE = 8;

  private SmallEngine engine = new SmallEngine();
  private Attempt attempt = engine.attempts.take();
  private final ByteBuffer model = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
  private final Set<Integer> written = new HashSet<>();
  private final SplittableRandom random = new SplittableRandom(7);

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    engine.close();
  }

  private static long address(int word) {
    return WORD + 8L * word;
  }

  private void putWord(int word) {
    long value = random.nextLong();
    attempt.words.put(address(word), value);
    model.putLong(8 * word, value);
    written.add(word);
  }

  private void putRange(int word, int count) {
    byte[] source = new byte[8 * count + 5];
    random.nextBytes(source);
    attempt.words.putRange(address(word), source, 5, count);
    model.put(8 * word, source, 5, 8 * count);
    addWritten(8 * word, 8 * count);
  }

  private void putWords(int word, int count) {
    long[] source = new long[count + 2]; // the rest is not to be written
    for (int i = 0; i < source.length; i++) {
      source[i] = random.nextLong();
    }
    attempt.words.putWords(address(word), source, count);
    for (int i = 0; i < count; i++) {
      model.putLong(8 * (word + i), source[i]);
    }
    addWritten(8 * word, 8 * count);
  }

  private void putBytes(int at, int length) {
    byte[] source = new byte[length + 7];
    random.nextBytes(source);
    switch (random.nextInt(3)) {
      case 0 -> RangeAccess.write(attempt.words, WORD + at, source, 7, length);
      case 1 ->
          RangeAccess.write(
              attempt.words, WORD + at, MemorySegment.ofArray(source).asSlice(7, length));
      default -> {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment outside = arena.allocate(length + 1);
          MemorySegment.copy(MemorySegment.ofArray(source), 7, outside, 1, length);
          RangeAccess.write(attempt.words, WORD + at, outside.asSlice(1));
        }
      }
    }
    model.put(at, source, 7, length);
    addWritten(at, length);
  }

  private void addWritten(int at, int length) {
    for (int i = at; i < at + length; i++) {
      written.add(i / 8);
    }
  }

  private byte[] expected(int at, int length) {
    return Arrays.copyOfRange(model.array(), at, at + length);
  }

  private void writeSome(int steps, int longest) {
    for (int i = 0; i < steps; i++) {
      int word = random.nextInt(WORDS - longest);
      int count = random.nextInt(longest);
      switch (random.nextInt(5)) {
        case 0 -> putRange(word, count);
        case 1 -> putWords(word, count);
        case 2 -> putBytes(8 * word + random.nextInt(8), random.nextInt(8 * longest - 8));
        default -> putWord(word);
      }
    }
  }

  private void readSome(int steps) {
    for (int i = 0; i < steps; i++) {
      int longest = random.nextBoolean() ? 30 : 700; // some of the bytes take more than a buffer
      int word = random.nextInt(WORDS - longest);
      int count = random.nextInt(longest);
      switch (random.nextInt(6)) {
        case 0 -> assertRange(word, count);
        case 1 -> assertLine(word & -LINE);
        case 2 -> assertScattered(1 + random.nextInt(200));
        case 3 -> assertBytes(8 * word + random.nextInt(8), random.nextInt(8 * longest - 8));
        default -> {
          assertThat(attempt.words.get(address(word))).isEqualTo(model.getLong(8 * word));
          assertThat(attempt.words.hasWritten(address(word))).isEqualTo(written.contains(word));
          assertThat(attempt.words.getGuess(address(word))).isEqualTo(model.getLong(8 * word));
        }
      }
    }
  }

  private void assertRange(int word, int count) {
    byte[] target = new byte[8 * count + 9];
    Arrays.fill(target, (byte) 77);
    attempt.words.getRange(address(word), target, 6, count);
    assertThat(Arrays.copyOfRange(target, 6, 6 + 8 * count))
        .isEqualTo(expected(8 * word, 8 * count));
    assertUntouched(target, 6, 8 * count);
  }

  private static void assertUntouched(byte[] target, int offset, int length) {
    for (int i = 0; i < target.length; i++) {
      if (i < offset || i >= offset + length) {
        assertThat(target[i]).isEqualTo((byte) 77);
      }
    }
  }

  private void assertLine(int word) {
    long[] line = new long[LINE];
    attempt.words.getLine(address(word), line);
    for (int i = 0; i < LINE; i++) {
      assertThat(line[i]).isEqualTo(model.getLong(8 * (word + i)));
    }
    byte[] guarded = new byte[16];
    int slot = word + random.nextInt(LINE);
    if (attempt.words.getGuarded(address(word + 2), guarded, 2, address(slot))) {
      assertThat(guarded).isEqualTo(expected(8 * (word + 2), 16));
    }
  }

  private void assertScattered(int count) {
    long[] addresses = new long[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = address(random.nextInt(WORDS));
    }
    long[] values = new long[count];
    attempt.words.get(addresses, values);
    for (int i = 0; i < count; i++) {
      assertThat(values[i]).isEqualTo(model.getLong((int) (addresses[i] - WORD)));
    }
  }

  private void assertBytes(int at, int length) {
    byte[] target = new byte[length + 9];
    Arrays.fill(target, (byte) 77);
    switch (random.nextInt(3)) {
      case 0 -> RangeAccess.read(attempt.words, WORD + at, target, 4, length);
      case 1 ->
          RangeAccess.read(
              attempt.words, WORD + at, MemorySegment.ofArray(target).asSlice(4, length));
      default -> {
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment outside = arena.allocate(length + 9);
          outside.fill((byte) 77);
          RangeAccess.read(attempt.words, WORD + at, outside.asSlice(4, length));
          MemorySegment.copy(outside, 0, MemorySegment.ofArray(target), 0, length + 9);
        }
      }
    }
    assertThat(Arrays.copyOfRange(target, 4, 4 + length)).isEqualTo(expected(at, length));
    assertUntouched(target, 4, length);
  }

  /** Each transaction has another number of words, so each form of its write set is met. */
  @ParameterizedTest
  @CsvSource({"3, true", "40, true", "300, true", "40, false"})
  void readsShowWhatIsStoredUnderWhatTheTransactionHasWritten(int longest, boolean onHeap) {
    close();
    engine = new SmallEngine(onHeap);
    attempt = engine.attempts.take();
    for (int round = 0; round < 60; round++) {
      attempt.begin(false);
      written.clear();
      byte[] before = model.array().clone();
      readSome(5);
      for (int i = 0; i < 4; i++) {
        writeSome(random.nextInt(6), longest);
        readSome(10);
      }
      if (round % 4 == 3) {
        model.put(0, before); // never committed
        continue;
      }
      engine.runner.commit(attempt);
      byte[] stored = new byte[BYTES];
      engine.environment.region().getBytes(WORD, stored, 0, BYTES);
      assertThat(stored).isEqualTo(model.array());
    }
  }

  /** Within a word, over its end, over the buffer of copies, and at each distance from them. */
  @Test
  void bytesOfEveryAlignmentAndLengthAreCopied() {
    attempt.begin(false);
    writeSome(20, 40);
    for (int at = 0; at < 9; at++) {
      for (int length = 0; length < 27; length++) {
        putBytes(at, length);
        putBytes(4096 - at, length);
        assertBytes(at, length);
        assertBytes(4096 - at, length);
      }
      for (int length : new int[] {4087, 4088, 4095, 4096, 4097, 4104, 8191, 8192, 8193}) {
        putBytes(at, length);
        assertBytes(at, length);
      }
    }
    assertBytes(0, BYTES);
  }
}
