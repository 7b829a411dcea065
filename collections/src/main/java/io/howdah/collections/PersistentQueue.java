package io.howdah.collections;

import io.howdah.codec.Codec;
import io.howdah.codec.bytes.EncodingBuffer;
import io.howdah.collections.changes.Changes;
import io.howdah.collections.journal.ChangeCodec;
import io.howdah.collections.journal.MapJournal;
import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.CollectionScratch;
import io.howdah.collections.structure.EntryCodec;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.collections.structure.QueueBlocks;
import io.howdah.collections.structure.StoredNumbers;
import io.howdah.core.layout.ChangeLayout;
import io.howdah.core.layout.QueueLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A persistent first-in first-out queue for any number of producers and consumers, from {@code
 * Store.queue}. An element is taken by the transaction that commits, and by that one alone.
 *
 * <p>Producers do not conflict with consumers, as long as the queue is not empty; two producers do,
 * and so do two consumers: first in, first out leaves no choice.
 *
 * <p>Iterators and streams may go on while their transaction changes the queue or rolls back: an
 * element that is in the queue all the while is shown exactly once, in its order; one that is
 * polled, or whose addition is rolled back, is not shown afterwards; one that is added is shown
 * when its turn comes, unless it has the place of another that was shown and whose addition was
 * rolled back.
 *
 * @param <E> the elements
 */
public final class PersistentQueue<E> extends PersistentCollection {

  static final String KIND = "queue";

  private static final EntryCodec<Long> NUMBERS = new EntryCodec<>(Codec.int64());

  private final EntryCodec<E> elements;
  private final @Nullable MapJournal journal;

  PersistentQueue(
      Transactions transactions,
      FoundCollection found,
      Codec<E> elements,
      @Nullable MapJournal journal) {
    super(transactions, found);
    this.journal = journal;
    this.elements = new EntryCodec<>(elements);
  }

  static String type(Codec<?> elements) {
    return KIND + " of " + elements.name();
  }

  static long create(Words words, long incarnation, int fixed) {
    long address = words.heap.allocate(QueueLayout.LENGTH);
    CollectionHeader.write(words, address, QueueLayout.MAGIC, incarnation, 0, fixed);
    long segment = words.heap.allocate(QueueLayout.SEGMENT_BYTES);
    words.putUnchecked(address + QueueLayout.HEAD_SEGMENT_OFFSET, segment);
    words.putUnchecked(address + QueueLayout.TAIL_SEGMENT_OFFSET, segment);
    return address;
  }

  private static void freeElement(Words words, long slot) {
    if (words.getUnchecked(slot) - 1 > QueueLayout.MAX_INLINE_BYTES) {
      words.heap.free(words.getUnchecked(slot + QueueLayout.ELEMENT_OFFSET));
    }
  }

  /** Adds an element behind all others. */
  public void add(Tx tx, E element) {
    Words words = words(tx);
    EncodingBuffer image = CollectionScratch.of(words).image;
    image.clear();
    // The element's number, for the journal; what follows it is aligned.
    Codec.int64().encode(words.getUnchecked(address() + QueueLayout.ADDED_OFFSET), image);
    encode(words, elements, element, image, "element", MAX_VALUE_BYTES);
    words.operations.begin();
    if (journal != null) { // first: the write pads the image
      journal.stored().put(words, image, 0, Long.BYTES, Long.BYTES);
    }
    write(words, image, image.length() - Long.BYTES);
    words.operations.end();
  }

  private void write(Words words, EncodingBuffer image, int length) {
    long segment = words.getUnchecked(address() + QueueLayout.TAIL_SEGMENT_OFFSET);
    long number = words.getUnchecked(address() + QueueLayout.ADDED_OFFSET);
    if (QueueLayout.startsSegment(number)) {
      long next = words.heap.allocate(QueueLayout.SEGMENT_BYTES);
      words.putUnchecked(segment + QueueLayout.NEXT_OFFSET, next);
      words.putUnchecked(address() + QueueLayout.TAIL_SEGMENT_OFFSET, next);
      segment = next;
    }
    words.putUnchecked(address() + QueueLayout.ADDED_OFFSET, number + 1);
    long slot = QueueBlocks.slot(segment, number);
    words.putUnchecked(slot, length + 1L);
    image.padWord();
    long target = slot + QueueLayout.ELEMENT_OFFSET;
    if (length > QueueLayout.MAX_INLINE_BYTES) {
      target = words.heap.allocateUncleared(length);
      words.putUnchecked(slot + QueueLayout.ELEMENT_OFFSET, target);
    }
    words.putRange(target, image.array(), Long.BYTES, (length + Long.BYTES - 1) / Long.BYTES);
  }

