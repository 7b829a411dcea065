package io.howdah.collections;

import io.howdah.collections.index.MaintainedIndex;
import io.howdah.collections.index.MapIndexes;
import io.howdah.collections.journal.MapJournal;
import io.howdah.core.ReadOnlyStoreException;
import io.howdah.txn.words.Words;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which a map of either kind changes an entry, together with its indexes and its
 * journal. Before a put, the map calls {@link #removePast}. The put changes the indexes, appends to
 * the journal and puts the entry. A removal changes the indexes, removes the entry and appends to
 * the journal. The writes are one operation, so a caller that goes back finds all of them or none.
 *
 * <p>Most maps have neither indexes nor a journal. Such a map asks {@link #isNone} and goes to its
 * table or tree at once. Thread-safe.
 */
final class EntryChanges<K, V> {

  private static final EntryChanges<?, ?> NONE = new EntryChanges<>(null, null);

  private final @Nullable MapIndexes<K, V> indexes;
  private final @Nullable MapJournal journal;
  private final boolean isNone;

  private EntryChanges(@Nullable MapIndexes<K, V> indexes, @Nullable MapJournal journal) {
    this.indexes = indexes;
    this.journal = journal;
    this.isNone = indexes == null && journal == null;
  }

  /**
   * Returns the changes of a map's entries.
   *
   * @param indexes those of the map, or null if it has none
   * @param journal where transactions leave what they change, or null
   */
  static <K, V> EntryChanges<K, V> of(
      @Nullable MapIndexes<K, V> indexes, @Nullable MapJournal journal) {
    return indexes == null && journal == null ? none() : new EntryChanges<>(indexes, journal);
  }

  /** Returns those of a map without indexes and journal. */
  @SuppressWarnings("unchecked") // it holds neither keys nor values
  static <K, V> EntryChanges<K, V> none() {
    return (EntryChanges<K, V>) NONE;
  }

  /** Returns whether nothing but the entry changes. */
  boolean isNone() {
    return isNone;
  }

  /** Returns whether a removal needs the key, not only its bytes. */
  boolean needsKey() {
    return indexes != null;
  }

  /** Throws if the map was opened to read. */
  void requireChangeable(Words words) {
    if (indexes != null) {
      indexes.requireChangeable(words);
    }
  }

  /**
   * Returns what searches an index of the map.
   *
   * @throws ReadOnlyStoreException if the index was not built to its end
   */
  <X> PersistentIndex<X, K, V> search(KeyedCollection<K, V> map, Index<V, X> declaration) {
    @SuppressWarnings("unchecked") // made of this declaration
    MaintainedIndex<V, X, K> own =
        indexes == null ? null : (MaintainedIndex<V, X, K>) indexes.find(declaration);
    if (own == null) {
      throw new IllegalArgumentException(
          map + " was not opened with the " + declaration + "; pass it where the map is opened");
    }
    if (!own.isFinished()) {
      throw new ReadOnlyStoreException(
          map
              + " lacks a part of the "
              + declaration
              + ", which was being built when its store was last open: open the store for"
              + " writing, with the index, to complete it");
    }
    return new PersistentIndex<>(map, own);
  }

  /** Returns the map's journal, or null. */
  @Nullable MapJournal journal() {
    return journal;
  }

  /**
   * Removes entries that have expired and whose places in unique indexes a new value takes. To be
   * called before the entry is encoded, since it uses the scratch.
   */
  void removePast(Words words, KeyedCollection<K, V> map, K key, V value) {
    if (indexes != null && map.expires()) {
      for (K other : indexes.holders(words, map.asIndexed(), key, value)) {
        map.removePast(words, other);
      }
    }
  }

  /**
   * Puts the entry in the scratch.
   *
   * @param at what the map needs to find the key in the scratch: its hash or its length
   * @return whether the key is new
   */
  boolean put(Words words, KeyedCollection<K, V> map, K key, V value, long at) {
    MapIndexes.Change change =
        indexes == null
            ? null
            : indexes.change(
                words,
                map.asIndexed(),
                key,
                map.storedValue(words, at),
                value); // calls the program
    words.operations.begin();
    if (indexes != null && change != null) {
      indexes.apply(words, map.asIndexed(), change);
    }
    if (journal != null) { // before the entry: a tree writes over the image
      map.appendPut(words, journal.stored(), at);
    }
    boolean isNew = map.putEntry(words, at);
    words.operations.end();
    return isNew;
  }

  /**
   * Removes the entry of the key in the scratch, expired or not, and returns whether it was there.
   *
   * @param key may be null unless {@link #needsKey}
   * @param at what the map needs to find the key in the scratch: its hash or its length
   * @param kind of the change in the journal
   */
  boolean remove(Words words, KeyedCollection<K, V> map, @Nullable K key, long at, int kind) {
    MapIndexes.Change change = null;
    if (indexes != null && key != null) {
      V value = map.storedValue(words, at);
      if (value == null) {
        return false;
      }
      change = indexes.change(words, map.asIndexed(), key, value, null);
    }
    words.operations.begin();
    if (indexes != null && change != null) {
      indexes.apply(words, map.asIndexed(), change);
    }
    boolean isRemoved = map.removeEntry(words, at);
    if (isRemoved && journal != null) {
      map.appendRemoved(words, journal.stored(), at, kind);
    }
    words.operations.end();
    return isRemoved;
  }
}
