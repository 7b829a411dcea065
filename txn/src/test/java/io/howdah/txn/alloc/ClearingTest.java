package io.howdah.txn.alloc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Ranges that are made zero, by as few writes as can be. */
final class ClearingTest {

  /** Words whose first byte, last byte or both differ from zero, and their neighbours. */
  private static final class Words implements HeapWords {
    private final long[] words = new long[4000];
    private final TreeSet<Long> written = new TreeSet<>();

    @Override
    public long get(long address) {
      return words[(int) (address / Long.BYTES)];
    }

    @Override
    public void get(long address, byte[] target, int count) {
      ByteBuffer bytes = ByteBuffer.wrap(target).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < count; i++) {
        bytes.putLong(i * Long.BYTES, get(address + (long) i * Long.BYTES));
      }
    }

    @Override
    public void put(long address, long value) {
      assertThat(value).isZero();
      assertThat(written.add(address)).as("written once").isTrue();
      words[(int) (address / Long.BYTES)] = value;
    }

    @Override
    public void prepare(long address) {}

    @Override
    public RuntimeException refuse(RuntimeException reason) {
      return reason;
    }
  }

  @Test
  void everyWordOfARangeIsZeroAfterwardsAndNoOtherIsTouched() {
    SplittableRandom random = new SplittableRandom(7);
    long[] values = {0, 0, 1, 1L << 63, -1, 0x0000_00FF_0000_0000L};
    int[] lengths = {
      1, 7, 8, 9, 16, 255, 256, 257, 264, 1000, 4096, 4097, 4104, 8191, 8192, 20_000
    };
    for (int length : lengths) {
      for (int round = 0; round < 4; round++) {
        Words words = new Words();
        boolean isFull = round == 0;
        Arrays.setAll(words.words, _ -> isFull ? -1 : values[random.nextInt(values.length)]);
        long[] before = words.words.clone();
        int first = 3 + random.nextInt(900);
        int end = first + (length + Long.BYTES - 1) / Long.BYTES;

        new Clearing(words).clear(first * (long) Long.BYTES, length);

        for (int i = 0; i < before.length; i++) {
          boolean isInside = i >= first && i < end;
          assertThat(words.words[i]).isEqualTo(isInside ? 0 : before[i]);
          assertThat(words.written.contains(i * (long) Long.BYTES))
              .as("only words that are not zero are written")
              .isEqualTo(isInside && before[i] != 0);
        }
      }
    }
  }

  @Test
  void aRangeIsClearedWithWhatWasReadOfAnotherOneBefore() {
    Words words = new Words();
    Arrays.fill(words.words, -1);
    Clearing clearing = new Clearing(words);
    clearing.clear(8, 5000);
    clearing.clear(16_000, 300);
    assertThat(words.written).hasSize(625 + 38);
  }
}
