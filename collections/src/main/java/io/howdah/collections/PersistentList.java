package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.DoublingChunks;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.ListBlocks;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.core.layout.EntryLayout;
import io.howdah.core.layout.ListLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent list, from {@code Store.list}. Elements are found by index, and added and removed at
 * the end, in constant time; in between, everything behind moves. The list grows without being
 * copied.
 *
 * <p>Iterators and streams go by index, and may go on while their transaction changes the list or
 * rolls back: each step shows the element that its index has then. So what is inserted or removed
 * before it moves the others past it.
 *
 * <p>Every addition and removal changes the size, so such transactions conflict with one another.
 *
 * @param <E> the elements
 */
public final class PersistentList<E> extends PersistentCollection {

  static final String KIND = "list";

  private static final EntryCodec<Long> INDEXES = new EntryCodec<>(Codec.int64());

  private final EntryCodec<E> elements;
  private final int fixed;
  private final @Nullable MapJournal journal;

  PersistentList(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable MapJournal journal) {
    this(transactions, found, elements, journal, null);
  }

  /** Creates a handle, of a list that belongs to an object if there is a home. */
  PersistentList(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable MapJournal journal,
      @Nullable CollectionHome home) {
    super(transactions, found, home);
    this.journal = journal;
    this.elements = new EntryCodec<>(elements);
    this.fixed = elements.fixedLength();
  }

  @Override
  long createHeader(Words words, long incarnation) {
    return create(words, incarnation, fixed);
  }

  static String type(Codec<?> elements) {
    return KIND + " of " + elements.name();
  }

  static long create(Words words, long incarnation, int fixed) {
    long address = words.heap.allocate(ListLayout.LENGTH);
    CollectionHeader.write(words, address, ListLayout.MAGIC, incarnation, 0, fixed);
    return address;
  }

  private long size(Words words) {
    return address() == 0 ? 0 : ListBlocks.size(words, address());
  }

  private long wordAddress(Words words, long index) {
    return DoublingChunks.address(
        words, address() + ListLayout.DIRECTORY_OFFSET, index, Long.BYTES);
  }

  /** Encodes an element into the scratch; what follows writes it. */
  private void encode(Words words, E element) {
    EncodingBuffer image = Elements.begin(words);
    encode(words, elements, element, image, "element", MAX_VALUE_BYTES);
  }

  private E decode(Words words, long at) {
    return elements.decode(words, Elements.read(words, words.getUnchecked(at), fixed));
  }

  private void requireIndex(Words words, long index, long bound) {
    if (index < 0 || index >= bound) {
      throw words.refuse(
          new IndexOutOfBoundsException(
              "index " + index + " of " + this + ", whose size is " + size(words)));
    }
  }

  /** Returns how many elements there are. */
  public long size(Tx tx) {
    return size(words(tx));
  }

  /**
   * Returns the element at an index.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public E get(Tx tx, long index) {
    Words words = words(tx);
    requireIndex(words, index, size(words));
    return decode(words, wordAddress(words, index));
  }

  /**
   * Puts an element in the place of another one.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public void set(Tx tx, long index, E element) {
    Words words = words(tx);
    encode(words, element);
    requireIndex(words, index, size(words)); // behind the codec, which may have changed it
    words.operations.begin();
    long at = wordAddress(words, index);
    Elements.free(words, words.getUnchecked(at), fixed); // first: it may make the room
    leaveRemoved(words, index);
    leavePut(words, index);
    words.putUnchecked(at, Elements.write(words, fixed));
    words.operations.end();
  }

  /** Adds an element behind all others. */
  public void add(Tx tx, E element) {
    Words words = words(tx);
    encode(words, element);
    requirePresent(words);
    words.operations.begin();
    long size = size(words);
    leavePut(words, size);
    append(words, size);
    words.operations.end();
  }

  /** Leaves in the journal that the element in the scratch comes to an index; pads nothing yet. */
  private void leavePut(Words words, long index) {
    if (journal != null) {
      EncodingBuffer image = CollectionScratch.of(words).image;
      journal.stored().put(words, key(words, index), image, EntryLayout.BYTES_OFFSET);
    }
  }

  private void leaveRemoved(Words words, long index) {
    if (journal != null) {
      journal.stored().removed(words, ChangeLayout.REMOVED, key(words, index), 0, Long.BYTES);
    }
  }

  private static EncodingBuffer key(Words words, long index) {
    EncodingBuffer key = CollectionScratch.of(words).other;
    key.clear();
    Codec.int64().encode(index, key);
    return key;
  }

