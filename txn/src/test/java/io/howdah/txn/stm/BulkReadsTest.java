package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.Region;
import io.howdah.testkit.disk.ForwardingRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Many words that are read at once: how they are loaded, and who may commit meanwhile. */
final class BulkReadsTest {

  private static final long FIRST = WORD + 1024;
  private static final int WORDS = 40;

  /** Number of the load of many words at which another transaction commits; -1 for none. */
  private int overtakenLoad = -1;

  private boolean isBefore;
  private int loads;
  private int singles;
  private long value;
  private final SmallEngine engine = new SmallEngine(Watched::new);
  private final Attempt attempt = engine.attempts.take();

  /** Memory that counts its loads, and in which something happens at one of them. */
  private final class Watched extends ForwardingRegion {
    private final Region memory;

    Watched(Region memory) {
      super(memory);
      this.memory = memory;
    }

    private void load(Runnable load) {
      boolean isOvertaken = loads++ == overtakenLoad;
      if (isOvertaken && isBefore) {
        putAll();
      }
      load.run();
      if (isOvertaken && !isBefore) {
        putAll();
      }
    }

    @Override
    public long getLongOpaque(long address) {
      singles++;
      return super.getLongOpaque(address);
    }

    @Override
    public void getLongs(long address, long[] words, int from, int count) {
      load(() -> memory.getLongs(address, words, from, count));
    }

    @Override
    public void getLongs(long[] addresses, long[] words, int from, int count) {
      load(() -> memory.getLongs(addresses, words, from, count));
    }

    @Override
    public void getBytes(long address, byte[] target, int offset, int lengthBytes) {
      load(() -> memory.getBytes(address, target, offset, lengthBytes));
    }
  }

  /** The ways to read. */
  enum Way {
    LINE,
    RANGE,
    SCATTERED;

    long[] read(Attempt attempt) {
      return switch (this) {
        case LINE -> {
          long[] line = new long[8];
          attempt.words.getLine(FIRST, line);
          yield line;
        }
        case RANGE -> {
          byte[] bytes = new byte[8 * WORDS];
          attempt.words.getRange(FIRST, bytes, 0, WORDS);
          long[] words = new long[WORDS];
          ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().get(words);
          yield words;
        }
        case SCATTERED -> {
          long[] words = new long[WORDS];
          attempt.words.get(
              IntStream.range(0, WORDS).mapToLong(i -> FIRST + 8L * i).toArray(), words);
          yield words;
        }
      };
    }
  }

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    engine.close();
  }

  /** Gives all words the next value, in one transaction. */
  private void putAll() {
    overtakenLoad = -1;
    value++;
    engine.call(
        tx -> {
          for (int i = 0; i < WORDS; i++) {
            tx.putLong(FIRST + 8L * i, value);
          }
          return 0;
        });
  }

  /** Each of them has a version of its own; the snapshot is newer. */
  @ParameterizedTest
  @EnumSource
  void wordsThatDoNotChangeAreNotReadOneByOne(Way way) {
    for (int i = 0; i < WORDS; i++) {
      engine.put(FIRST + 8L * i, 5);
    }
    attempt.begin(false);
    attempt.words.get(FIRST + 8 * (WORDS - 1));
    singles = 0;
    assertThat(way.read(attempt)).containsOnly(5);
    assertThat(singles).isZero();
  }

  @ParameterizedTest
  @CsvSource({"LINE, 0", "RANGE, 0", "SCATTERED, 0", "SCATTERED, 1"})
  void wordsThatChangeMeanwhileAreOfOneState(Way way, int load) {
    for (boolean isFirst : new boolean[] {true, false}) {
      putAll();
      attempt.begin(false);
      loads = 0;
      isBefore = isFirst;
      overtakenLoad = load;
      long[] words = way.read(attempt);
      assertThat(overtakenLoad).as("another one has committed").isEqualTo(-1);
      assertThat(Arrays.stream(words).distinct()).hasSize(1);
      assertThat(words[0] == value).isEqualTo(attempt.words.areReadsCurrent());
    }
  }
}
