package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.catalogue.StoredShapes;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.layout.HashTableLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.stm.TxHandle;
import io.howdah.txn.words.Words;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The names of collections, and what is found by them. */
final class CatalogueTest {

  @AutoClose private final WordMemory folder = new WordMemory();

  private static final WordOptions OPTIONS =
      WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 10).withPartitions(1);

  private final WordStore store = WordStore.inMemory(OPTIONS);
  private final Catalogue catalogue = store.catalogue();

  @AfterEach
  void close() {
    store.close();
  }

  private <T> T read(TxFunction<T, RuntimeException> body) {
    return store.read(body);
  }

  private static Words words(Tx tx) {
    return TxHandle.of(tx).words();
  }

  private List<String> startingWith(String prefix) {
    return read(
        tx ->
            catalogue.startingWith(words(tx), prefix).stream().map(FoundCollection::name).toList());
  }

  @Test
  void anEmptyStoreHasNone() {
    assertThat(startingWith("")).isEmpty();
    List<FoundCollection> all = read(catalogue::list);
    assertThat(all).isEmpty();
    store.run(tx -> assertThat(catalogue.find(tx, "a")).isNull());
    SortedMap<String, String> shapes = read(tx -> StoredShapes.describe(words(tx)));
    assertThat(shapes).isEmpty();
    store.run(tx -> catalogue.remove(tx, "a"));
    List<Long> blocks = read(this::visited);
    assertThat(blocks).isEmpty();
  }

  private List<Long> visited(Tx tx) {
    List<Long> blocks = new ArrayList<>();
    catalogue.visitBlocks(words(tx), Blocks.each(blocks::add));
    return blocks;
  }

  @Test
  void namesWithAPrefixAreInTheirOrder() {
    for (String name : List.of("b", "ab", "aa/2", "a", "aa/1", "aa", "aa0", "c")) {
      PersistentCounter _ = store.counter(name);
    }
    assertThat(startingWith("aa")).containsExactly("aa", "aa/1", "aa/2", "aa0");
    assertThat(startingWith("aa/")).containsExactly("aa/1", "aa/2");
    assertThat(startingWith("c")).containsExactly("c");
    assertThat(startingWith("d")).isEmpty();
    assertThat(startingWith("")).hasSize(8).isSorted();
    List<String> all = read(tx -> catalogue.list(tx).stream().map(FoundCollection::name).toList());
    assertThat(all).isEqualTo(startingWith(""));
    store.run(tx -> catalogue.remove(tx, "aa/1"));
    assertThat(startingWith("aa")).containsExactly("aa", "aa/2", "aa0");
  }

  @Test
  void aNameHasOneTo255Characters() {
    String longest = "n".repeat(255);
    PersistentCounter counter = store.counter(longest);
    store.run(counter::increment);
    long count = read(store.counter(longest)::get);
    assertThat(count).isOne();
    for (String name : List.of("", longest + "n")) {
      assertThatThrownBy(() -> store.counter(name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1 to 255 characters, not " + name.length());
      assertThatThrownBy(
              () ->
                  store.call(
                      tx -> catalogue.create(words(tx), name, "counter", (_, _) -> 0).address()))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(startingWith("")).containsExactly(longest);
  }

  /** What was found says what the collection is; a dropped one is another than its successor. */
  @Test
  void whatIsFoundTellsTheCollection() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    PersistentList<Long> _ = store.list("list", Codec.int64());
    FoundCollection found = find("map");
    assertThat(found.type()).isEqualTo("map of int64 to int64");
    assertThat(found.name()).isEqualTo("map");
    assertThat(found.address()).isEqualTo(map.address());
    assertThat(found.magic()).isEqualTo(HashTableLayout.MAGIC);
    assertThat(found.hashKey0()).isNotZero().isNotEqualTo(found.hashKey1());
    assertThat(found.hashKey1()).isNotZero();
    assertThat(found.incarnation()).isOdd();
    assertThat(find("list").hashKey0()).isZero();
    assertThat(find("list").hashKey1()).isZero();
    assertThat(store.drop("map")).isTrue();
    assertThat(store.drop("map")).isFalse();
    PersistentMap<Long, Long> _ = store.map("map", Codec.int64(), Codec.int64());
    assertThat(find("map").incarnation()).isNotEqualTo(found.incarnation());
  }

  private FoundCollection find(String name) {
    return read(tx -> Objects.requireNonNull(catalogue.find(tx, name)));
  }

  @Test
  void anotherTypeLeavesTheRest() {
    PersistentCounter counter = store.counter("counter");
    store.run(tx -> counter.add(tx, 7));
    FoundCollection before = find("counter");
    FoundCollection retyped =
        store.call(tx -> catalogue.retype(words(tx), before, "another counter"));
    assertThat(retyped.type()).isEqualTo("another counter");
    assertThat(retyped.address()).isEqualTo(before.address());
    assertThat(retyped).isEqualTo(find("counter"));
    assertThat(startingWith("")).containsExactly("counter");
  }

  @Test
  void entriesAreCountedInEachKind() {
    PersistentMap<Long, Long> map = store.map("map", Codec.int64(), Codec.int64());
    PersistentSortedMap<Long, Long> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.int64());
    PersistentSet<Long> set = store.set("set", Codec.int64());
    PersistentList<Long> list = store.list("list", Codec.int64());
    PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
    PersistentBlob blob = store.blob("blob");
    PersistentCounter _ = store.counter("counter");
    store.run(
        tx -> {
          for (long i = 0; i < 70; i++) {
            map.put(tx, i, i);
            list.add(tx, i);
            queue.add(tx, i);
            if (i < 60) {
              sorted.put(tx, i, i);
              assertThat(set.add(tx, i / 2)).isEqualTo(i % 2 == 0);
            }
          }
          assertThat(queue.poll(tx, 33)).hasSize(33);
          assertThat(list.removeLast(tx)).isEqualTo(69);
          blob.write(tx, 1, new byte[2]);
        });
    List<String> counts =
        read(
            tx ->
                catalogue.list(tx).stream()
                    .map(each -> each.name() + " " + CollectionBlocks.entries(words(tx), each))
                    .toList());
    assertThat(counts)
        .containsExactly(
            "blob 3", "counter 1", "list 69", "map 70", "queue 37", "set 30", "sorted 60");
    List<FoundCollection> all = read(catalogue::list);
    for (FoundCollection each : all) {
      assertThat(store.drop(each.name())).isTrue();
      Blocks.assertNothingLeaks(store);
    }
    assertThat(startingWith("")).isEmpty();
  }

  record Person(String name, int age) {}

  enum Colour {
    RED,
    GREEN
  }

  @Test
  void shapesAreDescribedForPeople() {
    PersistentList<Person> people =
        store.list("people", Codecs.of(MethodHandles.lookup(), Person.class));
    PersistentList<Colour> colours =
        store.list("colours", Codecs.of(MethodHandles.lookup(), Colour.class));
    store.run(
        tx -> {
          people.add(tx, new Person("a", 1));
          colours.add(tx, Colour.GREEN);
        });
    SortedMap<String, String> shapes = read(tx -> StoredShapes.describe(words(tx)));
    assertThat(shapes).hasSize(2);
    assertThat(shapes.values()).anySatisfy(text -> assertThat(text).contains("RED", "GREEN"));
    assertThat(shapes.values())
        .anySatisfy(
            text ->
                assertThat(text)
                    .startsWith("record, shape 1: ")
                    .contains("name utf8", "age int32"));
    Blocks.assertNothingLeaks(store);
  }

  @Test
  void aStoreForReadingCreatesNone() {
    try (WordStore written = WordStore.open(folder, OPTIONS)) {
      PersistentCounter there = written.counter("there");
      written.run(there::increment);
    }
    try (WordStore reading = WordStore.open(folder, OPTIONS.withReadOnly(true))) {
      long count = reading.read(reading.counter("there")::get);
      assertThat(count).isOne();
      assertThatThrownBy(() -> reading.counter("missing"))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("\"missing\"");
    }
  }
}
