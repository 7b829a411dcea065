package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.FaultyRegion;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.TestStores;
import io.howdah.core.Region;
import io.howdah.core.storage.file.Regions;
import io.howdah.log.commit.CommitLanes;
import io.howdah.txn.Savepoint;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.words.OrecTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Long ranges are read and written as single words are: one state, whoever commits meanwhile. */
final class BulkRangeTest {

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withOrecs(1 << 14);

  private static final long START = 1 << 16;

  private final FaultyRegion.Trigger trigger = new FaultyRegion.Trigger();
  private final Store store = store(new FaultyRegion(Regions.anonymous(1 << 20), trigger, false));

  private static Store store(Region region) {
    Region words = Regions.anonymous(CommitLanes.wordsLengthBytes(OPTIONS.partitions()));
    OrecTable orecs =
        OrecTable.create(
            OPTIONS.orecs(),
            true,
            bytes -> {
              throw new AssertionError(bytes + " bytes off the heap");
            });
    return TestStores.inMemory(OPTIONS, region, orecs, words, () -> {});
  }

  @AfterEach
  void close() {
    trigger.disarm();
    store.close();
  }

  private void write(long value, long... words) {
    store.run(
        tx -> {
          for (long word : words) {
            tx.putLong(START + word * Long.BYTES, value);
          }
        });
  }

  private static long word(byte[] bytes, long word) {
    return MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_LONG_UNALIGNED, word * Long.BYTES);
  }

  /** Reads a range while another transaction commits at the n-th access to the region's words. */
  private byte[] read(boolean readOnly, int words, long n, Runnable other) {
    byte[] bytes = new byte[words * Long.BYTES];
    boolean[] first = {true};
    TxFunction<Integer, RuntimeException> body =
        tx -> {
          if (first[0]) {
            trigger.arm(n, other);
          }
          first[0] = false;
          tx.read(START, bytes);
          return 0;
        };
    if (readOnly) {
      store.read(body);
    } else {
      store.call(body);
    }
    trigger.disarm();
    return bytes;
  }

  /** A commit of one stripe while its words are read: all of them are old, or all new. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noStripeIsTorn(boolean readOnly) {
    int words = 4 * 21;
    long value = 0;
    for (int stripe = 0; stripe < words; stripe += 4) {
      for (long n = 1; n <= words; n += stripe + 4 < words ? 5 : 1) {
        long written = ++value;
        long from = stripe;
        byte[] bytes =
            read(readOnly, words, n, () -> write(written, from, from + 1, from + 2, from + 3));
        for (int w = 0; w < words; w += 4) {
          long of = word(bytes, w);
          assertThat(new long[] {word(bytes, w + 1), word(bytes, w + 2), word(bytes, w + 3)})
              .as("stripe %d, commit in stripe %d at access %d", w / 4, stripe / 4, n)
              .containsOnly(of);
        }
      }
    }
  }

  /**
   * A commit of two stripes far apart while a range is read that is so long that its reader goes on
   * as a snapshot in the middle of it: both are old, or both new.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void longRangesShowOneState(boolean readOnly) {
    int words = 4 * 2600;
    long value = 0;
    for (int[] pair : new int[][] {{0, 2599}, {1000, 1033}, {1020, 1100}, {2000, 2063}}) {
      for (long n = 1; n <= words; n += 157) {
        long written = ++value;
        byte[] bytes =
            read(readOnly, words, n, () -> write(written, 4L * pair[0], 4L * pair[1] + 3));
        assertThat(word(bytes, 4L * pair[0]))
            .as("stripes %d and %d, commit at access %d", pair[0], pair[1], n)
            .isEqualTo(word(bytes, 4L * pair[1] + 3));
      }
      store.run(tx -> tx.write(START, new byte[words * Long.BYTES]));
    }
  }

  /** Copies of any alignment, from arrays and other memory, with own writes and savepoints. */
  @Test
  void copiesAreWhatAModelHas() {
    SplittableRandom random = new SplittableRandom(5);
    byte[] model = new byte[40_000];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment outside = arena.allocate(model.length);
      for (int round = 0; round < 60; round++) {
        byte[] before = model.clone();
        boolean aborts = random.nextInt(5) == 0;
        try {
          store.run(
              tx -> {
                Savepoint savepoint = null;
                byte[] saved = model;
                for (int step = 0; step < 25; step++) {
                  int length = random.nextInt(1 << random.nextInt(1, 16)) % 20_000;
                  int from = random.nextInt(model.length - length);
                  switch (random.nextInt(8)) {
                    case 0, 1, 2 -> write(tx, random, model, outside, from, length);
                    case 3 -> {
                      savepoint = tx.savepoint();
                      saved = model.clone();
                    }
                    case 4 -> {
                      if (savepoint != null) {
                        tx.rollBack(savepoint);
                        System.arraycopy(saved, 0, model, 0, model.length);
                      }
                    }
                    case 5 -> {
                      tx.putLong(START + (from & -8), step);
                      MemorySegment.ofArray(model)
                          .set(ValueLayout.JAVA_LONG_UNALIGNED, from & -8, step);
                    }
                    default -> check(tx, random, model, outside, from, length);
                  }
                }
                if (aborts) {
                  throw tx.abort();
                }
              });
        } catch (TransactionAbortedException e) {
          System.arraycopy(before, 0, model, 0, model.length);
        }
        store.read(
            tx -> {
              check(tx, random, model, outside, 0, model.length);
              return 0;
            });
      }
    }
  }

  private static void write(
      Tx tx, SplittableRandom random, byte[] model, MemorySegment outside, int from, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    System.arraycopy(bytes, 0, model, from, length);
    switch (random.nextInt(3)) {
      case 0 -> tx.write(START + from, bytes);
      case 1 -> tx.write(START + from, MemorySegment.ofArray(bytes).asReadOnly());
      default -> {
        MemorySegment.copy(bytes, 0, outside, ValueLayout.JAVA_BYTE, 3, length);
        tx.write(START + from, outside.asSlice(3, length));
      }
    }
  }

  private static void check(
      Tx tx, SplittableRandom random, byte[] model, MemorySegment outside, int from, int length) {
    byte[] bytes = new byte[length + 2];
    switch (random.nextInt(3)) {
      case 0 -> tx.read(START + from, bytes, 1, length);
      case 1 -> {
        MemorySegment ints = MemorySegment.ofArray(new int[length / 4 + 1]).asSlice(0, length);
        tx.read(START + from, ints);
        MemorySegment.copy(ints, ValueLayout.JAVA_BYTE, 0, bytes, 1, length);
      }
      default -> {
        tx.read(START + from, outside.asSlice(0, length));
        MemorySegment.copy(outside, ValueLayout.JAVA_BYTE, 0, bytes, 1, length);
      }
    }
    assertThat(Arrays.copyOfRange(bytes, 1, length + 1))
        .as("%d bytes from %d on", length, from)
        .isEqualTo(Arrays.copyOfRange(model, from, from + length));
    assertThat(bytes[0] | bytes[length + 1]).as("what is beside the range").isZero();
  }
}
