package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.journal.Presence;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableCursor;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent set, in no particular order, from {@code Store.set}. Behaves as the keys of a {@link
 * PersistentMap} do, also when it changes while it is gone over.
 *
 * @param <E> the elements; their codec decides which are equal
 */
public final class PersistentSet<E> extends PersistentCollection {

  static final String KIND = "set";

  private final EntryCodec<E> elements;
  private final HashTable table;
  private final @Nullable MapJournal journal;

  PersistentSet(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable MapJournal journal) {
    super(transactions, found);
    this.journal = journal;
    this.elements = new EntryCodec<>(elements);
    this.table = HashTable.of(found, elements.fixedLength(), 0);
  }

  static String type(Codec<?> elements) {
    return KIND + " of " + elements.name();
  }

  private long begin(Words words, E element) {
    encode(words, elements, element, table.beginImage(words), "element", MAX_KEY_BYTES);
    return table.endKey(words);
  }

  /**
   * Adds an element.
   *
   * @return whether it is new
   */
  public boolean add(Tx tx, E element) {
    Words words = words(tx);
    long hash = begin(words, element);
    table.endValue(words);
    words.operations.begin();
    boolean isNew = table.put(words, hash);
    if (isNew && journal != null) {
      CollectionScratch scratch = CollectionScratch.of(words);
      EncodingBuffer image = scratch.image;
      journal.stored().put(words, image, table.keyOffset(), scratch.keyLength, image.length());
    }
    words.operations.end();
    if (isNew) {
      CollectionScratch scratch = CollectionScratch.of(words);
      requireRepeatable(
          words, elements, element, scratch.image, table.keyOffset(), scratch.keyLength);
    }
    return isNew;
  }

  /** Returns whether an element is in the set. */
  public boolean contains(Tx tx, E element) {
    Words words = words(tx);
    return table.contains(words, begin(words, element));
  }

  /**
   * Removes an element.
   *
   * @return whether it was there
   */
  public boolean remove(Tx tx, E element) {
    Words words = words(tx);
    long hash = begin(words, element);
    words.operations.begin();
    boolean isRemoved = table.remove(words, hash);
    if (isRemoved && journal != null) {
      CollectionScratch scratch = CollectionScratch.of(words);
      journal
          .stored()
          .removed(
              words, ChangeLayout.REMOVED, scratch.image, table.keyOffset(), scratch.keyLength);
    }
    words.operations.end();
    return isRemoved;
  }

  /**
   * Returns what reads the changes of this set, and calls listeners with them: a {@code Put} of the
   * element, with the value true, when it is added, and a {@code Removed}. Adding an element that
   * is there is no change.
   *
   * @throws IllegalArgumentException if the set has no {@link ChangeJournal}
   */
  public Changes<E, Boolean> changes() {
    return changes(journal, ChangeCodec.of(elements, new EntryCodec<>(Presence.CODEC)));
  }

  /** Counts the elements, in constant time. */
  public long size(Tx tx) {
    return table.size(words(tx));
  }

  /** Returns all elements. */
  public Stream<E> stream(Tx tx) {
    return new ElementIterator(tx).stream();
  }

  /** Returns all elements. */
  public Iterator<E> iterator(Tx tx) {
    return new ElementIterator(tx);
  }

  private final class ElementIterator extends TransactionIterator<E> {
    private final HashTableCursor cursor = new HashTableCursor(table);

    ElementIterator(Tx tx) {
      super(tx);
      words(tx);
    }

    @Override
    @Nullable E advance() {
      Words words = words(tx);
      long entry = cursor.next(words);
      return entry == 0 ? null : elements.decode(words, table.key(words, entry));
    }
  }
}
