package io.howdah.cli.imports;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.cli.catalogue.DataException;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of maps of other stores: which entries they have, and when they are refused. */
final class MapImportTest {

  private static final int ENTRIES = 1000;
  private static final int BATCH = 16;

  private final Store store = Store.inMemory(StoreOptions.defaults().withMaxSize(16 << 20));
  private final List<Long> reached = new ArrayList<>();

  @AfterEach
  void close() {
    store.close();
  }

  /** A map whose entries are read up to one that cannot be. */
  private record Listed(
      String name, List<Map.Entry<String, Long>> all, long size, int readable, boolean isSorted)
      implements ForeignMap<String, Long> {

    static Listed of(int entries) {
      return new Listed(
          "m",
          IntStream.range(0, entries).mapToObj(n -> Map.entry("key " + n, (long) n)).toList(),
          entries,
          Integer.MAX_VALUE,
          false);
    }

    Listed readable(int entries) {
      return new Listed(name, all, size, entries, isSorted);
    }

    Listed with(int index, Map.Entry<String, Long> entry) {
      List<Map.Entry<String, Long>> changed = new ArrayList<>(all);
      changed.set(index, entry);
      return new Listed(name, changed, size, readable, isSorted);
    }

    Listed saying(long entries) {
      return new Listed(name, all, entries, readable, isSorted);
    }

    Listed sorted() {
      return new Listed(name, all, size, readable, true);
    }

    @Override
    public ImportType<String> keys() {
      return ImportType.UTF8;
    }

    @Override
    public ImportType<Long> values() {
      return ImportType.INT64;
    }

    @Override
    public Iterator<Map.Entry<String, Long>> entries() {
      Iterator<Map.Entry<String, Long>> each = all.iterator();
      return new Iterator<>() {
        private int shown;

        @Override
        public boolean hasNext() {
          return each.hasNext();
        }

        @Override
        public Map.Entry<String, Long> next() {
          if (shown++ >= readable) {
            throw new IllegalStateException("a page of it is damaged");
          }
          return each.next();
        }
      };
    }
  }

  private MapImport.Copied run(Listed map, boolean resume) {
    return new MapImport(store, "list file", BATCH, (_, count) -> reached.add(count))
        .run(List.of(map), resume)
        .getFirst();
  }

  private Map<String, Long> content() {
    PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
    return store.read(
        tx -> {
          Map<String, Long> all = new TreeMap<>();
          map.iterator(tx).forEachRemaining(entry -> all.put(entry.getKey(), entry.getValue()));
          return all;
        });
  }

  @Test
  void allEntriesAreThereAndTheSameAndProgressIsTold() {
    MapImport.Copied copied = run(Listed.of(ENTRIES), false);
    assertThat(copied.before()).isZero();
    assertThat(copied.entries()).isEqualTo(ENTRIES);
    assertThat(content())
        .hasSize(ENTRIES)
        .containsEntry("key 0", 0L)
        .containsEntry("key 999", 999L);
    assertThat(reached).isSorted().endsWith((long) ENTRIES).hasSizeGreaterThan(ENTRIES / BATCH - 1);
  }

  @Test
  void aSortedMapBecomesOne() {
    run(Listed.of(ENTRIES).sorted(), false);
    PersistentSortedMap<String, Long> map = store.sortedMap("m", Codec.utf8(), Codec.int64());
    assertThat(store.<String, RuntimeException>read(tx -> requireNonNull(map.first(tx)).getKey()))
        .isEqualTo("key 0");
    assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(ENTRIES);
  }

  @Test
  void aMapWithoutEntriesIsThere() {
    assertThat(run(Listed.of(0), false).entries()).isZero();
    assertThat(content()).isEmpty();
  }

  /** Each entry comes once, whatever the entry at which the import was cut off. */
  @Test
  void anImportThatWasCutOffContinuesBehindTheLastEntryThatIsThere() {
    for (int cut = 0; cut <= 3 * BATCH; cut += 5) {
      Listed cutOff = Listed.of(ENTRIES).readable(cut);
      if (cut == 0) {
        assertThatThrownBy(() -> run(cutOff, false)).isInstanceOf(DataException.class);
      } else {
        assertThatThrownBy(() -> run(cutOff, true))
            .isInstanceOf(DataException.class)
            .hasMessageContaining("entry " + (cut + 1) + " of map \"m\" cannot be read")
            .hasMessageContaining("a page of it is damaged");
      }
      assertThat(content()).hasSize(cut);
    }
    MapImport.Copied copied = run(Listed.of(ENTRIES), true);
    assertThat(copied.before()).isEqualTo(3 * BATCH - 3);
    assertThat(copied.entries()).isEqualTo(ENTRIES);
    assertThat(content()).hasSize(ENTRIES);
    assertThat(run(Listed.of(ENTRIES), true).sum()).isEqualTo(copied.sum());
  }

