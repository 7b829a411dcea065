package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Words that are read and replaced under the orec of another word, as the entries of maps are. */
@Timeout(120)
final class GuardedRangesTest {

  /** The word of existence. */
  private static final long TABLE = RegionHeaderLayout.ROOTS_ADDRESS;

  private static final long SLOT = TABLE + 128;
  private static final long OTHER_SLOT = TABLE + 256;
  private static final int WORDS = 4;
  private static final int BLOCK = 256;

  private final WordEngine store =
      WordEngine.inMemory(EngineOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 14));

  /** A block; two values in it share a stripe. */
  private long block;

  private long value;
  private long otherValue;
  private int missedConflicts;

  @BeforeEach
  void fill() {
    block = store.call(tx -> tx.allocate(BLOCK));
    value = block + 16;
    otherValue = value + WORDS * Long.BYTES;
    store.run(
        tx -> {
          words(tx).putUnchecked(TABLE, 1);
          words(tx).putUnchecked(SLOT, value);
          words(tx).putUnchecked(OTHER_SLOT, otherValue);
          for (int i = 0; i < 2 * WORDS; i++) {
            tx.putLong(value + 8L * i, 1);
          }
        });
  }

  @AfterEach
  void close() {
    store.close();
    assertThat(missedConflicts).isZero();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  /** Reads what a slot leads to, under the slot; returns the number that all words hold. */
  private static long read(Tx tx, long slot) {
    assertThat(words(tx).getUnchecked(TABLE)).isEqualTo(1);
    return readGuarded(tx, slot, words(tx).getUnchecked(slot));
  }

  private static long readGuarded(Tx tx, long slot, long address) {
    byte[] bytes = new byte[8 + WORDS * Long.BYTES];
    words(tx).getGuarded(slot, TABLE, address, bytes, 8, WORDS);
    ByteBuffer read = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 1; i <= WORDS; i++) {
      assertThat(read.getLong(8 * i)).isEqualTo(read.getLong(8));
    }
    return read.getLong(8);
  }

  private static void replace(Tx tx, long slot, long number) {
    long address = words(tx).getUnchecked(slot);
    ByteBuffer bytes = ByteBuffer.allocate(WORDS * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < WORDS; i++) {
      bytes.putLong(number);
    }
    words(tx).putGuarded(slot, address, bytes.array(), 0, WORDS);
  }

  private static void elsewhere(Runnable action) {
    Throwable[] thrown = new Throwable[1];
    Thread other = new Thread(action, "other");
    other.setUncaughtExceptionHandler((_, e) -> thrown[0] = e);
    other.start();
    try {
      other.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(thrown[0]).isNull();
  }

  private static void becomeLong(Tx tx) {
    for (int i = 0; i < 3000; i++) {
      tx.getLong((1 << 21) + (1 << 20) + 64L * i);
    }
    assertThat(words(tx).isSnapshotOpen()).isTrue();
  }

  /** Notes that a read had no conflict; an assertion here would only repeat the stale body. */
  private void requireConflict(Runnable read) {
    read.run();
    missedConflicts++;
  }

  /** Requires that a read by the word's own orec sees that the word is newer than the snapshot. */
  private void requireVersion(long address, Runnable change) {
    store.read(
        tx -> {
          long before = words(tx).snapshot();
          elsewhere(change);
          tx.getLong(address);
          assertThat(words(tx).snapshot()).isGreaterThan(before);
          return 0;
        });
  }

  @Test
  void whatIsReplacedIsRead() {
    store.run(
        tx -> {
          replace(tx, SLOT, 2);
          assertThat(read(tx, SLOT)).as("its own").isEqualTo(2);
          replace(tx, SLOT, 3);
          assertThat(read(tx, SLOT)).isEqualTo(3);
          assertThat(read(tx, OTHER_SLOT)).isEqualTo(1);
        });
    assertThat(store.<Long, RuntimeException>read(tx -> read(tx, SLOT))).isEqualTo(3);
    assertThat(store.<Long, RuntimeException>read(tx -> read(tx, OTHER_SLOT))).isEqualTo(1);
  }

  /** The two values have words in one stripe; whoever reads one has no conflict with the other. */
  @Test
  void valuesThatShareAStripeDoNotConflict() {
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          long number = read(tx, SLOT);
          elsewhere(() -> store.run(other -> replace(other, OTHER_SLOT, 7)));
          replace(tx, SLOT, number + 1);
        });
    assertThat(attempts[0]).isEqualTo(1);
    assertThat(store.<Long, RuntimeException>read(tx -> read(tx, SLOT))).isEqualTo(2);
    assertThat(store.<Long, RuntimeException>read(tx -> read(tx, OTHER_SLOT))).isEqualTo(7);
  }

  @Test
  void whoHasReadAReplacedValueLoses() {
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          long number = read(tx, SLOT);
          if (attempts[0] == 1) {
            elsewhere(() -> store.run(other -> replace(other, SLOT, 7)));
            requireConflict(() -> read(tx, SLOT));
          }
          replace(tx, SLOT, number + 1);
        });
    assertThat(attempts[0]).isEqualTo(2);
    assertThat(store.<Long, RuntimeException>read(tx -> read(tx, SLOT))).isEqualTo(8);
  }

  /** Words of another owner get their version, even if they follow a replaced value. */
  @Test
  void aRowBehindAReplacedValueHasItsVersion() {
    long behind = otherValue + WORDS * Long.BYTES;
    requireVersion(
        behind + 24,
        () ->
            store.run(
                tx -> {
                  replace(tx, OTHER_SLOT, 2);
                  words(tx).putWords(behind, new long[] {5, 5, 5, 5}, WORDS);
                }));
  }

  @Test
  void aReplacedValueBehindARowLeavesTheRowItsVersion() {
    requireVersion(
        value - 8,
        () ->
            store.run(
                tx -> {
                  words(tx).putWords(block + 128, new long[] {5, 5, 5, 5}, WORDS);
                  replace(tx, SLOT, 2);
                  words(tx).put(value - 8, 5);
                }));
    assertThat(store.<Long, RuntimeException>read(tx -> tx.getLong(block + 152))).isEqualTo(5);
  }

  /** The block may get another owner in the same transaction, which is read by its own orecs. */
  @Test
  void aValueThatIsFreedAfterItsReplacementHasItsVersion() {
    requireVersion(
        value + 8,
        () ->
            store.run(
                tx -> {
                  replace(tx, SLOT, 2);
                  words(tx).putUnchecked(SLOT, 0);
                  tx.free(block);
                }));
  }

  /** A slot that the transaction itself has moved: others still guard by the one before. */
  @Test
  void behindAnOwnSlotAllThatWasReadHasToBeCurrent() {
    int[] attempts = new int[1];
    store.run(
        tx -> {
          attempts[0]++;
          long address = words(tx).getUnchecked(SLOT);
          assertThat(words(tx).getUnchecked(TABLE)).isEqualTo(1);
          long moved = words(tx).getUnchecked(OTHER_SLOT);
          words(tx).putUnchecked(OTHER_SLOT, address);
          words(tx).putUnchecked(SLOT, moved);
          assertThat(read(tx, OTHER_SLOT)).isEqualTo(attempts[0] == 1 ? 1 : 9);
          if (attempts[0] == 1) {
            elsewhere(() -> store.run(other -> replace(other, SLOT, 9)));
            requireConflict(() -> read(tx, OTHER_SLOT));
          }
        });
    assertThat(attempts[0]).isEqualTo(2);
  }

  @Test
  void aKeptSnapshotReadsTheFormerValue() {
    store.read(
        tx -> {
          assertThat(read(tx, SLOT)).isEqualTo(1);
          becomeLong(tx);
          elsewhere(() -> store.run(other -> replace(other, SLOT, 7)));
          assertThat(read(tx, SLOT)).isEqualTo(1);
          return 0;
        });
  }

  /** Ends the structure, whose words get another owner; no slot is written. */
  private void drop() {
    elsewhere(
        () -> {
          store.run(tx -> words(tx).putUnchecked(TABLE, 0));
          store.run(tx -> words(tx).putWords(value, new long[] {6, 6, 6, 6}, WORDS));
        });
  }

  @Test
  void afterTheEndOfTheStructureThereIsAConflict() {
    int[] attempts = new int[1];
    store.read(
        tx -> {
          if (attempts[0]++ == 0) {
            assertThat(read(tx, SLOT)).isEqualTo(1);
            drop();
            requireConflict(() -> readGuarded(tx, SLOT, value));
          }
          return 0;
        });
    assertThat(attempts[0]).isEqualTo(2);
  }

  @Test
  void aKeptSnapshotReadsTheStructureThatHasEnded() {
    store.read(
        tx -> {
          assertThat(read(tx, SLOT)).isEqualTo(1);
          becomeLong(tx);
          drop();
          assertThat(readGuarded(tx, SLOT, value)).isEqualTo(1);
          return 0;
        });
  }
}
