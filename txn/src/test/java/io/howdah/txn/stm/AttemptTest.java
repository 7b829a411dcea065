package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.TransactionStateException;
import io.howdah.log.commit.CommitPoint;
import io.howdah.log.commit.Deadline;
import io.howdah.txn.AbortCause;
import io.howdah.txn.RetryException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.UnfinishedOperationException;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.NewObjects;
import io.howdah.txn.words.RetryLimit;
import io.howdah.txn.words.Savepoints;
import io.howdah.txn.words.WordsAttachment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one attempt leaves to the next one, and what a savepoint brings back. */
final class AttemptTest {

  private static final long OTHER = WORD + 4096;

  private final SmallEngine engine = new SmallEngine();
  private final Attempt attempt = engine.attempts.take();
  private final List<Long> forgotten = new ArrayList<>();
  private final NewObjects.Owner type = forgotten::add;

  @AfterEach
  void close() {
    engine.attempts.give(attempt);
    engine.close();
  }

  /** Counts what the layer above is told. */
  private static final class Above extends WordsAttachment {
    private final List<Tx> begun = new ArrayList<>();
    private int trims;

    @Override
    public void begin(Tx tx) {
      begun.add(tx);
    }

    @Override
    public void trim() {
      trims++;
    }
  }

  @Test
  void theLayerAboveIsToldOfEachAttemptAndOfTheEnd() {
    Above above = new Above();
    attempt.words.attach(above);
    assertThat(attempt.words.attachment()).isSameAs(above);
    Tx first = attempt.begin(false);
    Tx second = attempt.beginReusingHandle(true);
    assertThat(above.begun).containsExactly(first, second);
    attempt.reset();
    assertThat(above.trims).isEqualTo(1);
    assertThat(((TxHandle) second).isLive()).isFalse();
  }

  @Test
  void anAttemptBeginsWithNothingOfTheOneBefore() {
    Tx tx = attempt.begin(false);
    attempt.words.put(WORD, 1);
    attempt.words.guard(OTHER);
    attempt.hooks().onCommit(() -> {});
    attempt.words.afterCommit((_, _, _) -> {});
    attempt.words.operations.begin();
    attempt.willWriteParts();
    attempt.retrying(true);
    attempt.retryLimit(new RetryLimit(engine.clock, 1, false));
    attempt.words.newObjects.add(type, 77);
    attempt.lsn(5);
    attempt.point.set(CommitPoint.of(attempt.lsn(), 1, 2, 3));
    attempt.progress.isReleased = true;
    attempt.conflict(AbortCause.LOCKED);
    assertThat(forgotten).as("objects of a commit stay").isEmpty();
    attempt.refuse(new IllegalStateException("by the test"));
    assertThat(attempt.conflict()).isEqualTo(AbortCause.LOCKED);
    attempt.begin(false);
    assertThat(((TxHandle) tx).isLive()).isFalse();
    assertThat(attempt.words.writes.count()).isZero();
    assertThat(attempt.words.guards.count()).isZero();
    assertThat(attempt.takeHooks()).isNull();
    assertThat(attempt.words.hasAfterCommit()).isFalse();
    assertThat(attempt.words.operations.open()).isZero();
    assertThat(attempt.wroteParts()).isFalse();
    assertThat(attempt.isRetrying()).isFalse();
    assertThat(attempt.retryLimit()).isNull();
    assertThat(attempt.lsn()).isZero();
    assertThat(attempt.point.hasRecord()).isFalse();
    assertThat(attempt.progress.isReleased).isFalse();
    assertThat(attempt.conflict()).isNull();
    assertThat(attempt.refusal()).isNull();
  }

  @Test
  void objectsOfAnAttemptThatDidNotCommitAreForgotten() {
    attempt.begin(false);
    attempt.words.newObjects.add(type, 7);
    attempt.words.newObjects.add(type, 8);
    attempt.end();
    assertThat(forgotten).containsExactly(8L, 7L);
    attempt.begin(false);
    attempt.words.newObjects.add(type, 9);
    attempt.words.put(WORD, 1);
    engine.runner.commit(attempt);
    assertThat(forgotten).containsExactly(8L, 7L);
  }

