package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.Blocks;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.layout.NodeLayout;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Trees of keys and values of every shape against a {@link TreeMap}: with each transaction all
 * nodes are verified, and that nothing leaks.
 */
@Tag("scaled")
final class TreeModelTest {

  private static final long SEED = Long.getLong("howdah.seed", 11);
  private static final int STEPS = Integer.getInteger("howdah.steps", 6_000);
  private static final int OPERATIONS = 40;

  /** Makes the bytes of keys from numbers. */
  private interface Bytes {
    byte[] of(int number);
  }

  /** What keys and values look like. */
  record Shape(String name, int keyFixed, int valueFixed, int keys, Bytes key, int maxValue) {

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Shape> shapes() {
    return Stream.of(
        new Shape("words to words", 8, 8, 3000, TreeModelTest::scattered, 8),
        new Shape("words to bytes", 8, 3, 3000, TreeModelTest::scattered, 3),
        new Shape("words to nothing", 8, 0, 3000, TreeModelTest::scattered, 0),
        new Shape("ascending words to texts", 8, Codec.VARIABLE, 2000, n -> word(n), 120),
        new Shape("words to fixed", 8, 100, 2000, TreeModelTest::scattered, 100),
        new Shape("words to long values", 8, Codec.VARIABLE, 300, TreeModelTest::scattered, 3000),
        new Shape("texts", Codec.VARIABLE, Codec.VARIABLE, 2000, n -> text("key " + n), 120),
        new Shape("texts to nothing", Codec.VARIABLE, 0, 3000, n -> text("k" + n), 0),
        new Shape("prefixes", Codec.VARIABLE, Codec.VARIABLE, 700, TreeModelTest::prefix, 30),
        new Shape("zeros", Codec.VARIABLE, Codec.VARIABLE, 600, byte[]::new, 60),
        new Shape("long keys", Codec.VARIABLE, Codec.VARIABLE, 200, TreeModelTest::longKey, 300),
        new Shape(
            "equal heads",
            Codec.VARIABLE,
            Codec.VARIABLE,
            300,
            n -> text("the same beginning, or nearly: %05d".formatted(n * 7919 % 100_003)),
            16),
        new Shape("any bytes", Codec.VARIABLE, 8, 3000, TreeModelTest::random, 8));
  }

