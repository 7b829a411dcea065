package io.howdah.txn;

/** Why an attempt to run a transaction ended without a commit. */
public enum AbortCause {

  /**
   * A word to be read or written was held by another thread's commit for longer than a brief spin;
   * usually that thread was preempted.
   *
   * <p>Also the cause for a transaction of the store's own that must not wait, such as the growth
   * of a table: no lane or no append lock was free, or the transaction is too large for one record.
   */
  LOCKED,

  /**
   * A read met a version newer than the transaction's snapshot, and something read before had
   * changed too, so that the snapshot could not be extended.
   */
  EXTENSION,

  /** Something read had changed by the time of the commit. */
  VALIDATION,

  /** The body called {@link Tx#abort()}. */
  EXPLICIT,

  /** An exception left the body, or a call in it was refused. */
  EXCEPTION
}
