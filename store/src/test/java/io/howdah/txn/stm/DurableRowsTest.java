package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ranges, which are rows in the write set, are whole in checkpoint and log. */
@Timeout(120)
final class DurableRowsTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12);

  /** Begins and ends within stripes, and lies on two pages. */
  private static final int WORDS = 30;

  private static final long FIRST = (1 << 20) - 10 * Long.BYTES;

  private static void fill(Store store, int value) {
    byte[] bytes = new byte[WORDS * Long.BYTES];
    Arrays.fill(bytes, (byte) value);
    store.run(
        tx -> {
          tx.write(FIRST, MemorySegment.ofArray(bytes));
          assertThat(TxHandle.of(tx).words().writes.rows().count()).isEqualTo(WORDS);
        });
  }

  private static long word(int value) {
    return value * 0x0101010101010101L;
  }

  @Test
  void aCheckpointCopiesAllPagesOfARange(@TempDir Path folder) {
    try (Store store = Store.open(folder.resolve("store"), OPTIONS)) {
      fill(store, 1);
      store.admin().checkpoint();
      fill(store, 2);
      store.admin().checkpoint();
    }
    try (Store store = Store.open(folder.resolve("store"), OPTIONS)) {
      for (int i = 0; i < WORDS; i++) {
        long address = FIRST + (long) i * Long.BYTES;
        assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(address)))
            .isEqualTo(word(2));
      }
    }
  }

  /** More than a record holds, and a savepoint: single words, and the same in the end. */
  @Test
  void rangesThatBecomeSingleWordsAreCommittedAsWell(@TempDir Path folder) {
    StoreOptions options = OPTIONS.withRingBytes(1 << 16);
    byte[] bytes = new byte[100_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 31);
    }
    try (Store store = Store.open(folder.resolve("store"), options)) {
      store.run(
          tx -> {
            for (int at = 0; at < bytes.length; at += 1000) {
              tx.write((1 << 20) + 2L * at, MemorySegment.ofArray(bytes).asSlice(at, 1000));
            }
          });
      store.run(
          tx -> {
            tx.write(1 << 21, MemorySegment.ofArray(bytes).asSlice(0, 4000));
            var savepoint = tx.savepoint();
            tx.write((1 << 21) + 800, MemorySegment.ofArray(new byte[4000]));
            tx.rollBack(savepoint);
          });
    }
    try (Store store = Store.open(folder.resolve("store"), options)) {
      byte[] found = new byte[1000];
      for (int at = 0; at < bytes.length; at += 1000) {
        long address = (1 << 20) + 2L * at;
        store.run(tx -> tx.read(address, MemorySegment.ofArray(found)));
        assertThat(found).isEqualTo(Arrays.copyOfRange(bytes, at, at + 1000));
      }
      byte[] all = new byte[4000];
      store.run(tx -> tx.read(1 << 21, MemorySegment.ofArray(all)));
      assertThat(all).isEqualTo(Arrays.copyOf(bytes, 4000));
    }
  }
}
