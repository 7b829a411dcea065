package io.howdah.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.collections.Blocks;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.collections.WordMemory;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import io.howdah.objects.Interfaces.Property;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Collections that belong to objects: they are as others, and are freed with their objects. */
final class CollectionsInObjectsTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final WordOptions SMALL =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 12).withPartitions(2);

  record Line(String article, int quantity) {}

  @Persistent
  interface Notes {
    PersistentList<String> texts();
  }

  @Persistent
  interface Order {
    PersistentList<Line> lines();

    PersistentSortedMap<String, Long> totals();

    PersistentList<Order> related();

    @Embedded
    Notes notes();

    @Owned
    @Nullable Order part();

    void part(@Nullable Order v);
  }

  private WordStore store = WordStore.inMemory(SMALL);
  private PersistentType<Order> orders = store.type(Order.class, MethodHandles.lookup());

  @AfterEach
  void close() {
    store.close();
  }

  private int blocks() {
    return blocks(store);
  }

  private static int blocks(WordStore store) {
    return store.read(tx -> Blocks.inUse(TxHandle.of(tx).words()).size());
  }

  private static void fill(Order order, Tx tx) {
    order.lines().add(tx, new Line("tea", 2));
    order.lines().add(tx, new Line("cups", 6));
    order.totals().put(tx, "net", 20L);
    order.totals().put(tx, "gross", 24L);
    order.notes().texts().add(tx, "fragile");
    order.related().add(tx, order);
  }

  private long filled() {
    return store.call(
        tx -> {
          Order order = orders.create(tx);
          fill(order, tx);
          return orders.address(order);
        });
  }

  @Test
  void listsDoWhatListsDo() {
    long at = filled();
    store.run(
        tx -> {
          PersistentList<Line> lines = orders.at(tx, at).lines();
          lines.add(tx, 0, new Line("pot", 1));
          lines.set(tx, 1, new Line("tea", 3));
          assertThat(lines.stream(tx))
              .containsExactly(new Line("pot", 1), new Line("tea", 3), new Line("cups", 6));
          assertThat(lines.remove(tx, 1)).isEqualTo(new Line("tea", 3));
          assertThat(lines.removeLast(tx)).isEqualTo(new Line("cups", 6));
          assertThat(lines.asList(tx)).containsExactly(new Line("pot", 1));
          assertThat(lines.name()).startsWith("lines of ").contains("Order@");
          assertThat(lines.toString()).startsWith("list of record ").contains("\"lines of ");
        });
    store.run(tx -> assertThat(orders.at(tx, at).lines().get(tx, 0)).isEqualTo(new Line("pot", 1)));
  }

  @Test
  void ofTransactionsThatMakeACollectionAtTheSameTimeEachKeepsItsEntry() throws Exception {
    for (int round = 0; round < 200; round++) {
      long at = store.call(tx -> orders.address(orders.create(tx)));
      CyclicBarrier together = new CyclicBarrier(3);
      try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
        List<Future<Long>> puts = new ArrayList<>();
        for (long thread = 0; thread < 3; thread++) {
          String key = "key " + thread;
          puts.add(
              threads.submit(
                  () -> {
                    together.await(30, TimeUnit.SECONDS);
                    return store.run(tx -> orders.at(tx, at).totals().put(tx, key, 1L));
                  }));
        }
        for (Future<Long> put : puts) {
          put.get(30, TimeUnit.SECONDS);
        }
      }
      List<String> keys = store.call(tx -> orders.at(tx, at).totals().keys(tx).toList());
      assertThat(keys).containsExactly("key 0", "key 1", "key 2");
      store.run(tx -> orders.free(tx, orders.at(tx, at)));
    }
  }

  @Test
  void sortedMapsDoWhatSortedMapsDo() {
    long at = filled();
    store.run(
        tx -> {
          PersistentSortedMap<String, Long> totals = orders.at(tx, at).totals();
          totals.put(tx, "tax", 4L);
          assertThat(totals.get(tx, "net")).isEqualTo(20L);
          assertThat(totals.keys(tx)).containsExactly("gross", "net", "tax");
          assertThat(totals.range(tx, Range.between("h", "o")).map(Map.Entry::getKey))
              .containsExactly("net");
          assertThat(Objects.requireNonNull(totals.last(tx)).getKey()).isEqualTo("tax");
          assertThat(totals.remove(tx, "gross")).isTrue();
          assertThat(totals.asMap(tx)).isEqualTo(Map.of("net", 20L, "tax", 4L));
          totals.clear(tx);
          assertThat(totals.isEmpty(tx)).isTrue();
        });
  }

  @Test
  void whatWasNeverFilledIsEmptyAndTakesNoBlock() {
    int before = blocks();
    long at = store.call(tx -> orders.address(orders.create(tx)));
    assertThat(blocks()).isEqualTo(before + 1);
    store.read(
        tx -> {
          Order order = orders.at(tx, at);
          PersistentSortedMap<String, Long> totals = order.totals();
          assertThat(order.lines().size(tx)).isZero();
          assertThat(order.lines().stream(tx)).isEmpty();
          assertThat(order.lines().removeLast(tx)).isNull();
          assertThat(totals.size(tx)).isZero();
          assertThat(totals.get(tx, "x")).isNull();
          assertThat(totals.containsKey(tx, "x")).isFalse();
          assertThat(totals.remove(tx, "x")).isFalse();
          assertThat(totals.first(tx)).isNull();
          assertThat(totals.last(tx)).isNull();
          assertThat(totals.floor(tx, "x")).isNull();
          assertThat(totals.ceiling(tx, "x")).isNull();
          assertThat(totals.entries(tx)).isEmpty();
          assertThat(totals.range(tx, Range.between("a", "x"))).isEmpty();
          assertThat(totals.range(tx, Range.prefix("a"))).isEmpty();
          assertThat(totals.range(tx, Range.reversed(Range.prefix("a")))).isEmpty();
          totals.scan(tx, null, "x", (k, v) -> fail(k));
          totals.scan(tx, "a", null, (k, v) -> fail(k));
          totals.clear(tx);
          return 0;
        });
    assertThatThrownBy(() -> store.run(tx -> orders.at(tx, at).lines().get(tx, 0)))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(
            () -> store.run(tx -> orders.at(tx, at).lines().add(tx, 1, new Line("a", 1))))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static boolean fail(Object shown) {
    throw new AssertionError("shown: " + shown);
  }

  @Test
  void twoObjectsHaveTwoCollections() {
    long one = filled();
    long other = filled();
    store.run(
        tx -> {
          Order first = orders.at(tx, one);
          Order second = orders.at(tx, other);
          first.lines().add(tx, new Line("pot", 1));
          first.totals().put(tx, "tax", 4L);
          first.notes().texts().removeLast(tx);
          assertThat(first.lines().size(tx)).isEqualTo(3);
          assertThat(second.lines().size(tx)).isEqualTo(2);
          assertThat(second.totals().keys(tx)).containsExactly("gross", "net");
          assertThat(second.notes().texts().stream(tx)).containsExactly("fragile");
        });
    store.run(tx -> orders.free(tx, orders.at(tx, one)));
    store.run(tx -> assertThat(orders.at(tx, other).lines().size(tx)).isEqualTo(2));
  }

  @Test
  void rollingBackLeavesWhatWasThere() {
    int before = blocks();
    long at =
        store.call(
            tx -> {
              Order order = orders.create(tx);
              PersistentList<Line> lines = order.lines();
              PersistentSortedMap<String, Long> totals = order.totals();
              Savepoint savepoint = tx.savepoint();
              fill(order, tx);
              Iterator<Map.Entry<String, Long>> all = totals.entries(tx).iterator();
              Iterator<Map.Entry<String, Long>> some =
                  totals.range(tx, Range.between("a", "z")).iterator();
              assertThat(lines.size(tx)).isEqualTo(2);
              tx.rollBack(savepoint);
              assertThat(lines.size(tx)).isZero();
              assertThat(totals.size(tx)).isZero();
              assertThat(all.hasNext()).isFalse();
              assertThat(some.hasNext()).isFalse();
              fill(order, tx);
              tx.rollBack(savepoint);
              totals.put(tx, "b", 1L);
              totals.put(tx, "a", 1L);
              totals.scan(
                  tx,
                  null,
                  null,
                  (k, v) -> {
                    tx.rollBack(savepoint);
                    return true;
                  });
              assertThat(totals.isEmpty(tx)).isTrue();
              return orders.address(order);
            });
    assertThat(blocks()).isEqualTo(before + 1);
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      fill(orders.at(tx, at), tx);
                      throw new IllegalStateException("changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(blocks()).isEqualTo(before + 1);
    store.run(tx -> fill(orders.at(tx, at), tx));
    int full = blocks();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      orders.free(tx, orders.at(tx, at));
                      throw new IllegalStateException("changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(blocks()).isEqualTo(full);
    store.run(tx -> assertThat(orders.at(tx, at).totals().get(tx, "net")).isEqualTo(20L));
  }

  @Test
  void aTreeOfObjectsIsFreedWithItsCollections() {
    int before = blocks();
    long at =
        store.call(
            tx -> {
              Order top = orders.create(tx);
              Order part = orders.create(tx);
              fill(top, tx);
              fill(part, tx);
              for (long i = 0; i < 200; i++) {
                part.totals().put(tx, "a total with a long name " + i, i);
              }
              top.part(part);
              return orders.address(top);
            });
    store.run(tx -> orders.free(tx, orders.at(tx, at)));
    assertThat(blocks()).isEqualTo(before);
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aLongListIsFreedByASmallTransaction() {
    try (WordStore small = WordStore.inMemory(SMALL.withMaxTransactionBytes(1 << 12))) {
      PersistentType<Order> type = small.type(Order.class, MethodHandles.lookup());
      int before = blocks(small);
      long at = small.call(tx -> type.address(type.create(tx)));
      for (int i = 0; i < 200; i++) {
        small.run(
            tx -> {
              PersistentList<Line> lines = type.at(tx, at).lines();
              for (int j = 0; j < 30; j++) {
                lines.add(tx, new Line("an article with a name of its own", j));
              }
            });
      }
      small.run(tx -> type.free(tx, type.at(tx, at)));
      assertThat(blocks(small)).isEqualTo(before);
    }
  }

  @Test
  void handlesEndWithTheirTransaction() {
    long at = filled();
    List<PersistentList<Line>> kept = new ArrayList<>();
    store.run(
        tx -> {
          kept.add(orders.at(tx, at).lines());
        });
    assertThatThrownBy(() -> store.run(tx -> kept.getFirst().size(tx)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("lines of ")
        .hasMessageContaining("another transaction");
    List<Tx> ended = new ArrayList<>();
    store.run(
        tx -> {
          ended.add(tx);
          kept.add(orders.at(tx, at).lines());
        });
    assertThatThrownBy(() -> kept.getLast().size(ended.getFirst()))
        .isInstanceOf(TransactionStateException.class);
    assertThatThrownBy(() -> store.run(tx -> orders.at(tx, at).totals().asMap().put("x", 1L)))
        .isInstanceOf(TransactionStateException.class);
  }

  @Test
  void aFreedObjectHasNoCollection() {
    long at = filled();
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Order order = orders.at(tx, at);
                      PersistentList<Line> lines = order.lines();
                      orders.free(tx, order);
                      lines.add(tx, new Line("late", 1));
                    }))
        .isInstanceOf(InvalidAddressException.class)
        .hasMessageContaining("lines of ");
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      Order order = orders.at(tx, at);
                      orders.free(tx, order);
                      order.notes().texts().add(tx, "late");
                    }))
        .isInstanceOf(InvalidAddressException.class);
  }

  @Test
  void toolsSeeWhatKindItIs() {
    long at = filled();
    store.run(
        tx ->
            assertThat(store.properties(tx, Order.class.getName(), at).orElseThrow())
                .containsEntry("totals", "sorted map of utf8 to int64")
                .containsEntry("related", "list of reference to " + Order.class.getName()));
  }

  @Test
  void theOrphanFinderFollowsCollections() {
    long at = filled();
    long[] listed =
        store.call(
            tx -> {
              Order order = orders.create(tx);
              orders.at(tx, at).related().add(tx, order);
              tx.root(3, at);
              return new long[] {orders.address(order)};
            });
    assertThat(store.orphans()).isEmpty();
    store.run(tx -> orders.at(tx, at).related().set(tx, 1, orders.at(tx, at)));
    assertThat(store.orphans().getFirst().addresses()).containsExactly(listed[0]);
    store.run(tx -> tx.root(3, 0));
    assertThat(store.orphans().getFirst().count()).isEqualTo(2);
  }

  @Test
  void anOrphansBytesAreThoseOfItsCollectionsToo() {
    long before = bytes();
    filled();
    assertThat(store.orphans()).extracting(Orphans::bytes).containsExactly(bytes() - before);
  }

  private long bytes() {
    return store.read(
        tx ->
            Blocks.inUse(TxHandle.of(tx).words()).values().stream()
                .mapToLong(length -> length)
                .sum());
  }

  // ---- Changed interfaces.

  @Test
  void aPropertyThatIsGoneIsStillFreed() {
    Property texts = Property.list("texts", String.class);
    long[] at = new long[1];
    int[] before = new int[1];
    try (WordStore first = WordStore.open(folder, SMALL)) {
      PersistentType<Object> type =
          new Interfaces().with("Page", texts, Property.of("n", long.class)).open(first, "Page");
      before[0] = blocks(first);
      first.run(
          tx -> {
            Object page = type.create(tx);
            at[0] = type.address(page);
            list(page).add(tx, "one");
            list(page).add(tx, "two");
          });
    }
    try (WordStore second = WordStore.open(folder, SMALL)) {
      PersistentType<Object> type =
          new Interfaces().with("Page", Property.of("n", long.class)).open(second, "Page");
      second.run(tx -> type.free(tx, type.at(tx, at[0])));
      assertThat(blocks(second)).isEqualTo(before[0]);
    }
  }

  @SuppressWarnings("unchecked") // as the interface says
  private static PersistentList<String> list(Object page) {
    return (PersistentList<String>) Interfaces.inner(page, "texts");
  }

  @Test
  void anOlderObjectGetsACollectionLater() {
    long[] at = new long[1];
    Property n = Property.of("n", long.class);
    try (WordStore first = WordStore.open(folder, SMALL)) {
      PersistentType<Object> type = new Interfaces().with("Page", n).open(first, "Page");
      first.run(tx -> at[0] = type.address(type.create(tx)));
    }
    try (WordStore second = WordStore.open(folder, SMALL)) {
      PersistentType<Object> type =
          new Interfaces()
              .with("Page", n, Property.list("texts", String.class))
              .open(second, "Page");
      int before = blocks(second);
      second.run(
          tx -> {
            PersistentList<String> texts = list(type.at(tx, at[0]));
            assertThat(texts.size(tx)).isZero();
            Savepoint savepoint = tx.savepoint();
            texts.add(tx, "undone");
            tx.rollBack(savepoint);
            assertThat(texts.size(tx)).isZero();
            texts.add(tx, "done");
          });
      second.run(tx -> assertThat(list(type.at(tx, at[0])).get(tx, 0)).isEqualTo("done"));
      second.run(tx -> type.free(tx, type.at(tx, at[0])));
      assertThat(blocks(second)).isEqualTo(before - 1);
    }
  }

  @Test
  void otherCodecsAreRefused() {
    try (WordStore first = WordStore.open(folder, SMALL)) {
      new Interfaces().with("Page", Property.list("texts", String.class)).open(first, "Page");
    }
    try (WordStore second = WordStore.open(folder, SMALL)) {
      Interfaces other = new Interfaces().with("Page", Property.list("texts", Long.class));
      assertThatThrownBy(
              () ->
                  other.open(second, "Page", PersistentType.Options.defaults().replacing("texts")))
          .isInstanceOf(InvalidTypeException.class)
          .hasMessageContaining("texts: collection list of utf8")
          .hasMessageContaining("texts: collection list of int64")
          .hasMessageContaining("another name");
    }
  }

  // ---- What is no property.

  @Persistent
  interface WithSetter {
    PersistentList<String> texts();

    void texts(PersistentList<String> v);
  }

  @Persistent
  interface WithHashMap {
    PersistentMap<String, String> texts();
  }

  @Persistent
  interface WithUnknownElements {
    PersistentList<Object> texts();
  }

  @Persistent
  interface WithNestedElements {
    PersistentList<List<String>> texts();
  }

  @Persistent
  interface WithObjectsAsKeys {
    PersistentSortedMap<Notes, String> texts();
  }

  @Persistent
  interface OwnedList {
    @Owned
    PersistentList<String> texts();
  }

  @Persistent
  interface Lists {
    @Length(3)
    PersistentList<String> texts(int index);
  }

  @Test
  void whatCannotBeIsRefusedByName() {
    for (Class<?> type :
        new Class<?>[] {
          WithSetter.class,
          WithHashMap.class,
          WithUnknownElements.class,
          WithNestedElements.class,
          WithObjectsAsKeys.class,
          OwnedList.class,
          Lists.class
        }) {
      assertThatThrownBy(() -> store.type(type, MethodHandles.lookup()))
          .isInstanceOf(InvalidTypeException.class)
          .hasMessageContaining("texts")
          .hasMessageContaining(type.getName());
    }
    assertThatThrownBy(() -> store.type(WithHashMap.class, MethodHandles.lookup()))
        .hasMessageContaining("PersistentSortedMap");
  }
}
