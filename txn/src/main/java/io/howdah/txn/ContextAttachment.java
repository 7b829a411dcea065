package io.howdah.txn;

/**
 * What the layer above the words keeps in a context, used again by later transactions. Used by one
 * thread at a time, like the context.
 */
abstract class ContextAttachment {

  /** Begins an attempt. */
  abstract void begin(Tx tx);

  /** Gives memory back that an unusually large transaction needed. */
  abstract void trim();
}