  @Test
  void aHandleIsUsedAgainUnlessALimitMayTakeItAway() {
    Tx first = attempt.beginReusingHandle(false);
    assertThat(attempt.isHandle(first)).isTrue();
    assertThat(attempt.beginReusingHandle(true)).isSameAs(first);
    assertThat(attempt.words.isReadOnly()).isTrue();
    Tx alone = attempt.begin(false);
    assertThat(alone).isNotSameAs(first);
    assertThat(attempt.isHandle(first)).isFalse();
    assertThat(((TxHandle) first).isLive()).isFalse();
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    Tx limited = attempt.beginReusingHandle(false);
    assertThat(limited).isSameAs(first);
    assertThat(attempt.beginReusingHandle(false)).as("the limit has that one").isNotSameAs(limited);
    engine.limits.end(limit);
    assertThat(attempt.takeLimit()).isSameAs(limit);
    assertThat(attempt.takeLimit()).isNull();
  }

  @Test
  void aLimitIsTheDeadlineAndEndsTheTransaction() {
    assertThat(attempt.limit()).isNull();
    assertThat(attempt.deadline()).isSameAs(Deadline.NONE);
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    assertThat(attempt.limit()).isSameAs(limit);
    assertThat(attempt.deadline()).isSameAs(limit);
    Tx tx = attempt.begin(false);
    engine.clock.nanos += 4_999_999;
    attempt.failIfExpired();
    engine.clock.nanos++;
    assertThatThrownBy(attempt::failIfExpired).isInstanceOf(TransactionTimeoutException.class);
    assertThat(attempt.refusal()).isInstanceOf(TransactionTimeoutException.class);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .hasCauseInstanceOf(TransactionTimeoutException.class);
    engine.limits.end(limit);
    attempt.takeLimit();
    attempt.failIfExpired();
  }

  @Test
  void theHandleOfATransactionThatTakesTooLongIsTakenAway() {
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    attempt.limit(limit);
    TxHandle tx = (TxHandle) attempt.begin(false);
    engine.clock.nanos += 5_000_000;
    engine.clock.onPark =
        () -> {
          throw new IllegalStateException("enough");
        };
    assertThat(tx.isLive()).isTrue();
    assertThatThrownBy(() -> engine.clock.bodies.values().forEach(Runnable::run))
        .hasMessage("enough");
    assertThat(tx.isLive()).isFalse();
    attempt.takeLimit();
  }

  @Test
  void actionsForAfterTheCommitAreRunOnceEachInTheirOrder() {
    AfterCommit first = (_, _, _) -> {};
    AfterCommit second = (_, _, _) -> {};
    attempt.begin(false);
    assertThat(attempt.words.hasAfterCommit()).isFalse();
    attempt.words.afterCommit(first);
    attempt.words.afterCommit(second);
    attempt.words.afterCommit(first);
    assertThat(attempt.words.hasAfterCommit()).isTrue();
    assertThat(attempt.words.takeAfterCommit()).containsExactly(first, second);
    assertThat(attempt.words.takeAfterCommit()).isEmpty();
    attempt.words.afterCommit(first);
    attempt.words.forgetAfterCommit();
    assertThat(attempt.words.hasAfterCommit()).isFalse();
  }

  @Test
  void whatACommitHasLeftIsKept() {
    attempt.begin(false);
    attempt.point.set(CommitPoint.of(attempt.lsn(), 3, 4096, 17));
    attempt.lsn(18);
    attempt.ofSession(true);
    assertThat(attempt.point.partition()).isEqualTo(3);
    assertThat(attempt.point.end()).isEqualTo(4096);
    assertThat(attempt.point.dependency()).isEqualTo(17);
    assertThat(attempt.lsn()).isEqualTo(18);
    assertThat(attempt.isOfSession()).isTrue();
    attempt.ofSession(false);
    assertThat(attempt.isOfSession()).isFalse();
    attempt.lsn(0);
    assertThat(attempt.isOf(engine.environment)).isTrue();
    try (SmallEngine other = new SmallEngine()) {
      assertThat(attempt.isOf(other.environment)).isFalse();
    }
  }

