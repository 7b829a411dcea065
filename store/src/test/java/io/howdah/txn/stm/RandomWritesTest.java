package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.testkit.disk.SimulatedDisk;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random transactions write words, fields and ranges of any alignment, take savepoints, roll back
 * and abort, and compare every kind of read with a plain model; stores are killed and opened again.
 */
final class RandomWritesTest {

  private static final long FIRST = 8192;

  /** Up to the end of the region. */
  private static final int WORDS = (1 << 17) - (int) FIRST / Long.BYTES;

  private static final int SMALL = 4096;

  private final Map<Integer, Long> written = new HashMap<>();
  private long[] committed = new long[WORDS];
  private int tooLarge;

  private static final class Abort extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private record Saved(Savepoint savepoint, Map<Integer, Long> written) {}

  private static StoreOptions options(SimulatedDisk disk, int orecs, long maxTransactionBytes) {
    return StoreOptions.defaults()
        .withStorage(disk.storage())
        .withMaxSize(1 << 20)
        .withPartitions(2)
        .withRingBytes(1 << 16)
        .withOrecs(orecs)
        .withMaxTransactionBytes(maxTransactionBytes)
        .withMaxLogBytes(1L << 40)
        .withRecoveryGoal(Duration.ofHours(1));
  }

  @Test
  void everyReadShowsWhatWasWrittenAndKillsLoseNothing() {
    campaign(1, 64, 1 << 24, 40);
    campaign(2, 1 << 14, 1 << 24, 40);
  }

  @Test
  void aTransactionIsRefusedExactlyWhenItWritesMoreThanItMay() {
    campaign(3, 1 << 10, SMALL, 120);
    assertThat(tooLarge).isPositive();
  }

