package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.Blocks;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.layout.NodeLayout;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.txn.TransactionAbortedException;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever a word of a node holds: an operation returns, or throws a typed exception. It does not
 * go on for ever, and leaves no array or region. What only a check of all nodes can notice, that
 * notices.
 */
@Tag("scaled")
final class TreeDamageTest {

  private static final int CAPACITY = 1 << 24;
  private static final int STRIDE = Integer.getInteger("howdah.stride", 5);
  private static final long SEED = Long.getLong("howdah.seed", 23);

  private static final long[] HOSTILE = {
    0,
    -1L,
    1,
    Long.MIN_VALUE,
    Long.MAX_VALUE,
    0x7FFF_FFFF_7FFF_FFFFL,
    0x8000_0000_8000_0000L,
    0x0101_0101_0101_0101L,
    0x5050_5050_5050_5050L,
    CAPACITY - 1024,
    CAPACITY - 4096 | 2,
    CAPACITY,
    (1L << 46) - 1024
  };

  enum Shape {
    WORDS(8, 8, 400),
    TEXTS_BY_WORD(8, Codec.VARIABLE, 200),
    TEXTS(Codec.VARIABLE, Codec.VARIABLE, 250),
    LONG_KEYS(Codec.VARIABLE, Codec.VARIABLE, 120);

    private final int keyFixed;
    private final int valueFixed;
    private final int entries;

    Shape(int keyFixed, int valueFixed, int entries) {
      this.keyFixed = keyFixed;
      this.valueFixed = valueFixed;
      this.entries = entries;
    }

    byte[] key(int number) {
      int scattered = number * 7919 % 100_003;
      String text = "%08d".formatted(scattered);
      if (this == TEXTS) {
        text = "the beginning of every key " + text;
      } else if (this == LONG_KEYS) {
        text = "x".repeat(300) + text;
      }
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    byte[] value(int number) {
      byte[] value = new byte[valueFixed < 0 ? number % 3 == 0 ? 400 : 50 : valueFixed];
      Arrays.fill(value, (byte) number);
      return value;
    }
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(CAPACITY).withPartitions(2).withOrecs(1 << 12));

  private Tree tree = new Tree(0, true, 8);

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

  private static void put(Tree tree, Words words, byte[] key, byte[] value) {
    int length = key(words, key);
    Tree.beginValue(words).putBytes(value);
    tree.put(words, length);
  }

  private void fill(Shape shape) {
    store.run(
        tx -> {
          long address = Tree.create(words(tx), 1, shape.keyFixed, shape.valueFixed);
          tree = new Tree(address, shape.keyFixed == Long.BYTES, shape.valueFixed);
        });
    for (int i = 0; i < shape.entries; i++) {
      int number = i;
      store.run(tx -> put(tree, words(tx), shape.key(number), shape.value(number)));
    }
    store.read(
        tx -> {
          assertThat(TreeLayout.height(tree.search().root(words(tx)))).isPositive();
          tree.check(words(tx));
          return 0;
        });
  }

  private List<Long> nodes() {
    List<Long> nodes = new ArrayList<>();
    store.read(
        tx -> {
          tree.visitBlocks(
              words(tx),
              new BlockVisitor() {
                @Override
                public void block(long address) {}

                @Override
                public void node(long reference) {
                  nodes.add(reference);
                }
              });
          return 0;
        });
    return nodes;
  }

  private long word(long node, int at) {
    return store.read(
        tx -> {
          long[] word = new long[1];
          words(tx).nodes.read(node, at, 1, word, 0);
          return word[0];
        });
  }

  private static void write(Words words, long node, int at, long value) {
    words.nodes.read(node, at, 1, new long[1], 0);
    words.nodes.write(node, at, value);
  }

  private interface Reading {
    void of(Words words);
  }

  /** Everything that a program can do, each on its own. */
  private List<Reading> readings(Shape shape) {
    return List.of(
        words -> {
          for (int i = 0; i < shape.entries; i++) {
            var _ = tree.get(words, key(words, shape.key(i)));
          }
        },
        words -> walk(shape, words, true),
        words -> walk(shape, words, false),
        words -> {
          for (int i = 0; i < shape.entries; i += 7) {
            put(tree, words, shape.key(i), shape.value(i + 1));
          }
        },
        words -> {
          for (int i = 0; i < shape.entries; i++) {
            put(tree, words, shape.key(i + shape.entries), shape.value(i));
          }
        },
        words -> putAll(shape, words, 0),
        words -> putAll(shape, words, shape.entries),
        words -> {
          for (int i = 0; i < shape.entries; i++) {
            tree.remove(words, key(words, shape.key(i)));
          }
        },
        words -> tree.levels(words),
        words -> tree.visitBlocks(words, Blocks.each(_ -> {})));
  }

