package io.howdah.cli.tables;

import io.howdah.Store;
import io.howdah.cli.catalogue.DataException;
import io.howdah.codec.Codec;
import io.howdah.codec.derived.Codecs;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/** What loads note about themselves, in two maps of the same store. Thread-safe. */
public final class LoadBook {

  static final String SHAPES = "howdah.load.shapes";
  private static final String PROGRESS = "howdah.load.progress";

  private final PersistentMap<String, MapShape> shapes;
  private final PersistentMap<String, LoadProgress> progress;

  LoadBook(Store store) {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    shapes = shapes(store);
    progress = store.map(PROGRESS, Codec.utf8(), Codecs.of(lookup, LoadProgress.class));
  }

  private static PersistentMap<String, MapShape> shapes(Store store) {
    return store.map(SHAPES, Codec.utf8(), Codecs.of(MethodHandles.lookup(), MapShape.class));
  }

  /** Returns how a map was loaded, of a store that was loaded before and may be read-only. */
  static MapShape shape(Store store, String map) {
    PersistentMap<String, MapShape> shapes = shapes(store);
    return store.read(tx -> shapes.getOrDefault(tx, map, MapShape.UNKNOWN));
  }

  /**
   * Forgets all loads of a map that is gone, or of one of the same name that was there before.
   * Makes no maps where nothing was ever loaded.
   */
  public static void forget(Store store, String map) {
    if (store.read(store.admin()::collections).keySet().containsAll(List.of(SHAPES, PROGRESS))) {
      LoadBook book = new LoadBook(store);
      store.run(tx -> book.forget(tx, map));
    }
  }

  private void forget(Tx tx, String map) {
    shapes.remove(tx, map);
    List<String> files = new ArrayList<>();
    String prefix = key(map, "");
    for (var all = progress.iterator(tx); all.hasNext(); ) {
      String key = all.next().getKey();
      if (key.startsWith(prefix)) {
        files.add(key);
      }
    }
    files.forEach(file -> progress.remove(tx, file));
  }

  /** Returns how a map was loaded, {@link MapShape#UNKNOWN} if it was not. */
  MapShape shape(Tx tx, String map) {
    return shapes.getOrDefault(tx, map, MapShape.UNKNOWN);
  }

  /** Notes how a map is loaded; every load of it must do the same, or it would be no table. */
  void shape(Tx tx, String map, MapShape shape) {
    MapShape before = shapes.putIfAbsent(tx, map, shape);
    if (before != null && !before.equals(shape)) {
      throw new DataException(
          "map \"%s\" was loaded with %s, and cannot take rows with %s; use another map"
              .formatted(map, before.describe(), shape.describe()));
    }
  }

  LoadProgress progress(Tx tx, String map, String file) {
    return progress.getOrDefault(tx, key(map, file), LoadProgress.NONE);
  }

  void progress(Tx tx, String map, String file, LoadProgress reached) {
    progress.put(tx, key(map, file), reached);
  }

  /** Names may hold any character, so the length tells where the map's ends. */
  private static String key(String map, String file) {
    return map.length() + ":" + map + file;
  }
}
