package io.howdah.collections.changes;

/**
 * Is told of the changes of a map, after their commits. See {@link Changes#subscribe}.
 *
 * <p>An audit trail that must have an entry for each change, without exception, is better written
 * by the transaction that makes the change: the entry and the change are then one. A listener
 * writes it later, and a journal that is too short, and does not hold writers, loses changes.
 *
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
@FunctionalInterface
public interface ChangeListener<K, V> {

  /**
   * Takes a change. Called on a thread of the subscription's, one call at a time, with one change
   * after the other in the order of their positions. No transaction is open, so it may run
   * transactions of any store, this one included.
   *
   * @throws Exception if the change could not be taken; the call is repeated with the same change,
   *     see {@link Changes#subscribe}
   */
  void changed(Change<K, V> change) throws Exception;
}
