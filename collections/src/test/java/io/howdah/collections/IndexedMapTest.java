package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps whose indexes are maintained, held to a plain Java model. */
final class IndexedMapTest {

  record Customer(@Nullable String city, int email, String name) {}

  private static final Index<Customer, String> BY_CITY =
      Index.of("by city", Customer::city, String.class);

  private static final Index<Customer, Integer> BY_EMAIL =
      Index.unique("by e-mail", Customer::email, Codec.int32());

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private PersistentMap<Long, Customer> open() {
    return store.map("customers", Long.class, Customer.class, BY_CITY, BY_EMAIL);
  }

  private KeyedCollection<Long, Customer> open(boolean isSorted) {
    return isSorted
        ? store.sortedMap("customers", Long.class, Customer.class, BY_CITY, BY_EMAIL)
        : open();
  }

  private static void assertEqual(
      WordStore store, KeyedCollection<Long, Customer> map, Map<Long, Customer> model) {
    PersistentIndex<String, Long, Customer> byCity = map.index(BY_CITY);
    PersistentIndex<Integer, Long, Customer> byEmail = map.index(BY_EMAIL);
    store.read(
        (Tx tx) -> {
          Comparator<Map.Entry<Long, Customer>> order =
              Comparator.comparing((Map.Entry<Long, Customer> e) -> city(e))
                  .thenComparing(Map.Entry::getKey);
          List<Map.Entry<Long, Customer>> expected =
              model.entrySet().stream()
                  .filter(e -> e.getValue().city() != null)
                  .sorted(order)
                  .map(e -> Map.entry(e.getKey(), e.getValue()))
                  .toList();
          assertThat(byCity.entries(tx)).containsExactlyElementsOf(expected);
          assertThat(byCity.size(tx)).isEqualTo(expected.size());
          for (String city : CITIES) {
            assertThat(byCity.entries(tx, city))
                .containsExactlyElementsOf(
                    expected.stream().filter(e -> city.equals(e.getValue().city())).toList());
          }
          assertThat(byEmail.entries(tx).map(e -> e.getValue().email()))
              .containsExactlyElementsOf(
                  model.values().stream().map(Customer::email).sorted().toList());
          for (int email = 0; email < 50; email++) {
            int wanted = email;
            assertThat(byEmail.get(tx, email))
                .isEqualTo(
                    model.values().stream()
                        .filter(c -> c.email() == wanted)
                        .findFirst()
                        .orElse(null));
          }
          assertThat(byEmail.range(tx, 10, 20).map(e -> e.getValue().email()))
              .containsExactlyElementsOf(
                  model.values().stream()
                      .map(Customer::email)
                      .filter(e -> e >= 10 && e < 20)
                      .sorted()
                      .toList());
          return 0;
        });
  }

  private static String city(Map.Entry<Long, Customer> entry) {
    return Objects.requireNonNull(entry.getValue().city());
  }

  private static final List<String> CITIES = List.of("", "Bern", "Bern\0", "Bern\0a", "Köln", "Z");