  @Test
  void hooksAreMadeOnceAndTakenOnce() {
    attempt.begin(false);
    Hooks hooks = attempt.hooks();
    assertThat(attempt.hooks()).isSameAs(hooks);
    assertThat(attempt.takeHooks()).isSameAs(hooks);
    assertThat(attempt.takeHooks()).isNull();
  }

  // ---- Savepoints.

  @Test
  void aRollBackUndoesWhatCameAfterItsSavepoint() {
    List<String> run = new ArrayList<>();
    engine.put(OTHER, 3);
    Tx tx = attempt.begin(false);
    tx.putLong(WORD, 1);
    attempt.words.guard(WORD + 64);
    tx.onCommit(() -> run.add("before"));
    attempt.words.newObjects.add(type, 7);
    Savepoints.State savepoint = attempt.savepoint(tx);
    tx.putLong(WORD, 2);
    tx.putLong(OTHER, 4);
    attempt.words.guard(WORD + 128);
    tx.onCommit(() -> run.add("after"));
    attempt.words.newObjects.add(type, 8);
    attempt.words.operations.begin();
    long changes = attempt.words.operations.changes();
    attempt.rollBack(savepoint);
    assertThat(attempt.words.operations.open()).isZero();
    assertThat(attempt.words.operations.changes()).isGreaterThan(changes);
    assertThat(attempt.words.guards.count()).isEqualTo(1);
    assertThat(attempt.words.guards.address(0)).isEqualTo(WORD + 64);
    assertThat(forgotten).containsExactly(8L);
    assertThat(tx.getLong(WORD)).isEqualTo(1);
    assertThat(tx.getLong(OTHER)).isEqualTo(3);
    engine.runner.commit(attempt);
    Objects.requireNonNull(attempt.takeHooks()).committed();
    assertThat(run).containsExactly("before");
    assertThat(engine.get(WORD)).isEqualTo(1);
    assertThat(engine.get(OTHER)).isEqualTo(3);
  }

  /** Blocks that the roll-back gives back are free again for the same transaction. */
  @Test
  void aRollBackGivesBlocksBack() {
    Tx tx = attempt.begin(false);
    Savepoints.State savepoint = attempt.savepoint(tx);
    long block = tx.allocate(100_000);
    attempt.rollBack(savepoint);
    assertThat(tx.allocate(100_000)).isEqualTo(block);
    attempt.rollBack(savepoint);
    assertThat(attempt.words.heap.isBlock(block)).isFalse();
  }

  /** A block that was freed before the savepoint, and taken again after it, is free again. */
  @Test
  void aBlockThatTheAttemptHasFreedIsFreeAfterTheRollBack() {
    Tx tx = attempt.begin(false);
    long block = tx.allocate(100_000);
    tx.allocate(100_000);
    engine.runner.commit(attempt);
    Tx next = attempt.begin(false);
    next.free(block);
    Savepoints.State savepoint = attempt.savepoint(next);
    assertThat(next.allocate(100_000)).isEqualTo(block);
    attempt.rollBack(savepoint);
    assertThat(next.allocate(100_000)).isEqualTo(block);
  }

  /** Else the space would be lost for other transactions until the next search of all pages. */
  @Test
  void whatAnAttemptHasTakenInVainIsFreeForTheNext() {
    Tx tx = attempt.begin(false);
    long block = tx.allocate(100_000);
    tx.allocate(100_000);
    engine.runner.commit(attempt);
    Tx next = attempt.begin(false);
    next.free(block);
    engine.runner.commit(attempt);
    for (int i = 0; i < 3; i++) {
      assertThat(attempt.begin(false).allocate(100_000)).isEqualTo(block);
    }
    attempt.reset();
    Attempt other = engine.attempts.take();
    assertThat(other.begin(false).allocate(100_000)).isEqualTo(block);
    engine.attempts.give(other);
  }

  @Test
  void hooksAddedAfterASavepointWithoutHooksAreForgotten() {
    Tx tx = attempt.begin(false);
    Savepoints.State savepoint = attempt.savepoint(tx);
    attempt.rollBack(savepoint); // there are none yet
    tx.onStable(() -> {});
    attempt.rollBack(savepoint);
    assertThat(attempt.hooks().awaitsStability()).isFalse();
  }

