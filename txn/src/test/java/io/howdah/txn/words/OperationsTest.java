package io.howdah.txn.words;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is counted of operations, savepoints included. */
final class OperationsTest {

  private final Operations operations = new Operations();

  @Test
  void operationsAreOpenUntilTheyEnd() {
    operations.begin();
    operations.begin();
    assertThat(operations.open()).isEqualTo(2);
    operations.end();
    assertThat(operations.open()).isEqualTo(1);
    operations.inserted = 7;
    operations.objects = 9;
    operations.start();
    assertThat(operations.open()).isZero();
    assertThat(operations.inserted).isZero();
    assertThat(operations.objects).as("those of all attempts").isEqualTo(9);
  }

  /** An iterator reads its entry again when one of the two numbers has changed. */
  @Test
  void changesAndRollBacksOnlyGrow() {
    operations.begin();
    operations.end();
    long changes = operations.changes();
    assertThat(changes).isEqualTo(1);
    operations.begin();
    operations.rolledBack(0);
    assertThat(operations.open()).isZero();
    assertThat(operations.changes()).as("a roll-back begins once").isEqualTo(changes + 1);
    assertThat(operations.rollBacks()).isEqualTo(1);
    operations.rolledBack(3);
    assertThat(operations.open()).isEqualTo(3);
    assertThat(operations.rollBacks()).isEqualTo(2);
  }
}
