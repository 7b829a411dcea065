package io.howdah.importers;

import io.howdah.cli.catalogue.DataException;
import io.howdah.cli.imports.ForeignMap;
import io.howdah.cli.imports.ImportType;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A map that a library reads.
 *
 * @param all begins to read the entries; keys and values that are not of the types are refused
 */
record ReadMap<K, V>(
    String name,
    ImportType<K> keys,
    ImportType<V> values,
    boolean isSorted,
    long size,
    Supplier<? extends Iterator<? extends Map.Entry<?, ?>>> all)
    implements ForeignMap<K, V> {

  @Override
  public Iterator<Map.Entry<K, V>> entries() {
    Iterator<? extends Map.Entry<?, ?>> read = all.get();
    return new Iterator<>() {
      private long shown;

      @Override
      public boolean hasNext() {
        return read.hasNext();
      }

      @Override
      public Map.Entry<K, V> next() {
        Map.Entry<?, ?> entry = read.next();
        shown++;
        return Map.entry(
            of(keys, entry.getKey(), "key", shown), of(values, entry.getValue(), "value", shown));
      }
    };
  }

  private <T> T of(ImportType<T> type, @Nullable Object object, String role, long entry) {
    if (!type.type().isInstance(object)) {
      throw new DataException(
          "the %s of entry %d of map \"%s\" is %s, and those before are of the type %s; a map of a store has one type of keys and one of values, so copy this one by a program"
              .formatted(role, entry, name, typeOf(object), type.name()));
    }
    return type.type().cast(object);
  }

  private static String typeOf(@Nullable Object object) {
    return object == null ? "null" : "of " + object.getClass().getName();
  }
}