  /** Takes the first element and returns it, or null if there is none. */
  public @Nullable E poll(Tx tx) {
    Words words = words(tx);
    long segment = words.getUnchecked(address() + QueueLayout.HEAD_SEGMENT_OFFSET);
    long number = words.getUnchecked(address() + QueueLayout.TAKEN_OFFSET);
    boolean isUsedUp = QueueLayout.startsSegment(number);
    long from = isUsedUp ? words.getUnchecked(segment + QueueLayout.NEXT_OFFSET) : segment;
    long slot = from == 0 ? 0 : QueueBlocks.slot(from, number);
    if (slot == 0 || words.getUnchecked(slot) == 0) {
      return null;
    }
    long rollBacks = words.operations.rollBacks();
    E element = decode(words, slot);
    if (words.getUnchecked(address() + QueueLayout.TAKEN_OFFSET) != number
        || words.operations.rollBacks() != rollBacks) { // which may have un-made the element
      throw changedByCodec(words, elements);
    }
    words.operations.begin();
    if (isUsedUp) {
      words.putUnchecked(address() + QueueLayout.HEAD_SEGMENT_OFFSET, from);
      words.heap.free(segment);
    }
    words.putUnchecked(address() + QueueLayout.TAKEN_OFFSET, number + 1);
    freeElement(words, slot);
    if (journal != null) {
      EncodingBuffer image = CollectionScratch.of(words).image;
      image.clear();
      Codec.int64().encode(number, image);
      journal.stored().removed(words, ChangeLayout.REMOVED, image, 0, Long.BYTES);
    }
    words.operations.end();
    return element;
  }

  /**
   * Takes up to so many of the first elements, in their order; none if the queue is empty.
   *
   * @param maxElements at least 1
   */
  public List<E> poll(Tx tx, int maxElements) {
    Words words = words(tx);
    if (maxElements < 1) {
      throw words.refuse(
          new IllegalArgumentException(
              "at least 1 element is taken from " + this + ", not " + maxElements));
    }
    List<E> taken = new ArrayList<>();
    while (taken.size() < maxElements) {
      E element = poll(tx);
      if (element == null) {
        break;
      }
      taken.add(element);
    }
    return taken;
  }

  /** Takes the first element. If there is none, the transaction waits by {@link Tx#retry}. */
  public E take(Tx tx) {
    E element = poll(tx);
    if (element == null) {
      throw tx.retry();
    }
    return element;
  }

  /**
   * Takes up to so many of the first elements, in their order. If there is none, the transaction
   * waits by {@link Tx#retry}.
   *
   * @param maxElements at least 1
   */
  public List<E> take(Tx tx, int maxElements) {
    List<E> taken = poll(tx, maxElements);
    if (taken.isEmpty()) {
      throw tx.retry();
    }
    return taken;
  }

  /** Returns the first element without taking it, or null if there is none. */
  public @Nullable E peek(Tx tx) {
    Iterator<E> first = new ElementIterator(tx);
    return first.hasNext() ? first.next() : null;
  }

  private E decode(Words words, long slot) {
    String what = "an element of a queue";
    long stored = words.getUnchecked(slot) - 1;
    int length = StoredNumbers.length(words, stored, MAX_VALUE_BYTES, slot, what);
    long source = slot + QueueLayout.ELEMENT_OFFSET;
    if (length > QueueLayout.MAX_INLINE_BYTES) {
      source = StoredNumbers.block(words, words.getUnchecked(source), Long.BYTES, source, what);
      StoredNumbers.end(words, source, length, what);
    }
    int count = (length + Long.BYTES - 1) / Long.BYTES;
    CollectionScratch scratch = CollectionScratch.of(words);
    byte[] bytes = scratch.bytes(count * Long.BYTES);
    words.getRange(source, bytes, 0, count);
    scratch.decoder.wrap(bytes, 0, length);
    return elements.decode(words, scratch.decoder);
  }

  /** Returns how many elements there are. Reads what producers and what consumers change. */
  public long size(Tx tx) {
    return QueueBlocks.size(words(tx), address());
  }

  /** Returns all elements in their order, without taking them. */
  public Stream<E> stream(Tx tx) {
    return new ElementIterator(tx).stream();
  }

