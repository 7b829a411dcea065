package io.howdah.collections.structure;

import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;

/**
 * Where a collection without a name is kept: a word, which is 0 until the first entry is put. For
 * one transaction, not thread-safe.
 */
public interface CollectionHome {

  /** Throws if the transaction is not the one in which this object was created. */
  void requireTransaction(Words words, Tx tx);

  /** Returns the address of the collection's header, 0 if there is none yet. */
  long find(Words words);

  /** Keeps the address of a new collection's header. */
  void keep(Words words, long address);

  /** Returns the collection's name for messages. */
  @Override
  String toString();
}
