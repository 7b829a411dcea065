package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Leaves with keys of 8 bytes that split at each key near the ends of the numbers and near those
 * that stand for something elsewhere: 0, -1, {@link Long#MIN_VALUE} and {@link Long#MAX_VALUE}.
 */
final class TreeSplitTest {

  /** Enough for splits of the first leaf and of its halves. */
  private static final int KEYS = 160;

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 26).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  /** Ends the key whose signed order is that of the numbers. */
  private static int key(Words words, long number) {
    long bytes = number ^ Long.MIN_VALUE;
    Tree.beginKey(words).putBytes(ByteBuffer.allocate(Long.BYTES).putLong(bytes).array());
    return Tree.endKey(words);
  }

  @ParameterizedTest
  @CsvSource({"8", "100", "" + Codec.VARIABLE})
  void aLeafSplitsAtAnyKey(int valueFixed) {
    for (long special : new long[] {0, Long.MIN_VALUE, Long.MAX_VALUE}) {
      for (int distance = -KEYS; distance <= KEYS; distance++) {
        check(valueFixed, special + distance, 1);
        check(valueFixed, special + distance, -1);
      }
    }
  }

  /** Puts keys from one on; they go on at the other end of the numbers. */
  private void check(int valueFixed, long first, int step) {
    store.run(
        tx -> {
          Words words = words(tx);
          Tree tree = new Tree(Tree.create(words, 1, Long.BYTES, valueFixed), true, valueFixed);
          NavigableMap<Long, Integer> model = new TreeMap<>();
          for (int i = 0; i < KEYS; i++) {
            long number = first + (long) step * i;
            int length = key(words, number);
            Tree.beginValue(words).putBytes(value(valueFixed, i));
            assertThat(tree.put(words, length)).isTrue();
            model.put(number, i);
          }
          tree.check(words);
          TreeCursor cursor = new TreeCursor(tree);
          cursor.first(words);
          for (int i : model.values()) {
            assertThat(cursor.next(words)).isTrue();
            assertThat(cursor.value(words).peek()).isEqualTo(value(valueFixed, i));
          }
          assertThat(cursor.next(words)).isFalse();
          for (long number : model.keySet()) {
            assertThat(tree.remove(words, key(words, number))).isTrue();
          }
          tree.check(words);
        });
  }

  private static byte[] value(int valueFixed, int number) {
    byte[] value = new byte[valueFixed < 0 ? 8 + number % 30 : valueFixed];
    return ByteBuffer.wrap(value).putLong(0, number + 1L).array();
  }
}
