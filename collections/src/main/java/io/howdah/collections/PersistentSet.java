package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.HashTable;
import io.howdah.collections.structure.HashTableCursor;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.Transactions;
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

  PersistentSet(Transactions transactions, FoundCollection found, Codec<E> elements) {
    super(transactions, found);
    this.elements = new EntryCodec<>(elements);
    this.table = HashTable.of(found, elements.fixedLength(), 0);
  }

  static String type(Codec<?> elements) {
    return KIND + " of " + elements.name();
  }

  private long begin(TxContext context, E element) {
    encode(context, elements, element, table.beginImage(context), "element", MAX_KEY_BYTES);
    return table.endKey(context);
  }

  /**
   * Adds an element.
   *
   * @return whether it is new
   */
  public boolean add(Tx tx, E element) {
    TxContext context = context(tx);
    long hash = begin(context, element);
    table.endValue(context);
    boolean isNew = table.put(context, hash);
    if (isNew) {
      CollectionScratch scratch = CollectionScratch.of(context);
      requireRepeatable(
          context, elements, element, scratch.image, table.keyOffset(), scratch.keyLength);
    }
    return isNew;
  }

  /** Returns whether an element is in the set. */
  public boolean contains(Tx tx, E element) {
    TxContext context = context(tx);
    return table.contains(context, begin(context, element));
  }

  /**
   * Removes an element.
   *
   * @return whether it was there
   */
  public boolean remove(Tx tx, E element) {
    TxContext context = context(tx);
    return table.remove(context, begin(context, element));
  }

  /** Counts the elements, in constant time. */
  public long size(Tx tx) {
    return table.size(context(tx));
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
      context(tx);
    }

    @Override
    @Nullable E advance() {
      TxContext context = context(tx);
      long entry = cursor.next(context);
      return entry == 0 ? null : elements.decode(context, table.key(context, entry));
    }
  }
}