  private static byte[] word(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  /** Among the keys are those with the least head, the greatest one, -1 and 0. */
  private static byte[] scattered(int number) {
    return word(
        switch (number) {
          case 0 -> 0;
          case 1 -> -1;
          case 2 -> Long.MAX_VALUE;
          case 3 -> Long.MIN_VALUE;
          default -> number * 0x9E3779B97F4A7C15L;
        });
  }

  private static byte[] text(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static byte[] random(int number) {
    Random random = new Random(number);
    byte[] bytes = new byte[random.nextInt(random.nextInt(20) + 1)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Keys that begin with one another. */
  private static byte[] prefix(int number) {
    byte[] bytes = new byte[number / 2];
    Arrays.fill(bytes, (byte) 'a');
    if (number % 2 == 1 && bytes.length > 0) {
      bytes[bytes.length - 1] = 'b';
    }
    return bytes;
  }

  /** Keys of up to 64 KiB that differ at their ends alone. */
  private static byte[] longKey(int number) {
    byte[] bytes = new byte[number % 7 == 0 ? 1 << 16 : 100 + number % 40];
    Arrays.fill(bytes, (byte) 'x');
    byte[] end = word(number);
    System.arraycopy(end, 4, bytes, bytes.length - 4, 4);
    return bytes;
  }

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 28).withPartitions(2));
  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private static int key(Words words, byte[] key) {
    Tree.beginKey(words).putBytes(key);
    return Tree.endKey(words);
  }

  private static byte @Nullable [] get(Tree tree, Words words, byte[] key) {
    DecodingBuffer value = tree.get(words, key(words, key));
    return value == null ? null : value.peek();
  }

  private static byte[] value(Shape shape, Random random) {
    int length =
        shape.valueFixed() >= 0
            ? shape.valueFixed()
            : random.nextInt(random.nextInt(shape.maxValue() + 1) + 1);
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void aTreeIsAMap(Shape shape) {
    Random random = new Random(SEED);
    long[] address = new long[1];
    store.run(tx -> address[0] = Tree.create(words(tx), 1, shape.keyFixed(), shape.valueFixed()));
    Tree tree = new Tree(address[0], shape.keyFixed() == Long.BYTES, shape.valueFixed());
    int keys = shape.keys();
    for (int step = 0; step < STEPS; ) {
      int phase = step * 8 / STEPS;
      // Grows, stays, shrinks to little, grows in order, shrinks from the front, and so on.
      int puts = new int[] {80, 50, 20, 90, 10, 60, 60, 5}[phase];
      boolean inOrder = phase == 3 || phase == 4;
      int base = step;
      store.run(
          tx -> {
            for (int i = 0; i < OPERATIONS; i++) {
              int number = inOrder ? (base + i) * 2 % keys : random.nextInt(keys);
              operate(shape, tree, words(tx), random, puts, shape.key().of(number));
            }
            if (random.nextInt(100) < puts) {
              putBatch(shape, tree, words(tx), random, keys);
            }
            if (random.nextInt(4) == 0) {
              rollBack(shape, tree, tx, random, keys);
            }
          });
      step += OPERATIONS;
      store.read(
          tx -> {
            tree.check(words(tx));
            compare(tree, words(tx), random, shape.key().of(random.nextInt(keys)));
            return 0;
          });
    }
    store.run(
        tx -> {
          for (byte[] key : List.copyOf(model.keySet())) {
            operate(shape, tree, words(tx), random, 0, key);
          }
        });
    store.read(
        tx -> {
          tree.check(words(tx));
          return 0;
        });
    requireNoLeak(tree);
  }

  private void operate(Shape shape, Tree tree, Words words, Random random, int puts, byte[] key) {
    assertThat(get(tree, words, key)).isEqualTo(model.get(key));
    int length = key(words, key);
    if (random.nextInt(100) < puts) {
      byte[] value = value(shape, random);
      Tree.beginValue(words).putBytes(value);
      boolean isNew = tree.put(words, length);
      assertThat(isNew).isEqualTo(model.put(key, value) == null);
    } else {
      boolean isRemoved = tree.remove(words, length);
      assertThat(isRemoved).isEqualTo(model.remove(key) != null);
    }
  }

  /** Puts several entries at once: neighbours in order, others in order, or any, some twice. */
  private void putBatch(Shape shape, Tree tree, Words words, Random random, int keys) {
    List<byte[]> batch = new ArrayList<>();
    int count = 1 + random.nextInt(EntryBatch.MAX_ENTRIES);
    boolean isLocal = random.nextBoolean();
    List<byte[]> sorted = new ArrayList<>();
    for (int i = 0; i < keys; i++) {
      sorted.add(shape.key().of(i));
    }
    sorted.sort(Arrays::compareUnsigned);
    int first = random.nextInt(keys);
    for (int i = 0; i < count; i++) {
      batch.add(sorted.get(isLocal ? (first + i) % keys : random.nextInt(keys)));
    }
    if (random.nextInt(3) > 0) {
      batch.sort(Arrays::compareUnsigned);
    }
    if (random.nextBoolean()) {
      batch.set(random.nextInt(count), batch.get(random.nextInt(count)));
    }
    EntryBatch encoded = CollectionScratch.of(words).batch();
    int added = 0;
    for (byte[] key : batch) {
      if (encoded.isFull()) {
        break;
      }
      int length = key(words, key);
      byte[] value = value(shape, random);
      Tree.beginValue(words).putBytes(value);
      encoded.add(CollectionScratch.of(words).image, length);
      added += model.put(key, value) == null ? 1 : 0;
    }
    assertThat(tree.putAll(words, encoded)).isEqualTo(added);
  }

  private void rollBack(Shape shape, Tree tree, Tx tx, Random random, int keys) {
    Savepoint savepoint = tx.savepoint();
    Map<byte[], byte[]> before = new TreeMap<>(model);
    for (int i = 0; i < OPERATIONS; i++) {
      byte[] key = shape.key().of(random.nextInt(keys));
      operate(shape, tree, words(tx), random, 50, key);
    }
    putBatch(shape, tree, words(tx), random, keys);
    tx.rollBack(savepoint);
    model.clear();
    model.putAll(before);
  }

  private void compare(Tree tree, Words words, Random random, byte[] from) {
    assertThat(tree.size(words)).isEqualTo(model.size());
    TreeCursor cursor = new TreeCursor(tree);
    List<byte[]> found = new ArrayList<>();
    cursor.first(words);
    for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
      assertThat(cursor.next(words)).isTrue();
      assertThat(cursor.key(words).peek()).isEqualTo(entry.getKey());
      assertThat(cursor.value(words).peek()).isEqualTo(entry.getValue());
      found.add(entry.getKey());
    }
    assertThat(cursor.next(words)).isFalse();
    cursor.last(words);
    for (byte[] key : found.reversed()) {
      assertThat(cursor.previous(words)).isTrue();
      assertThat(cursor.key(words).peek()).isEqualTo(key);
    }
    assertThat(cursor.previous(words)).isFalse();
    boolean behind = random.nextBoolean();
    cursor.seek(words, key(words, from), behind);
    NavigableMap<byte[], byte[]> tail = model.tailMap(from, !behind);
    for (byte[] key : tail.keySet()) {
      assertThat(cursor.next(words)).isTrue();
      assertThat(cursor.key(words).peek()).isEqualTo(key);
    }
    cursor.seek(words, key(words, from), behind);
    for (byte[] key : model.headMap(from, behind).descendingKeySet()) {
      assertThat(cursor.previous(words)).isTrue();
      assertThat(cursor.key(words).peek()).isEqualTo(key);
    }
  }

  private void requireNoLeak(Tree tree) {
    store.run(
        tx -> {
          TreeSet<Long> own = new TreeSet<>();
          tree.visitBlocks(
              words(tx), Blocks.each(address -> assertThat(own.add(address)).isTrue()));
          assertThat(Blocks.inUse(words(tx)).keySet()).isEqualTo(own);
          tree.visitBlocks(
              words(tx),
              new BlockVisitor() {
                @Override
                public void block(long address) {
                  words(tx).heap.free(address);
                }

                @Override
                public void node(long reference) {
                  assertThat(NodeLayout.bytes(reference)).isPositive();
                  words(tx).heap.freeNode(reference);
                }
              });
          assertThat(Blocks.inUse(words(tx))).isEmpty();
        });
  }
}
