package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.Blocks;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.InvalidAddressException;
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
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each field of each node of a small tree holds 0, 1, its maximum, one more, one less, or anything.
 * All operations end: with the right answer, with a typed exception, or with a wrong answer that a
 * check of all nodes finds the cause of.
 *
 * <p>A check cannot notice other bytes of a key or value, or another key of 8 bytes, if their order
 * stays: there is nothing to compare them with.
 */
@Tag("scaled")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class TreeFieldDamageTest {

  private static final int CAPACITY = 1 << 22;
  private static final int STRIDE = Integer.getInteger("howdah.stride", 40);
  private static final long SEED = Long.getLong("howdah.seed", 5);

  enum Shape {
    WORDS(8, 8, 70),
    NOTHING(8, 0, 60),
    TEXTS_BY_WORD(8, Codec.VARIABLE, 50),
    TEXTS(Codec.VARIABLE, Codec.VARIABLE, 60),
    EQUAL_HEADS(Codec.VARIABLE, 8, 90),
    LONG_KEYS(Codec.VARIABLE, Codec.VARIABLE, 40);

    private final int keyFixed;
    private final int valueFixed;
    private final int entries;

    Shape(int keyFixed, int valueFixed, int entries) {
      this.keyFixed = keyFixed;
      this.valueFixed = valueFixed;
      this.entries = entries;
    }

    byte[] key(int number) {
      String text = "%08d".formatted(number * 7919 % 100_003);
      String key =
          switch (this) {
            case WORDS, NOTHING, TEXTS_BY_WORD -> text;
            case TEXTS -> "text " + text;
            case EQUAL_HEADS -> "all begin alike " + text + "!";
            case LONG_KEYS -> "x".repeat(100 + number % 30) + text;
          };
      return key.getBytes(StandardCharsets.US_ASCII);
    }

    byte[] value(int number) {
      byte[] value = new byte[valueFixed >= 0 ? valueFixed : number % 5 == 0 ? 400 : number];
      Arrays.fill(value, (byte) number);
      return value;
    }
  }

  /** Some bits of a word of a node. */
  private record Field(long node, int word, int shift, int bits, boolean isChecked) {

    long mask() {
      return bits == Long.SIZE ? -1L : ((1L << bits) - 1) << shift;
    }
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(CAPACITY).withPartitions(1).withOrecs(1 << 8));

  private final NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
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

  private boolean put(Words words, byte[] key, byte[] value) {
    int length = key(words, key);
    Tree.beginValue(words).putBytes(value);
    return tree.put(words, length);
  }

  private void fill(Shape shape) {
    store.run(
        tx -> {
          long address = Tree.create(words(tx), 1, shape.keyFixed, shape.valueFixed);
          tree = new Tree(address, shape.keyFixed == Long.BYTES, shape.valueFixed);
          for (int i = 0; i < shape.entries; i++) {
            put(words(tx), shape.key(i), shape.value(i));
            model.put(shape.key(i), shape.value(i));
          }
          for (int i = 0; i < shape.entries; i += 6) { // leaves units that were used before
            tree.remove(words(tx), key(words(tx), shape.key(i)));
            model.remove(shape.key(i));
          }
          tree.check(words(tx));
          assertThat(tree.levels(words(tx)).size()).isGreaterThan(1);
        });
  }

  private List<Field> fields(Shape shape) {
    List<Field> fields = new ArrayList<>();
    store.read(
        tx -> {
          Words words = words(tx);
          tree.visitBlocks(
              words,
              new BlockVisitor() {
                @Override
                public void block(long address) {}

                @Override
                public void node(long reference) {
                  NodeImage image = new NodeImage();
                  image.become(reference);
                  TreeSearch.read(words, image, 0, image.layout().words);
                  add(shape, fields, image);
                }
              });
          return 0;
        });
    return fields;
  }

  private static void add(Shape shape, List<Field> fields, NodeImage image) {
    long node = image.node();
    TreeNodeLayout layout = image.layout();
    int[] header = {8, 8, 16, 32};
    int shift = 0;
    for (int bits : header) {
      fields.add(new Field(node, 0, shift, bits, true));
      shift += bits;
    }
    for (int i = 0; i < image.count(); i++) {
      int word = TreeNodeLayout.ORDER_AT + i / Long.BYTES;
      fields.add(new Field(node, word, i % Long.BYTES * Byte.SIZE, Byte.SIZE, true));
    }
    for (int word = layout.usedAt; word < layout.nextAt; word++) {
      for (int bits = 0; bits < Long.SIZE; bits += Byte.SIZE) {
        fields.add(new Field(node, word, bits, Byte.SIZE, true));
      }
    }
    for (int word = layout.nextAt; word < layout.headsAt; word++) {
      fields.add(new Field(node, word, 0, Long.SIZE, true));
    }
    for (int i = 0; i < image.count(); i++) {
      boolean isChecked = shape.keyFixed != Long.BYTES;
      fields.add(new Field(node, layout.headsAt + i, 0, Long.SIZE, isChecked));
    }
    for (int word = layout.entriesAt; word < layout.words; word++) {
      fields.add(new Field(node, word, 0, Long.SIZE, false));
      fields.add(new Field(node, word, 0, Integer.SIZE, false));
      fields.add(new Field(node, word, Integer.SIZE, Integer.SIZE, false));
    }
  }

  /** An operation of a program, which returns whether its answers were right. */
  private interface Use {
    boolean isRight(Words words);
  }

  private List<Use> uses(Shape shape) {
    return List.of(
        this::areValuesRight,
        words -> isWalkRight(words, true),
        words -> isWalkRight(words, false),
        words -> {
          boolean isRight = true;
          for (Map.Entry<byte[], byte[]> entry : model.entrySet()) { // the same lengths
            isRight &= !put(words, entry.getKey(), entry.getValue());
          }
          isRight &= areValuesRight(words);
          return isRight;
        },
        words -> {
          boolean isRight = true;
          int n = 0;
          for (byte[] key : model.keySet()) { // other lengths
            isRight &= !put(words, key, shape.value(++n % 100 + 60));
          }
          return isRight;
        },
        words -> {
          boolean isRight = true;
          for (int i = 0; i < shape.entries; i++) {
            byte[] key = shape.key(i + shape.entries);
            isRight &= put(words, key, shape.value(i));
          }
          isRight &= areValuesRight(words);
          return isRight;
        },
        words -> {
          boolean isRight = true;
          for (byte[] key : model.keySet()) {
            isRight &= tree.remove(words, key(words, key));
          }
          TreeCursor cursor = new TreeCursor(tree);
          cursor.first(words);
          isRight &= !cursor.next(words);
          return isRight;
        },
        words -> {
          boolean isRight = true;
          for (byte[] key : model.descendingKeySet()) {
            isRight &= tree.remove(words, key(words, key));
            boolean _ = put(words, shape.key(shape.entries), shape.value(7));
          }
          return isRight;
        },
        words -> {
          var _ = tree.levels(words);
          tree.visitBlocks(words, Blocks.each(_ -> {}));
          return true;
        });
  }

  private boolean areValuesRight(Words words) {
    boolean isRight = true;
    for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
      DecodingBuffer value = tree.get(words, key(words, entry.getKey()));
      isRight &= value != null && Arrays.equals(value.peek(), entry.getValue());
    }
    return isRight;
  }

  private boolean isWalkRight(Words words, boolean isAscending) {
    TreeCursor cursor = new TreeCursor(tree);
    if (isAscending) {
      cursor.first(words);
    } else {
      cursor.last(words);
    }
    boolean isRight = true;
    for (Map.Entry<byte[], byte[]> entry :
        (isAscending ? model : model.descendingMap()).entrySet()) {
      if (!(isAscending ? cursor.next(words) : cursor.previous(words))) {
        return false;
      }
      isRight &= Arrays.equals(cursor.key(words).peek(), entry.getKey());
      isRight &= Arrays.equals(cursor.value(words).peek(), entry.getValue());
    }
    int more = 0;
    while (isAscending ? cursor.next(words) : cursor.previous(words)) {
      assertThat(++more).as("entries").isLessThan(10_000);
    }
    return isRight && more == 0;
  }

  /**
   * Returns whether an operation on the damaged tree is right, or says that the tree is damaged.
   */
  private boolean isRightOrTold(Field field, long value, Use use) {
    boolean[] isRight = {true};
    try {
      store.run(
          tx -> {
            long[] word = new long[1];
            words(tx).nodes.read(field.node, field.word, 1, word, 0);
            long altered = (word[0] & ~field.mask()) | (value << field.shift & field.mask());
            words(tx).nodes.write(field.node, field.word, altered);
            isRight[0] = use.isRight(words(tx));
            throw tx.abort();
          });
    } catch (TransactionAbortedException e) {
      return isRight[0];
    } catch (CorruptStoreException | InvalidAddressException e) {
      return true;
    } catch (RuntimeException | Error e) {
      throw new AssertionError("%s as %x led to %s".formatted(field, value, e), e);
    }
    throw new AssertionError("committed");
  }

  private boolean isNoticedByCheck(Field field, long value) {
    boolean[] isNoticed = {false};
    isRightOrTold(
        field,
        value,
        words -> {
          isNoticed[0] = true;
          tree.check(words);
          isNoticed[0] = false;
          return true;
        });
    return isNoticed[0];
  }

  private long held(Field field) {
    return store.read(
        tx -> {
          long[] word = new long[1];
          words(tx).nodes.read(field.node, field.word, 1, word, 0);
          return (word[0] & field.mask()) >>> field.shift;
        });
  }

  @ParameterizedTest
  @EnumSource(Shape.class)
  void whateverAFieldHolds(Shape shape) {
    fill(shape);
    SplittableRandom random = new SplittableRandom(SEED);
    List<Use> uses = uses(shape);
    List<Field> fields = fields(shape);
    assertThat(fields.stream().map(Field::node).distinct().count()).isGreaterThan(2);
    for (Field field : fields) {
      long held = held(field);
      for (long value :
          new long[] {
            0, 1, -1, held + 1, held - 1, held ^ 1L << random.nextInt(field.bits), random.nextLong()
          }) {
        if (((value ^ held) << field.shift & field.mask()) == 0 || random.nextInt(STRIDE) != 0) {
          continue;
        }
        for (int i = 0; i < uses.size(); i++) {
          if (!isRightOrTold(field, value, uses.get(i)) && field.isChecked) {
            assertThat(isNoticedByCheck(field, value))
                .as("%s of %s as %x for %x, use %d", field, shape, value, held, i)
                .isTrue();
          }
        }
      }
    }
  }
}