  private void append(Words words, long size) {
    long word = Elements.write(words, fixed);
    DoublingChunks.require(words, address() + ListLayout.DIRECTORY_OFFSET, size, Long.BYTES);
    words.putUnchecked(wordAddress(words, size), word);
    words.putUnchecked(address() + ListLayout.SIZE_OFFSET, size + 1);
  }

  /**
   * Adds an element at an index; those from there on move up by one.
   *
   * @throws IndexOutOfBoundsException if the list is shorter
   */
  public void add(Tx tx, long index, E element) {
    Words words = words(tx);
    encode(words, element);
    long size = size(words); // behind the codec, which may have changed it
    requireIndex(words, index, size + 1);
    requirePresent(words);
    words.operations.begin();
    leavePut(words, index);
    append(words, size);
    long word = words.getUnchecked(wordAddress(words, size));
    for (long i = size; i > index; i--) {
      words.putUnchecked(wordAddress(words, i), words.getUnchecked(wordAddress(words, i - 1)));
    }
    words.putUnchecked(wordAddress(words, index), word);
    words.operations.end();
  }

  /**
   * Removes the element at an index; those behind it move down by one.
   *
   * @return the element
   * @throws IndexOutOfBoundsException if there is none
   */
  public E remove(Tx tx, long index) {
    Words words = words(tx);
    long size = size(words);
    requireIndex(words, index, size);
    long word = words.getUnchecked(wordAddress(words, index));
    long changes = words.operations.changes();
    E element = decode(words, wordAddress(words, index));
    locate(words);
    if (changes != words.operations.changes() && !isThere(words, index, size, word)) {
      throw changedByCodec(words, elements);
    }
    words.operations.begin();
    Elements.free(words, words.getUnchecked(wordAddress(words, index)), fixed);
    for (long i = index; i < size - 1; i++) {
      words.putUnchecked(wordAddress(words, i), words.getUnchecked(wordAddress(words, i + 1)));
    }
    words.putUnchecked(address() + ListLayout.SIZE_OFFSET, size - 1);
    leaveRemoved(words, index);
    words.operations.end();
    return element;
  }

  /**
   * Returns whether an element is still where it was, and what it was when it was read last:
   * another one may have its block by now.
   */
  private boolean isThere(Words words, long index, long size, long word) {
    return size == size(words)
        && words.getUnchecked(wordAddress(words, index)) == word
        && Elements.isAsRead(words, word, fixed);
  }

  /** Removes the last element and returns it, or null if there is none. */
  public @Nullable E removeLast(Tx tx) {
    long size = size(words(tx));
    return size == 0 ? null : remove(tx, size - 1);
  }

  /** Returns all elements in their order. */
  public Stream<E> stream(Tx tx) {
    return new ElementIterator(tx).stream();
  }

  /** Returns all elements in their order. */
  public Iterator<E> iterator(Tx tx) {
    return new ElementIterator(tx);
  }

  /**
   * Returns this list as one of {@code java.util} within a transaction, with which it ends. Its
   * iterators go by index, as those of this class, and may remove, set and add elements. Its size
   * is at most {@link Integer#MAX_VALUE}. An index that is not there changes nothing, and does not
   * end the transaction. Elements are the same if they are equal, if they are arrays with equal
   * elements, or if their encodings are the same bytes; in a {@code subList}, if they are equal.
   */
  public List<E> asList(Tx tx) {
    return new ListView<>(this, tx);
  }

  /**
   * Returns what reads the changes of this list, and calls listeners with them. The key of a change
   * is an index: a {@code Put} inserts an element there, and those from there on move up by one; a
   * {@code Removed} takes the one there away, and those behind it move down. An element that is put
   * in the place of another is a {@code Removed} and a {@code Put}.
   *
   * @throws IllegalArgumentException if the list has no {@link ChangeJournal}
   */
  public Changes<Long, E> changes() {
    return changes(journal, ChangeCodec.of(INDEXES, elements));
  }

  /** Returns the codec of the elements. */
  EntryCodec<E> codec() {
    return elements;
  }

  private final class ElementIterator extends TransactionIterator<E> {
    private long index;

    ElementIterator(Tx tx) {
      super(tx);
      words(tx);
    }

    @Override
    @Nullable E advance() {
      Words words = words(tx);
      return index < size(words) ? decode(words, wordAddress(words, index++)) : null;
    }
  }
}