  /** Puts entries in the order of their keys, several at once. */
  private void putAll(Shape shape, Words words, int first) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < shape.entries; i++) {
      keys.add(shape.key(first + i));
    }
    keys.sort(Arrays::compareUnsigned);
    for (int i = 0; i < keys.size(); ) {
      EntryBatch batch = CollectionScratch.of(words).batch();
      while (i < keys.size() && !batch.isFull()) {
        int length = key(words, keys.get(i));
        Tree.beginValue(words).putBytes(shape.value(i));
        batch.add(CollectionScratch.of(words).image, length);
        i++;
      }
      int _ = tree.putAll(words, batch);
    }
  }

  private void walk(Shape shape, Words words, boolean isAscending) {
    TreeCursor cursor = new TreeCursor(tree);
    if (isAscending) {
      cursor.first(words);
    } else {
      cursor.last(words);
    }
    int steps = 0;
    while (isAscending ? cursor.next(words) : cursor.previous(words)) {
      byte[] _ = cursor.key(words).peek();
      byte[] _ = cursor.value(words).peek();
      assertThat(steps++).as("steps").isLessThan(64 * shape.entries);
    }
  }

  private boolean isCaught(
      long node, int at, long hostile, Reading reading, Map<String, Integer> seen) {
    try {
      store.run(
          tx -> {
            write(words(tx), node, at, hostile);
            reading.of(words(tx));
            throw tx.abort();
          });
      return false;
    } catch (CorruptStoreException | InvalidAddressException | TransactionAbortedException e) {
      seen.merge(e.getClass().getSimpleName(), 1, Integer::sum);
      return !(e instanceof TransactionAbortedException);
    } catch (RuntimeException | Error e) {
      throw new AssertionError(
          "word %d of node %d as %x led to %s".formatted(at, node, hostile, e), e);
    }
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void whateverAWordOfANodeHoldsNothingEscapes(Shape shape) {
    fill(shape);
    Random random = new Random(SEED);
    Map<String, Integer> seen = new TreeMap<>();
    List<Reading> readings = readings(shape);
    int step = 0;
    for (long node : nodes()) {
      TreeNodeLayout layout = TreeNodeLayout.of(node);
      for (int at = 0; at < layout.words; at++) {
        if (++step % (at < layout.headsAt ? 1 + STRIDE / 3 : 4 * STRIDE) != 0) {
          continue;
        }
        long held = word(node, at);
        long hostile = HOSTILE[random.nextInt(HOSTILE.length)];
        long bit = held ^ 1L << random.nextInt(Long.SIZE);
        Reading reading = readings.get(random.nextInt(readings.size()));
        boolean _ = isCaught(node, at, hostile, reading, seen);
        boolean _ = isCaught(node, at, bit, reading, seen);
      }
    }
    assertThat(seen.get("CorruptStoreException")).as("%s", seen).isGreaterThan(20);
  }

  /** But for the heads of keys of 8 bytes, which are all that is stored of them. */
  @ParameterizedTest
  @EnumSource(Shape.class)
  void aCheckNoticesEachBitBeforeTheEntries(Shape shape) {
    fill(shape);
    Random random = new Random(SEED);
    Map<String, Integer> seen = new TreeMap<>();
    for (long node : nodes()) {
      TreeNodeLayout layout = TreeNodeLayout.of(node);
      int count = TreeNodeLayout.count(word(node, 0));
      int end = layout.headsAt + (shape.keyFixed == Long.BYTES ? 0 : count);
      for (int at = 0; at < end; at++) {
        int bits = Long.SIZE;
        if (at > 0 && at < layout.usedAt) { // the order has bytes for entries that are not there
          bits = Math.clamp((count - (at - 1L) * Long.BYTES) * Byte.SIZE, 0, Long.SIZE);
        }
        if (bits > 0) {
          long held = word(node, at);
          long hostile = held ^ 1L << random.nextInt(bits);
          boolean isCaught = isCaught(node, at, hostile, words -> tree.check(words), seen);
          assertThat(isCaught).as("word %s of %s, %x for %x", at, node, hostile, held).isTrue();
        }
      }
    }
  }

  /** The low fence of the first leaf is another form of the empty key. */
  @Test
  void aCheckNoticesAFenceWithoutLengthThatIsSomewhere() {
    fill(Shape.TEXTS);
    for (long node : nodes()) {
      TreeNodeLayout layout = TreeNodeLayout.of(node);
      if (word(node, layout.lowAt) == 0) {
        Reading check = words -> tree.check(words);
        assertThat(isCaught(node, layout.lowAt, 16, check, new TreeMap<>())).isTrue();
        assertThat(isCaught(node, layout.lowAt, layout.bytes - 8, check, new TreeMap<>())).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void theRootMayLeadAnywhere(Shape shape) {
    fill(shape);
    for (long hostile : HOSTILE) {
      for (Reading reading : readings(shape)) {
        assertThatThrownBy(
                () ->
                    store.run(
                        tx -> {
                          words(tx)
                              .putUnchecked(
                                  tree.search().address() + TreeLayout.ROOT_OFFSET, hostile);
                          reading.of(words(tx));
                        }))
            .isInstanceOf(CorruptStoreException.class);
      }
    }
  }

  /** Leaves in a circle. */
  @Test
  void aCursorComesToAnEnd() {
    fill(Shape.WORDS);
    List<Long> leaves =
        nodes().stream().filter(node -> TreeNodeLayout.level(word(node, 0)) == 0).toList();
    for (long from : leaves) {
      for (long to : leaves) {
        int nextAt = TreeNodeLayout.of(from).nextAt;
        if (word(from, nextAt) != to) {
          boolean isCaught =
              isCaught(from, nextAt, to, words -> walk(Shape.WORDS, words, true), new TreeMap<>());
          assertThat(isCaught).isTrue();
        }
      }
    }
  }

  /** A replacement with a value of the same length may be written into the former block. */
  @ParameterizedTest
  @EnumSource(
      value = Shape.class,
      names = {"TEXTS_BY_WORD", "TEXTS", "LONG_KEYS"})
  void aBlockThatCannotBeThereIsNotWrittenTo(Shape shape) {
    fill(shape);
    int number = 3; // with a value in a block
    TreeFormat format = tree.search().format();
    for (long hostile : new long[] {-1, 0x7FFF_FFF0, 8, 24, CAPACITY - 16, CAPACITY, 1L << 60}) {
      assertThatThrownBy(
              () ->
                  store.run(
                      tx -> {
                        Words words = words(tx);
                        TreeScratch scratch = CollectionScratch.of(words).tree();
                        TreeKey key =
                            tree.search().key(words, scratch, key(words, shape.key(number)));
                        NodeImage leaf = tree.search().find(words, scratch, key, false);
                        int at =
                            format.entry(
                                words, leaf, tree.search().index(words, scratch, leaf, key));
                        TreeSearch.read(words, leaf, 0, leaf.layout().words);
                        long block = format.valueBlock(leaf, at);
                        while (leaf.words[at] != block) {
                          at++;
                        }
                        write(words, leaf.node(), at, hostile);
                        put(tree, words, shape.key(number), shape.value(number));
                      }))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("the value of an entry");
    }
  }

  private NodeImage leaf(Words words, byte[] key) {
    TreeScratch scratch = CollectionScratch.of(words).tree();
    return tree.search()
        .find(words, scratch, tree.search().key(words, scratch, key(words, key)), false);
  }

  /** Units before the entries look free: what is written there would destroy heads and order. */
  private void requireNothingIsWrittenBeforeTheEntries(Words words, NodeImage leaf, Reading put) {
    write(words, leaf.node(), leaf.layout().usedAt, 0);
    assertThatThrownBy(() -> put.of(words))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("the units in use of a node");
  }

  @ParameterizedTest
  @EnumSource(
      value = Shape.class,
      names = {"TEXTS_BY_WORD", "TEXTS"})
  void aLongerEntryIsNotWrittenBeforeTheOthers(Shape shape) {
    fill(shape);
    for (int i = 1; i < shape.entries; i += 3) { // of those with values in their entries
      byte[] key = shape.key(i);
      assertThatThrownBy(
              () ->
                  store.run(
                      tx ->
                          requireNothingIsWrittenBeforeTheEntries(
                              words(tx),
                              leaf(words(tx), key),
                              words -> put(tree, words, key, new byte[90]))))
          .isInstanceOf(RuntimeException.class)
          .isNotInstanceOf(AssertionError.class);
    }
  }

  private boolean isForLowerHalfOfFullLeaf(Words words, byte[] key) {
    NodeImage leaf = leaf(words, key);
    int index =
        tree.search().index(words, CollectionScratch.of(words).tree(), leaf, scratchKey(words));
    return leaf.count() == leaf.layout().capacity && -1 - index < leaf.count() / 4;
  }

  private static TreeKey scratchKey(Words words) {
    return CollectionScratch.of(words).tree().key;
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void whatAFullLeafKeepsIsNotWrittenBeforeItsEntries(Shape shape) {
    fill(shape);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      int next = shape.entries;
                      while (!isForLowerHalfOfFullLeaf(words(tx), shape.key(next))) {
                        byte[] value = new byte[shape.valueFixed < 0 ? 1 : 8];
                        put(tree, words(tx), shape.key(next++), value);
                      }
                      byte[] key = shape.key(next);
                      NodeImage leaf = leaf(words(tx), key);
                      requireNothingIsWrittenBeforeTheEntries(
                          words(tx), leaf, words -> put(tree, words, key, new byte[8]));
                    }))
        .isInstanceOf(RuntimeException.class);
  }

  /** All children of inner nodes are the same ones: a walk would take for ever. */
  @Test
  void aWalkVisitsNoNodeTwice() {
    fill(Shape.TEXTS);
    for (long node : nodes()) {
      if (TreeNodeLayout.level(word(node, 0)) > 0) {
        TreeNodeLayout layout = TreeNodeLayout.of(node);
        int first = layout.word((int) word(node, 1) & 0xFF);
        int second = layout.word((int) (word(node, 1) >>> 8) & 0xFF);
        long child = word(node, first);
        assertThat(NodeLayout.isPossible(child, CAPACITY)).isTrue();
        for (Reading reading :
            List.<Reading>of(
                words -> tree.levels(words),
                words -> tree.visitBlocks(words, Blocks.each(_ -> {})),
                words -> tree.check(words))) {
          assertThat(isCaught(node, second, child, reading, new TreeMap<>())).isTrue();
        }
      }
    }
  }
}
