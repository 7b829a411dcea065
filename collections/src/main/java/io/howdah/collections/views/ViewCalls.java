package io.howdah.collections.views;

import io.howdah.core.TransactionTooLargeException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.words.Transactions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The transactions in which the operations of a view run. */
public interface ViewCalls {

  /** Long readers that neither abort nor are aborted, and wait as the store's default says. */
  TxOptions READ = TxOptions.defaults().withReadOnly();

  /** Fewer where the store's transactions are smaller. */
  int ENTRIES_IN_A_TRANSACTION = 1024;

  /** Runs an operation in a transaction. */
  <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation);

  /**
   * Runs an operation that only looks, and may be long. It encodes no key: a codec may write when
   * it encodes, to intern a string for example.
   */
  <T extends @Nullable Object> T read(TxFunction<T, RuntimeException> operation);

  /** A change of many entries that can be made in several pieces. */
  @FunctionalInterface
  interface Piece {

    /**
     * Changes the next entries, about so many, and returns what changes those behind them, or null
     * at the end. It is called again when its transaction is repeated.
     */
    @Nullable Piece change(Tx tx, int entries);
  }

  /** Makes a change of any number of entries. */
  void changeInPieces(Piece first);

  /** Returns the elements that an iterator within a transaction shows. */
  <E> Iterator<E> iterate(TxFunction<Iterator<E>, RuntimeException> elements);

  /**
   * Returns calls that are transactions of their own. Iterators show a copy of one state, which is
   * on the Java heap.
   */
  static ViewCalls each(Transactions transactions) {
    return new ViewCalls() {
      @Override
      public <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation) {
        return transactions.call(operation);
      }

      @Override
      public <T extends @Nullable Object> T read(TxFunction<T, RuntimeException> operation) {
        return transactions.call(READ, operation);
      }

      @Override
      public void changeInPieces(Piece first) {
        int entries = ENTRIES_IN_A_TRANSACTION;
        for (Piece rest = first; rest != null; ) {
          Piece piece = rest;
          int asked = entries;
          try {
            rest =
                transactions.call(tx -> Optional.ofNullable(piece.change(tx, asked))).orElse(null);
          } catch (TransactionTooLargeException e) {
            if (asked == 1) {
              throw e;
            }
            entries = asked / 2;
          }
        }
      }

      @Override
      public <E> Iterator<E> iterate(TxFunction<Iterator<E>, RuntimeException> elements) {
        List<E> copy =
            read(
                tx -> {
                  List<E> all = new ArrayList<>();
                  elements.call(tx).forEachRemaining(all::add);
                  return all;
                });
        return List.copyOf(copy).iterator(); // which removes nothing
      }
    };
  }

  /** Returns calls that are parts of a transaction. Iterators are those of the transaction. */
  static ViewCalls in(Tx tx) {
    return new ViewCalls() {
      @Override
      public <T extends @Nullable Object> T call(TxFunction<T, RuntimeException> operation) {
        return operation.call(tx);
      }

      @Override
      public <T extends @Nullable Object> T read(TxFunction<T, RuntimeException> operation) {
        return operation.call(tx);
      }

      @Override
      public void changeInPieces(Piece first) {
        for (Piece rest = first; rest != null; ) {
          rest = rest.change(tx, Integer.MAX_VALUE);
        }
      }

      @Override
      public <E> Iterator<E> iterate(TxFunction<Iterator<E>, RuntimeException> elements) {
        return elements.call(tx);
      }
    };
  }
}
