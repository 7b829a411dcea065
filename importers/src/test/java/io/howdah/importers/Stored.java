package io.howdah.importers;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.OrderedCodec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentSortedMap;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What an import has made of a store. */
final class Stored {

  private Stored() {}

  /** Returns the entries of a sorted map, in its order. */
  static <K, V> Map<Object, Object> sorted(
      Path folder, String name, OrderedCodec<K> keys, Codec<V> values) {
    try (Store store = Store.open(folder)) {
      PersistentSortedMap<K, V> map = store.sortedMap(name, keys, values);
      return store.read(tx -> all(map.entries(tx)));
    }
  }

  /** Returns the entries of a map. */
  static <K, V> Map<Object, Object> map(Path folder, String name, Codec<K> keys, Codec<V> values) {
    try (Store store = Store.open(folder)) {
      PersistentMap<K, V> map = store.map(name, keys, values);
      return store.read(tx -> all(map.entries(tx)));
    }
  }

  /** Returns the names of what it holds. */
  static Set<String> names(Path folder) {
    try (Store store = Store.open(folder)) {
      return Set.copyOf(store.read(store.admin()::collections).keySet());
    }
  }

  private static <K, V> Map<Object, Object> all(Stream<Map.Entry<K, V>> entries) {
    Map<Object, Object> all = new LinkedHashMap<>();
    entries.forEach(entry -> all.put(comparable(entry.getKey()), comparable(entry.getValue())));
    return all;
  }

  /** Arrays have no equals. */
  private static Object comparable(Object object) {
    return object instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : object;
  }
}
