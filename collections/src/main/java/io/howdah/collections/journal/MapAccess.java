package io.howdah.collections.journal;

import io.howdah.txn.Tx;
import io.howdah.txn.words.Words;

/** What the reader of a journal needs of the handle of its map. Thread-safe. */
public interface MapAccess {

  /** Returns the words of a transaction, if the map is still the one that the handle is for. */
  Words words(Tx tx);

  /** Returns whether something thrown says that the map is not. */
  boolean isGone(Throwable thrown);
}
