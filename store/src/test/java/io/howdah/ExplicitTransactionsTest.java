package io.howdah;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.InvalidAddressException;
import io.howdah.core.StoreClosedException;
import io.howdah.core.TransactionStateException;
import io.howdah.txn.AbortCause;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that frameworks begin and end, and what commits tell. */
@Timeout(60)
final class ExplicitTransactionsTest {

  private static final StoreOptions SMALL =
      StoreOptions.defaults()
          .withMaxSize(1 << 20)
          .withOrecs(1 << 12)
          .withPartitions(2)
          .withCloseTimeout(Duration.ofMillis(100));

  private final Store store = Store.inMemory(SMALL);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void commitMakesItHappenOnce() {
    Session txSession = store.session();
    Tx tx = txSession.begin();
    tx.putLong(8192, 1);
    long lsn = txSession.commit();
    assertThat(lsn).isEqualTo(2);
    assertThat(store.durability().isStable(lsn)).isTrue();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
    assertThatThrownBy(() -> txSession.commit()).isInstanceOf(TransactionStateException.class);
    txSession.abort();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
    assertThatThrownBy(() -> tx.getLong(8192)).isInstanceOf(TransactionStateException.class);
  }

  @Test
  void abortUndoesAndMayBeRepeated() {
    Session txSession = store.session();
    Tx tx = txSession.begin();
    tx.putLong(8192, 1);
    txSession.abort();
    txSession.abort();
    assertThat((long) store.read(other -> other.getLong(8192))).isZero();
    assertThatThrownBy(() -> txSession.commit()).isInstanceOf(TransactionStateException.class);
    assertThat(store.admin().stats().aborts()).containsEntry(AbortCause.EXPLICIT, 1L);
  }

