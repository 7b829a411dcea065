package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Collections whose names contain the separator of indexes and journals, or begin like others, are
 * opened, given indexes and journals, and dropped in any order: none gets or loses anything by what
 * happens to another.
 */
final class NamesWithSeparatorsTest {

  private static final int STEPS = 60;

  /** Names, of which many are those that an index or a journal of another has. */
  private static final List<String> NAMES =
      List.of(
          "a",
          "a/",
          "a//",
          "/",
          "/a",
          "//",
          "a/x",
          "a/x/x",
          "a/changes",
          "a/changes/x",
          "a/y",
          "ab",
          "a.",
          "a0",
          "a\0",
          "a/x\0",
          "changes",
          "/changes",
          "x",
          "a/b",
          "a/b/changes",
          "a/b/x",
          "aa",
          "a/é",
          "index of a",
          "unique index of a");

  /** Names of indexes; one is that of journals. */
  private static final List<String> INDEXES = List.of("x", "y", "changes", "b");

  private static final Map<String, Index<String, String>> DECLARED =
      INDEXES.stream()
          .collect(
              Collectors.toMap(
                  name -> name,
                  name -> Index.of(name, value -> value + " by " + name, Codec.utf8())));

  private enum Kind {
    MAP,
    SORTED_MAP,
    SET
  }

  /** What one name holds. */
  private static final class Held {
    final Kind kind;
    final TreeSet<String> indexes = new TreeSet<>();
    final TreeMap<Long, String> entries = new TreeMap<>();
    final List<String> told = new ArrayList<>();
    boolean isJournaled;

    Held(Kind kind) {
      this.kind = kind;
    }
  }

  private final Map<String, Held> model = new TreeMap<>();

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= 10; seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noCollectionTakesWhatBelongsToAnother(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    try (WordMemory memory = new WordMemory()) {
      for (int opened = 0; opened < 3; opened++) {
        try (WordStore store = WordStore.open(memory, options())) {
          check(store, "opened again");
          for (int i = 0; i < STEPS; i++) {
            check(store, step(store, random));
          }
          Blocks.assertNothingLeaks(store);
        }
      }
    }
  }

  private static WordOptions options() {
    return WordOptions.defaults().withMaxSize(1 << 22).withOrecs(1 << 10).withPartitions(1);
  }

  private String step(WordStore store, SplittableRandom random) {
    List<String> used = new ArrayList<>(names());
    boolean isUsed = !used.isEmpty() && random.nextInt(3) > 0;
    List<String> from = isUsed ? used : NAMES;
    String name = from.get(random.nextInt(from.size()));
    if (random.nextInt(4) == 0) {
      boolean isThere = names().contains(name);
      String owner = owner(name);
      Held owning = model.get(owner);
      KeyedCollection<Long, String> former =
          owning == null ? null : map(open(store, owner, owning.kind, owning.indexes, false));
      assertThat(store.drop(name)).as("there was a \"%s\"", name).isEqualTo(isThere);
      forget(name);
      if (former != null) {
        assertThatThrownBy(() -> store.run(tx -> former.put(tx, 0L, "")))
            .as("put by a handle from before \"%s\" was dropped", name)
            .isInstanceOf(CollectionMismatchException.class);
      }
      return "dropped " + name;
    }
    Held held = model.get(name);
    Kind kind = held == null ? Kind.values()[random.nextInt(3)] : held.kind;
    TreeSet<String> indexes = held == null ? new TreeSet<>() : new TreeSet<>(held.indexes);
    boolean isJournaled = held != null && held.isJournaled;
    if (kind != Kind.SET && random.nextInt(2) == 0) {
      indexes.add(INDEXES.get(random.nextInt(INDEXES.size())));
    }
    isJournaled |= kind != Kind.SET && random.nextInt(3) == 0;
    String what = kind + " " + name + " with " + indexes + (isJournaled ? " and a journal" : "");
    if (isRefused(name, held, indexes, isJournaled)) {
      boolean hasJournal = isJournaled;
      TreeMap<String, String> before = new TreeMap<>(store.read(store::collections));
      assertThatThrownBy(() -> open(store, name, kind, indexes, hasJournal))
          .as(what)
          .isInstanceOf(CollectionMismatchException.class);
      assertThat(store.read(store::collections)).as("refused: " + what).isEqualTo(before);
      return "refused: " + what;
    }
    PersistentCollection opened = open(store, name, kind, indexes, isJournaled);
    if (held == null) {
      held = new Held(kind);
      model.put(name, held);
    }
    held.indexes.addAll(indexes);
    held.isJournaled |= isJournaled;
    put(store, opened, name, held, random.nextInt(8));
    return what;
  }

