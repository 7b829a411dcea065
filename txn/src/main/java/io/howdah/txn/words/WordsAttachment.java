package io.howdah.txn.words;

import io.howdah.txn.Tx;

/**
 * State that the layer above keeps in a {@link Words} object; later transactions reuse it. Used by
 * one thread at a time.
 */
public abstract class WordsAttachment {

  /** Begins an attempt. */
  public abstract void begin(Tx tx);

  /** Frees memory that an unusually large transaction needed. */
  public abstract void trim();
}