  @Test
  void aMapIsReadWithoutTheDeclarationsOfItsIndexesAndNotChanged() {
    PersistentMap<Long, Customer> map = open();
    Customer alice = new Customer("Bern", 1, "Alice");
    store.run(tx -> map.put(tx, 1L, alice));
    PersistentMap<Long, Customer> toRead =
        store.mapToRead("customers", Codec.int64(), Codecs.of(Customer.class));
    assertThat(store.read((Tx tx) -> Objects.requireNonNull(toRead.get(tx, 1L)))).isEqualTo(alice);
    assertThat(store.read((Tx tx) -> toRead.keys(tx).toList())).containsExactly(1L);
    String refusal =
        "\"customers\" was opened to read, and only the program that declares its indexes \"by"
            + " city\", \"by e-mail\" can change it";
    for (TxBody<RuntimeException> change :
        List.<TxBody<RuntimeException>>of(
            tx -> toRead.put(tx, 2L, alice), tx -> toRead.remove(tx, 1L), toRead::clear)) {
      assertThatThrownBy(() -> store.run(change))
          .isInstanceOf(CollectionMismatchException.class)
          .hasMessageContaining(refusal);
    }
    assertThatThrownBy(() -> toRead.index(BY_CITY)).isInstanceOf(IllegalArgumentException.class);
    assertEqual(store, map, Map.of(1L, alice));

    store.map("plain", Codec.int64(), Codec.int64());
    PersistentMap<Long, Long> plain = store.mapToRead("plain", Codec.int64(), Codec.int64());
    assertThatThrownBy(() -> store.run(tx -> plain.put(tx, 1L, 1L)))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessage("\"plain\" was opened to read; open it by Store.map to change it");
    assertThatThrownBy(() -> store.mapToRead("none", Codec.int64(), Codec.int64()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessage("there is no \"none\" in this store");
    assertThatThrownBy(() -> store.map("customers", Codec.int64(), Codec.int64()))
        .hasMessageContaining("\"customers\" is an indexed map of int64 to ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void indexesAgreeWithTheMapAfterAnyChanges(boolean isSorted) {
    KeyedCollection<Long, Customer> map = open(isSorted);
    for (int seed = 0; seed < 8; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeMap<Long, Customer> model = new TreeMap<>();
      store.run(map::clear);
      for (int n = 0; n < 60; n++) {
        TreeMap<Long, Customer> next = new TreeMap<>(model);
        boolean isUndone = random.nextInt(4) == 0;
        List<Long> keys = new ArrayList<>();
        List<Customer> values = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
          keys.add((long) random.nextInt(20) - 10);
          int city = random.nextInt(CITIES.size() + 1);
          values.add(
              new Customer(
                  city == CITIES.size() ? null : CITIES.get(city), random.nextInt(50), "n" + n));
        }
        boolean isRefused = false;
        for (int i = 0; i < 5 && !isRefused; i++) {
          Customer value = values.get(i);
          long key = keys.get(i);
          if (n % 3 == 0) {
            next.remove(key);
          } else if (next.entrySet().stream()
              .anyMatch(e -> e.getKey() != key && e.getValue().email() == value.email())) {
            isRefused = true;
          } else {
            next.put(key, value);
          }
        }
        int step = n;
        try {
          store.run(
              tx -> {
                for (int i = 0; i < 5; i++) {
                  if (step % 3 == 0) {
                    map.remove(tx, keys.get(i));
                  } else {
                    map.put(tx, keys.get(i), values.get(i));
                  }
                }
                if (isUndone) {
                  throw new IllegalStateException("undone");
                }
              });
          assertThat(isRefused || isUndone).isFalse();
          model = next;
        } catch (UniqueIndexException e) {
          assertThat(isRefused).isTrue();
          assertThat(e.index()).isEqualTo("by e-mail");
        } catch (IllegalStateException e) {
          assertThat(isUndone).isTrue();
        }
        if (n % 10 == 0 || n == 59) {
          assertEqual(store, map, model);
        }
      }
      assertEqual(store, open(isSorted), model);
    }
  }

  @Test
  void everyWayToChangeASortedMapChangesItsIndexes() {
    PersistentSortedMap<Long, Customer> map =
        store.sortedMap("customers", Codec.int64(), Codecs.of(Customer.class), BY_CITY, BY_EMAIL);
    TreeMap<Long, Customer> model = new TreeMap<>();
    for (long key = 1; key <= 40; key++) {
      Customer customer = new Customer(CITIES.get((int) key % 6), (int) key, "n");
      map.asMap().put(key, customer);
      model.put(key, customer);
    }
    assertEqual(store, map, model);
    store.run(map::pollFirst);
    store.run(map::pollLast);
    model.pollFirstEntry();
    model.pollLastEntry();
    map.asMap().headMap(7L).clear();
    model.headMap(7L).clear();
    map.asMap().descendingMap().keySet().remove(9L);
    model.remove(9L);
    map.asMap().values().removeIf(customer -> customer.email() % 4 == 0);
    model.values().removeIf(customer -> customer.email() % 4 == 0);
    map.asMap().replaceAll((_, customer) -> new Customer("Bern", customer.email(), "m"));
    model.replaceAll((_, customer) -> new Customer("Bern", customer.email(), "m"));
    assertEqual(store, map, model);
    boolean isRemoved = store.call(tx -> map.remove(tx, 9L));
    assertThat(isRemoved).isFalse();
    store.run(map::clear);
    assertEqual(store, map, Map.of());
  }

  @Test
  void anIndexIsBuiltOverASortedMapWhoseKeysHaveAnyLength() {
    PersistentSortedMap<String, String> plain =
        store.sortedMap("words", String.class, String.class);
    TreeMap<String, String> model = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      model.put("k".repeat(i % 37) + i, "value " + i % 50);
    }
    store.run(tx -> plain.putAll(tx, model));
    Index<String, String> byValue = Index.of("by value", word -> word, String.class);
    Index<String, Integer> odd =
        Index.of("odd", word -> word.endsWith("1") ? word.length() : null, Integer.class);
    PersistentSortedMap<String, String> map =
        store.sortedMap("words", String.class, String.class, byValue, odd);
    store.read(
        (Tx tx) -> {
          assertThat(map.index(byValue).entries(tx).map(Map.Entry::getKey))
              .containsExactlyInAnyOrderElementsOf(model.keySet());
          assertThat(map.index(byValue).entries(tx, "value 7").map(Map.Entry::getKey))
              .containsExactlyInAnyOrderElementsOf(
                  model.keySet().stream()
                      .filter(key -> Objects.equals(model.get(key), "value 7"))
                      .toList());
          assertThat(map.index(odd).size(tx)).isEqualTo(30);
          return 0;
        });
    assertThatThrownBy(() -> store.run(tx -> plain.put(tx, "k", "v")))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("indexes have changed");
    assertThatThrownBy(() -> store.sortedMap("words", String.class, String.class))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("does not declare");
    Index<String, Integer> unique = Index.unique("by length", String::length, Integer.class);
    assertThatThrownBy(
            () -> store.sortedMap("words", String.class, String.class, byValue, odd, unique))
        .isInstanceOf(UniqueIndexException.class)
        .hasMessageContaining("by length");
    int[] calls = {0};
    Index<String, Integer> failsLate =
        Index.of(
            "fails late",
            _ -> {
              if (calls[0]++ == 200) {
                throw new IllegalStateException("late");
              }
              return 1;
            },
            Integer.class);
    assertThatThrownBy(
            () -> store.sortedMap("words", String.class, String.class, byValue, odd, failsLate))
        .hasMessage("late");
    store.sortedMap("words", String.class, String.class, byValue, odd); // both were dropped again
  }

  @Test
  void aUniqueIndexNamesTheEntriesThatMeet() {
    PersistentMap<Long, Customer> map = open();
    store.run(tx -> map.put(tx, 17L, new Customer("Bern", 5, "a")));
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, 18L, new Customer("Ulm", 5, "b"))))
        .isInstanceOf(UniqueIndexException.class)
        .hasMessage(
            "the entry of 18 would have the same key in unique index \"by e-mail\" of"
                + " \"customers\" as that of 17; one entry at most may have it");
  }

  @Test
  void ofALongKeyAUniqueIndexNamesTheBeginning() {
    Index<String, Integer> byLength = Index.unique("by length", String::length, Integer.class);
    PersistentSortedMap<String, String> map =
        store.sortedMap("words", String.class, String.class, byLength);
    String shown = "k".repeat(100);
    store.run(tx -> map.put(tx, shown, "abc"));
    assertThatThrownBy(() -> store.run(tx -> map.put(tx, shown + "x", "def")))
        .isInstanceOf(UniqueIndexException.class)
        .hasMessageContaining("the entry of " + shown + "... would have")
        .hasMessageContaining("as that of " + shown + "; one entry");
  }

  @Test
  void everyWayToChangeAMapChangesItsIndexes() {
    PersistentMap<Long, Customer> map = open();
    PersistentIndex<String, Long, Customer> byCity = map.index(BY_CITY);
    Customer bern = new Customer("Bern", 1, "a");
    Customer ulm = new Customer("Ulm", 2, "b");
    map.asMap().put(1L, bern);
    map.asMap().replace(1L, ulm);
    assertThat(store.read((Tx tx) -> byCity.entries(tx).toList()))
        .containsExactly(Map.entry(1L, ulm));
    store.run(tx -> map.compute(tx, 1L, (k, v) -> bern));
    store.run(tx -> map.merge(tx, 2L, ulm, (a, b) -> b));
    assertThat(store.read((Tx tx) -> byCity.entries(tx, "Ulm").toList()))
        .containsExactly(Map.entry(2L, ulm));
    map.asMap().keySet().remove(2L);
    assertThat(store.read((Tx tx) -> byCity.entries(tx, "Ulm").toList())).isEmpty();
    store.run(map::clear);
    assertThat(store.read((Tx tx) -> byCity.size(tx))).isZero();
  }

  @Test
  void pagesGoOnBehindTheLastEntry() {
    PersistentMap<Long, Customer> map = open();
    PersistentIndex<String, Long, Customer> byCity = map.index(BY_CITY);
    store.run(
        tx -> {
          for (int i = 0; i < 100; i++) {
            map.put(tx, (long) i, new Customer(i % 2 == 0 ? "Bern" : "Ulm", i, ""));
          }
        });
    store.read(
        (Tx tx) -> {
          List<Long> keys = new ArrayList<>();
          Long after = null;
          while (true) {
            List<Map.Entry<Long, Customer>> page = byCity.page(tx, "Bern", after, 7);
            if (page.isEmpty()) {
              break;
            }
            page.forEach(e -> keys.add(e.getKey()));
            after = page.getLast().getKey();
          }
          assertThat(keys).hasSize(50).isSorted().allMatch(key -> key % 2 == 0);
          assertThat(byCity.pageFrom(tx, "Bern", 98L, 2).stream().map(Map.Entry::getKey))
              .containsExactly(1L, 3L);
          assertThat(byCity.pageFrom(tx, "C", null, 1).getFirst().getKey()).isEqualTo(1L);
          return 0;
        });
    assertThatThrownBy(() -> store.run(tx -> byCity.page(tx, "Bern", null, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("by city");
  }

  @Test
  void whatTheFunctionThrowsEndsTheTransaction() {
    Index<String, String> index =
        Index.of(
            "of words",
            word -> {
              if (word.isEmpty()) {
                throw new IllegalArgumentException("no word");
              }
              return word;
            },
            String.class);
    PersistentMap<Long, String> map = store.map("words", Long.class, String.class, index);
    store.run(tx -> map.put(tx, 1L, "one"));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      map.put(tx, 2L, "two");
                      try {
                        map.put(tx, 1L, "");
                      } catch (IllegalArgumentException e) {
                        // swallowed; the transaction has ended all the same
                      }
                    }))
        .hasMessageContaining("no word");
    store.read(
        (Tx tx) -> {
          assertThat(map.entries(tx)).containsExactly(Map.entry(1L, "one"));
          assertThat(map.index(index).entries(tx)).containsExactly(Map.entry(1L, "one"));
          return 0;
        });
  }

  @Test
  void aFunctionThatGivesAnotherKeyForAStoredValueIsNoticed() {
    int[] calls = {0};
    Index<String, Integer> index = Index.of("of calls", _ -> calls[0]++, Codec.int32());
    PersistentMap<Long, String> map = store.map("words", Long.class, String.class, index);
    store.run(tx -> map.put(tx, 1L, "one"));
    assertThatThrownBy(() -> store.run(tx -> map.remove(tx, 1L)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("depend on the value alone")
        .hasMessageContaining("words/of calls");
    assertThat(store.read((Tx tx) -> map.size(tx))).isEqualTo(1);
  }

  @Test
  void anIndexIsBuiltOverEntriesThatAreThere() {
    PersistentMap<Long, Customer> plain = store.map("customers", Long.class, Customer.class);
    TreeMap<Long, Customer> model = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      model.put((long) i, new Customer(i % 7 == 0 ? null : CITIES.get(i % 6), i, ""));
    }
    store.run(tx -> plain.putAll(tx, model));
    PersistentMap<Long, Customer> map = open();
    assertEqual(store, map, model);
    assertThatThrownBy(() -> store.run(tx -> plain.put(tx, 1L, new Customer(null, 999, ""))))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("indexes have changed");
    assertEqual(store, map, model);
  }

  @Test
  void anIndexThatCannotBeBuiltIsDropped() {
    PersistentMap<Long, Customer> plain = store.map("customers", Long.class, Customer.class);
    store.run(
        tx -> {
          for (long i = 0; i < 200; i++) {
            plain.put(tx, i, new Customer("Bern", (int) i % 199, ""));
          }
        });
    assertThatThrownBy(this::open).isInstanceOf(UniqueIndexException.class);
    assertThat(store.read((Tx tx) -> store.collections(tx)).keySet())
        .containsExactly("customers", "customers/by city");
    PersistentMap<Long, Customer> map = store.map("customers", Long.class, Customer.class, BY_CITY);
    assertThat(store.read((Tx tx) -> map.index(BY_CITY).size(tx))).isEqualTo(200);
  }

  @Test
  void anIndexThatTheProgramDoesNotDeclareIsNotLeftBehind() {
    PersistentMap<Long, Customer> map = open();
    store.run(tx -> map.put(tx, 1L, new Customer("Bern", 1, "")));
    assertThatThrownBy(() -> store.map("customers", Long.class, Customer.class, BY_CITY))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("by e-mail")
        .hasMessageContaining("StoreAdmin.drop(\"customers/by e-mail\")");
    assertThat(store.drop("customers/by e-mail")).isTrue();
    assertThatThrownBy(() -> store.run(tx -> map.remove(tx, 1L)))
        .isInstanceOf(CollectionMismatchException.class);
    PersistentMap<Long, Customer> other =
        store.map("customers", Long.class, Customer.class, BY_CITY);
    store.run(tx -> other.remove(tx, 1L));
    assertThat(store.read((Tx tx) -> other.index(BY_CITY).size(tx))).isZero();
    store.drop("customers/by city");
    store.map("customers", Long.class, Customer.class);
    open();
    assertThat(store.drop("customers")).isTrue();
    assertThat(store.read((Tx tx) -> store.collections(tx))).isEmpty();
  }

  @Test
  void anIndexOfAnotherKindIsRefused() {
    open();
    Index<Customer, Integer> otherType = Index.of("by city", Customer::email, Codec.int32());
    assertThatThrownBy(
            () -> store.map("customers", Long.class, Customer.class, otherType, BY_EMAIL))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("customers/by city");
    store.set("other/by city", String.class);
    assertThatThrownBy(() -> store.map("other", Long.class, Customer.class, BY_CITY))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("set of");
    assertThatThrownBy(() -> Index.of("a/b", Customer::city, String.class))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> open().index(otherType))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("pass it where the map is opened");
  }

  @Test
  void aChangeThatBreaksOffInTheIndexDoesNotHalfHappen() {
    PersistentMap<Long, Customer> map = open();
    store.run(tx -> map.put(tx, 1L, new Customer("Bern", 1, "a")));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      try {
                        map.put(tx, 2L, new Customer("Ulm", 1, "b"));
                      } catch (UniqueIndexException e) {
                        // swallowed
                      }
                    }))
        .isInstanceOf(UniqueIndexException.class);
    assertEqual(store, map, Map.of(1L, new Customer("Bern", 1, "a")));
  }
}