  @Test
  void aConflictComesOutOfTheCommit() {
    Session txSession = store.session();
    Tx tx = txSession.begin();
    long seen = tx.getLong(8192);
    store.run(other -> other.putLong(8192, 5));
    tx.putLong(16384, seen + 1);
    assertThatThrownBy(() -> txSession.commit())
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(e.reason()).isEqualTo(AbortCause.VALIDATION));
    txSession.abort();
    assertThat((long) store.read(other -> other.getLong(16384))).isZero();
  }

  @Test
  void aConflictComesOutOfARead() {
    Session txSession = store.session();
    Tx tx = txSession.begin();
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
    assertThatThrownBy(() -> txSession.commit()).isInstanceOf(ConflictException.class);
  }

  @Test
  void aRefusedCallComesOutOfTheCommitToo() {
    Session txSession = store.session();
    Tx tx = txSession.begin();
    tx.putLong(8192, 1);
    assertThatThrownBy(() -> tx.getLong(3)).isInstanceOf(InvalidAddressException.class);
    assertThatThrownBy(() -> txSession.commit()).isInstanceOf(InvalidAddressException.class);
    assertThat((long) store.read(other -> other.getLong(8192))).isZero();
  }

  @Test
  void onlyTheThreadThatBeganEndsIt() throws Exception {
    Session session = store.session();
    session.begin().putLong(8192, 1);
    for (Runnable end : List.<Runnable>of(session::commit, session::abort, session::close)) {
      AtomicReference<Throwable> thrown = new AtomicReference<>();
      Thread.ofPlatform()
          .start(
              () -> {
                try {
                  end.run();
                } catch (Throwable t) {
                  thrown.set(t);
                }
              })
          .join();
      assertThat(thrown.get())
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("belongs to");
    }
    session.commit();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(1);
  }

  @Test
  void closingASessionAbortsItsTransactionAndRefusesOthers() {
    Session session = store.session();
    session.begin().putLong(8192, 1);
    session.close();
    session.close();
    assertThat((long) store.read(tx -> tx.getLong(8192))).isZero();
    assertThatThrownBy(session::begin)
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aTransactionWithoutABodyRefusesToRetry() {
    try (Session session = store.session()) {
      Tx tx = session.begin();
      tx.getLong(8192);
      assertThatThrownBy(tx::retry)
          .isInstanceOf(TransactionStateException.class)
          .hasMessageContaining("no body");
      assertThatThrownBy(session::commit).isInstanceOf(TransactionStateException.class);
    }
    store.run(tx -> tx.putLong(8192, 1)); // in the same context: bodies may retry
    int result =
        store.call(
            tx ->
                tx.orElse(
                    first -> {
                      first.getLong(8192);
                      throw first.retry();
                    },
                    second -> 2));
    assertThat(result).isEqualTo(2);
  }

  @Test
  void theDefaultModeIsTheStores() {
    try (LoggedStore logged =
        new LoggedStore(SMALL.withRingBytes(1 << 16).withDefaultDurability(Durability.ASYNC))) {
      try (Session session = logged.store.session()) {
        session.begin().putLong(8192, 1);
        session.commit();
      }
      long lsn = logged.store.run(TxOptions.defaults().withReadOnly(), tx -> tx.getLong(8192));
      logged.store.run(
          TxOptions.defaults().withReadOnly().withDurability(Durability.SYNC),
          tx -> tx.getLong(8192));
      assertThat(logged.store.durability().isStable(lsn)).isTrue();
      assertThat(logged.store.durability().stableLsn()).isGreaterThanOrEqualTo(lsn);
    }
  }

  @Test
  void anIrrevocableOneKeepsCommitsOutUntilItEnds() throws Exception {
    Session txSession = store.session();
    Tx tx = txSession.begin(TxOptions.async().withIrrevocable());
    assertThat(store.admin().stats().irrevocableRunning()).isEqualTo(1);
    Thread writer = Thread.ofPlatform().start(() -> store.run(other -> other.putLong(8192, 9)));
    writer.join(50);
    assertThat(writer.isAlive()).isTrue();
    assertThat(tx.getLong(8192)).isZero();
    tx.putLong(8192, 1);
    txSession.commit();
    writer.join();
    assertThat((long) store.read(other -> other.getLong(8192))).isEqualTo(9);
    assertThat(store.admin().stats().irrevocableRunning()).isZero();
  }

  @Test
  void anIrrevocableOneWithinAnotherSharesItsEntry() throws Exception {
    Session outer = store.session();
    outer.begin(TxOptions.async().withIrrevocable());
    for (boolean commits : new boolean[] {true, false}) {
      Session inner = store.session();
      inner.begin(TxOptions.async().withIrrevocable()).putLong(16384, 1);
      if (commits) {
        inner.commit();
      } else {
        inner.abort();
      }
      assertThat(store.admin().stats().irrevocableRunning()).isEqualTo(1);
      assertThat(store.admin().stats().irrevocableTransactions()).isEqualTo(1);
    }
    Thread writer = Thread.ofPlatform().start(() -> store.run(other -> other.putLong(8192, 9)));
    writer.join(50);
    assertThat(writer.isAlive()).isTrue();
    outer.abort();
    writer.join();
    assertThat(store.admin().stats().irrevocableRunning()).isZero();
  }

  /** The context of an ended transaction serves the next one, which has no limit. */
  @Test
  void aTimeLimitEndsWithItsTransaction() throws Exception {
    try (LoggedStore logged = new LoggedStore(SMALL.withRingBytes(1 << 16));
        Session session = logged.store.session()) {
      TxOptions limited = TxOptions.async().withTimeLimit(Duration.ofMillis(20));
      for (boolean commits : new boolean[] {true, false}) {
        session.begin(limited).putLong(8192, 1);
        if (commits) {
          session.commit();
        } else {
          session.abort();
        }
        Thread.sleep(40);
        session.begin(TxOptions.sync().withIrrevocable()).putLong(8192, 2);
        assertThat(logged.store.durability().isStable(session.commit())).isTrue();
      }
    }
  }

  @Test
  void aBeginThatWaitsInVainForTheGateLeavesNothingBehind() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch gaveUp = new CountDownLatch(1);
    Session holder = store.session();
    holder.begin(TxOptions.async().withIrrevocable());
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    waitInVain(gaveUp);
                  } catch (Throwable t) {
                    thrown.set(t);
                  }
                });
    gaveUp.await();
    holder.abort();
    other.join();
    assertThat(thrown.get()).isNull();
    assertThat((long) store.read(tx -> tx.getLong(8192))).isEqualTo(2);
  }

  private void waitInVain(CountDownLatch gaveUp) throws InterruptedException {
    Session session = store.session();
    TxOptions how = TxOptions.async().withTimeLimit(Duration.ofMillis(20));
    assertThatThrownBy(() -> session.begin(how.withIrrevocable()))
        .isInstanceOf(TransactionTimeoutException.class);
    gaveUp.countDown();
    assertThatThrownBy(session::commit).hasMessageContaining("no transaction");
    // In the same context: a body may retry, and no limit is over.
    store.run(
        tx ->
            tx.orElse(
                first -> {
                  throw first.retry();
                },
                second -> {
                  second.putLong(8192, 1);
                  return 0;
                }));
    session.begin().putLong(8192, 2);
    session.commit();
  }

  @Test
  void anIrrevocableBodyThatItsOwnNestedTransactionDefeatsIsTold() {
    assertThatThrownBy(
            () ->
                store.callWithReceipt(
                    TxOptions.async().withIrrevocable(),
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
    Session txSession = store.session();
    Tx tx = txSession.begin(TxOptions.async().withReadOnly());
    assertThat(tx.getLong(8192)).isZero();
    assertThatThrownBy(() -> tx.putLong(8192, 1)).isInstanceOf(TransactionStateException.class);
    txSession.abort();
  }

  @Test
  void aTransactionThatIsNeverEndedDoesNotKeepTheStoreFromClosing() {
    Store forgetful = Store.inMemory(SMALL);
    forgetful.session().begin();
    forgetful.close();
    assertThatThrownBy(forgetful::session).isInstanceOf(StoreClosedException.class);
  }

  // ---- Commits.

  @Test
  void aCommitTellsItsValueItsLsnAndWhetherItIsStable() {
    Receipt<String> commit =
        store.callWithReceipt(
            TxOptions.async(),
            tx -> {
              tx.putLong(8192, 1);
              return "done";
            });
    assertThat(commit.value()).isEqualTo("done");
    assertThat(commit.lsn()).isEqualTo(2);
    assertThat(commit.isStable()).isTrue();
    assertThat(commit.await(Duration.ZERO)).isTrue();
    commit.await();
    assertThat(commit).hasToString("Receipt[lsn=2, value=done]");
  }

  @Test
  void lsnsThatNobodyWasGivenAreRefused() {
    assertThat(store.durability().isStable(0)).isTrue();
    assertThatThrownBy(() -> store.durability().isStable(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.durability().isStable(2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1");
    assertThatThrownBy(() -> store.durability().awaitStable(2, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aLoggedCommitBecomesStableByAwaitingIt() {
    try (LoggedStore logged = new LoggedStore(SMALL.withRingBytes(1 << 16))) {
      long lsn = logged.store.run(TxOptions.async(), tx -> tx.putLong(8192, 1));
      assertThat(logged.store.durability().awaitStable(lsn, Duration.ofDays(100_000_000_000L)))
          .isTrue();
      assertThat(logged.store.durability().isStable(lsn)).isTrue();
      long sync = logged.store.run(TxOptions.sync(), tx -> tx.putLong(8192, 2));
      assertThat(logged.store.durability().isStable(sync)).isTrue();
    }
  }

  /** What a reader learns from others must be durable before it leaves, however it leaves. */
  @Test
  void resultsOfSyncTransactionsAreDurableBeforeTheyLeave() {
    try (LoggedStore logged = new LoggedStore(SMALL.withRingBytes(1 << 16))) {
      Store store = logged.store;
      for (int i = 0; i < 50; i++) {
        long written = store.run(TxOptions.async(), tx -> tx.putLong(8192, 1));
        store.read(TxOptions.sync(), tx -> tx.getLong(8192));
        assertThat(store.durability().isStable(written)).as("a read").isTrue();

        long again = store.run(TxOptions.async(), tx -> tx.putLong(8192, 2));
        assertThatThrownBy(
                () ->
                    store.run(
                        TxOptions.sync(),
                        tx -> {
                          throw new IllegalArgumentException("saw " + tx.getLong(8192));
                        }))
            .hasMessage("saw 2");
        assertThat(store.durability().isStable(again)).as("an exception").isTrue();

        long third = store.run(TxOptions.async(), tx -> tx.putLong(8192, 3));
        Session txSession = store.session();
        Tx tx = txSession.begin(TxOptions.sync());
        tx.getLong(8192);
        assertThat(txSession.commit()).isEqualTo(third);
        assertThat(store.durability().isStable(third)).as("an explicit commit").isTrue();
      }
    }
  }
}