  /**
   * Returns this queue as one of {@code java.util.concurrent}, each of whose operations is a
   * transaction of its own, in the store's default durability. See {@link #asBlockingQueue(int)}.
   * In the body of a transaction call the methods that take its {@code Tx}: what the view adds or
   * takes there stays so although the body is rolled back.
   */
  public BlockingQueue<E> asBlockingQueue() {
    return asBlockingQueue(Integer.MAX_VALUE);
  }

  /**
   * Returns this queue as one of {@code java.util.concurrent}, each of whose operations is a
   * transaction of its own, in the store's default durability. Methods that wait use no processor
   * time; an interrupt ends the wait, and nothing was added or taken then. An element that a method
   * has returned is no longer in the store: if the program dies before it is done with it, it is
   * lost. A program that must not lose it does its work in the transaction that takes it: {@link
   * #take(Tx)}.
   *
   * <p>{@code drainTo} and {@code clear} take the elements that are there when they begin, in
   * transactions of up to 1024 elements: other consumers may take some of them meanwhile. If one of
   * these transactions fails, the elements of the earlier ones were taken, and {@code drainTo} has
   * added them to its collection. {@link #poll(Tx, int)} takes all or nothing. An iterator shows a
   * copy, and removes nothing. {@code contains} finds an element by {@code equals}, or by the bytes
   * of its encoding.
   *
   * @param capacity number of elements from which on this view does not add; at least 1. It is not
   *     stored, and binds neither other views nor {@link #add}. Producers of a queue with a
   *     capacity conflict with its consumers
   */
  public BlockingQueue<E> asBlockingQueue(int capacity) {
    return new QueueView<>(this, transactions(), capacity);
  }

  /**
   * Returns what reads the changes of this queue, and calls listeners with them. The key of a
   * change is the number of the element, from 0 on in the order of additions: a {@code Put} when it
   * is added, and a {@code Removed} when it is taken.
   *
   * @throws IllegalArgumentException if the queue has no {@link ChangeJournal}
   */
  public Changes<Long, E> changes() {
    return changes(journal, ChangeCodec.of(NUMBERS, elements));
  }

  /** Returns the codec of the elements. */
  EntryCodec<E> codec() {
    return elements;
  }

  private final class ElementIterator extends TransactionIterator<E> {
    /** The segment of the element shown last, or the head's. */
    private long segment;

    /** The number of the next element. */
    private long number;

    private long changes;
    private long rollBacks;

    ElementIterator(Tx tx) {
      super(tx);
      Words words = words(tx);
      changes = words.operations.changes();
      rollBacks = words.operations.rollBacks();
      segment = words.getUnchecked(address() + QueueLayout.HEAD_SEGMENT_OFFSET);
      number = words.getUnchecked(address() + QueueLayout.TAKEN_OFFSET);
    }

    @Override
    @Nullable E advance() {
      Words words = words(tx);
      if (words.operations.changes() != changes) {
        changes = words.operations.changes();
        findAgain(words);
      }
      long put = words.getUnchecked(address() + QueueLayout.ADDED_OFFSET);
      if (number == put) {
        return null;
      }
      if (number < 0 || number > put) {
        throw words.inconsistentRead(address(), PersistentQueue.this.toString());
      }
      if (QueueLayout.startsSegment(number)) {
        segment = QueueBlocks.nextSegment(words, segment);
      }
      return decode(
          words, QueueBlocks.slot(QueueBlocks.requireSegment(words, segment, address()), number++));
    }

    /**
     * Goes on behind the element shown last, whatever the transaction has changed. A segment goes
     * when the head leaves it, so this one is there as long as the number is not before the head;
     * unless a roll-back has un-made it.
     */
    private void findAgain(Words words) {
      boolean rolledBack = words.operations.rollBacks() != rollBacks;
      rollBacks = words.operations.rollBacks();
      long taken = words.getUnchecked(address() + QueueLayout.TAKEN_OFFSET);
      if (number >= taken && !rolledBack) {
        return;
      }
      long put = words.getUnchecked(address() + QueueLayout.ADDED_OFFSET);
      segment = words.getUnchecked(address() + QueueLayout.HEAD_SEGMENT_OFFSET);
      number = Math.clamp(number, taken, Math.max(taken, put));
      for (long i = segmentBefore(taken); i < segmentBefore(number); i++) {
        segment = QueueBlocks.nextSegment(words, segment);
      }
    }

    /** Returns which segment a reader of an element comes from: that of the one before. */
    private long segmentBefore(long number) {
      return Math.max(0, number - 1) / QueueLayout.SLOTS;
    }
  }
}
