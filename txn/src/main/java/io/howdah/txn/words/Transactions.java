package io.howdah.txn.words;

import io.howdah.core.Execution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import org.jspecify.annotations.Nullable;

/** What collections and types need of their store. Thread-safe. */
public interface Transactions {

  /**
   * Returns what a running transaction reads and writes. Throws if the transaction has ended, or
   * belongs to another thread or to another store.
   *
   * @param structure of this store, for the message of an exception
   */
  Words use(Tx tx, Object structure);

  /** Returns whether the store is open for reading only. */
  boolean isReadOnly();

  /** Throws unless the store takes new transactions. */
  void requireOpen();

  /** Returns the largest dense LSN that was taken. */
  long newestLsn();

  /** Returns the number of bytes of the largest block that the store can have. */
  long maxBlockBytes();

  /** Returns what starts threads and tells the time. */
  Execution execution();

  /** Runs a transaction that does not write, and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E;

  /**
   * Runs a transaction that does not write, and returns its body's result once everything that it
   * has read survives a power cut. For what is needed to read data and is not read by the
   * transactions that write the data: they have no dependency on it (docs/protocol.md, R36).
   */
  <T extends @Nullable Object, E extends Exception> T readDurable(TxFunction<T, E> body) throws E;

  /** Runs a transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E;

  /** Runs a transaction as options say, and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E;
}