  /** The sum of the first entries is what tells. */
  @Test
  void aSourceThatHasChangedIsNotContinued() {
    assertThatThrownBy(() -> run(Listed.of(ENTRIES).readable(100), false))
        .isInstanceOf(DataException.class);
    assertThatThrownBy(() -> run(Listed.of(ENTRIES).with(7, Map.entry("key 7", -7L)), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("the first 100 entries of map \"m\" in list file are not those");
    assertThatThrownBy(() -> run(Listed.of(99), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("has changed since");
    assertThat(content()).hasSize(100);
  }

  @Test
  void aStoreInUseIsRefusedUnlessToldOtherwise() {
    PersistentMap<String, Long> other = store.map("other", Codec.utf8(), Codec.int64());
    store.run(tx -> other.put(tx, "a", 1L));
    assertThatThrownBy(() -> run(Listed.of(ENTRIES), false))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("the store holds \"other\"; --resume continues");
    run(Listed.of(ENTRIES), true);
    assertThat(content()).hasSize(ENTRIES);
  }

  @Test
  void aMapOfTheSameNameIsNeverAddedTo() {
    PersistentMap<String, Long> mine = store.map("m", Codec.utf8(), Codec.int64());
    store.run(tx -> mine.put(tx, "a", 1L));
    assertThatThrownBy(() -> run(Listed.of(ENTRIES), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("the store has \"m\" already, which is no import");
    assertThat(content()).containsOnly(Map.entry("a", 1L));
  }

  @Test
  void aMapOfTheSameNameFromAnotherSourceIsRefused() {
    run(Listed.of(ENTRIES), false);
    MapImport other = new MapImport(store, "list other", BATCH, (_, _) -> {});
    assertThatThrownBy(() -> other.run(List.of(Listed.of(ENTRIES)), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("an import of list file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", MapImport.NOTES, "long"})
  void aNameThatAStoreDoesNotTakeIsRefusedBeforeAnythingIsCopied(String name) {
    String refused = name.equals("long") ? "n".repeat(256) : name;
    Listed named = new Listed(refused, Listed.of(3).all(), 3, Integer.MAX_VALUE, false);
    MapImport importing = new MapImport(store, "list file", BATCH, (_, _) -> {});
    assertThatThrownBy(() -> importing.run(List.of(Listed.of(ENTRIES), named), false))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("--map names others");
    assertThat(store.<Integer, RuntimeException>read(tx -> store.admin().collections(tx).size()))
        .isZero();
  }

  @Test
  void aMapThatWasDroppedIsImportedAnew() {
    run(Listed.of(ENTRIES), false);
    store.admin().drop("m");
    assertThat(run(Listed.of(ENTRIES), true).before()).isZero();
    assertThat(content()).hasSize(ENTRIES);
  }

  /** An import must not advise to drop a map that holds changes of the program. */
  @Test
  void aMapThatTheProgramHasChangedSinceItWasWholeStays() {
    run(Listed.of(ENTRIES), false);
    PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
    store.run(tx -> map.put(tx, "key 7", 8L));
    assertThatThrownBy(() -> run(Listed.of(ENTRIES), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("was imported whole, and has been changed since")
        .hasMessageNotContaining("drop");
    assertThat(content()).containsEntry("key 7", 8L);
  }

  /** The program drops a half-imported map and makes its own; the note of the import stays. */
  @ParameterizedTest
  @ValueSource(ints = {0, 100})
  void aMapThatTheProgramHasMadeInPlaceOfAHalfStays(int cut) {
    assertThatThrownBy(() -> run(Listed.of(ENTRIES).readable(cut), false))
        .isInstanceOf(DataException.class);
    store.admin().drop("m");
    PersistentMap<String, Long> own = store.map("m", Codec.utf8(), Codec.int64());
    store.run(tx -> own.put(tx, "key 500", -1L));
    assertThatThrownBy(() -> run(Listed.of(ENTRIES), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("it has been in use since");
    assertThat(content()).containsOnly(Map.entry("key 500", -1L));
  }

  /** The program uses the map once it is whole, and may have put the keys that the source got. */
  @Test
  void aSourceThatHasGrownSinceItsMapWasWholeReplacesNothing() {
    run(Listed.of(ENTRIES), false);
    PersistentMap<String, Long> map = store.map("m", Codec.utf8(), Codec.int64());
    store.run(tx -> map.put(tx, "key " + ENTRIES, -1L));
    assertThatThrownBy(() -> run(Listed.of(ENTRIES + 1), true))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("was imported whole, with 1000 entries")
        .hasMessageContaining("none was copied");
    assertThat(content()).hasSize(ENTRIES + 1).containsEntry("key " + ENTRIES, -1L);
  }

  /** As of a source that shows a key twice. */
  @Test
  void entriesThatReplaceOthersAreFound() {
    Listed twice = Listed.of(ENTRIES).with(8, Map.entry("key 7", 9L));
    assertThatThrownBy(() -> run(twice, false))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("map \"m\" has 999 entries");
  }

  @Test
  void aSourceThatShowsFewerEntriesThanItSaysIsFound() {
    assertThatThrownBy(() -> run(Listed.of(ENTRIES).saying(ENTRIES + 1), false))
        .isInstanceOf(DataException.class)
        .hasMessageContaining("shows 1000 entries and says that it has 1001");
  }
}
