package io.howdah.txn.stm;

import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;

/**
 * What a roll-back has to know: how far each list of the attempt had come when the savepoint was
 * taken.
 */
final class TakenSavepoint implements Savepoint {

  private final Tx tx;
  private final long writes;
  private final int guards;
  private final long hooks;
  private final int openOperations;
  private final int newObjects;
  private final int place;
  private final long number;

  /**
   * Creates one.
   *
   * @param place among the {@link Savepoints} of the attempt
   * @param number there
   */
  TakenSavepoint(
      Tx tx,
      long writes,
      int guards,
      long hooks,
      int openOperations,
      int newObjects,
      int place,
      long number) {
    this.tx = tx;
    this.place = place;
    this.number = number;
    this.writes = writes;
    this.guards = guards;
    this.hooks = hooks;
    this.openOperations = openOperations;
    this.newObjects = newObjects;
  }

  @SuppressWarnings("ReferenceEquality") // this very attempt is meant
  boolean isOf(Tx other) {
    return tx == other;
  }

  int place() {
    return place;
  }

  long number() {
    return number;
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

  int newObjects() {
    return newObjects;
  }
}
