package io.howdah.examples.mvstore;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.examples.Check;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/**
 * Moves the maps of an H2 MVStore file into a store: one that is ordered there is ordered here.
 * Each batch is one transaction; the last key that is here says where to go on, so the import may
 * be killed and started again.
 */
public final class ImportMvStore {

  private static final int ENTRIES = 20_000;
  private static final int BATCH = 1000;

  private ImportMvStore() {}

  /** Writes an MVStore file, imports it, and compares. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    Path file = folder.resolve("old.mv.db");
    writeMvStore(file);
    try (MVStore old = new MVStore.Builder().fileName(file.toString()).readOnly().open();
        Store store = Store.open(folder.resolve("store"))) {
      for (String name : new TreeSet<>(old.getMapNames())) {
        MVMap<String, String> from = old.openMap(name);
        PersistentSortedMap<String, String> to = store.sortedMap(name, Codec.utf8(), Codec.utf8());
        copy(store, from, to, BATCH * 3L); // as if killed here
        copy(store, from, to, Long.MAX_VALUE);
        System.out.printf("%s: %,d entries imported%n", name, store.read(to::size));
        requireEqual(store, from, to);
      }
    }
  }

  private static void writeMvStore(Path file) {
    try (MVStore old = new MVStore.Builder().fileName(file.toString()).open()) {
      MVMap<String, String> people = old.openMap("people");
      MVMap<String, String> places = old.openMap("places");
      for (int i = 0; i < ENTRIES; i++) {
        people.put("person-" + i, "name " + i);
        if (i % 7 == 0) {
          places.put("place-" + i, "somewhere, " + i);
        }
      }
    }
  }

  /** Goes on behind the last key that has come over. */
  private static void copy(
      Store store, MVMap<String, String> from, PersistentSortedMap<String, String> to, long most) {
    String last =
        store.read(
            tx -> {
              Map.Entry<String, String> entry = to.last(tx);
              return entry == null ? from.firstKey() : entry.getKey();
            });
    Iterator<String> keys = from.keyIterator(last);
    long copied = 0;
    while (keys.hasNext() && copied < most) {
      Map<String, String> batch = new LinkedHashMap<>();
      while (keys.hasNext() && batch.size() < BATCH) {
        String key = keys.next();
        batch.put(key, Objects.requireNonNull(from.get(key)));
      }
      store.run(TxOptions.async(), tx -> batch.forEach((key, value) -> to.put(tx, key, value)));
      copied += batch.size();
    }
  }

  private static void requireEqual(
      Store store, MVMap<String, String> from, PersistentSortedMap<String, String> to) {
    store.run(
        TxOptions.defaults().withReadOnly(),
        tx -> {
          Check.that(to.size(tx) == from.sizeAsLong(), "the sizes differ");
          Iterator<String> expected = from.keyIterator(null);
          to.entries(tx)
              .forEach(
                  entry -> {
                    String key = expected.next();
                    Check.that(
                        key.equals(entry.getKey()) && entry.getValue().equals(from.get(key)),
                        "entries differ at " + key);
                  });
        });
  }
}
