package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that frameworks begin and end, and what commits tell. */
@Timeout(60)
final class ExplicitTransactionsTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .maxSize(1 << 20)
          .orecs(1 << 12)
          .partitions(2)
          .closeTimeout(Duration.ofMillis(100));

  private final Store store = Store.inMemory(SMALL);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void commitMakesItHappenOnce() {
    Tx tx = store.begin();
    tx.putLong(8192, 1);
    long lsn = store.commit(tx);
    assertThat(lsn).isEqualTo(2);
    assertThat(store.isStable(lsn)).isTrue();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
    assertThatThrownBy(() -> store.commit(tx)).isInstanceOf(TransactionStateException.class);
    store.abort(tx);
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
    assertThatThrownBy(() -> tx.getLong(8192)).isInstanceOf(TransactionStateException.class);
  }

  @Test
  void abortUndoesAndMayBeRepeated() {
    Tx tx = store.begin();
    tx.putLong(8192, 1);
    store.abort(tx);
    store.abort(tx);
    assertThat((long) store.read(other -> other.getLong(8192))).isZero();
    assertThatThrownBy(() -> store.commit(tx)).isInstanceOf(TransactionStateException.class);
    assertThat(store.stats().aborts()).containsEntry(AbortCause.EXPLICIT, 1L);
  }

  @Test
  void aConflictComesOutOfTheCommit() {
    Tx tx = store.begin();
    long seen = tx.getLong(8192);
    store.run(other -> other.putLong(8192, 5));
    tx.putLong(16384, seen + 1);
    assertThatThrownBy(() -> store.commit(tx))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.VALIDATION));
    store.abort(tx);
    assertThat((long) store.read(other -> other.getLong(16384))).isZero();
  }

  @Test
  void aConflictComesOutOfARead() {
    Tx tx = store.begin();
    tx.getLong(8192);
    store.run(
        other -> {
          other.putLong(8192, 5);
          other.putLong(16384, 5);
        });
    assertThatThrownBy(() -> tx.getLong(16384))
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.EXTENSION));
    assertThatThrownBy(() -> tx.getLong(8192)).isInstanceOf(TransactionStateException.class);
    // Whoever commits all the same is told the same.
    assertThatThrownBy(() -> store.commit(tx)).isInstanceOf(ConflictException.class);
  }

  @Test
  void aRefusedCallComesOutOfTheCommitToo() {
    Tx tx = store.begin();
    tx.putLong(8192, 1);
    assertThatThrownBy(() -> tx.getLong(3)).isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> store.commit(tx)).isInstanceOf(InvalidAddressException.class);
    assertThat((long) store.read(other -> other.getLong(8192))).isZero();
  }

  @Test
  void onlyTheThreadThatBeganAndTheStoreWhereItBeganEndIt() throws Exception {
    Tx tx = store.begin();
    tx.putLong(8192, 1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                store.abort(tx); // not its own: no effect
                store.commit(tx);
              } catch (Throwable t) {
                thrown.set(t);
              }
            })
        .join();
    assertThat(thrown.get()).isInstanceOf(TransactionStateException.class);
    try (Store another = Store.inMemory(SMALL)) {
      assertThatThrownBy(() -> another.commit(tx)).isInstanceOf(TransactionStateException.class);
      another.abort(tx);
    }
    store.commit(tx);
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
  }

  @Test
  void theTransactionOfABodyIsEndedByItsBodyAlone() {
    store.run(
        tx -> {
          tx.putLong(8192, 1);
          assertThatThrownBy(() -> store.commit(tx)).isInstanceOf(TransactionStateException.class);
          store.abort(tx);
        });
    assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(1);
  }

  @Test
  void anIrrevocableOneKeepsCommitsOutUntilItEnds() throws Exception {
    Tx tx = store.begin(TxOptions.of(Durability.ASYNC).irrevocable());
    assertThat(store.stats().irrevocableRunning()).isEqualTo(1);
    Thread writer = Thread.ofPlatform().start(() -> store.run(other -> other.putLong(8192, 9)));
    writer.join(50);
    assertThat(writer.isAlive()).isTrue();
    assertThat(tx.getLong(8192)).isZero();
    tx.putLong(8192, 1);
    store.commit(tx);
    writer.join();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(9);
    assertThat(store.stats().irrevocableRunning()).isZero();
  }

  @Test
  void anIrrevocableBodyThatItsOwnNestedTransactionDefeatsIsTold() {
    assertThatThrownBy(
            () ->
                store.submit(
                    TxOptions.of(Durability.ASYNC).irrevocable(),
                    tx -> {
                      long seen = tx.getLong(8192);
                      store.run(other -> other.putLong(8192, seen + 1));
                      tx.putLong(8192, seen + 1);
                      return 0;
                    }))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("tx.run");
    assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(1);
    store.run(tx -> tx.putLong(8192, 3)); // the gate is open again
  }

  @Test
  void aReadOnlyOneRefusesToWrite() {
    Tx tx = store.begin(TxOptions.of(Durability.ASYNC).readOnly());
    assertThat(tx.getLong(8192)).isZero();
    assertThatThrownBy(() -> tx.putLong(8192, 1)).isInstanceOf(TransactionStateException.class);
    store.abort(tx);
  }

  @Test
  void aTransactionThatIsNeverEndedDoesNotKeepTheStoreFromClosing() {
    Store forgetful = Store.inMemory(SMALL);
    forgetful.begin();
    forgetful.close();
    assertThatThrownBy(forgetful::begin).isInstanceOf(StoreClosedException.class);
  }

  // ---- Commits.

  @Test
  void aCommitTellsItsValueItsLsnAndWhetherItIsStable() {
    Commit<String> commit =
        store.submit(
            Durability.ASYNC,
            tx -> {
              tx.putLong(8192, 1);
              return "done";
            });
    assertThat(commit.value()).isEqualTo("done");
    assertThat(commit.lsn()).isEqualTo(2);
    assertThat(commit.isStable()).isTrue();
    assertThat(commit.await(Duration.ZERO)).isTrue();
    commit.await();
    assertThat(commit).hasToString("Commit[lsn=2, value=done]");
  }

  @Test
  void lsnsThatNobodyWasGivenAreRefused() {
    assertThat(store.isStable(0)).isTrue();
    assertThatThrownBy(() -> store.isStable(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.isStable(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1");
    assertThatThrownBy(() -> store.awaitStable(2, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aLoggedCommitBecomesStableByAwaitingIt() {
    try (LoggedStore logged = new LoggedStore(SMALL.ringBytes(1 << 16))) {
      long lsn = logged.store.run(Durability.ASYNC, tx -> tx.putLong(8192, 1));
      assertThat(logged.store.awaitStable(lsn, Duration.ofDays(100_000_000_000L))).isTrue();
      assertThat(logged.store.isStable(lsn)).isTrue();
      long sync = logged.store.run(Durability.SYNC, tx -> tx.putLong(8192, 2));
      assertThat(logged.store.isStable(sync)).isTrue();
    }
  }

  /** What a reader learns from others must be durable before it leaves, however it leaves. */
  @Test
  void resultsOfSyncTransactionsAreDurableBeforeTheyLeave() {
    try (LoggedStore logged = new LoggedStore(SMALL.ringBytes(1 << 16))) {
      Store store = logged.store;
      for (int i = 0; i < 50; i++) {
        long written = store.run(Durability.ASYNC, tx -> tx.putLong(8192, 1));
        store.read(Durability.SYNC, tx -> tx.getLong(8192));
        assertThat(store.isStable(written)).as("a read").isTrue();

        long again = store.run(Durability.ASYNC, tx -> tx.putLong(8192, 2));
        assertThatThrownBy(
                () ->
                    store.run(
                        Durability.SYNC,
                        tx -> {
                          throw new IllegalArgumentException("saw " + tx.getLong(8192));
                        }))
            .hasMessage("saw 2");
        assertThat(store.isStable(again)).as("an exception").isTrue();

        long third = store.run(Durability.ASYNC, tx -> tx.putLong(8192, 3));
        Tx tx = store.begin(TxOptions.of(Durability.SYNC));
        tx.getLong(8192);
        assertThat(store.commit(tx)).isEqualTo(third);
        assertThat(store.isStable(third)).as("an explicit commit").isTrue();
      }
    }
  }
}