  @Test
  void savepointsBehindOneThatWasGoneBackToAreGone() {
    Tx tx = attempt.begin(false);
    Savepoints.State first = attempt.savepoint(tx);
    tx.putLong(WORD, 1);
    Savepoints.State second = attempt.savepoint(tx);
    assertThat(attempt.words.has(first)).isTrue();
    assertThat(attempt.words.has(second)).isTrue();
    attempt.rollBack(second);
    assertThat(attempt.words.has(second)).isTrue();
    attempt.rollBack(first);
    assertThat(attempt.words.has(first)).isTrue();
    assertThat(attempt.words.has(second)).isFalse();
    Savepoints.State third = attempt.savepoint(tx);
    assertThat(third.place()).isEqualTo(second.place());
    assertThat(attempt.words.has(second)).isFalse();
    assertThat(attempt.words.has(third)).isTrue();
    Tx next = attempt.beginReusingHandle(false);
    assertThat(attempt.words.has(first)).as("of an attempt before").isFalse();
    assertThat(attempt.savepoint(next).place()).isZero();
    assertThat(attempt.words.has(first)).isFalse();
  }

  @Test
  void whatWasOpenAtASavepointIsOpenAgain() {
    Tx tx = attempt.begin(false);
    attempt.words.operations.begin();
    Savepoints.State savepoint = attempt.savepoint(tx);
    attempt.words.operations.begin();
    attempt.rollBack(savepoint);
    assertThat(attempt.words.operations.open()).isEqualTo(1);
    assertThatThrownBy(attempt::requireFinishedOperations)
        .isInstanceOf(UnfinishedOperationException.class);
    assertThat(((TxHandle) tx).isLive()).isFalse();
    attempt.begin(false);
    attempt.requireFinishedOperations();
  }

  /** An error that breaks a roll-back off leaves words of both states. */
  @Test
  void aRollBackThatIsBrokenOffKeepsTheAttemptFromItsCommit() {
    Tx tx = attempt.begin(false);
    Savepoints.State savepoint = attempt.savepoint(tx);
    tx.putLong(WORD, 1);
    attempt.words.newObjects.add(
        reference -> {
          forgotten.add(reference);
          if (forgotten.size() == 1) {
            throw new StackOverflowError("by the test");
          }
        },
        7);
    assertThatThrownBy(() -> attempt.rollBack(savepoint)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> engine.runner.commit(attempt))
        .isInstanceOf(UnfinishedOperationException.class);
  }

  // ---- Ends.

  @Test
  void aRefusalIsWhatLaterCallsSay() {
    Tx tx = attempt.begin(false);
    IllegalArgumentException reason = new IllegalArgumentException("by the test");
    assertThat(attempt.refuse(reason)).isSameAs(reason);
    assertThat(attempt.refusal()).isSameAs(reason);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .isInstanceOf(TransactionStateException.class)
        .hasCause(reason);
    assertThatThrownBy(() -> engine.runner.commit(attempt)).isSameAs(reason);
  }

  @Test
  void aRefusalEndsTheAttemptAtOnce() {
    attempt.begin(true);
    for (int i = 0; i < 1100; i++) {
      attempt.words.get(WORD + 32L * i);
    }
    assertThat(attempt.words.isSnapshotOpen()).isTrue();
    attempt.words.newObjects.add(type, 7);
    attempt.refuse(new IllegalArgumentException("by the test"));
    assertThat(attempt.words.isSnapshotOpen()).isFalse();
    assertThat(forgotten).containsExactly(7L);
  }

  @Test
  void anExceptionOutOfAPartRefusesTheAttemptUnlessItRetries() {
    Tx tx = attempt.begin(false);
    attempt.retrying(true);
    attempt.refuseAfter(tx, new RetryException());
    assertThat(((TxHandle) tx).isLive()).isTrue();
    attempt.refuseAfter(tx, new IllegalStateException("by the test"));
    assertThat(((TxHandle) tx).isLive()).isFalse();
    Tx next = attempt.begin(false);
    attempt.refuseAfter(tx, new IllegalStateException("by the test"));
    assertThat(((TxHandle) next).isLive()).as("another one's part").isTrue();
    attempt.refuseAfter(next, new RetryException());
    assertThat(((TxHandle) next).isLive()).as("a retry that no call has thrown").isFalse();
  }
}
