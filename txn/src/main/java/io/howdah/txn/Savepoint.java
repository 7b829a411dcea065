package io.howdah.txn;

/**
 * A state of a running transaction's writes to which it can go back: {@link Tx#savepoint}, {@link
 * Tx#rollBack}. Belongs to one attempt.
 */
public final class Savepoint {

  private final Tx tx;
  private final long writes;
  private final int guards;
  private final long hooks;
  private final int openOperations;

  Savepoint(Tx tx, long writes, int guards, long hooks, int openOperations) {
    this.tx = tx;
    this.writes = writes;
    this.guards = guards;
    this.hooks = hooks;
    this.openOperations = openOperations;
  }

  @SuppressWarnings("ReferenceEquality") // this very attempt is meant
  boolean isOf(Tx other) {
    return tx == other;
  }

  long writes() {
    return writes;
  }

  int guards() {
    return guards;
  }

  long hooks() {
    return hooks;
  }

  int openOperations() {
    return openOperations;
  }
}
