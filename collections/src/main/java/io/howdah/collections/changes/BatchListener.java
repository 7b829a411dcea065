package io.howdah.collections.changes;

import java.util.List;

/**
 * Is told of the changes of a map, several in one call. See {@link Changes#subscribeBatches}.
 *
 * @param <K> the keys of the map
 * @param <V> the values of the map
 */
@FunctionalInterface
public interface BatchListener<K, V> {

  /**
   * Takes some changes: all of them, or, if it throws, none. Called on a thread of the
   * subscription's, one call at a time, with the changes in the order of their positions. No
   * transaction is open, so it may run transactions of any store. One transaction for a batch that
   * has the effects of all changes, and stores the position of the last one, has each effect
   * exactly once.
   *
   * @param changes at least one; cannot be modified
   * @throws Exception if the changes could not be taken; the call is repeated with a batch that
   *     begins with the same change, see {@link Changes#subscribe}. It may have more changes then
   */
  void changed(List<Change<K, V>> changes) throws Exception;
}
