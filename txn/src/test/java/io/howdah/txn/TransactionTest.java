package io.howdah.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.TransactionStateException;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TransactionTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults().maxSize(1 << 20).orecs(1 << 12).partitions(2);

  private final Store store = Store.inMemory(SMALL);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void committedWordsAreSeenByLaterTransactions() {
    long a = store.call(tx -> tx.allocate(64));
    long lsn =
        store.run(
            tx -> {
              tx.putLong(a, 1);
              tx.putLong(a + 8, 2);
            });
    assertThat(lsn).isEqualTo(3); // the header and the block came before
    assertThat((long) store.read(tx -> tx.getLong(a) + tx.getLong(a + 8))).isEqualTo(3);
  }

  @Test
  void ownWritesAreSeenBeforeTheCommitAndByNobodyElse() {
    long a = store.call(tx -> tx.allocate(8));
    store.run(
        tx -> {
          tx.putLong(a, 7);
          assertThat(tx.getLong(a)).isEqualTo(7);
          assertThat((long) store.call(other -> other.getLong(a))).isZero();
        });
  }

  @Test
  void anExceptionUndoesTheTransactionAndComesOut() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      throw new IOException("checked");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("checked");
    assertThat((long) store.read(tx -> tx.getLong(a))).isZero();
  }

  @Test
  void abortUndoesTheTransaction() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      throw tx.abort("no funds");
                    }))
        .isInstanceOf(TransactionAbortedException.class)
        .hasMessage("no funds");
    assertThat((long) store.read(tx -> tx.getLong(a))).isZero();
    assertThat(store.stats().aborts()).containsEntry(AbortCause.EXPLICIT, 1L);
  }

  @Test
  void swallowedAbortStillAborts() {
    long a = store.call(tx -> tx.allocate(8));
    assertThatThrownBy(
            () ->
                store.run(
                    tx -> {
                      tx.putLong(a, 7);
                      try {
                        throw tx.abort();
                      } catch (TransactionAbortedException e) {
                        // the transaction has ended all the same
                      }
                    }))
        .isInstanceOf(TransactionAbortedException.class);
    assertThat((long) store.read(tx -> tx.getLong(a))).isZero();
  }

  @Test
  void aConflictRunsTheBodyAgain() {
    long a = store.call(tx -> tx.allocate(8));
    AtomicInteger runs = new AtomicInteger();
    store.run(
        tx -> {
          long seen = tx.getLong(a);
          if (runs.incrementAndGet() == 1) {
            store.run(other -> other.putLong(a, 10));
          }
          tx.putLong(a, seen + 1);
        });
    assertThat(runs).hasValue(2);
    assertThat((long) store.read(tx -> tx.getLong(a))).isEqualTo(11);
    assertThat(store.stats().aborts()).containsEntry(AbortCause.VALIDATION, 1L);
  }

  @Test
  void addressesOutsideTheDataAreRefused() {
    for (long bad :
        new long[] {
          0, 8, 4088, 4097, 4100, -8, 1 << 20, (1 << 20) - 4, Long.MIN_VALUE, Long.MAX_VALUE - 7
        }) {
      assertThatThrownBy(() -> store.read(tx -> tx.getLong(bad)))
          .as("address %d", bad)
          .isInstanceOf(InvalidAddressException.class);
    }
    assertThat((long) store.read(tx -> tx.getLong((1 << 20) - 8))).isZero();
  }

  @Test
  void aHandleIsDeadAfterItsBody() {
    Tx leaked = store.call(tx -> tx);
    assertThatThrownBy(() -> leaked.getLong(4096)).isInstanceOf(TransactionStateException.class);
  }
}
