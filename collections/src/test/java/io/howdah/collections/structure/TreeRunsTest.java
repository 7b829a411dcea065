package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.RegionFullException;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries in the order of their keys: how full their leaves are, and what is written for them. */
final class TreeRunsTest {

  private static final int MANY = 4000;

  private WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 26).withPartitions(2));

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private static byte[] word(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number ^ Long.MIN_VALUE).array();
  }

  private static byte[] text(int number, int length) {
    return ("k".repeat(length - 8) + "%08d".formatted(number)).getBytes(StandardCharsets.US_ASCII);
  }

  private Tree create(int keyFixed, int valueFixed) {
    long[] address = new long[1];
    store.run(tx -> address[0] = Tree.create(words(tx), 1, keyFixed, valueFixed));
    return new Tree(address[0], keyFixed == Long.BYTES, valueFixed);
  }

  /** Puts entries with these keys, all of one transaction; returns how many keys were new. */
  private int putAll(Tree tree, List<byte[]> keys, int valueBytes) {
    return store.call(
        tx -> {
          Words words = words(tx);
          int added = 0;
          for (int i = 0; i < keys.size(); ) {
            EntryBatch batch = CollectionScratch.of(words).batch();
            while (i < keys.size() && !batch.isFull()) {
              Tree.beginKey(words).putBytes(keys.get(i));
              int length = Tree.endKey(words);
              Tree.beginValue(words).putBytes(new byte[valueBytes]);
              batch.add(CollectionScratch.of(words).image, length);
              i++;
            }
            added += tree.putAll(words, batch);
          }
          return added;
        });
  }

  private void put(Tree tree, byte[] key, int valueBytes) {
    store.run(
        tx -> {
          Tree.beginKey(words(tx)).putBytes(key);
          int length = Tree.endKey(words(tx));
          Tree.beginValue(words(tx)).putBytes(new byte[valueBytes]);
          boolean _ = tree.put(words(tx), length);
        });
  }

  private List<Tree.Level> levels(Tree tree) {
    return store.read(
        tx -> {
          tree.check(words(tx));
          return tree.levels(words(tx));
        });
  }

  /** Keys of any length: the high fence of a leaf needs space, too. */
  @ParameterizedTest
  @ValueSource(ints = {8, 9, 17, 31, 40, 64, 71, 100, 112, 113, 300})
  void ascendingKeysFillTheLeaves(int keyBytes) {
    for (int valueBytes : new int[] {0, 1, 20, 60, 100, 130}) {
      List<byte[]> keys = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        keys.add(text(i, keyBytes));
      }
      Tree many = create(Codec.VARIABLE, Codec.VARIABLE);
      assertThat(putAll(many, keys, valueBytes)).isEqualTo(MANY);
      Tree single = create(Codec.VARIABLE, Codec.VARIABLE);
      keys.forEach(key -> put(single, key, valueBytes));
      for (Tree tree : List.of(many, single)) {
        Tree.Level leaves = levels(tree).getLast();
        assertThat(leaves.keys()).isEqualTo(MANY);
        double perLeaf = (double) leaves.keys() / leaves.nodes();
        assertThat(perLeaf)
            .as("%s bytes of a value", valueBytes)
            .isGreaterThan(0.85 * possible(keyBytes, valueBytes));
      }
    }
  }

  /** Returns how many entries a leaf has space for, beside two fences. */
  private static double possible(int keyBytes, int valueBytes) {
    int bytes = 8 + (keyBytes > TreeNodeLayout.MAX_KEY_BYTES ? 8 : keyBytes) + valueBytes;
    TreeNodeLayout layout = bytes < 64 ? TreeNodeLayout.MIDDLE : TreeNodeLayout.LARGE;
    int fences = keyBytes > TreeNodeLayout.MAX_KEY_BYTES ? 0 : 2 * layout.units(keyBytes);
    int space = layout.units - layout.firstUnit - fences;
    return Math.min(layout.capacity, (double) space / layout.units(bytes));
  }

  @ParameterizedTest
  @CsvSource({"8, 8, 50", "8, 100, 30", "8, -1, 30"})
  void ascendingNumbersFillTheLeaves(int keyBytes, int valueFixed, int entries) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      keys.add(word(i));
    }
    Tree tree = create(keyBytes, valueFixed);
    assertThat(putAll(tree, keys, valueFixed < 0 ? 100 : valueFixed)).isEqualTo(MANY);
    Tree.Level leaves = levels(tree).getLast();
    assertThat((double) leaves.keys() / leaves.nodes()).isGreaterThan(entries);
    assertThat(putAll(tree, keys, valueFixed < 0 ? 100 : valueFixed)).isZero();
    assertThat(levels(tree).getLast()).isEqualTo(leaves);
  }

  /** A leaf takes a run at once: its head part, its heads, its entries. */
  @Test
  void aRunWritesItsLeafOnce() {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < EntryBatch.MAX_ENTRIES; i++) {
      keys.add(word(i));
    }
    Tree many = create(Long.BYTES, 100);
    Tree single = create(Long.BYTES, 100);
    putAll(many, keys.subList(0, 40), 100);
    putAll(single, keys.subList(0, 40), 100);
    long[] written = new long[2];
    store.run(
        tx -> {
          Words words = words(tx);
          EntryBatch batch = CollectionScratch.of(words).batch();
          for (byte[] key : keys.subList(40, 60)) {
            Tree.beginKey(words).putBytes(key);
            int length = Tree.endKey(words);
            Tree.beginValue(words).putBytes(new byte[100]);
            batch.add(CollectionScratch.of(words).image, length);
          }
          assertThat(many.putAll(words, batch)).isEqualTo(20);
          written[0] = words.nodeWrites.rowCount();
        });
    store.run(
        tx -> {
          Words words = words(tx);
          for (byte[] key : keys.subList(40, 60)) {
            Tree.beginKey(words).putBytes(key);
            int length = Tree.endKey(words);
            Tree.beginValue(words).putBytes(new byte[100]);
            assertThat(single.put(words, length)).isTrue();
          }
          written[1] = words.nodeWrites.rowCount();
        });
    assertThat(written[0]).isEqualTo(3);
    assertThat(written[1]).isGreaterThan(20);
  }

  /** A run that has no room ends its transaction, and nothing of it happened. */
  @ParameterizedTest
  @ValueSource(ints = {100, 300})
  void aFullRegionEndsTheTransaction(int valueBytes) {
    store.close();
    store =
        WordStore.inMemory(
            WordOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withOrecs(1 << 12));
    Tree tree = create(Codec.VARIABLE, Codec.VARIABLE);
    int[] done = new int[1];
    assertThatThrownBy(
            () -> {
              while (true) {
                List<byte[]> keys = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                  keys.add(text(done[0] + i, 40));
                }
                assertThat(putAll(tree, keys, valueBytes)).isEqualTo(100);
                done[0] += 100;
              }
            })
        .isInstanceOf(RegionFullException.class);
    assertThat(done[0]).isGreaterThan(1000);
    assertThat(levels(tree).getLast().keys()).isEqualTo(done[0]);
  }
}
