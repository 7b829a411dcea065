package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.core.layout.RedoRecordLayout;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A write set whose words are put one by one and in ranges, against a map. */
final class WrittenRowsTest {

  private static final long FIRST = 8192;

  private final WriteSet writes = new WriteSet();
  private final Map<Long, Long> model = new HashMap<>();
  private final SplittableRandom random = new SplittableRandom(5);

  private void put(long address) {
    long value = random.nextLong();
    assertThat(writes.put(address, value)).isTrue();
    model.put(address, value);
  }

  /** Puts a range as ranges are put: as a row if it can be one, else stripe by stripe. */
  private void putRange(long address, int words) {
    byte[] bytes = new byte[words * Long.BYTES + 3];
    random.nextBytes(bytes);
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long[] array = new long[words];
    for (int i = 0; i < words; i++) {
      array[i] = values.getLong(3 + i * Long.BYTES);
      model.put(address + (long) i * Long.BYTES, array[i]);
    }
    if (writes.beginRow(address, words)) {
      if (random.nextBoolean()) {
        writes.rows().add(address, bytes, 3, words);
      } else {
        writes.rows().add(address, array, words);
      }
      writes.endRow();
    } else {
      long end = address + (long) words * Long.BYTES;
      for (long a = address; a < end; ) {
        long stripe = (a & -OrecTable.STRIPE_BYTES) + OrecTable.STRIPE_BYTES;
        int count = (int) (Math.min(end, stripe) - a) / Long.BYTES;
        writes.putStripe(a, bytes, 3 + (int) (a - address), count);
        a += (long) count * Long.BYTES;
      }
    }
  }

  private void assertIsModel(int range) {
    assertThat(writes.isBroken()).isFalse();
    assertThat(writes.count()).isEqualTo(model.size());
    for (Map.Entry<Long, Long> e : model.entrySet()) {
      int entry = writes.find(e.getKey());
      assertThat(entry).isGreaterThanOrEqualTo(0);
      assertThat(writes.value(entry)).isEqualTo(e.getValue());
      assertThat(writes.mayContain(e.getKey())).isTrue();
      assertThat(writes.passesFilter(e.getKey())).isTrue();
    }
    for (int i = 0; i < 100; i++) {
      long address = FIRST + 8L * random.nextInt(range + 100);
      assertThat(writes.find(address) >= 0).isEqualTo(model.containsKey(address));
    }
    Map<Long, Long> all = new HashMap<>();
    for (int i = 0; i < writes.singles(); i++) {
      assertThat(all.put(writes.address(i), writes.value(i))).isNull();
    }
    WrittenRows rows = writes.rows();
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      assertThat(rows.array()[row])
          .isEqualTo(RedoRecordLayout.entryHead(rows.address(row), rows.words(row)));
      for (int i = 0; i < rows.words(row); i++) {
        assertThat(all.put(rows.address(row) + 8L * i, rows.array()[row + 1 + i])).isNull();
      }
    }
    assertThat(all).isEqualTo(model);
  }

  @Test
  void wordsAreTheSameInRowsAndAlone() {
    for (int round = 0; round < 300; round++) {
      model.clear();
      writes.limit(1 << 20);
      int steps = 1 + random.nextInt(round % 20 == 0 ? 300 : 30);
      int range = 1 + random.nextInt(40 * steps);
      for (int i = 0; i < steps; i++) {
        long address = FIRST + 8L * random.nextInt(range);
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> putRange(address, 1 + random.nextInt(30));
          case 3 -> putRange(nextFree(), 4 + random.nextInt(60)); // continues the last row
          case 4 -> putRange(address, 1 + random.nextInt(300));
          default -> put(address);
        }
      }
      assertIsModel(range);
      if (random.nextInt(4) == 0) {
        writes.splitRows();
        assertThat(writes.rows().isEmpty()).isTrue();
        assertIsModel(range);
        putRange(FIRST + 8L * random.nextInt(range), 20);
        assertIsModel(range);
      }
      if (random.nextInt(4) == 0) {
        rollBack(range);
      }
      if (random.nextBoolean()) {
        writes.clear();
      } else {
        writes.trim();
      }
      assertThat(writes.count()).isZero();
      assertThat(writes.rows().isEmpty()).isTrue();
      assertThat(writes.find(FIRST)).isEqualTo(-1);
    }
  }

  private boolean putsRow(long address, int words) {
    boolean puts = writes.beginRow(address, words);
    if (puts) {
      writes.rows().add(address, new long[words], words);
      writes.endRow();
    }
    return puts;
  }

  private long nextFree() {
    WrittenRows rows = writes.rows();
    long end = FIRST;
    for (int row = 0; row < rows.end(); row = rows.next(row)) {
      end = rows.endAddress(row);
    }
    return end;
  }

  private void rollBack(int range) {
    long position = writes.position();
    Map<Long, Long> before = new HashMap<>(model);
    for (int i = 0; i < 20; i++) {
      putRange(FIRST + 8L * random.nextInt(range), 1 + random.nextInt(20));
    }
    assertIsModel(range);
    writes.rollBack(position);
    model.clear();
    model.putAll(before);
    assertIsModel(range);
  }

  @Test
  void rangesSideBySideAreOneRow() {
    writes.limit(1 << 20);
    for (int i = 0; i < 100; i++) {
      putRange(FIRST + 112L * i, 14);
    }
    assertThat(writes.rows().rows()).isEqualTo(1);
    assertThat(writes.rows().end()).isEqualTo(1 + 1400);
    assertIsModel(1400);
  }

  @Test
  void aRowHasNoMoreWordsThanTheTransactionMayWrite() {
    writes.limit(20);
    assertThat(putsRow(FIRST, 14)).isTrue();
    assertThat(putsRow(FIRST + 1024, 7)).isFalse();
    for (int i = 0; i < 6; i++) {
      assertThat(writes.put(FIRST + 1024 + 8L * i, 1)).isTrue();
    }
    assertThat(writes.put(FIRST + 2048, 1)).isFalse();
    assertThat(writes.put(FIRST + 8, 1)).isTrue();
    writes.splitRows();
    assertThat(writes.count()).isEqualTo(20);
    assertThat(writes.put(FIRST + 2048, 1)).isFalse();
  }

  @Test
  void moreWordsThanARecordHoldsAreNotRows() {
    writes.limit(1 << 20);
    int words = RedoRecordLayout.MAX_LENGTH / Long.BYTES;
    assertThat(putsRow(FIRST, words)).isFalse();
    assertThat(putsRow(FIRST, words / 2)).isTrue();
    assertThat(putsRow(FIRST + 8L * words, words / 2)).isFalse();
  }

  /** An error while the rows became single words: some are there twice, and none can commit. */
  @Test
  void rowsThatAreSplitInPartCannotCommit() throws ReflectiveOperationException {
    writes.limit(1 << 20);
    putRange(FIRST, 14);
    MethodHandles.privateLookupIn(WriteSet.class, MethodHandles.lookup())
        .findVarHandle(WriteSet.class, "isSplitting", boolean.class)
        .set(writes, true);
    assertThat(writes.isBroken()).isTrue();
    long position = writes.position();
    writes.rollBack(position);
    assertThat(writes.isBroken()).isTrue();
    writes.clear();
    assertThat(writes.isBroken()).isFalse();
  }
}
