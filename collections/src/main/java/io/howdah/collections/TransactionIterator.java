package io.howdah.collections;

import io.howdah.txn.Tx;
import io.howdah.txn.words.RunningTx;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** An iterator that looks one element ahead. It ends with its transaction. Not thread-safe. */
abstract class TransactionIterator<E> implements Iterator<E> {

  final Tx tx;
  private final RunningTx handle;
  private final int number;
  private @Nullable E ahead;

  TransactionIterator(Tx tx) {
    this.tx = tx;
    this.handle = RunningTx.of(tx);
    this.number = handle.number();
  }

  /** Returns the next element, or null at the end. Checks that the transaction goes on. */
  abstract @Nullable E advance();

  @Override
  public final boolean hasNext() {
    if (ahead == null) {
      handle.requireLive(number);
      ahead = advance();
    }
    return ahead != null;
  }

  @Override
  public final E next() {
    handle.requireLive(number); // it may have ended since it was looked ahead
    E next = ahead != null ? ahead : advance();
    if (next == null) {
      throw new NoSuchElementException();
    }
    ahead = null;
    return next;
  }

  final Stream<E> stream() {
    return StreamSupport.stream(
        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED | Spliterator.NONNULL),
        false);
  }
}
