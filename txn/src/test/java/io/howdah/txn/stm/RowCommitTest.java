package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.txn.TxOptions;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits of ranges, which are rows in the write set: no word of one is forgotten at any step. */
@Timeout(120)
final class RowCommitTest {

  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12);

  /** Begins and ends within stripes, and lies on two pages. */
  private static final int WORDS = 30;

  private static final long FIRST = (1 << 20) - 10 * Long.BYTES;

  private static void fill(WordEngine store, int value) {
    byte[] bytes = new byte[WORDS * Long.BYTES];
    Arrays.fill(bytes, (byte) value);
    store.run(
        tx -> {
          tx.write(FIRST, MemorySegment.ofArray(bytes));
          assertThat(TxHandle.of(tx).words().writes.rows().count()).isEqualTo(WORDS);
        });
  }

  private static void fillElsewhere(WordEngine store, int value) {
    Thread other = new Thread(() -> fill(store, value), "other");
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static long word(int value) {
    return value * 0x0101010101010101L;
  }

  @Test
  void whoHasReadAnyWordOfARangeLosesToACommitOfTheRange() {
    try (WordEngine store = WordEngine.inMemory(OPTIONS)) {
      for (int i = 0; i < WORDS; i++) {
        long address = FIRST + (long) i * Long.BYTES;
        long copy = 8192 + (long) i * Long.BYTES;
        int before = 2 * i;
        int after = before + 1;
        fill(store, before);
        int[] attempts = new int[1];
        store.run(
            tx -> {
              long seen = tx.getLong(address);
              if (attempts[0]++ == 0) {
                fillElsewhere(store, after);
              }
              tx.putLong(copy, seen);
            });
        assertThat(attempts[0]).as("word %d", i).isEqualTo(2);
        assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(copy)))
            .isEqualTo(word(after));
      }
    }
  }

  @Test
  void aLongReaderSeesEveryWordOfARangeAsItWas() {
    try (WordEngine store = WordEngine.inMemory(OPTIONS)) {
      fill(store, 1);
      store.read(
          TxOptions.async(),
          tx -> {
            for (int i = 0; i < 3000; i++) {
              tx.getLong((1 << 21) + 64L * i); // so many that it continues on a snapshot
            }
            fillElsewhere(store, 2);
            for (int i = 0; i < WORDS; i++) {
              assertThat(tx.getLong(FIRST + (long) i * Long.BYTES)).isEqualTo(word(1));
            }
            return 0;
          });
    }
  }
}
