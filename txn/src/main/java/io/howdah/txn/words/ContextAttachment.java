package io.howdah.txn.words;

import io.howdah.txn.Tx;

/**
 * What the layer above the words keeps in a context, used again by later transactions. Used by one
 * thread at a time, like the context.
 */
public abstract class ContextAttachment {

  /** Begins an attempt. */
  public abstract void begin(Tx tx);

  /** Gives memory back that an unusually large transaction needed. */
  public abstract void trim();
}