  @Test
  void aFullTransactionDoesNotLosePartOfARange() {
    StoreOptions options =
        StoreOptions.defaults().withMaxSize(1 << 20).withMaxTransactionBytes(SMALL);
    byte[] range = new byte[32];
    Arrays.fill(range, (byte) 7);
    try (Store store = Store.inMemory(options)) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        for (int i = 0; i < SMALL / Long.BYTES; i++) {
                          tx.putLong(FIRST + 32L * i, 1);
                        }
                        tx.write(FIRST, range); // one of its four words is there
                      }))
          .isInstanceOf(TransactionTooLargeException.class);
      assertThat(store.read(tx -> tx.getLong(FIRST)).longValue()).isZero();
    }
  }

  private void campaign(long seed, int orecs, long max, int transactions) {
    SplittableRandom random = new SplittableRandom(seed);
    committed = new long[WORDS];
    SimulatedDisk disk = SimulatedDisk.builder(seed).build();
    for (int life = 0; life < 3; life++) {
      try (Store store = Store.open(options(disk, orecs, max))) {
        compareAll(store);
        for (int i = 0; i < transactions; i++) {
          transaction(store, random.nextLong(), max);
        }
        compareAll(store);
        disk = disk.fork();
        disk.kill();
      }
    }
  }

  private void compareAll(Store store) {
    byte[] all = new byte[WORDS * Long.BYTES];
    store.run(tx -> tx.read(FIRST, all));
    ByteBuffer buffer = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < WORDS; i++) {
      assertThat(buffer.getLong(i * Long.BYTES)).as("word %d", i).isEqualTo(committed[i]);
    }
  }

  private void transaction(Store store, long seed, long max) {
    try {
      store.run(
          tx -> {
            written.clear();
            body(tx, new SplittableRandom(seed), max);
          });
    } catch (Abort e) {
      return;
    } catch (TransactionTooLargeException e) {
      tooLarge++;
      assertThat((long) written.size()).as("seed %d", seed).isGreaterThan(max / Long.BYTES);
      return;
    }
    assertThat((long) written.size()).as("seed %d", seed).isLessThanOrEqualTo(max / Long.BYTES);
    written.forEach((word, value) -> committed[word] = value);
  }

  private void body(Tx tx, SplittableRandom random, long max) {
    int range = Math.min(WORDS, 40 << random.nextInt(12));
    int base = random.nextInt(4) == 0 ? WORDS - range : random.nextInt(WORDS - range + 1);
    int end = base + range;
    int steps = 1 + random.nextInt(random.nextInt(8) == 0 ? 250 : 40);
    int longest = max == SMALL ? 200 : 3000;
    int next = base;
    Deque<Saved> saved = new ArrayDeque<>();
    int kinds = random.nextInt(3) == 0 ? 14 : 12;
    for (int i = 0; i < steps; i++) {
      int word = base + random.nextInt(range);
      switch (random.nextInt(kinds)) {
        case 0, 1, 2, 3 -> next = write(tx, random, word, 1 + random.nextInt(40), end);
        case 4 -> next = write(tx, random, word, 1 + random.nextInt(longest), end);
        case 5 -> next = write(tx, random, Math.min(next, end - 1), 4 + random.nextInt(30), end);
        case 6, 7 -> {
          long value = random.nextLong();
          written.put(word, value);
          tx.putLong(address(word), value);
        }
        case 8 -> {
          int offset = random.nextInt(Long.BYTES);
          byte value = (byte) random.nextInt();
          putField(word, offset, 0xFFL, value);
          tx.putByte(address(word) + offset, value);
        }
        case 9 -> {
          int offset = Integer.BYTES * random.nextInt(2);
          int value = random.nextInt();
          putField(word, offset, 0xFFFF_FFFFL, value);
          tx.putInt(address(word) + offset, value);
        }
        case 10, 11 -> check(tx, random, word, end);
        case 12 -> saved.push(new Saved(tx.savepoint(), Map.copyOf(written)));
        default -> {
          if (!saved.isEmpty()) {
            Saved last = saved.pop();
            tx.rollBack(last.savepoint());
            written.clear();
            written.putAll(last.written());
          }
        }
      }
    }
    check(tx, random, base + random.nextInt(range), end);
    if (random.nextInt(6) == 0) {
      throw new Abort();
    }
  }

  private static long address(int word) {
    return FIRST + (long) word * Long.BYTES;
  }

  private long value(int word) {
    return written.getOrDefault(word, committed[word]);
  }

  private void putField(int word, int offset, long ones, long value) {
    long mask = ones << (Byte.SIZE * offset);
    written.put(word, (value(word) & ~mask) | ((value & ones) << (Byte.SIZE * offset)));
  }

  /** Writes a range that may begin and end within words; returns the word behind it. */
  private int write(Tx tx, SplittableRandom random, int word, int words, int end) {
    int count = Math.min(words, end - word);
    int head = random.nextInt(3) == 0 ? random.nextInt(Long.BYTES) : 0;
    int cut = random.nextInt(3) == 0 ? random.nextInt(Long.BYTES) : 0;
    int length = Long.BYTES * count - head - cut;
    if (length <= 0) {
      return word;
    }
    byte[] bytes = new byte[length + 5];
    random.nextBytes(bytes);
    ByteBuffer image = ByteBuffer.allocate(Long.BYTES * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      image.putLong(Long.BYTES * i, value(word + i));
    }
    image.put(head, bytes, 5, length);
    for (int i = head / Long.BYTES; i <= (head + length - 1) / Long.BYTES; i++) {
      written.put(word + i, image.getLong(Long.BYTES * i));
    }
    tx.write(address(word) + head, bytes, 5, length);
    return Math.min(word + count, end - 1);
  }

  private void check(Tx tx, SplittableRandom random, int word, int end) {
    long address = address(word);
    assertThat(tx.getLong(address)).isEqualTo(value(word));
    int offset = random.nextInt(Long.BYTES);
    assertThat(tx.getByte(address + offset))
        .isEqualTo((byte) (value(word) >>> (Byte.SIZE * offset)));
    assertThat(tx.getInt(address + 4)).isEqualTo((int) (value(word) >>> 32));
    assertThat(tx.getShort(address + 2)).isEqualTo((short) (value(word) >>> 16));
    Attempt attempt = TxHandle.of(tx).attempt();
    long[] line = new long[8];
    long lineAddress = address & -64;
    attempt.words.getLine(lineAddress, line);
    for (int i = 0; i < line.length; i++) {
      int each = (int) ((lineAddress - FIRST) / Long.BYTES) + i;
      long at = lineAddress + (long) i * Long.BYTES;
      assertThat(line[i]).isEqualTo(value(each));
      assertThat(attempt.words.hasWritten(at)).isEqualTo(written.containsKey(each));
      assertThat(attempt.words.getGuess(at)).isEqualTo(value(each));
    }
    int count = Math.min(1 + random.nextInt(random.nextInt(4) == 0 ? 2000 : 30), end - word);
    byte[] range = new byte[Long.BYTES * count];
    tx.read(address, range);
    compare(range, word, count);
    int guarded = Math.min(count, 40);
    byte[] bytes = new byte[Long.BYTES * guarded];
    if (attempt.words.getGuarded(address, bytes, guarded, lineAddress)) {
      compare(bytes, word, guarded);
    }
  }

  private void compare(byte[] bytes, int word, int count) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      assertThat(buffer.getLong(Long.BYTES * i)).isEqualTo(value(word + i));
    }
  }
}
