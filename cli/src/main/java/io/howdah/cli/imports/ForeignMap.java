package io.howdah.cli.imports;

import java.util.Iterator;
import java.util.Map;

/**
 * A map of another store, as it was when the store was opened.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public interface ForeignMap<K, V> {

  /** What {@link #size} returns where only reading all entries would tell. */
  long UNKNOWN_SIZE = -1;

  /** Returns its name. */
  String name();

  /** Returns the type of its keys. */
  ImportType<K> keys();

  /** Returns the type of its values. */
  ImportType<V> values();

  /** Returns whether it is ordered by its keys. */
  boolean isSorted();

  /** Returns how many entries the other store says that it has, or {@link #UNKNOWN_SIZE}. */
  long size();

  /**
   * Returns the entries, one object for each. Another call, also in another process, returns them
   * in the same order as long as the files are the same. The iterator throws {@link
   * io.howdah.cli.catalogue.DataException} for an entry that is not of the map's types, and
   * anything else for one that cannot be read; it does not end before the last entry without an
   * exception.
   */
  Iterator<Map.Entry<K, V>> entries();
}