  /** Returns whether a name that an opening needs stands for something else. */
  private boolean isRefused(
      String name, @Nullable Held held, Set<String> indexes, boolean isJournaled) {
    Set<String> others = names();
    others.removeAll(held == null ? List.of() : names(name, held));
    TreeSet<String> needed = new TreeSet<>();
    needed.add(name);
    boolean isTwice = false;
    for (String index : indexes) {
      isTwice |= !needed.add(name + "/" + index);
    }
    if (isJournaled) {
      isTwice |= !needed.add(name + "/changes");
    }
    return isTwice || needed.stream().anyMatch(others::contains);
  }

  private static Set<String> names(String name, Held held) {
    TreeSet<String> names = new TreeSet<>();
    names.add(name);
    held.indexes.forEach(index -> names.add(name + "/" + index));
    if (held.isJournaled) {
      names.add(name + "/changes");
    }
    return names;
  }

  private Set<String> names() {
    TreeSet<String> names = new TreeSet<>();
    model.forEach((name, held) -> names.addAll(names(name, held)));
    return names;
  }

  /** Returns the map whose index or journal has a name, or nothing. */
  private String owner(String name) {
    for (Map.Entry<String, Held> each : model.entrySet()) {
      if (!each.getKey().equals(name) && names(each.getKey(), each.getValue()).contains(name)) {
        return each.getKey();
      }
    }
    return "";
  }

  /** The model drops what a name stands for. */
  private void forget(String name) {
    if (model.remove(name) != null) {
      return;
    }
    model.forEach(
        (owner, held) -> {
          if (!name.startsWith(owner + "/")) {
            return;
          }
          String own = name.substring(owner.length() + 1);
          if (!held.indexes.remove(own) && own.equals("changes")) {
            held.isJournaled = false;
            held.told.clear();
          }
        });
  }

