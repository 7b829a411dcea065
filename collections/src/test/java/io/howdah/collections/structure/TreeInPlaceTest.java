package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Words;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Trees with keys of 8 bytes: descents begin at the inner nodes of level 1 that a {@link TreeGuide}
 * knows, and values are replaced in leaves that are not copied. Both find and leave what a descent
 * from the root and a copy would.
 */
final class TreeInPlaceTest {

  private static final long SEED = Long.getLong("howdah.seed", 5);

  /** So many that there are several nodes of level 1. */
  private static final int KEYS = 6000;

  /** Between two keys, so that others can be put there. */
  private static final long STEP = 100_000;

  private final WordStore store =
      WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 26).withPartitions(2));
  private final Tree tree =
      new Tree(
          store.call(tx -> Tree.create(words(tx), 1, Long.BYTES, Codec.VARIABLE)),
          true,
          Codec.VARIABLE);
  private final TreeMap<Long, Integer> model = new TreeMap<>();
  private final Random random = new Random(SEED);

  @AfterEach
  void close() {
    store.close();
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private static int key(Words words, long key) {
    Codec.int64().encode(key, Tree.beginKey(words));
    return Tree.endKey(words);
  }

  /** Puts a value that has a length and a number of its own. */
  private void put(Tx tx, long key, int length) {
    Words words = words(tx);
    int keyLength = key(words, key);
    EncodingBuffer value = Tree.beginValue(words);
    for (int i = 0; i < length; i++) {
      value.putByte((int) (key + length));
    }
    tree.put(words, keyLength);
    model.put(key, length);
  }

  /** Returns the length of a value; null if there is none. */
  private @Nullable Integer get(Tx tx, long key) {
    Words words = words(tx);
    DecodingBuffer value = tree.get(words, key(words, key));
    if (value == null) {
      return null;
    }
    byte[] bytes = value.peek();
    for (byte each : bytes) {
      assertThat(each).isEqualTo((byte) (key + bytes.length));
    }
    return bytes.length;
  }

  private void fill() {
    for (int from = 0; from < KEYS; from += 100) {
      int first = from;
      store.run(
          tx -> {
            for (int i = first; i < first + 100; i++) {
              put(tx, i * 7919L % KEYS * STEP, 1 + i % 20);
            }
          });
    }
  }

  private void requireAll() {
    store.run(tx -> model.forEach((key, length) -> assertThat(get(tx, key)).isEqualTo(length)));
  }

  /** Returns to how many of the keys the guide leads. */
  private int guided() {
    return store.call(
        tx -> {
          int guided = 0;
          for (long key : model.keySet()) {
            guided +=
                tree.search().guide().beginLook(words(tx), key) != 0 ? 1 : 0; // the key is its head
          }
          return guided;
        });
  }

  @Test
  void theGuideLeadsToAllKeysAlsoOfATreeThatHasGrown() {
    fill();
    requireAll();
    requireAll();
    assertThat(guided()).isEqualTo(model.size());
    for (long i = 0; i < KEYS; i++) {
      long key = i * STEP + STEP / 2;
      store.run(tx -> put(tx, key, 3));
    }
    requireAll();
    requireAll();
    assertThat(guided()).as("of twice as many keys").isEqualTo(model.size());
  }

  /** The distance of two keys may be more than a number of type long can be. */
  @Test
  void theGuideLeadsToAKeyThatIsFarFromAllOthers() {
    store.run(tx -> put(tx, Long.MAX_VALUE, 1));
    for (int from = 0; from < KEYS; from += 100) {
      int first = from;
      store.run(
          tx -> {
            for (int i = first; i < first + 100; i++) {
              put(tx, -(i * 7919L % KEYS + 1) * STEP, 1 + i % 20);
            }
          });
      store.run(tx -> assertThat(get(tx, Long.MAX_VALUE)).isEqualTo(1));
    }
    requireAll();
    assertThat(guided()).isEqualTo(model.size());
  }

  @Test
  void keysAreFoundAfterTheNodesAboveThemHaveSplitAndMerged() {
    fill();
    for (int round = 0; round < 8; round++) {
      requireAll();
      long first = random.nextInt(KEYS) * STEP + 1;
      store.run(
          tx -> {
            for (long key = first; key < first + 3000; key++) {
              put(tx, key, 8);
            }
          });
      requireAll(); // corrects the guide, which knows half of what has split
      requireAll();
      long gone = random.nextInt(KEYS) * STEP;
      store.run(
          tx -> {
            for (long key : List.copyOf(model.subMap(gone, gone + KEYS / 4 * STEP).keySet())) {
              assertThat(tree.remove(words(tx), key(words(tx), key))).isTrue();
              model.remove(key);
            }
          });
      store.run(
          tx -> {
            assertThat(get(tx, gone)).isNull();
            tree.check(words(tx));
            assertThat(tree.size(words(tx))).isEqualTo(model.size());
          });
    }
  }

  @Test
  void valuesOfAllLengthsReplaceEachOther() {
    fill();
    for (int round = 0; round < 300; round++) {
      store.run(
          tx -> {
            for (int i = 0; i < 20; i++) {
              put(
                  tx,
                  random.nextInt(KEYS) * STEP,
                  random.nextInt(10) == 0 ? 300 : random.nextInt(40));
            }
          });
    }
    requireAll();
    store.run(tx -> tree.check(words(tx)));
  }

  private static void elsewhere(Runnable action) {
    Thread thread = Thread.ofPlatform().start(action);
    boolean isDone = false;
    while (!isDone) {
      try {
        thread.join();
        isDone = true;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** The entry has moved meanwhile: what is written to its former place would be lost. */
  @Test
  void aReplacementLosesToAnEarlierCommitOfItsLeaf() {
    fill();
    int[] attempts = new int[1];
    store.run(
        tx -> {
          put(tx, STEP, Objects.requireNonNull(model.get(STEP)));
          if (attempts[0]++ == 0) {
            elsewhere(() -> store.run(other -> put(other, STEP, 200)));
            model.put(STEP, 4);
          }
          put(tx, STEP, 4);
        });
    assertThat(attempts[0]).isEqualTo(2);
    requireAll();
    store.run(tx -> tree.check(words(tx)));
  }

  /** Also if the snapshot of the transaction has moved behind that commit. */
  @Test
  void anEntryThatAGroupHasFoundIsSoughtAgainIfItsLeafHasChanged() {
    fill();
    long far = KEYS / 2 * STEP;
    for (boolean isPut : new boolean[] {false, true}) {
      store.run(tx -> put(tx, STEP, 2));
      store.run(
          tx -> {
            EntryGroup<Long, String> group = new EntryGroup<>(RunningTx.of(tx));
            assertThat(group.takeKeys(List.of(STEP).iterator())).isTrue();
            EntryCodec<Long> codec = new EntryCodec<>(Codec.int64());
            Words words = words(tx);
            tree.loadAhead(words, CollectionScratch.of(words).encodeAhead(words, codec, group));
            elsewhere(
                () ->
                    store.run(
                        other -> {
                          put(other, STEP, 100);
                          put(other, far, 100);
                        }));
            assertThat(get(tx, far)).isEqualTo(100);
            if (isPut) {
              put(tx, STEP, 2);
            }
            assertThat(get(tx, STEP)).isEqualTo(isPut ? 2 : 100);
          });
      requireAll();
      store.run(tx -> tree.check(words(tx)));
    }
  }
}
