package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.Blocks;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.RegionFullException;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries behind the last key of a tree: leaves that are built from the left to the right. */
final class TreeAppendTest {

  private static final long SEED = Long.getLong("howdah.seed", 5);
  private static final int PER_LEAF = 32;

  private WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 26).withPartitions(2));

  /** What the tree must have. */
  private final NavigableMap<Long, byte[]> model = new TreeMap<>();

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private Tree create(int valueFixed) {
    long[] address = new long[1];
    store.run(tx -> address[0] = Tree.create(words(tx), 1, Long.BYTES, valueFixed));
    return new Tree(address[0], true, valueFixed);
  }

  private static int key(Words words, long key) {
    Tree.beginKey(words)
        .putBytes(ByteBuffer.allocate(Long.BYTES).putLong(key ^ Long.MIN_VALUE).array());
    return Tree.endKey(words);
  }

  private static byte[] value(Random random, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return value;
  }

  private static void add(Words words, EntryBatch batch, long key, byte[] value) {
    int length = key(words, key);
    Tree.beginValue(words).putBytes(value);
    batch.add(CollectionScratch.of(words).image, length);
  }

  /** Appends entries, all of one transaction. */
  private void append(Tree tree, int entries, int valueBytes) {
    Random random = new Random(SEED);
    store.run(
        tx -> {
          Words words = words(tx);
          long first = model.isEmpty() ? 0 : model.lastKey() + 1;
          for (long key = first; key < first + entries; ) {
            EntryBatch batch = CollectionScratch.of(words).batch();
            int added = 0;
            for (; key < first + entries && !batch.isFull(); key++) {
              byte[] value = value(random, valueBytes);
              add(words, batch, key, value);
              model.put(key, value);
              added++;
            }
            assertThat(tree.putAll(words, batch)).isEqualTo(added);
          }
        });
  }

  private void requireModel(Tree tree) {
    store.read(
        tx -> {
          requireModel(tree, words(tx));
          return 0;
        });
  }

  private void requireModel(Tree tree, Words words) {
    tree.check(words);
    assertThat(tree.size(words)).isEqualTo(model.size());
    TreeCursor cursor = new TreeCursor(tree);
    cursor.first(words);
    for (Map.Entry<Long, byte[]> entry : model.entrySet()) {
      assertThat(cursor.next(words)).isTrue();
      long found = ByteBuffer.wrap(cursor.key(words).peek()).getLong() ^ Long.MIN_VALUE;
      assertThat(found).isEqualTo(entry.getKey());
      assertThat(cursor.value(words).peek()).as("of %s", entry).isEqualTo(entry.getValue());
    }
    assertThat(cursor.next(words)).isFalse();
  }

  private static byte @Nullable [] get(Tree tree, Words words, long key) {
    DecodingBuffer found = tree.get(words, key(words, key));
    return found == null ? null : found.peek();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 56",
    "1, 1, 56",
    "8, 8, 56",
    "9, 9, 64",
    "-1, 0, 64",
    "-1, 3, 64",
    "-1, 4, 64",
    "-1, 20, 58",
    "-1, 60, 32",
    "-1, 100, 32",
    "-1, 252, 14",
    "100, 100, 32"
  })
  void leavesAreFull(int valueFixed, int valueBytes, int perLeaf) {
    Tree tree = create(valueFixed);
    int entries = 250 * perLeaf;
    for (int i = 0; i < 50; i++) {
      append(tree, entries / 50, valueBytes);
    }
    requireModel(tree);
    Tree.Level leaves = store.read(tx -> Objects.requireNonNull(tree.levels(words(tx)).getLast()));
    assertThat(leaves.keys()).isEqualTo(entries);
    assertThat(leaves.nodes()).isBetween(250L, 252L); // the first one is of another length
  }

  /** Each full leaf is one row; a leaf that is begun before has three. */
  @Test
  void aLeafIsWrittenOnce() {
    Tree tree = create(100);
    append(tree, 10 * PER_LEAF, 100);
    long[] written = new long[2];
    store.run(
        tx -> {
          Words words = words(tx);
          Random random = new Random(SEED);
          for (int batches = 0; batches < 10; batches++) {
            EntryBatch batch = CollectionScratch.of(words).batch();
            for (int i = 0; i < EntryBatch.MAX_ENTRIES; i++) {
              long key = model.lastKey() + 1;
              byte[] value = value(random, 100);
              add(words, batch, key, value);
              model.put(key, value);
            }
            assertThat(tree.putAll(words, batch)).isEqualTo(EntryBatch.MAX_ENTRIES);
          }
          written[0] = words.nodeWrites.rowCount();
          written[1] = words.nodeWrites.wordCount();
        });
    requireModel(tree);
    int leaves = 10 * EntryBatch.MAX_ENTRIES / PER_LEAF;
    assertThat(written[0]).isLessThan(6L * leaves);
    // An entry of 14 words, its head, and a share of the leaf's first words and of the parent's.
    assertThat(written[1]).isLessThan(10L * EntryBatch.MAX_ENTRIES * (14 + 1 + 2));
  }

  /** Appends among other changes, that leave space in the last leaf, or take the last leaf away. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 8, 40, Codec.VARIABLE})
  void amongOtherChanges(int valueFixed) {
    Tree tree = create(valueFixed);
    Random random = new Random(SEED);
    for (int step = 0; step < 150; step++) {
      boolean isUndone = random.nextInt(10) == 0;
      NavigableMap<Long, byte[]> before = new TreeMap<>(model);
      ThrowingCallable transaction =
          () ->
              store.run(
                  tx -> {
                    change(tree, words(tx), random, valueFixed);
                    Savepoint savepoint = tx.savepoint();
                    NavigableMap<Long, byte[]> then = new TreeMap<>(model);
                    change(tree, words(tx), random, valueFixed);
                    if (random.nextInt(4) == 0) {
                      tx.rollBack(savepoint);
                      model.clear();
                      model.putAll(then);
                      change(tree, words(tx), random, valueFixed);
                    }
                    requireModel(tree, words(tx));
                    if (isUndone) {
                      throw new IllegalStateException("undone");
                    }
                  });
      if (!isUndone) {
        assertThatCode(transaction).doesNotThrowAnyException();
      } else {
        assertThatThrownBy(transaction).hasMessage("undone");
        model.clear();
        model.putAll(before);
      }
      requireModel(tree);
    }
    assertThat(model).hasSizeGreaterThan(1000);
    requireNoLeak(tree);
  }

  private void change(Tree tree, Words words, Random random, int valueFixed) {
    if (random.nextInt(3) == 0) { // the last entries go, or some of them
      long from = model.isEmpty() ? 0 : model.lastKey() - random.nextInt(100);
      int oneIn = 1 + random.nextInt(3);
      for (long key : model.tailMap(from, true).keySet().toArray(new Long[0])) {
        if (random.nextInt(oneIn) == 0) {
          assertThat(tree.remove(words, key(words, key))).isTrue();
          model.remove(key);
        }
      }
    }
    EntryBatch batch = CollectionScratch.of(words).batch();
    long key = model.isEmpty() ? -1000 : model.lastKey();
    int entries = 1 + random.nextInt(EntryBatch.MAX_ENTRIES);
    int added = 0;
    for (int i = 0; i < entries && !batch.isFull(); i++) {
      key += random.nextInt(40) == 0 ? -random.nextInt(50) : 1 + random.nextInt(3);
      int longest = random.nextInt(20) == 0 ? 400 : 1 + random.nextInt(160);
      byte[] value = value(random, valueFixed < 0 ? random.nextInt(longest) : valueFixed);
      add(words, batch, key, value);
      added += model.put(key, value) == null ? 1 : 0;
    }
    assertThat(tree.putAll(words, batch)).isEqualTo(added);
    long any = key - random.nextInt(100);
    assertThat(get(tree, words, any)).isEqualTo(model.get(any));
  }

  private void requireNoLeak(Tree tree) {
    store.read(
        tx -> {
          TreeSet<Long> own = new TreeSet<>();
          tree.visitBlocks(
              words(tx), Blocks.each(address -> assertThat(own.add(address)).isTrue()));
          assertThat(Blocks.inUse(words(tx)).keySet()).isEqualTo(own);
          return 0;
        });
  }

  /** A leaf that has no room ends its transaction, and nothing of it happened. */
  @ParameterizedTest
  @ValueSource(ints = {8, 100, 300})
  void aFullRegionEndsTheTransaction(int valueBytes) {
    store.close();
    store =
        WordStore.inMemory(
            WordOptions.defaults().withMaxSize(1 << 20).withPartitions(2).withOrecs(1 << 12));
    Tree tree = create(valueBytes == 8 ? 8 : Codec.VARIABLE);
    int[] done = new int[1];
    assertThatThrownBy(
            () -> {
              while (true) {
                append(tree, 100, valueBytes);
                done[0] += 100;
              }
            })
        .isInstanceOf(RegionFullException.class);
    assertThat(done[0]).isGreaterThan(1000);
    model.tailMap((long) done[0], true).clear();
    requireModel(tree);
  }
}
