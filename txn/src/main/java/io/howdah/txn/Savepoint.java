package io.howdah.txn;

/**
 * A state of a running transaction's writes to which it can go back: {@link Tx#savepoint}, {@link
 * Tx#rollBack}. Belongs to one attempt.
 */
public interface Savepoint {}