  private static Index<String, String> index(String name) {
    return Objects.requireNonNull(DECLARED.get(name));
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
  private static PersistentCollection open(
      WordStore store, String name, Kind kind, Set<String> indexes, boolean isJournaled) {
    List<MapOption<? super String>> options = new ArrayList<>();
    indexes.forEach(index -> options.add(index(index)));
    if (isJournaled) {
      options.add(ChangeJournal.keeping(1_000));
    }
    MapOption<? super String>[] all = options.toArray(new MapOption[0]);
    return switch (kind) {
      case MAP -> store.map(name, Codec.int64(), Codec.utf8(), all);
      case SORTED_MAP -> store.sortedMap(name, Codec.int64(), Codec.utf8(), all);
      case SET -> store.set(name, Codec.int64());
    };
  }

  @SuppressWarnings("unchecked") // as it was opened
  private static KeyedCollection<Long, String> map(PersistentCollection opened) {
    return (KeyedCollection<Long, String>) opened;
  }

  @SuppressWarnings("unchecked") // as it was opened
  private static void put(
      WordStore store, PersistentCollection opened, String name, Held held, long key) {
    String value = name + " " + held.entries.size();
    store.run(
        tx -> {
          if (held.kind == Kind.SET) {
            ((PersistentSet<Long>) opened).add(tx, key);
          } else {
            map(opened).put(tx, key, value);
          }
        });
    held.entries.put(key, value);
    if (held.isJournaled) {
      held.told.add(value);
    }
  }

  /** Returns how the type of a collection begins in the catalogue. */
  private static String type(Held held) {
    String kind = held.kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return (held.indexes.isEmpty() ? "" : "indexed ")
        + (held.isJournaled ? "journaled " : "")
        + kind
        + " of ";
  }

  /** Each name has what the model has, and the catalogue has no other name. */
  @SuppressWarnings("unchecked") // as it was opened
  private void check(WordStore store, String when) {
    Map<String, String> catalogue = store.read(store::collections);
    assertThat(catalogue.keySet()).as(when).isEqualTo(names());
    assertThat(store.orphans()).isEmpty();
    model.forEach(
        (name, held) -> {
          String what = "\"" + name + "\" after: " + when;
          assertThat(catalogue.get(name)).as(what).startsWith(type(held));
          PersistentCollection opened = open(store, name, held.kind, held.indexes, false);
          store.read(
              tx -> {
                if (held.kind == Kind.SET) {
                  assertThat(((PersistentSet<Long>) opened).stream(tx))
                      .as(what)
                      .containsExactlyInAnyOrderElementsOf(held.entries.keySet());
                  return 0;
                }
                KeyedCollection<Long, String> map = map(opened);
                TreeMap<Long, String> found = new TreeMap<>();
                for (long key = 0; key < 8; key++) {
                  String value = map.get(tx, key);
                  if (value != null) {
                    found.put(key, value);
                  }
                }
                assertThat(found).as(what).isEqualTo(held.entries);
                assertThat(map.size(tx)).as(what).isEqualTo(held.entries.size());
                for (String index : held.indexes) {
                  PersistentIndex<String, Long, String> by = map.index(index(index));
                  assertThat(by.size(tx)).as(what).isEqualTo(held.entries.size());
                  held.entries.forEach(
                      (key, value) ->
                          assertThat(by.entries(tx, value + " by " + index))
                              .as(what)
                              .contains(Map.entry(key, value)));
                }
                if (held.isJournaled) {
                  List<String> told = new ArrayList<>();
                  for (Change<Long, String> change : map.changes().after(tx, 0, 1_000)) {
                    told.add(((Change.Put<Long, String>) change).value());
                  }
                  assertThat(told).as(what).isEqualTo(held.told);
                }
                return 0;
              });
        });
  }

  /** Two maps of which one has the name of the other's index or journal, in each order. */
  @Test
  void whatHasANameFirstKeepsIt() {
    for (boolean isJournal : new boolean[] {false, true}) {
      try (WordStore store = WordStore.inMemory(options())) {
        String taken = "m/changes";
        TreeSet<String> index = isJournal ? new TreeSet<>() : new TreeSet<>(List.of("changes"));
        PersistentCollection _ = open(store, "m", Kind.MAP, index, isJournal);
        assertThatThrownBy(() -> open(store, taken, Kind.MAP, new TreeSet<>(), false))
            .isInstanceOf(CollectionMismatchException.class);
        assertThat(store.drop(taken)).isTrue();
        PersistentCollection _ = open(store, taken, Kind.MAP, new TreeSet<>(), true);
        assertThatThrownBy(() -> open(store, "m", Kind.MAP, index, isJournal))
            .isInstanceOf(CollectionMismatchException.class);
        assertThat(store.drop("m")).isTrue();
        assertThat(store.read(store::collections).keySet())
            .containsExactly(taken, taken + "/changes");
      }
    }
  }

  /** Of a map whose indexes or journal would have too long a name, nothing is left, either. */
  @Test
  void aNameThatIsTooLongWithThatOfItsIndexLeavesNothing() {
    try (WordStore store = WordStore.inMemory(options())) {
      String name = "n".repeat(250);
      for (Kind kind : List.of(Kind.MAP, Kind.SORTED_MAP)) {
        for (boolean isJournal : new boolean[] {false, true}) {
          TreeSet<String> indexes =
              isJournal ? new TreeSet<>(List.of("x")) : new TreeSet<>(List.of("x", "changes"));
          assertThatThrownBy(() -> open(store, name, kind, indexes, isJournal))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("1 to 255 characters, not 258");
          assertThat(store.read(store::collections)).isEmpty();
        }
      }
      PersistentCollection _ = open(store, name, Kind.MAP, new TreeSet<>(List.of("x")), false);
    }
  }
}
