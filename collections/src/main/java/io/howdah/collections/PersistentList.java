package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.Encoder;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.CollectionHome;
import io.howdah.collections.structure.DoublingChunks;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.ListBlocks;
import io.howdah.core.layout.ListLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.Transactions;
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

  private final EntryCodec<E> elements;
  private final int fixed;

  PersistentList(Transactions transactions, FoundCollection found, Codec<E> elements) {
    this(transactions, found, elements, null);
  }

  /** Creates a handle, of a list that belongs to an object if there is a home. */
  PersistentList(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable CollectionHome home) {
    super(transactions, found, home);
    this.elements = new EntryCodec<>(elements);
    this.fixed = elements.fixedLength();
  }

  @Override
  long createHeader(TxContext context, long incarnation) {
    return create(context, incarnation, fixed);
  }

  static String type(Codec<?> elements) {
    return KIND + " of " + elements.name();
  }

  static long create(TxContext context, long incarnation, int fixed) {
    long address = context.heap.allocate(ListLayout.LENGTH);
    CollectionHeader.write(context, address, ListLayout.MAGIC, incarnation, 0, fixed);
    return address;
  }

  private long size(TxContext context) {
    return address() == 0 ? 0 : ListBlocks.size(context, address());
  }

  private long wordAddress(TxContext context, long index) {
    return DoublingChunks.address(
        context, address() + ListLayout.DIRECTORY_OFFSET, index, Long.BYTES);
  }

  /** Encodes an element into the scratch; what follows writes it. */
  private void encode(TxContext context, E element) {
    Encoder image = Elements.begin(context);
    encode(context, elements, element, image, "element", MAX_VALUE_BYTES);
  }

  private E decode(TxContext context, long at) {
    return elements.decode(context, Elements.read(context, context.getUnchecked(at), fixed));
  }

  private void requireIndex(TxContext context, long index, long bound) {
    if (index < 0 || index >= bound) {
      throw context.refuse(
          new IndexOutOfBoundsException(
              "index " + index + " of " + this + ", whose size is " + size(context)));
    }
  }

  /** Returns how many elements there are. */
  public long size(Tx tx) {
    return size(context(tx));
  }

  /**
   * Returns the element at an index.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public E get(Tx tx, long index) {
    TxContext context = context(tx);
    requireIndex(context, index, size(context));
    return decode(context, wordAddress(context, index));
  }

  /**
   * Puts an element in the place of another one.
   *
   * @throws IndexOutOfBoundsException if there is none
   */
  public void set(Tx tx, long index, E element) {
    TxContext context = context(tx);
    encode(context, element);
    requireIndex(context, index, size(context)); // behind the codec, which may have changed it
    context.operations.begin();
    long at = wordAddress(context, index);
    Elements.free(context, context.getUnchecked(at), fixed); // first: it may make the room
    context.putUnchecked(at, Elements.write(context, fixed));
    context.operations.end();
  }

  /** Adds an element behind all others. */
  public void add(Tx tx, E element) {
    TxContext context = context(tx);
    encode(context, element);
    requirePresent(context);
    context.operations.begin();
    append(context, size(context));
    context.operations.end();
  }

  private void append(TxContext context, long size) {
    long word = Elements.write(context, fixed);
    DoublingChunks.require(context, address() + ListLayout.DIRECTORY_OFFSET, size, Long.BYTES);
    context.putUnchecked(wordAddress(context, size), word);
    context.putUnchecked(address() + ListLayout.SIZE_OFFSET, size + 1);
  }

  /**
   * Adds an element at an index; those from there on move up by one.
   *
   * @throws IndexOutOfBoundsException if the list is shorter
   */
  public void add(Tx tx, long index, E element) {
    TxContext context = context(tx);
    encode(context, element);
    long size = size(context); // behind the codec, which may have changed it
    requireIndex(context, index, size + 1);
    requirePresent(context);
    context.operations.begin();
    append(context, size);
    long word = context.getUnchecked(wordAddress(context, size));
    for (long i = size; i > index; i--) {
      context.putUnchecked(
          wordAddress(context, i), context.getUnchecked(wordAddress(context, i - 1)));
    }
    context.putUnchecked(wordAddress(context, index), word);
    context.operations.end();
  }

  /**
   * Removes the element at an index; those behind it move down by one.
   *
   * @return the element
   * @throws IndexOutOfBoundsException if there is none
   */
  public E remove(Tx tx, long index) {
    TxContext context = context(tx);
    long size = size(context);
    requireIndex(context, index, size);
    long word = context.getUnchecked(wordAddress(context, index));
    long changes = context.operations.changes();
    E element = decode(context, wordAddress(context, index));
    locate(context);
    if (changes != context.operations.changes() && !isThere(context, index, size, word)) {
      throw changedByCodec(context, elements);
    }
    context.operations.begin();
    Elements.free(context, context.getUnchecked(wordAddress(context, index)), fixed);
    for (long i = index; i < size - 1; i++) {
      context.putUnchecked(
          wordAddress(context, i), context.getUnchecked(wordAddress(context, i + 1)));
    }
    context.putUnchecked(address() + ListLayout.SIZE_OFFSET, size - 1);
    context.operations.end();
    return element;
  }

  /**
   * Returns whether an element is still where it was, and what it was when it was read last:
   * another one may have its block by now.
   */
  private boolean isThere(TxContext context, long index, long size, long word) {
    return size == size(context)
        && context.getUnchecked(wordAddress(context, index)) == word
        && Elements.isAsRead(context, word, fixed);
  }

  /** Removes the last element and returns it, or null if there is none. */
  public @Nullable E removeLast(Tx tx) {
    long size = size(context(tx));
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
   * end the transaction.
   */
  public List<E> asList(Tx tx) {
    return new ListView<>(this, tx);
  }

  private final class ElementIterator extends TransactionIterator<E> {
    private long index;

    ElementIterator(Tx tx) {
      super(tx);
      context(tx);
    }

    @Override
    @Nullable E advance() {
      TxContext context = context(tx);
      return index < size(context) ? decode(context, wordAddress(context, index++)) : null;
    }
  }
}
