package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.core.RegionFullException;
import io.howdah.txn.Tx;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blobs and lists that are so long that their chunks consist of pieces. */
final class PiecesTest {

  private static final int PIECE = 1 << 16;
  private static final int MAX_LENGTH = 9 * PIECE;
  private static final int STEPS = 400;

  private static WordStore open(long maxSize) {
    return WordStore.inMemory(
        WordOptions.defaults().withMaxSize(maxSize).withOrecs(1 << 12).withPartitions(1));
  }

  private static int anyLength(Random random, int max) {
    int near = random.nextInt(max / PIECE + 1) * PIECE + random.nextInt(131) - 65;
    return random.nextBoolean() ? Math.clamp(near, 0, max) : random.nextInt(max + 1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void aBlobIsItsBytesWhateverIsWrittenAndCutOff(long seed) {
    Random random = new Random(seed);
    try (WordStore store = open(1 << 23)) {
      PersistentBlob blob = store.blob("blob");
      byte[] model = {};
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(3) == 0) {
          int length = anyLength(random, model.length);
          store.run(tx -> blob.truncate(tx, length));
          model = Arrays.copyOf(model, length);
        } else {
          int offset = anyLength(random, MAX_LENGTH);
          byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 200 : 3 * PIECE)];
          random.nextBytes(bytes);
          store.run(tx -> blob.write(tx, offset, bytes));
          model = Arrays.copyOf(model, Math.max(model.length, offset + bytes.length));
          System.arraycopy(bytes, 0, model, offset, bytes.length);
        }
        byte[] content = store.read(tx -> blob.read(tx, 0, (int) blob.length(tx)));
        assertThat(Arrays.equals(content, model)).as("step %s", step).isTrue();
        if (step % 20 == 0) {
          Blocks.assertNothingLeaks(store);
          assertThat(store.<Long, RuntimeException>read(tx -> blob.length(tx)))
              .isEqualTo(model.length);
        }
      }
      store.run(tx -> blob.truncate(tx, 0));
      Blocks.assertNothingLeaks(store);
      assertThat(store.drop("blob")).isTrue();
      Blocks.assertNothingLeaks(store);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1 << 20, 1 << 23, 1 << 26})
  void aBlobFillsTheStore(long maxSize) {
    try (WordStore store = open(maxSize)) {
      PersistentBlob blob = store.blob("blob");
      byte[] part = new byte[PIECE / 4];
      long length = fill(store, blob, part);
      assertThat(length).isGreaterThan(maxSize - maxSize / 8 - 2 * PIECE);
      store.run(tx -> blob.truncate(tx, 0));
      assertThat(fill(store, blob, part)).isEqualTo(length);
      assertThatThrownBy(() -> store.run(tx -> blob.write(tx, maxSize, part)))
          .isInstanceOf(RegionFullException.class);
    }
  }

  private static long fill(WordStore store, PersistentBlob blob, byte[] part) {
    while (true) {
      try {
        store.run(tx -> blob.append(tx, part));
      } catch (RegionFullException e) {
        return store.<Long, RuntimeException>read(tx -> blob.length(tx));
      }
    }
  }

  /** A chunk of 64 MiB has tables of two levels. */
  @Test
  void aBlobOfManyTablesIsWrittenReadCutAndDropped() {
    try (WordStore store = open(1 << 28)) {
      PersistentBlob blob = store.blob("blob");
      byte[] part = new byte[1 << 20];
      int parts = 100;
      for (int i = 0; i < parts; i++) {
        Arrays.fill(part, (byte) (i + 1));
        store.run(tx -> blob.append(tx, part));
      }
      for (int i = 0; i < parts; i++) {
        int number = i;
        byte[] read = store.read(tx -> blob.read(tx, (long) number << 20, 1 << 20));
        assertThat(read[0]).isEqualTo((byte) (i + 1));
        assertThat(read[read.length - 1]).isEqualTo((byte) (i + 1));
      }
      Blocks.assertNothingLeaks(store);
      for (int left : new int[] {97, 96, 65, 64, 33, 2}) {
        store.run(tx -> blob.truncate(tx, (long) left << 20));
        byte[] last = store.read(tx -> blob.read(tx, ((long) left << 20) - 1, 1));
        assertThat(last).containsExactly(left);
        Blocks.assertNothingLeaks(store);
      }
      assertThat(store.drop("blob")).isTrue();
      Blocks.assertNothingLeaks(store);
    }
  }

  @Test
  void aListOfManyPiecesHasItsElements() {
    int elements = 100_000;
    try (WordStore store = open(1 << 25)) {
      PersistentList<Integer> list = store.list("list", Codec.int32());
      for (int from = 0; from < elements; from += 1000) {
        int first = from;
        store.run(tx -> addAll(list, tx, first));
      }
      store.run(
          tx -> {
            assertThat(list.size(tx)).isEqualTo(elements);
            for (int i = 0; i < elements; i++) {
              assertThat(list.get(tx, i)).isEqualTo(i);
            }
          });
      store.run(
          tx -> {
            for (int i = elements - 1; i >= 10_000; i--) {
              assertThat(list.removeLast(tx)).isEqualTo(i);
            }
          });
      Blocks.assertNothingLeaks(store);
      assertThat(store.drop("list")).isTrue();
      Blocks.assertNothingLeaks(store);
    }
  }

  private static void addAll(PersistentList<Integer> list, Tx tx, int first) {
    for (int i = first; i < first + 1000; i++) {
      list.add(tx, i);
    }
  }
}
