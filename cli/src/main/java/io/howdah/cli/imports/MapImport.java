package io.howdah.cli.imports;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.KeyedCollection;
import io.howdah.collections.LoadOptions;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.core.HowdahException;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Copies maps of another store into a store. Each transaction of entries also notes how many have
 * been copied and their sum. So a copy that was killed continues behind the last entry that is in
 * the store, after it has read the ones before it again and found the same sum: no entry is
 * missing, and a file that has changed is refused. At the end the copy is read and compared with
 * the source by count and sum. Memory is bounded by one transaction. For one thread.
 */
public final class MapImport {

  /** The map of the notes. */
  static final String NOTES = "howdah.import.notes";

  private static final int MAX_NAME = 255;

  private final Store store;
  private final String source;
  private final int batch;
  private final BiConsumer<ForeignMap<?, ?>, Long> watcher;

  /**
   * Creates one.
   *
   * @param source what the maps come from; the same when it is continued
   * @param batch most entries of a transaction, which are on the heap meanwhile
   * @param watcher is told how many entries of a map are copied, after each transaction
   */
  public MapImport(
      Store store, String source, int batch, BiConsumer<ForeignMap<?, ?>, Long> watcher) {
    this.store = store;
    this.source = source;
    this.batch = batch;
    this.watcher = watcher;
  }

  /**
   * A map that is copied, and compared with its source.
   *
   * @param before how many entries were there already
   */
  public record Copied(String map, long before, long entries, long sum) {}

  /**
   * Copies maps.
   *
   * @param resume whether the store may hold something: what an import has left, or other maps
   * @throws DataException if a map cannot be read, is not that of which the store has the
   *     beginning, or is not the same in the store at the end
   * @throws HowdahException if the store may hold nothing but holds something, or holds a map of
   *     the same name that is no copy of the same source; nothing was changed
   */
  public List<Copied> run(List<ForeignMap<?, ?>> maps, boolean resume) {
    requireNames(maps);
    requireUnused(maps, resume);
    List<Copied> copied = new ArrayList<>();
    for (ForeignMap<?, ?> map : maps) {
      copied.add(copy(map));
    }
    return copied;
  }

  /** Refuses names that a store does not take, before anything is copied. */
  private static void requireNames(List<ForeignMap<?, ?>> maps) {
    for (ForeignMap<?, ?> map : maps) {
      String name = map.name();
      if (name.isEmpty() || name.length() > MAX_NAME || name.equals(NOTES)) {
        throw new DataException(
            "no map can have the name \"%s\", of %d characters: a name has 1 to %d, and \"%s\" is for imports; --map names others"
                .formatted(
                    name.substring(0, Math.min(name.length(), MAX_NAME)),
                    name.length(),
                    MAX_NAME,
                    NOTES));
      }
    }
  }

  private void requireUnused(List<ForeignMap<?, ?>> maps, boolean resume) {
    Set<String> present = present();
    if (!resume && !present.isEmpty()) {
      throw new DataException(
          "the store holds "
              + present.stream()
                  .sorted()
                  .map(name -> '"' + name + '"')
                  .collect(Collectors.joining(", "))
              + "; --resume continues an import that was cut off, and adds maps to a store in use");
    }
    PersistentMap<String, ImportNote> notes = present.contains(NOTES) ? notes() : null;
    for (ForeignMap<?, ?> map : maps) {
      ImportNote note = notes == null ? ImportNote.NONE : note(notes, map.name());
      if (present.contains(map.name()) && !note.source().equals(source)) {
        throw new DataException(
            "the store has \""
                + map.name()
                + "\" already, "
                + (note.source().isEmpty() ? "which is no import" : "an import of " + note.source())
                + "; nothing was changed");
      }
    }
  }

  private Set<String> present() {
    return store.read(store.admin()::collections).keySet();
  }

  private PersistentMap<String, ImportNote> notes() {
    return store.map(NOTES, Codec.utf8(), Codecs.of(MethodHandles.lookup(), ImportNote.class));
  }

  private ImportNote note(PersistentMap<String, ImportNote> notes, String map) {
    return store.read(tx -> notes.getOrDefault(tx, map, ImportNote.NONE));
  }

