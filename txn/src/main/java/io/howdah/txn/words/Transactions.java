package io.howdah.txn.words;

import io.howdah.core.Execution;
import io.howdah.txn.Tx;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import org.jspecify.annotations.Nullable;

/** The services of a store that collections and persistent types use. Thread-safe. */
public interface Transactions {

  /**
   * Returns the words of a running transaction. Throws if the transaction has ended, or if it
   * belongs to another thread or another store.
   *
   * @param structure a structure of this store, named in the message of an exception
   */
  Words use(Tx tx, Object structure);

  /** Returns whether the store is open for reading only. */
  boolean isReadOnly();

  /**
   * Returns whether nothing may change what the store knows of the types and collections that it
   * has: then {@link io.howdah.core.SchemaChangeException} is thrown.
   */
  boolean refusesSchemaChanges();

  /** Throws unless the store accepts new transactions. */
  void requireOpen();

  /** Returns the largest dense LSN that was taken. */
  long newestLsn();

  /** Returns the maximum length of a block in this store, in bytes. */
  long maxBlockBytes();

  /** Returns the store's threads and time. */
  Execution execution();

  /** Runs a read-only transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E;

  /**
   * Runs a read-only transaction, waits until everything that it has read survives a power cut, and
   * returns its body's result. Use it for words without which other data cannot be interpreted, and
   * which the transactions that write the data do not read: those have no dependency on the words
   * (docs/protocol.md, R36).
   */
  <T extends @Nullable Object, E extends Exception> T readDurable(TxFunction<T, E> body) throws E;

  /** Runs a transaction and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E;

  /** Runs a transaction with options and returns its body's result. */
  <T extends @Nullable Object, E extends Exception> T call(TxOptions how, TxFunction<T, E> body)
      throws E;
}
