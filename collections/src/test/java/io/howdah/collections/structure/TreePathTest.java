package io.howdah.collections.structure;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.DecodingBuffer;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.testkit.schedule.Schedule;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Words;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A change of a node above a leaf goes to the parent of that leaf, in trees whose lowest inner
 * nodes have neighbours, so that a path to another leaf has another parent.
 *
 * <p>Keys have 105 bytes and differ in the last five, so an inner node has about ten children. They
 * are put in ascending order, so all leaves and inner nodes are full but the first and the last of
 * each level: a key between others splits its leaf, and the first such key below an inner node
 * splits this, too.
 */
@Tag("scaled")
final class TreePathTest {

  private static final int RUNS = Integer.getInteger("howdah.runs", 40);
  private static final String PREFIX = "a".repeat(100);

  /** A full leaf with entries of this length has room for its high fence, so it is split late. */
  private static final int VALUE_BYTES = 75;

  /** Between two keys of a full tree, so there are keys to put between them. */
  private static final int STEP = 10;

  /** Of a tree whose nodes split in two threads. */
  private static final int KEYS = 1100;

  /** Keys between those that are put and the next inner node: more than those of a leaf. */
  private static final int APART = 30;

  /** Levels of a tree, from the leaves on. */
  private static final int LEAVES = 0;

  private static final int PARENTS = 1;

  /** A tree in a store. */
  private record Stored(WordStore store, Tree tree) {

    static Stored create(WordStore store) {
      long address = store.call(tx -> Tree.create(words(tx), 1, Codec.VARIABLE, Codec.VARIABLE));
      return new Stored(store, new Tree(address, false, Codec.VARIABLE));
    }

    static Words words(Tx tx) {
      return TxHandle.of(tx).words();
    }

    private static byte[] bytes(int number) {
      return (PREFIX + "%05d".formatted(number)).getBytes(StandardCharsets.US_ASCII);
    }

    private static int key(Words words, int number) {
      Tree.beginKey(words).putBytes(bytes(number));
      return Tree.endKey(words);
    }

    void put(Tx tx, int number) {
      int length = key(words(tx), number);
      Tree.beginValue(words(tx)).putLong(number);
      Tree.beginValue(words(tx)).putBytes(new byte[VALUE_BYTES - Long.BYTES]);
      tree.put(words(tx), length);
    }

    boolean has(Tx tx, int number) {
      DecodingBuffer value = tree.get(words(tx), key(words(tx), number));
      return value != null && value.getLong() == number;
    }

    boolean has(int number) {
      return store.read(tx -> has(tx, number));
    }

    boolean remove(Tx tx, int number) {
      return tree.remove(words(tx), key(words(tx), number));
    }

    void remove(int number) {
      store.run(tx -> assertThat(remove(tx, number)).isTrue());
      check();
    }

    void loadAhead(Tx tx, int... numbers) {
      EntryGroup<byte[], byte[]> group = new EntryGroup<>(RunningTx.of(tx));
      assertThat(group.takeKeys(IntStream.of(numbers).mapToObj(Stored::bytes).iterator())).isTrue();
      EntryCodec<byte[]> codec = new EntryCodec<>(Codec.bytes());
      Words words = words(tx);
      tree.loadAhead(words, CollectionScratch.of(words).encodeAhead(words, codec, group));
    }

    void fill(int keys) {
      for (int i = 0; i < keys; i++) {
        int number = i * STEP;
        store.run(tx -> put(tx, number));
      }
      check();
    }

    /** Verifies all nodes. */
    void check() {
      store.read(
          tx -> {
            tree.check(words(tx));
            return 0;
          });
    }

    int height() {
      return store.read(tx -> tree.levels(words(tx)).size()) - 1;
    }

    long nodes(int level) {
      List<Tree.Level> levels = store.read(tx -> tree.levels(words(tx)));
      return level < levels.size() ? levels.get(levels.size() - 1 - level).nodes() : 0;
    }
  }