  private <K, V> Copied copy(ForeignMap<K, V> from) {
    String name = from.name();
    PersistentMap<String, ImportNote> notes = notes();
    boolean isPresent = present().contains(name);
    ImportNote found = note(notes, name);
    boolean isContinued = isPresent && found.source().equals(source);
    ImportNote before = isContinued ? found : new ImportNote(source, 0, 0, false);
    // Noted before the map is made: killed in between, the next import finds no map of its own.
    store.run(tx -> notes.put(tx, name, before));
    Target<K, V> target = target(from);
    if (!before.isVerified()) {
      requireUntouched(
          name, store.<Long, RuntimeException>read(target.map()::size), before.entries());
    }
    CountedEntries<K, V> entries = new CountedEntries<>(from, 2 * batch);
    if (!entries.skip(before.entries()) || entries.sumOf(before.entries()) != before.sum()) {
      throw new DataException(
          "the first %d entries of map \"%s\" in %s are not those that the store has: the source has changed since the import began; import it into another store"
              .formatted(before.entries(), name, source));
    }
    if (before.isVerified() && entries.hasNext()) {
      // It has been in use since: what follows would replace what the program has put.
      throw new DataException(
          "map \"%s\" was imported whole, with %d entries, and %s has more by now, of which none was copied; --map names others, and another store takes all of it"
              .formatted(name, before.entries(), source));
    }
    target
        .map()
        .load(
            entries,
            LoadOptions.defaults()
                .withTransactionEntries(batch)
                .withDurability(Durability.ASYNC)
                .withNote(
                    (tx, reached) -> {
                      long count = before.entries() + reached.entries();
                      notes.put(tx, name, before.with(count, entries.sumOf(count), false));
                    })
                .withProgress(
                    reached -> watcher.accept(from, before.entries() + reached.entries())));
    long count = entries.count();
    long sum = entries.sumOf(count);
    requireAll(from, count);
    requireEqual(from, target, count, sum, before.isVerified());
    store.run(tx -> notes.put(tx, name, before.with(count, sum, true)));
    return new Copied(name, before.entries(), count, sum);
  }

  /**
   * A program may have dropped what was imported, and made a map of that name, which is its own.
   */
  private static void requireUntouched(String map, long entries, long imported) {
    if (entries != imported) {
      throw new DataException(
          "map \"%s\" has %d entries, of which the import that was cut off has put %d: it has been in use since, and nothing was copied into it; --map names others, or drop it and import it again"
              .formatted(map, entries, imported));
    }
  }

  private void requireAll(ForeignMap<?, ?> from, long count) {
    long expected = from.size();
    if (expected != ForeignMap.UNKNOWN_SIZE && expected != count) {
      throw new DataException(
          "map \"%s\" of %s shows %d entries and says that it has %d: its file is damaged, or changes meanwhile"
              .formatted(from.name(), source, count, expected));
    }
  }

  /** A map of this store, and how all of its entries are read. */
  private record Target<K, V>(
      KeyedCollection<K, V> map, Function<Tx, Stream<Map.Entry<K, V>>> entries) {}

  private <K, V> Target<K, V> target(ForeignMap<K, V> from) {
    if (from.isSorted()) {
      PersistentSortedMap<K, V> sorted =
          store.sortedMap(from.name(), from.keys().codec(), from.values().codec());
      return new Target<>(sorted, sorted::entries);
    }
    PersistentMap<K, V> map = store.map(from.name(), from.keys().codec(), from.values().codec());
    return new Target<>(map, map::entries);
  }

  private <K, V> void requireEqual(
      ForeignMap<K, V> from, Target<K, V> target, long count, long sum, boolean wasWhole) {
    EntrySum<K, V> copy =
        store.read(
            tx -> {
              EntrySum<K, V> all = new EntrySum<>(from.keys(), from.values());
              target
                  .entries()
                  .apply(tx)
                  .forEach(entry -> all.add(entry.getKey(), entry.getValue()));
              return all;
            });
    if (copy.entries() == count && copy.sum() == sum) {
      return;
    }
    throw new DataException(
        "map \"%s\" has %d entries with the sum %016x in the store, and %d with the sum %016x in %s: "
                .formatted(from.name(), copy.entries(), copy.sum(), count, sum, source)
            + (wasWhole
                ? "it was imported whole, and has been changed since; nothing was copied into it,"
                    + " and --map names others"
                : "they are not the same; drop the map and import it again"));
  }
}
