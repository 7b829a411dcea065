package io.howdah.collections;

import io.howdah.collections.catalogue.Catalogue;
import io.howdah.collections.catalogue.CollectionBlocks;
import io.howdah.collections.index.IndexCatalogue;
import io.howdah.collections.index.MaintainedIndex;
import io.howdah.collections.index.MapIndexes;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.List;
import java.util.Optional;

/**
 * Adds the entries that a map has to a new index, in transactions of some entries each. Others
 * change the map meanwhile; they have the index too.
 *
 * <p>In each state that a crash can leave, the index is marked as unfinished, and holds the place
 * that a walk through the map has reached. These are true of it:
 *
 * <ul>
 *   <li>what it shows, the map has: whoever changes an entry takes out what the former value has in
 *       it, and a step adds what the map has in the step's own transaction;
 *   <li>what the walk has passed, and what has changed since the index was made, is in it: a step
 *       moves the place in the transaction that adds the entries, and whoever changes an entry adds
 *       what the new value has.
 * </ul>
 *
 * <p>A walk shows each key that is in the map from its beginning to its end: that of a sorted map,
 * because it goes by the keys, and its place is a key. So when it has ended all entries are in the
 * index, and the transaction of the last step marks it as finished.
 */
final class IndexBuild<K, V> {

  private static final int STEP_ENTRIES = 64;

  private final Transactions transactions;
  private final Catalogue catalogue;
  private final KeyedCollection<K, V> map;
  private final MaintainedIndex<V, ?, K> index;
  private final MapIndexes<K, V> alone;

  IndexBuild(
      Transactions transactions,
      Catalogue catalogue,
      KeyedCollection<K, V> map,
      MaintainedIndex<V, ?, K> index) {
    this.transactions = transactions;
    this.catalogue = catalogue;
    this.map = map;
    this.index = index;
    this.alone = new MapIndexes<>(List.of(index));
  }

  /**
   * Builds the index, or goes on with it. If an entry cannot be in it, the index is dropped, and
   * the reason is thrown.
   */
  void run() {
    try {
      int entries = STEP_ENTRIES;
      while (entries != 0) {
        entries = steps(entries);
      }
    } catch (RuntimeException e) {
      try {
        transactions.call(TxOptions.sync(), this::abandon);
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
    index.finished();
    transactions.call(TxOptions.sync(), this::find); // waits until the last step is durable
  }

  /** Takes steps of so many entries; returns how many the next may have, 0 if none is needed. */
  private int steps(int entries) {
    try {
      while (!transactions.call(TxOptions.async(), tx -> step(tx, entries))) {
        // The next step goes on where this one has ended.
      }
      return 0;
    } catch (TransactionTooLargeException e) {
      if (entries == 1) {
        throw e;
      }
      return entries / 2;
    }
  }

  /** Returns the index as the store has it, if it still has it. */
  private Optional<FoundCollection> find(Tx tx) {
    FoundCollection found = catalogue.find(map.words(tx), index.found().name());
    return Optional.ofNullable(found);
  }

  /** Adds some entries; returns whether these were the last. */
  private boolean step(Tx tx, int entries) {
    Words words = map.words(tx); // has the index, or the map's incarnation is another
    FoundCollection found = find(tx).orElse(null);
    if (found == null || !IndexCatalogue.isUnfinished(found)) {
      return true; // another thread that has opened the map has taken the last step
    }
    boolean isWhole =
        map.buildStep(tx, index.tree(), entries, (key, value) -> add(words, key, value));
    if (isWhole) {
      catalogue.retype(words, found, IndexCatalogue.finishedType(found));
    }
    return isWhole;
  }

  private void add(Words words, K key, V value) {
    MapIndexes.Change change = alone.change(words, map.asIndexed(), key, null, value);
    words.operations.begin();
    alone.apply(words, map.asIndexed(), change);
    words.operations.end();
  }

  private boolean abandon(Tx tx) {
    Words words = map.words(tx);
    FoundCollection found = find(tx).orElse(null);
    if (found == null || !IndexCatalogue.isUnfinished(found)) {
      return false;
    }
    catalogue.remove(words, found.name());
    CollectionBlocks.drop(words, found);
    IndexCatalogue.dropped(catalogue, words, found);
    return true;
  }
}