  private static WordStore store() {
    return WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 24).withPartitions(2));
  }

  /** The leaf of the first of two keys is known, and the last descent was for the other one. */
  @Test
  void aKnownLeafThatSplitsIsAddedToItsOwnParent() {
    int keys = 3000;
    try (WordStore store = store()) {
      Stored stored = Stored.create(store);
      stored.fill(keys);
      assertThat(stored.height()).isGreaterThanOrEqualTo(3);
      long leaves = stored.nodes(LEAVES);
      for (int i = 0; i < keys; i += 50) {
        int near = i * STEP + 5;
        int far = (i + keys / 2) % keys * STEP;
        store.run(
            tx -> {
              stored.loadAhead(tx, near, far);
              stored.put(tx, near);
              assertThat(stored.has(tx, far)).isTrue();
            });
        stored.check();
        assertThat(stored.has(near)).isTrue();
      }
      assertThat(stored.nodes(LEAVES)).isGreaterThan(leaves + 40); // they did split
    }
  }

  @Test
  void aKnownLeafThatShrinksIsMergedBelowItsOwnParent() {
    int keys = 400;
    try (WordStore store = store()) {
      Stored stored = Stored.create(store);
      stored.fill(keys);
      long leaves = stored.nodes(LEAVES);
      int far = (keys - 1) * STEP;
      for (int i = 0; i < 100; i++) {
        int near = i * STEP;
        store.run(
            tx -> {
              stored.loadAhead(tx, near, far);
              assertThat(stored.remove(tx, near)).isTrue();
              assertThat(stored.has(tx, far)).isTrue();
            });
        stored.check();
      }
      assertThat(stored.nodes(LEAVES)).isLessThan(leaves - 3); // they were merged
    }
  }

  /**
   * The only leaf below an inner node becomes empty. The inner node is merged into its left
   * neighbour, and then the leaf into its own, to which the former parent of the leaf does not
   * lead.
   */
  @Test
  void theOnlyLeafOfAParentIsMergedAfterTheParent() {
    try (WordStore store = store()) {
      Stored stored = Stored.create(store);
      int keys = 0;
      while (stored.nodes(PARENTS) < 3) {
        int number = keys++ * STEP;
        store.run(tx -> stored.put(tx, number));
      }
      long leaves = stored.nodes(LEAVES);
      int removed = keys - 2;
      while (stored.nodes(LEAVES) == leaves) { // until the left neighbour has room for a child
        stored.remove(removed-- * STEP);
      }
      assertThat(stored.nodes(LEAVES)).isEqualTo(leaves - 1);
      assertThat(stored.nodes(PARENTS)).isEqualTo(3);
      stored.remove((keys - 1) * STEP);
      assertThat(stored.nodes(PARENTS)).isEqualTo(2);
      assertThat(stored.nodes(LEAVES)).isEqualTo(leaves - 2);
    }
  }

  /**
   * Of two leaves below one full inner node, each splits in a thread of its own. The first to split
   * splits the inner node, too: then the path of the other, which is in the upper half, leads to
   * the lower half.
   */
  @Test
  void leavesSplitWhileTheirParentSplits() {
    List<Integer> parents = parents();
    for (long seed = 0; seed < RUNS; seed++) {
      split(seed, parents);
    }
  }

  /** Returns the first key below each inner node of a tree with {@link #KEYS} keys. */
  private static List<Integer> parents() {
    List<Integer> parents = new ArrayList<>();
    try (WordStore store = store()) {
      Stored stored = Stored.create(store);
      for (int i = 0; i < KEYS; i++) {
        int number = i * STEP;
        long before = stored.nodes(PARENTS);
        store.run(tx -> stored.put(tx, number));
        if (stored.nodes(PARENTS) > before) {
          parents.add(i);
        }
      }
    }
    assertThat(parents).hasSizeGreaterThan(4);
    return parents;
  }

  private static void split(long seed, List<Integer> parents) {
    ScheduledStore.run(
        Schedule.random(seed, 40 + (int) (11 * seed % 400)),
        1 << 22,
        (store, execution) -> {
          Stored stored = Stored.create(store);
          stored.fill(KEYS);
          long before = stored.nodes(PARENTS);
          execution.run(
              () -> {
                for (int i = 1; i < parents.size() - 1; i++) {
                  int low = (parents.get(i) + APART) * STEP + 5;
                  int high = (parents.get(i + 1) - APART) * STEP + 5;
                  List.of(
                          execution.spawn("low " + i, () -> store.run(tx -> stored.put(tx, low))),
                          execution.spawn("high " + i, () -> store.run(tx -> stored.put(tx, high))))
                      .forEach(execution::join);
                  stored.check();
                  assertThat(stored.has(low) && stored.has(high)).as("seed %d", seed).isTrue();
                }
              });
          assertThat(stored.nodes(PARENTS)).isEqualTo(before + parents.size() - 2);
        });
  }
}
