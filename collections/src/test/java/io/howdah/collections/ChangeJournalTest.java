package io.howdah.collections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.codec.Codec;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Changes;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.TxFunction;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Change journals as they are opened, bounded, dropped, and found by programs that do not know. */
final class ChangeJournalTest {

  @AutoClose private final WordMemory directory = new WordMemory();

  private static final Index<String, Integer> BY_LENGTH =
      Index.of("by length", String::length, Codec.int32());

  private final WordStore store = WordStore.inMemory(options());

  private static WordOptions options() {
    return WordOptions.defaults().withMaxSize(1 << 26).withOrecs(1 << 12).withPartitions(2);
  }

  @AfterEach
  void close() {
    Blocks.assertNothingLeaks(store);
    store.close();
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private PersistentMap<Long, String> map(MapOption<? super String>... options) {
    return store.map("map", Codec.int64(), Codec.utf8(), options);
  }

  private static ChangeJournal keeping(long changes) {
    return ChangeJournal.keeping(changes);
  }

  private <T> T read(TxFunction<T, RuntimeException> body) {
    return store.read(body);
  }

  private List<Change<Long, String>> all(Changes<Long, String> changes) {
    return read(tx -> changes.after(tx, changes.oldest(tx), 1000));
  }

  private static <K, V> List<Change<K, V>> after(
      WordStore store, Changes<K, V> changes, long position, int max) {
    return store.read(tx -> changes.after(tx, position, max));
  }

  private static void put(WordStore store, PersistentMap<Long, String> map, long key) {
    store.run(tx -> map.put(tx, key, "v" + key));
  }

  @Test
  void aProgramThatDoesNotDeclareTheJournalWritesIt() {
    PersistentMap<Long, String> declared = map(keeping(10));
    PersistentMap<Long, String> other = map();
    put(store, other, 1);
    assertThat(all(declared.changes())).containsExactly(new Change.Put<>(1, 1L, "v1"));
    assertThat(all(other.changes())).isEqualTo(all(declared.changes()));
    assertThat(read(store::collections))
        .containsEntry("map", "journaled map of int64 to utf8")
        .containsEntry("map/changes", "change journal");
  }

  @Test
  void aMapWithEntriesGetsAJournalAndFormerHandlesLearnIt() {
    PersistentMap<Long, String> former = map();
    put(store, former, 1);
    PersistentMap<Long, String> map = map(keeping(10));
    assertThatThrownBy(() -> put(store, former, 2))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("open it again");
    put(store, map, 3);
    assertThat(all(map.changes())).containsExactly(new Change.Put<>(1, 3L, "v3"));
    assertThat(read(map::size)).isEqualTo(2);
  }

  @Test
  void indexesAndJournalsComeAndGoIndependently() {
    put(store, map(BY_LENGTH), 1);
    PersistentMap<Long, String> both = map(keeping(10), BY_LENGTH);
    put(store, both, 2);
    assertThat(read(store::collections))
        .containsEntry("map", "indexed journaled map of int64 to utf8");
    assertThat(store.drop("map/by length")).isTrue();
    PersistentMap<Long, String> journaled = map();
    put(store, journaled, 3);
    assertThat(all(journaled.changes())).extracting(Change::key).containsExactly(2L, 3L);
    PersistentMap<Long, String> again = map(BY_LENGTH);
    put(store, again, 4);
    assertThat(all(again.changes())).extracting(Change::key).containsExactly(2L, 3L, 4L);
    long size = read(tx -> again.index(BY_LENGTH).size(tx));
    assertThat(size).isEqualTo(4);
    assertThat(store.drop("map/changes")).isTrue();
    assertThatThrownBy(() -> put(store, again, 5)).isInstanceOf(CollectionMismatchException.class);
    PersistentMap<Long, String> indexed = map(BY_LENGTH);
    put(store, indexed, 5);
    assertThatThrownBy(indexed::changes)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no change journal");
    assertThat(read(store::collections))
        .containsEntry("map", "indexed map of int64 to utf8")
        .doesNotContainKey("map/changes");
    PersistentMap<Long, String> anew = map(BY_LENGTH, keeping(10));
    assertThat(read(anew.changes()::newest)).isZero();
    assertThat(store.drop("map")).isTrue();
    assertThat(read(store::collections)).isEmpty();
  }

  @Test
  void whatIsTooMuchIsRemovedAtOnce() {
    PersistentMap<Long, String> map = map(keeping(3));
    for (long key = 1; key <= 600; key++) {
      put(store, map, key);
    }
    assertThat(read(map.changes()::newest)).isEqualTo(600);
    assertThat(read(map.changes()::oldest)).isEqualTo(597);
    assertThat(all(map.changes())).extracting(Change::position).containsExactly(598L, 599L, 600L);
    assertThat(all(map(keeping(5)).changes())).hasSize(3);
    for (long key = 1; key <= 600; key++) {
      put(store, map, key);
    }
    assertThat(all(map.changes())).hasSize(5);
    PersistentMap<Long, String> long_ = map(keeping(1000));
    for (long key = 1; key <= 990; key++) {
      put(store, long_, key);
    }
    assertThat(read(long_.changes()::oldest)).isEqualTo(1195);
    PersistentMap<Long, String> one = map(keeping(1)); // more than one transaction removes
    assertThat(all(one.changes())).containsExactly(new Change.Put<>(2190, 990L, "v990"));
    Blocks.assertNothingLeaks(store);
    put(store, long_, 7); // handles of before go by the new bound
    assertThat(all(long_.changes())).containsExactly(new Change.Put<>(2191, 7L, "v7"));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, ChangeJournal.MAX_CHANGES + 1, Long.MIN_VALUE})
  void aBoundIsWithinItsBounds(long changes) {
    assertThatThrownBy(() -> keeping(changes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("" + changes);
  }

  @Test
  void theLargestBoundIsPossible() {
    PersistentMap<Long, String> map = map(keeping(ChangeJournal.MAX_CHANGES));
    put(store, map, 1);
    assertThat(all(map.changes())).hasSize(1);
    assertThat(keeping(7)).hasToString("change journal of 7 changes");
  }

  @Test
  void twoJournalsOrATakenNameAreRefused() {
    assertThatThrownBy(() -> map(keeping(1), keeping(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two change journals");
    store.counter("taken/changes");
    assertThatThrownBy(() -> store.map("taken", Codec.int64(), Codec.utf8(), keeping(1)))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("taken/changes");
    PersistentMap<Long, String> map = map(keeping(1));
    Index<String, Integer> sameName = Index.of("changes", String::length, Codec.int32());
    assertThatThrownBy(() -> map(sameName)).isInstanceOf(CollectionMismatchException.class);
    put(store, map, 1);
    store.drop("taken");
    assertThat(read(store::collections)).containsKey("taken/changes");
  }

  @Test
  void entriesOfEachShapeAreInTheJournal() {
    var fixed = store.map("fixed", Codec.int64(), Codec.int32(), keeping(10));
    var text = store.map("text", Codec.utf8(), Codec.int64(), keeping(10));
    var sorted = store.sortedMap("sorted", Codec.int64(), Codec.int64(), keeping(10));
    var names = store.sortedMap("names", String.class, String.class, keeping(10));
    store.run(
        tx -> {
          fixed.put(tx, -1L, 7);
          text.put(tx, "", 8L);
          sorted.put(tx, Long.MIN_VALUE, 9L);
          names.put(tx, "", "");
          names.put(tx, "a", "b");
          assertThat(names.remove(tx, "a")).isTrue();
          assertThat(names.remove(tx, "a")).isFalse();
          assertThat(fixed.remove(tx, 5L)).isFalse();
        });
    assertThat(after(store, fixed.changes(), 0, 9)).containsExactly(new Change.Put<>(1, -1L, 7));
    assertThat(after(store, text.changes(), 0, 9)).containsExactly(new Change.Put<>(1, "", 8L));
    assertThat(after(store, sorted.changes(), 0, 9))
        .containsExactly(new Change.Put<>(1, Long.MIN_VALUE, 9L));
    assertThat(after(store, names.changes(), 0, 9))
        .containsExactly(
            new Change.Put<>(1, "", ""),
            new Change.Put<>(2, "a", "b"),
            new Change.Removed<>(3, "a"));
    assertThatThrownBy(() -> store.sortedMap("plain", String.class, String.class).changes())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theLargestEntryIsInTheJournal() {
    PersistentMap<byte[], byte[]> large =
        store.map("large", Codec.bytes(), Codec.bytes(), keeping(1));
    byte[] key = new byte[PersistentCollection.MAX_KEY_BYTES];
    byte[] value = new byte[PersistentCollection.MAX_VALUE_BYTES];
    key[77] = 7;
    value[value.length - 1] = 9;
    store.run(tx -> large.put(tx, key, value));
    Change<byte[], byte[]> change = after(store, large.changes(), 0, 5).getFirst();
    assertThat(change.key()).isEqualTo(key);
    assertThat(((Change.Put<byte[], byte[]>) change).value()).isEqualTo(value);
  }

  @Test
  void aReadHasAsManyChangesAsAreAskedFor() {
    PersistentMap<Long, String> map = map(keeping(10));
    for (long key = 1; key <= 4; key++) {
      put(store, map, key);
    }
    for (int max = 1; max <= 5; max++) {
      assertThat(after(store, map.changes(), 1, max)).hasSize(Math.min(max, 3));
    }
  }

  @Test
  void aReadEndsAtAMebibyte() {
    PersistentMap<Long, byte[]> map =
        store.map("large", Codec.int64(), Codec.bytes(), keeping(100));
    store.run(tx -> LongStream.range(0, 8).forEach(key -> map.put(tx, key, new byte[400_000])));
    assertThat(after(store, map.changes(), 0, 100)).hasSize(3);
    // A change is two integers, the key and the value: four make exactly a mebibyte.
    int quarter = (1 << 18) - 2 * Integer.BYTES - Long.BYTES;
    store.run(tx -> LongStream.range(0, 8).forEach(key -> map.put(tx, key, new byte[quarter])));
    assertThat(after(store, map.changes(), 8, 100)).hasSize(4);
    store.run(tx -> LongStream.range(0, 8).forEach(key -> map.put(tx, key, new byte[quarter - 1])));
    assertThat(after(store, map.changes(), 16, 100)).hasSize(5);
  }

  @Test
  void aTransactionSeesItsOwnChanges() {
    PersistentMap<Long, String> map = map(keeping(10));
    store.run(
        tx -> {
          map.put(tx, 1L, "a");
          assertThat(map.changes().after(tx, 0, 9)).containsExactly(new Change.Put<>(1, 1L, "a"));
          map.clear(tx);
          assertThat(map.changes().after(tx, 1, 9)).containsExactly(new Change.Removed<>(2, 1L));
          assertThat(map.changes().newest(tx)).isEqualTo(2);
        });
    var ended = store.call(tx -> tx);
    assertThatThrownBy(() -> map.changes().newest(ended))
        .isInstanceOf(TransactionStateException.class);
  }

  @Test
  void aStoreForReadingMakesNoJournalAndReadsOne() {
    try (WordStore files = WordStore.open(directory, options())) {
      put(files, files.map("map", Codec.int64(), Codec.utf8(), keeping(5)), 1);
      files.map("plain", Codec.int64(), Codec.utf8());
    }
    try (WordStore files = WordStore.open(directory, options().withReadOnly(true))) {
      assertThatThrownBy(() -> files.map("plain", Codec.int64(), Codec.utf8(), keeping(5)))
          .isInstanceOf(ReadOnlyStoreException.class)
          .hasMessageContaining("change journal");
      PersistentMap<Long, String> map =
          files.map("map", Codec.int64(), Codec.utf8(), keeping(2)); // no matter here
      assertThat(after(files, map.changes(), 0, 9)).containsExactly(new Change.Put<>(1, 1L, "v1"));
    }
  }

  @Test
  void aHandleToReadReadsChangesAndMakesNone() {
    put(store, map(keeping(5)), 1);
    PersistentMap<Long, String> toRead = store.mapToRead("map", Codec.int64(), Codec.utf8());
    assertThat(all(toRead.changes())).hasSize(1);
    assertThatThrownBy(() -> put(store, toRead, 2))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("Store.map");
    assertThat(all(toRead.changes())).hasSize(1);
  }

  /** What a build does that does not know of journals: it compares the type, and refuses. */
  @Test
  void anotherTypeIsRefused() {
    put(store, map(keeping(5)), 1);
    assertThatThrownBy(() -> store.map("map", Codec.int64(), Codec.int64()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("journaled map of int64 to utf8");
    assertThatThrownBy(() -> store.sortedMap("map/changes", Codec.int64(), Codec.bytes()))
        .isInstanceOf(CollectionMismatchException.class)
        .hasMessageContaining("change journal");
  }
}
