package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.CorruptStoreException;
import io.howdah.core.layout.TreeLayout;
import io.howdah.core.layout.TreeNodeLayout;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class StoreInspectionTest {

  private final Store store = Store.inMemory();

  @AfterEach
  void close() {
    store.close();
  }

  private StoreInspection.Collection inspect(String name) {
    return store.admin().inspect().collections().stream()
        .filter(collection -> collection.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anEmptyStoreHasNothing() {
    StoreInspection found = store.admin().inspect();
    assertThat(found.roots()).isEmpty();
    assertThat(found.collections()).isEmpty();
    assertThat(found.blocks()).isZero();
    assertThat(found.nameBytes()).isZero();
  }

  @Test
  void everyKindHasItsSize() {
    var map = store.map("map", Codec.int64(), Codec.utf8());
    var sorted = store.sortedMap("sorted", Codec.utf8(), Codec.int64());
    var set = store.set("set", Codec.int32());
    var list = store.list("list", Codec.utf8());
    var queue = store.queue("queue", Codec.utf8());
    var counter = store.counter("counter");
    var blob = store.blob("blob");
    store.run(
        tx -> {
          for (int i = 0; i < 100; i++) {
            map.put(tx, (long) i, "value");
            sorted.put(tx, "key " + i, 1L);
            set.add(tx, i % 10);
            list.add(tx, "x");
            queue.add(tx, "a value that is longer than a slot of a queue has room for");
          }
          queue.poll(tx);
          counter.add(tx, 42);
          blob.append(tx, new byte[5000]);
        });
    assertThat(store.admin().inspect().collections())
        .extracting(StoreInspection.Collection::name, StoreInspection.Collection::size)
        .containsExactly(
            tuple("blob", 5000L),
            tuple("counter", 1L),
            tuple("list", 100L),
            tuple("map", 100L),
            tuple("queue", 99L),
            tuple("set", 10L),
            tuple("sorted", 100L));
    assertThat(inspect("map").type()).isEqualTo("map of int64 to utf8");
  }

  /** Collections, names and the application's own blocks are all there is. */
  @Test
  void blocksAddUp() {
    var map = store.map("map", Codec.int64(), Codec.utf8());
    var sorted = store.sortedMap("sorted", Codec.utf8(), Codec.utf8());
    store.run(
        tx -> {
          for (int i = 0; i < 5000; i++) {
            map.put(tx, (long) i, "value of some length, " + i);
            sorted.put(tx, "a key that is long enough for a block of its own " + i, "v");
          }
        });
    StoreInspection before = store.admin().inspect();
    assertThat(before.collections().stream().mapToLong(c -> c.bytes()).sum() + before.nameBytes())
        .isEqualTo(before.blockBytes());
    store.run(
        tx -> {
          tx.root(3, tx.allocate(1000));
          tx.allocate(100_000);
        });
    StoreInspection after = store.admin().inspect();
    assertThat(after.blocks()).isEqualTo(before.blocks() + 2);
    assertThat(after.blockBytes() - before.blockBytes()).isBetween(101_000L, 108_000L);
    assertThat(after.roots()).containsOnlyKeys(3);
  }

  /** Something that takes a block. */
  @Persistent
  public interface Thing {
    long number();

    void number(long value);
  }

  @Test
  void objectsAreNeitherNamesNorCollections() {
    PersistentType<Thing> things = store.type(Thing.class, MethodHandles.lookup());
    StoreInspection before = store.admin().inspect();
    assertThat(before.blockBytes()).isEqualTo(before.nameBytes());
    store.run(
        tx -> {
          for (int i = 0; i < 10; i++) {
            things.create(tx).number(i);
          }
        });
    StoreInspection after = store.admin().inspect();
    assertThat(after.types()).containsOnlyKeys(Thing.class.getName());
    assertThat(after.types().get(Thing.class.getName())).contains("number");
    assertThat(after.blocks()).isEqualTo(before.blocks() + 10);
    assertThat(after.nameBytes()).isEqualTo(before.nameBytes());
  }

  @Test
  void aTreesLevelsHaveAllItsKeys() {
    var sorted = store.sortedMap("sorted", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long i = 0; i < 20_000; i++) {
            sorted.put(tx, i, i);
          }
        });
    StoreInspection.Collection tree = inspect("sorted");
    assertThat(tree.levels()).hasSizeGreaterThan(2);
    assertThat(tree.levels().getFirst().nodes()).isEqualTo(1);
    assertThat(tree.levels().getLast().keys()).isEqualTo(20_000);
    assertThat(tree.levels().getLast().fill()).isGreaterThan(0.9); // ascending loads fill leaves
    for (int level = 1; level < tree.levels().size(); level++) {
      StoreInspection.TreeLevel above = tree.levels().get(level - 1);
      assertThat(tree.levels().get(level).nodes()).isEqualTo(above.keys());
    }
  }

  /** A pointer to the right neighbour that no look-up and no scan from above reads. */
  @Test
  void aDamagedNodeOfATreeIsReported() {
    var sorted = store.sortedMap("sorted", Codec.int64(), Codec.int64());
    store.run(
        tx -> {
          for (long i = 0; i < 1000; i++) {
            sorted.put(tx, i, i);
          }
          FoundCollection found =
              Objects.requireNonNull(TestStores.catalogue(store).find(tx, "sorted"));
          Words words = TxHandle.of(tx).words();
          long root =
              TreeLayout.rootNode(words.getUnchecked(found.address() + TreeLayout.ROOT_OFFSET));
          int next = TreeNodeLayout.of(root).nextAt;
          words.nodes.read(root, next, 1, new long[1], 0);
          words.nodes.write(root, next, root);
        });
    store.run(tx -> assertThat(sorted.get(tx, 7L)).isEqualTo(7L));
    assertThatThrownBy(() -> store.admin().inspect()).isInstanceOf(CorruptStoreException.class);
  }
}
