package io.howdah.txn.stm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.Blocks;
import io.howdah.collections.PersistentBlob;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentList;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSet;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.WordOptions;
import io.howdah.collections.WordStore;
import io.howdah.objects.Length;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A transaction that fails leaves no trace, whatever it has changed and however it has failed. */
final class FailedTransactionTest {

  private static final int ENTRIES = 500;
  private static final int BLOB_BYTES = 10_000;

  @Persistent
  interface Person {
    @Nullable String name();

    void name(@Nullable String v);

    @Nullable Person friend();

    void friend(@Nullable Person v);

    @Length(4)
    long scores(int index);

    void scores(int index, long v);
  }

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2));
  private final PersistentMap<String, Long> map = store.map("map", Codec.utf8(), Codec.int64());
  private final PersistentSortedMap<Long, String> sorted =
      store.sortedMap("sorted", Codec.int64(), Codec.utf8());
  private final PersistentSet<Long> set = store.set("set", Codec.int64());
  private final PersistentList<String> list = store.list("list", Codec.utf8());
  private final PersistentQueue<Long> queue = store.queue("queue", Codec.int64());
  private final PersistentCounter counter = store.counter("counter");
  private final PersistentBlob blob = store.blob("blob");
  private final PersistentType<Person> people = store.type(Person.class, MethodHandles.lookup());
  private final PersistentMap<String, Person> byName =
      store.map("people", Codec.utf8(), people.codec());

  @BeforeEach
  void fill() {
    store.run(
        tx -> {
          for (long i = 0; i < ENTRIES; i++) {
            map.put(tx, "key " + i, i);
            sorted.put(tx, i, "value " + i);
            set.add(tx, i);
            list.add(tx, "element " + i);
            queue.add(tx, i);
          }
          counter.add(tx, 7);
          blob.write(tx, 0, new byte[BLOB_BYTES]);
          Person ann = people.create(tx);
          ann.name("Ann");
          ann.scores(1, 11);
          byName.put(tx, "ann", ann);
          tx.root(1, tx.allocate(100));
        });
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** All that the store holds, and the blocks that it has for it. */
  private Map<String, Object> contents() {
    return store.read(
        tx -> {
          Map<String, Object> all = new LinkedHashMap<>();
          all.put("map", Map.copyOf(map.asMap(tx)));
          all.put("sorted", sorted.entries(tx).toList());
          all.put("set", set.stream(tx).sorted().toList());
          all.put("list", list.stream(tx).toList());
          all.put("queue", queue.stream(tx).toList());
          all.put("counter", counter.get(tx));
          all.put("blob", Arrays.hashCode(blob.read(tx, 0, (int) blob.length(tx))));
          Person ann = Objects.requireNonNull(byName.get(tx, "ann"));
          all.put("ann", ann.name() + " " + ann.friend() + " " + ann.scores(1));
          all.put("names", byName.size(tx));
          all.put("root", tx.root(1) + " " + tx.root(2));
          SortedMap<Long, Long> blocks = Blocks.inUse(TxHandle.of(tx).words());
          all.put("blocks", blocks);
          return all;
        });
  }

  private void changeEverything(Tx tx) {
    for (long i = 0; i < ENTRIES; i++) {
      map.put(tx, "key " + i, -i);
      map.put(tx, "another key " + i, i);
      sorted.put(tx, -i, "an older value " + i);
      set.add(tx, -i);
      list.add(tx, "more " + i);
      queue.add(tx, i);
    }
    for (long i = 0; i < ENTRIES; i += 2) {
      map.remove(tx, "key " + i);
      sorted.remove(tx, i);
      set.remove(tx, i);
      list.set(tx, i, "a longer element instead of " + i);
      queue.poll(tx);
    }
    list.remove(tx, 3);
    counter.add(tx, 1);
    blob.write(tx, 10, new byte[] {1, 2, 3});
    blob.truncate(tx, BLOB_BYTES / 2);
    Person ann = Objects.requireNonNull(byName.get(tx, "ann"));
    Person bob = people.create(tx);
    bob.name("Bob");
    bob.friend(ann);
    ann.name("Anna, as she is called from now on");
    ann.friend(bob);
    ann.scores(1, -1);
    people.free(tx, ann);
    byName.remove(tx, "ann");
    tx.free(tx.root(1));
    tx.root(2, tx.allocate(1 << 20));
  }

  @Test
  @SuppressWarnings("NullAway") // that is the point
  void nothingIsLeftHoweverItFails() {
    Map<String, Object> before = contents();
    Map<String, TxBody<RuntimeException>> failures = new LinkedHashMap<>();
    failures.put(
        "of its own",
        tx -> {
          throw new IllegalStateException("of its own");
        });
    failures.put(
        "on purpose",
        tx -> {
          throw tx.abort("on purpose");
        });
    failures.put("is null", tx -> map.put(tx, null, 1L));
    failures.put("no object of", tx -> people.at(tx, 4096));
    failures.forEach(
        (message, failure) ->
            assertThatThrownBy(
                    () ->
                        store.run(
                            tx -> {
                              changeEverything(tx);
                              failure.run(tx);
                            }))
                .hasMessageContaining(message));
    assertThat(contents()).isEqualTo(before);
    // The same once more, so that it is known to have changed all of this.
    store.run(
        tx -> {
          changeEverything(tx);
          Person other = people.create(tx);
          other.name("Anna");
          byName.put(tx, "ann", other);
        });
    Map<String, Object> after = contents();
    before.forEach(
        (what, value) -> {
          if (!what.equals("names")) {
            assertThat(after.get(what)).as(what).isNotEqualTo(value);
          }
        });
  }

  /** Whatever a body makes of what an object refuses, nothing of the transaction happens. */
  @Test
  @SuppressWarnings("NullAway") // that is the point
  void whatAnObjectRefusesEndsTheTransactionEvenIfThatIsSwallowed() {
    Map<String, Object> before = contents();
    try (WordStore other = WordStore.inMemory(WordOptions.defaults().withMaxSize(1 << 22))) {
      PersistentType<Person> elsewhere = other.type(Person.class, MethodHandles.lookup());
      Person foreign = other.call(elsewhere::create);
      List<BiConsumer<Tx, Person>> calls =
          List.of(
              (tx, person) -> people.free(tx, null),
              (tx, person) -> people.free(tx, foreign),
              (tx, person) -> person.friend(foreign),
              (tx, person) -> byName.put(tx, "foreign", foreign),
              (tx, person) -> people.at(tx, 0),
              (tx, person) -> people.at(tx, -1),
              (tx, person) -> person.scores(4),
              (tx, person) -> person.scores(-1, 1));
      for (BiConsumer<Tx, Person> call : calls) {
        List<RuntimeException> thrown = new ArrayList<>();
        assertThatThrownBy(
                () ->
                    store.run(
                        tx -> {
                          counter.add(tx, 1);
                          try {
                            call.accept(tx, people.create(tx));
                          } catch (RuntimeException e) {
                            thrown.add(e);
                          }
                        }))
            .satisfies(e -> assertThat(thrown).containsExactly((RuntimeException) e));
      }
    }
    assertThat(contents()).isEqualTo(before);
  }
}
