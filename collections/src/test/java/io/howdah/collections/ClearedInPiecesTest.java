package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.core.TransactionTooLargeException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The views of maps outside of transactions clear a map of any size, and no other entries, in
 * transactions of some 1024 entries, or of fewer where a transaction cannot take so many.
 */
final class ClearedInPiecesTest {

  private static final Index<String, Integer> LENGTH =
      Index.of("length", String::length, Codec.int32());

  private final WordStore store =
      WordStore.inMemory(
          WordOptions.defaults()
              .withMaxSize(1 << 26)
              .withOrecs(1 << 12)
              .withPartitions(1)
              .withMaxTransactionBytes(1 << 14)
              .withExecution(new NoReclaiming()));

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  private void fill(KeyedCollection<Long, String> map, long from, long to) {
    LongStream.range(from, to)
        .forEach(i -> store.run(tx -> map.put(tx, i, "v".repeat((int) Math.abs(i % 50)))));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1023, 1024, 1025, 2048, 2049})
  void anyNumberOfEntriesGoes(int entries) {
    PersistentMap<Long, String> hashed = store.map("hashed", Codec.int64(), Codec.utf8());
    PersistentSortedMap<Long, String> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    for (KeyedCollection<Long, String> each : List.of(hashed, sorted)) {
      fill(each, 0, entries);
      Map<Long, String> view =
          each instanceof PersistentMap ? hashed.asMap() : sorted.asMap().descendingMap();
      assertThat(view).hasSize(entries);
      view.clear();
      assertThat(view).isEmpty();
      assertThat(store.<Long, RuntimeException>read(each::size)).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"0,5000", "1,4999", "1000,3500", "2499,2500", "2500,2500", "4000,5000"})
  void aPartGoesAndNothingElse(long from, long to) {
    PersistentSortedMap<Long, String> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    fill(sorted, 0, 5000);
    NavigableMap<Long, String> model = new TreeMap<>(sorted.asMap());
    sorted.asMap().subMap(from, to).keySet().clear();
    model.subMap(from, to).clear();
    assertThat(sorted.asMap().toString()).isEqualTo(model.toString());
  }

  /** One transaction cannot; the view's can, together with the index and the journal. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatATransactionCannotClearGoesInSeveral(boolean isSorted) {
    int entries = 3000;
    KeyedCollection<Long, String> map =
        isSorted
            ? store.sortedMap(
                "map", Codec.int64(), Codec.utf8(), LENGTH, ChangeJournal.keeping(100_000))
            : store.map("map", Codec.int64(), Codec.utf8(), LENGTH, ChangeJournal.keeping(100_000));
    fill(map, 0, entries);
    assertThatThrownBy(() -> store.run(map::clear))
        .isInstanceOf(TransactionTooLargeException.class);
    assertThat(store.<Long, RuntimeException>read(map::size)).isEqualTo(entries);
    Map<Long, String> view =
        map instanceof PersistentMap<Long, String> hashed
            ? hashed.asMap()
            : ((PersistentSortedMap<Long, String>) map).asMap();
    view.clear();
    assertThat(view).isEmpty();
    store.read(
        tx -> {
          assertThat(map.index(LENGTH).size(tx)).isZero();
          assertThat(map.changes().after(tx, entries, entries + 1))
              .hasSize(entries)
              .allMatch(change -> change instanceof Change.Removed<Long, String>);
          return 0;
        });
  }

  /** A clear repeats no piece, and stops when it has come to the end: others may add meanwhile. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsAddedBeforeThePlaceOfAClearDoesNotProlongIt(boolean isSorted) {
    PersistentMap<Long, String> hashed = store.map("hashed", Codec.int64(), Codec.utf8());
    PersistentSortedMap<Long, String> sorted =
        store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    KeyedCollection<Long, String> map = isSorted ? sorted : hashed;
    fill(map, 0, 100);
    KeyedView<Long, String> view =
        (KeyedView<Long, String>) (isSorted ? sorted.asMap() : hashed.asMap());
    var rest = view.clearing();
    int pieces = 0;
    while (rest != null) {
      var piece = rest;
      rest = store.call(tx -> Optional.ofNullable(piece.change(tx, 10))).orElse(null);
      fill(map, -1 - pieces, -pieces); // below all keys of a sorted map
      pieces++;
      assertThat(pieces).isLessThan(100);
    }
    store.read(
        tx -> {
          for (long i = 0; i < 100; i++) {
            assertThat(map.containsKey(tx, i)).isFalse();
          }
          return 0;
        });
    view.clear();
  }
}
