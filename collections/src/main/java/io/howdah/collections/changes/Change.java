package io.howdah.collections.changes;

/**
 * A change of one entry of a map, as its change journal has it. Immutable, if keys and values are.
 *
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
public sealed interface Change<K, V> {

  /**
   * Returns the number of the change, from 1 on: the position to resume behind. Numbers have no
   * gaps, and the order of the commits. Changes of one transaction follow each other in the order
   * in which it made them.
   */
  long position();

  /** Returns the key of the entry. */
  K key();

  /**
   * A key got a value: its first, another, or the same again.
   *
   * @param position number of the change, at least 1
   * @param key the key
   * @param value the value that it got
   */
  record Put<K, V>(long position, K key, V value) implements Change<K, V> {}

  /**
   * A key that had a value was removed.
   *
   * @param position number of the change, at least 1
   * @param key the key
   */
  record Removed<K, V>(long position, K key) implements Change<K, V> {}

  /**
   * An entry that had expired was removed from memory, some time after it expired. Between the two
   * no transaction has seen it.
   *
   * @param position number of the change, at least 1
   * @param key the key
   */
  record Expired<K, V>(long position, K key) implements Change<K, V> {}

  /**
   * An entry of a cache was removed to make room for another one. Maps have no such change.
   *
   * @param position number of the change, at least 1
   * @param key the key
   */
  record Evicted<K, V>(long position, K key) implements Change<K, V> {}
}
