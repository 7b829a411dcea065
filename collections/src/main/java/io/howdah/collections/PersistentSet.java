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

  /** What the table has for each element that expires, behind its stamp. */
  private static final Codec<Boolean> PRESENT = Codec.bool();

  private final EntryCodec<E> elements;
  private final HashTable table;
  private final @Nullable MapJournal journal;

  /** The elements as keys of a map, if they expire: the map has their times. */
  private final @Nullable PersistentMap<E, Boolean> expiring;

  PersistentSet(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable MapJournal journal,
      @Nullable MapExpiry expiry) {
    super(transactions, found);
    this.journal = journal;
    this.elements = new EntryCodec<>(elements);
    this.table = HashTable.of(found, elements.fixedLength(), valueLength(expiry));
    this.expiring =
        expiry == null
            ? null
            : new PersistentMap<>(
                transactions, found, elements, PRESENT, EntryChanges.none(), expiry);
  }

  static String type(Codec<?> elements, @Nullable MapExpiry expiry) {
    String type = KIND + " of " + elements.name();
    return expiry == null ? type : MapExpiry.expiring(type);
  }

  /** Returns the length of what the table has as values. */
  static int valueLength(@Nullable MapExpiry expiry) {
    return expiry == null ? 0 : MapExpiry.valueLength(PRESENT.fixedLength(), expiry);
  }

  /**
   * Returns what says and changes when elements expire.
   *
   * @throws IllegalArgumentException if the set was opened without an {@link Expiry}
   */
  public ElementExpiry<E> expiry() {
    if (expiring == null) {
      throw new IllegalArgumentException(
          "the elements of " + this + " do not expire; pass an Expiry where a set is first opened");
    }
    return new ElementExpiry<>(expiring.expiry());
  }

  /** Lets the store remove elements in the background that have expired. */
  void reclaimInBackground() {
    if (expiring != null) {
      expiring.expiry().reclaimInBackground();
    }
  }

  private long begin(Words words, E element) {
    encode(words, elements, element, table.beginImage(words), "element", MAX_KEY_BYTES);
    return table.endKey(words);
  }

  /**
   * Adds an element. If elements expire, it gets a new time also if it is in the set.
   *
   * @return whether it is new
   */
  public boolean add(Tx tx, E element) {
    if (expiring != null) {
      boolean isNew = !expiring.containsKey(tx, element);
      expiring.put(tx, element, true);
      return isNew;
    }
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
    if (expiring != null) {
      return expiring.containsKey(tx, element);
    }
    Words words = words(tx);
    return table.contains(words, begin(words, element));
  }

  /**
   * Removes an element.
   *
   * @return whether it was there
   */
  public boolean remove(Tx tx, E element) {
    if (expiring != null) {
      return expiring.remove(tx, element);
    }
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

  /** Counts the elements, in constant time; if they expire, it goes through all of them. */
  public long size(Tx tx) {
    return expiring == null ? table.size(words(tx)) : expiring.size(tx);
  }

  /** Returns all elements. */
  public Stream<E> stream(Tx tx) {
    return expiring == null ? new ElementIterator(tx).stream() : expiring.keys(tx);
  }

  /** Returns all elements. */
  public Iterator<E> iterator(Tx tx) {
    return expiring == null ? new ElementIterator(tx) : expiring.keys(tx).iterator();
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
