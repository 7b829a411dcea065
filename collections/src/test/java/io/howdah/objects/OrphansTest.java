package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.codec.Codec;
import io.howdah.collections.Blocks;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that nothing leads to are found, and no others. */
final class OrphansTest {

  @Persistent
  interface Leaf {
    long number();

    void number(long v);
  }

  @Persistent
  interface Tree {
    @Nullable String text();

    void text(@Nullable String v);

    @Nullable Tree next();

    void next(@Nullable Tree v);

    @Owned
    @Length(2)
    @Nullable Leaf leaves(int index);

    void leaves(int index, @Nullable Leaf v);

    long plain();

    void plain(long v);
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 23).withOrecs(1 << 12).withPartitions(2));
  private final PersistentType<Tree> trees = store.type(Tree.class, MethodHandles.lookup());
  private final PersistentType<Leaf> leaves = store.type(Leaf.class, MethodHandles.lookup());

  @AfterEach
  void close() {
    store.close();
  }

  private Tree tree(Tx tx, String text) {
    Tree tree = trees.create(tx);
    tree.text(text);
    tree.leaves(0, leaves.create(tx));
    return tree;
  }

  private List<String> orphans() {
    return store.orphans().stream().map(o -> o.count() + " " + shortName(o)).toList();
  }

  private static String shortName(Orphans orphans) {
    return orphans.type().substring(orphans.type().indexOf('$') + 1);
  }

  @Test
  void aStoreWithoutTypesHasNone() {
    try (WordStore empty = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 20))) {
      assertThat(empty.orphans()).isEmpty();
    }
  }

  @Test
  void whatNothingLeadsToIsFoundWithWhatItOwns() {
    long before = store.read(tx -> bytes(tx));
    long lost = store.call(tx -> trees.address(tree(tx, "lost")));
    long bytes = store.read(tx -> bytes(tx)) - before;
    assertThat(orphans()).containsExactly("1 Leaf", "1 Tree");
    List<Orphans> found = store.orphans();
    assertThat(found.get(0).addresses()).as("the tree owns it").isEmpty();
    assertThat(found.get(1).addresses()).containsExactly(lost);
    assertThat(found.get(0).bytes() + found.get(1).bytes()).isEqualTo(bytes);
    store.run(tx -> trees.free(tx, trees.at(tx, found.get(1).addresses().getFirst())));
    assertThat(orphans()).isEmpty();
  }

  private static long bytes(Tx tx) {
    return Blocks.inUse(TxHandle.of(tx).words()).values().stream().mapToLong(b -> b).sum();
  }

  @Test
  void rootsReferencesAndPlainNumbersLeadToObjects() {
    store.run(
        tx -> {
          Tree root = tree(tx, "root");
          tx.root(3, trees.address(root));
          Tree next = tree(tx, "next");
          root.next(next);
          Tree plain = tree(tx, "by a number");
          next.plain(trees.address(plain));
          long block = tx.allocate(64);
          tx.putLong(block + 24, trees.address(tree(tx, "by the word level")));
          plain.plain(block);
        });
    assertThat(orphans()).isEmpty();
    store.run(tx -> tx.root(3, 0));
    assertThat(orphans()).containsExactly("4 Leaf", "4 Tree");
  }

  @Test
  void collectionsLeadToObjects() {
    PersistentMap<String, Tree> byName = store.map("by name", Codec.utf8(), trees.codec());
    PersistentList<Long> numbers = store.list("numbers", Codec.int64());
    store.run(
        tx -> {
          for (int i = 0; i < 20; i++) { // keys of many lengths, so values begin at any byte
            byName.put(tx, "x".repeat(i + 1), tree(tx, "in a map"));
            numbers.add(tx, trees.address(tree(tx, "in a list")));
          }
        });
    assertThat(orphans()).isEmpty();
    store.run(tx -> byName.remove(tx, "xxx"));
    assertThat(orphans()).containsExactly("1 Leaf", "1 Tree");
    store.drop("numbers");
    assertThat(orphans()).containsExactly("21 Leaf", "21 Tree");
  }

  @Test
  void anOwnedObjectDoesNotLeadToItsOwner() {
    PersistentMap<String, Leaf> kept = store.map("leaves", Codec.utf8(), leaves.codec());
    store.run(tx -> kept.put(tx, "a", Objects.requireNonNull(tree(tx, "owner").leaves(0))));
    assertThat(orphans()).containsExactly("1 Tree");
  }

  @Test
  void aStaleReferenceLeadsToNothing() {
    PersistentMap<String, Leaf> kept = store.map("leaves", Codec.utf8(), leaves.codec());
    store.run(tx -> kept.put(tx, "a", leaves.create(tx)));
    store.run(tx -> leaves.free(tx, Objects.requireNonNull(kept.get(tx, "a"))));
    long stale = store.call(tx -> leaves.address(leaves.create(tx))); // where the first one was
    assertThat(orphans()).containsExactly("1 Leaf");
    assertThat(store.orphans().getFirst().addresses()).containsExactly(stale);
  }

  @Test
  void theFirstThousandAddressesAreNamed() {
    List<Long> made = new ArrayList<>();
    store.run(
        tx -> {
          made.clear();
          for (int i = 0; i < Orphans.MAX_ADDRESSES + 1; i++) {
            made.add(leaves.address(leaves.create(tx)));
          }
        });
    Orphans found = store.orphans().getFirst();
    assertThat(found.count()).isEqualTo(Orphans.MAX_ADDRESSES + 1);
    assertThat(found.addresses()).hasSize(Orphans.MAX_ADDRESSES).isSubsetOf(made);
  }

  /** An entry has the length of a leaf, and its key begins with the first word of one. */
  @Test
  void whatLooksLikeAnObjectInACollectionIsNone() {
    PersistentMap<Long, byte[]> map = store.map("map", Codec.int64(), Codec.bytes());
    long leaf = store.call(tx -> leaves.address(leaves.create(tx)));
    store.run(
        tx -> {
          long identity = tx.getLong(ObjectLayout.address(leaf));
          map.put(tx, Long.reverseBytes(identity) ^ Long.MIN_VALUE, new byte[12]);
        });
    List<Orphans> found = store.orphans();
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().addresses()).containsExactly(leaf);
  }

  @Test
  void aLongChainIsFollowed() {
    store.run(
        tx -> {
          Tree last = trees.create(tx);
          for (int i = 0; i < 3000; i++) {
            Tree before = trees.create(tx);
            before.next(last);
            last = before;
          }
          tx.root(0, trees.address(last));
        });
    assertThat(orphans()).isEmpty();
  }

  /** What does not fit into the stack waits elsewhere, also what is behind the walk by then. */
  @Test
  void asManyAreReachedWithAnyStack() {
    SplittableRandom random = new SplittableRandom(7);
    List<Long> all = new ArrayList<>();
    store.run(
        tx -> {
          all.clear();
          for (int i = 0; i < 300; i++) {
            all.add(trees.address(tree(tx, "of many")));
          }
          for (int i = 0; i < 200; i++) { // 0 leads to 200 of them, not in their order
            int to = i < 199 ? (i + 67) % 200 : 100;
            trees.at(tx, all.get(i)).next(trees.at(tx, all.get(to)));
            if (i % 10 == 0) {
              long block = tx.allocate(128);
              for (int word = 0; word < 16; word++) {
                tx.putLong(block + 8L * word, all.get(random.nextInt(200)));
              }
              trees.at(tx, all.get(i)).plain(block);
            }
          }
          long roots = tx.allocate(8 * 200);
          for (int i = 0; i < 200; i++) {
            tx.putLong(roots + 8L * i, all.get(199 - i));
          }
          tx.root(5, roots);
        });
    for (int maxStack : new int[] {0, 1, 2, 7, 1000}) {
      List<Orphans> found =
          store.read(tx -> new OrphanSearch(tx, store.types(), store.catalogue(), maxStack).find());
      assertThat(found.stream().map(o -> o.count() + " " + shortName(o)))
          .as("a stack of %d", maxStack)
          .containsExactly("100 Leaf", "100 Tree");
    }
  }

  @Test
  void asManyAreFoundAsAGraphOfReferencesLeaves() {
    for (long seed = 1; seed <= 3; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      long found = store.orphans().stream().mapToLong(Orphans::count).sum();
      List<Long> all = new ArrayList<>();
      int[] next = new int[60];
      store.run(
          tx -> {
            for (int i = 0; i < next.length; i++) {
              all.add(trees.address(trees.create(tx)));
            }
            for (int i = 0; i < next.length; i++) {
              next[i] = random.nextInt(next.length);
              trees.at(tx, all.get(i)).next(trees.at(tx, all.get(next[i])));
            }
            tx.root(1, all.get(0));
          });
      boolean[] reached = new boolean[next.length];
      int count = 0;
      for (int i = 0; !reached[i]; i = next[i]) {
        reached[i] = true;
        count++;
      }
      long more = store.orphans().stream().mapToLong(Orphans::count).sum();
      store.run(tx -> tx.root(1, 0));
      assertThat(more - found).as("seed %d", seed).isEqualTo(next.length - count);
    }
  }

  /** Puts bytes that lead to an object into a collection. */
  private interface Holder {
    void put(Tx tx, long number, byte[] bytes);
  }

  private Map<String, Holder> holders() {
    Map<String, Holder> all = new TreeMap<>();
    PersistentMap<Long, byte[]> map = store.map("map", Codec.int64(), Codec.bytes());
    all.put("map", map::put);
    PersistentSortedMap<Long, byte[]> sorted =
        store.sortedMap("sorted map", Codec.int64(), Codec.bytes());
    all.put("sorted map", sorted::put);
    PersistentMap<byte[], Long> keys = store.map("keys", Codec.bytes(), Codec.int64());
    all.put("keys", (tx, number, bytes) -> keys.put(tx, bytes, number));
    PersistentSortedMap<byte[], Long> sortedKeys =
        store.sortedMap("sorted keys", Codec.bytes(), Codec.int64());
    all.put("sorted keys", (tx, number, bytes) -> sortedKeys.put(tx, bytes, number));
    PersistentSet<byte[]> set = store.set("set", Codec.bytes());
    all.put("set", (tx, _, bytes) -> set.add(tx, bytes));
    PersistentList<byte[]> list = store.list("list", Codec.bytes());
    all.put("list", (tx, _, bytes) -> list.add(tx, bytes));
    PersistentQueue<byte[]> queue = store.queue("queue", Codec.bytes());
    all.put("queue", (tx, _, bytes) -> queue.add(tx, bytes));
    return all;
  }

  /** What a codec writes may begin and end with a reference, or have it anywhere between. */
  @Test
  void aReferenceAnywhereInAnEntryOfAnyCollectionLeadsToItsObject() {
    holders()
        .forEach(
            (name, holder) -> {
              for (int before = 0; before <= 9; before++) {
                for (int behind = 0; behind <= 9; behind++) {
                  int start = before;
                  int length = before + Long.BYTES + behind;
                  store.run(
                      tx -> {
                        byte[] bytes = new byte[length];
                        long reference = trees.address(tree(tx, name));
                        ByteBuffer.wrap(bytes)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(start, reference);
                        holder.put(tx, reference, bytes);
                      });
                }
              }
              assertThat(orphans()).as(name).isEmpty();
              store.drop(name);
              assertThat(orphans()).as(name).containsExactly("100 Leaf", "100 Tree");
              store.orphans().stream()
                  .flatMap(found -> found.addresses().stream())
                  .forEach(each -> store.run(tx -> trees.free(tx, trees.at(tx, each))));
            });
  }
}
