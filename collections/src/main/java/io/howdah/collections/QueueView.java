package io.howdah.collections;

import io.howdah.collections.views.ViewCalls;
import io.howdah.collections.views.ViewSpliterator;
import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.TxFunction;
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.RunningTx;
import io.howdah.txn.words.Transactions;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Spliterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PersistentQueue} as a {@link BlockingQueue}, each of whose operations is a transaction
 * of its own. Waiting operations wait for a change of what they have read. Thread-safe.
 */
final class QueueView<E> extends AbstractQueue<E> implements BlockingQueue<E> {

  private static final long NO_LIMIT = Long.MAX_VALUE;

  private static final int ELEMENTS_IN_A_TRANSACTION = ViewCalls.ENTRIES_IN_A_TRANSACTION;

  private final PersistentQueue<E> queue;
  private final Transactions transactions;
  private final ViewCalls calls;
  private final int capacity;

  /**
   * Makes a view.
   *
   * @param capacity number of elements from which on it does not add; {@link Integer#MAX_VALUE} for
   *     any number
   */
  QueueView(PersistentQueue<E> queue, Transactions transactions, int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException(
          "the capacity of " + queue + " is at least 1, not " + capacity);
    }
    this.queue = queue;
    this.transactions = transactions;
    this.calls = ViewCalls.each(transactions);
    this.capacity = capacity;
  }

  // ---- Adding.

  @Override
  public boolean offer(E element) {
    Objects.requireNonNull(element);
    return calls.call(added(element)).isPresent();
  }

  @Override
  public boolean offer(E element, long timeout, TimeUnit unit) throws InterruptedException {
    Objects.requireNonNull(element);
    return await(unit.toNanos(timeout), added(element)).isPresent();
  }

  @Override
  public void put(E element) throws InterruptedException {
    Objects.requireNonNull(element);
    await(NO_LIMIT, added(element));
  }

  /** Adds an element if there is space; returns nothing if there is none. */
  private TxFunction<Optional<E>, RuntimeException> added(E element) {
    return tx -> {
      // Without a capacity the size is not read, so producers do not conflict with consumers.
      if (capacity != Integer.MAX_VALUE && queue.size(tx) >= capacity) {
        return Optional.empty();
      }
      queue.add(tx, element);
      return Optional.of(element);
    };
  }

  // ---- Taking.

  @Override
  public E take() throws InterruptedException {
    return await(NO_LIMIT, tx -> Optional.ofNullable(queue.poll(tx))).orElseThrow();
  }

  @Override
  public @Nullable E poll(long timeout, TimeUnit unit) throws InterruptedException {
    return await(unit.toNanos(timeout), tx -> Optional.ofNullable(queue.poll(tx))).orElse(null);
  }

  @Override
  public @Nullable E poll() {
    return calls.call(tx -> Optional.ofNullable(queue.poll(tx))).orElse(null);
  }

  @Override
  public @Nullable E peek() {
    return calls.call(tx -> Optional.ofNullable(queue.peek(tx))).orElse(null);
  }

  @Override
  public int drainTo(Collection<? super E> taken) {
    return drainTo(taken, Integer.MAX_VALUE);
  }

  /**
   * Takes the elements in transactions of at most {@value #ELEMENTS_IN_A_TRANSACTION}, and hands
   * out those of each once it has committed. Elements that are added meanwhile may stay.
   */
  @Override
  @SuppressWarnings("ReferenceEquality") // this very view
  public int drainTo(Collection<? super E> taken, int maxElements) {
    Objects.requireNonNull(taken);
    if (taken == this) {
      throw new IllegalArgumentException(queue + " cannot be drained into itself");
    }
    if (maxElements <= 0) {
      return 0;
    }
    return takeInPieces(maxElements, taken::addAll);
  }

  @Override
  public void clear() {
    takeInPieces(Integer.MAX_VALUE, _ -> {});
  }

  /**
   * Takes elements that are in the queue now, at most so many, and returns how many. One
   * transaction cannot take all of a long queue. The size at the start bounds the loop: otherwise
   * producers could keep it running for ever.
   */
  private int takeInPieces(int maxElements, Consumer<List<E>> taker) {
    int left = Math.min(maxElements, size());
    int piece = ELEMENTS_IN_A_TRANSACTION;
    int taken = 0;
    while (left > 0) {
      int asked = Math.min(left, piece);
      List<E> elements;
      try {
        elements = calls.call(tx -> queue.poll(tx, asked));
      } catch (TransactionTooLargeException e) {
        if (asked == 1) {
          throw e;
        }
        piece = asked / 2;
        continue;
      }
      taker.accept(elements);
      taken += elements.size();
      left = elements.size() < asked ? 0 : left - asked;
    }
    return taken;
  }

  /**
   * Repeats an attempt that has found nothing once something has changed that it has read, until a
   * time is over.
   */
  private <T> Optional<T> await(long nanos, TxFunction<Optional<T>, RuntimeException> attempt)
      throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    RetryLimit limit = new RetryLimit(transactions.execution(), nanos, true);
    return transactions.call(
        tx -> {
          Optional<T> found = attempt.call(tx);
          if (found.isEmpty() && Thread.interrupted()) {
            throw new InterruptedException();
          }
          if (found.isEmpty() && !limit.isTimeOver()) {
            throw RunningTx.of(tx).retry(limit);
          }
          return found;
        });
  }

  // ---- Looking.

  @Override
  public int size() {
    return (int) Math.min(Integer.MAX_VALUE, calls.call(queue::size));
  }

  @Override
  public int remainingCapacity() {
    return capacity == Integer.MAX_VALUE ? capacity : Math.max(0, capacity - size());
  }

  @Override
  public boolean contains(@Nullable Object element) {
    for (E each : this) {
      if (queue.codec().isSame(each, element)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Spliterator<E> spliterator() {
    return ViewSpliterator.of(iterator(), Spliterator.ORDERED);
  }

  /** Shows a copy, of which nothing can be removed. */
  @Override
  public Iterator<E> iterator() {
    return calls.iterate(tx -> queue.stream(tx).iterator());
  }
}
