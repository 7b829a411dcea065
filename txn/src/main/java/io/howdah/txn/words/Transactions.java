package io.howdah.txn.words;

import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.TxEnvironment;
import org.jspecify.annotations.Nullable;

/** What collections and types need of their store. Thread-safe. */
public interface Transactions {

  /** Returns what the store's transactions work on. */
  TxEnvironment engine();

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
