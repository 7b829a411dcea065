package io.howdah.txn.words;

import io.howdah.txn.Tx;

/**
 * What the layer above the words keeps in {@link Words}, used again by later transactions. Used by
 * one thread at a time, like the words.
 */
public abstract class WordsAttachment {

  /** Begins an attempt. */
  public abstract void begin(Tx tx);

  /** Gives memory back that an unusually large transaction needed. */
  public abstract void trim();
}
