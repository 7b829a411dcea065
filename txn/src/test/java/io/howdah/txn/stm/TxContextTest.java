package io.howdah.txn.stm;

import static io.howdah.txn.stm.SmallEngine.WORD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.howdah.core.TransactionStateException;
import io.howdah.log.commit.Deadline;
import io.howdah.txn.AbortCause;
import io.howdah.txn.RetryException;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.UnfinishedOperationException;
import io.howdah.txn.words.AfterCommit;
import io.howdah.txn.words.ContextAttachment;
import io.howdah.txn.words.NewObjects;
import io.howdah.txn.words.Savepoints;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one attempt leaves to the next one, and what a savepoint brings back. */
final class TxContextTest {

  private static final long OTHER = WORD + 4096;

  private final SmallEngine engine = new SmallEngine();
  private final TxContext context = engine.contexts.take();
  private final List<Long> forgotten = new ArrayList<>();
  private final NewObjects.Owner type = forgotten::add;

  @AfterEach
  void close() {
    engine.contexts.give(context);
    engine.close();
  }

  /** Counts what the layer above is told. */
  private static final class Above extends ContextAttachment {
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
    context.attach(above);
    assertThat(context.attachment()).isSameAs(above);
    Tx first = context.begin(false);
    Tx second = context.beginAgain(true);
    assertThat(above.begun).containsExactly(first, second);
    context.reset();
    assertThat(above.trims).isEqualTo(1);
    assertThat(((TxHandle) second).isLive()).isFalse();
  }

  @Test
  void anAttemptBeginsWithNothingOfTheOneBefore() {
    Tx tx = context.begin(false);
    context.put(WORD, 1);
    context.guard(OTHER);
    context.hooks().onCommit(() -> {});
    context.afterCommit((_, _, _) -> {});
    context.operations.begin();
    context.willWriteParts();
    context.retrying(true);
    context.retryLimit(new RetryWaits.Limit(engine.clock, 1, false));
    context.newObjects.add(type, 77);
    context.lsn(5);
    context.record(1, 2, 3);
    context.progress.isCommitted = true;
    context.conflict(AbortCause.LOCKED);
    assertThat(forgotten).as("objects of a commit stay").isEmpty();
    context.refuse(new IllegalStateException("by the test"));
    assertThat(context.conflict()).isEqualTo(AbortCause.LOCKED);
    context.begin(false);
    assertThat(((TxHandle) tx).isLive()).isFalse();
    assertThat(context.writes.count()).isZero();
    assertThat(context.guards.count()).isZero();
    assertThat(context.takeHooks()).isNull();
    assertThat(context.hasAfterCommit()).isFalse();
    assertThat(context.operations.open()).isZero();
    assertThat(context.wroteParts()).isFalse();
    assertThat(context.isRetrying()).isFalse();
    assertThat(context.retryLimit()).isNull();
    assertThat(context.lsn()).isZero();
    assertThat(context.recordPartition()).isEqualTo(TxContext.NO_RECORD);
    assertThat(context.progress.isCommitted).isFalse();
    assertThat(context.conflict()).isNull();
    assertThat(context.refusal()).isNull();
  }

  @Test
  void objectsOfAnAttemptThatDidNotCommitAreForgotten() {
    context.begin(false);
    context.newObjects.add(type, 7);
    context.newObjects.add(type, 8);
    context.end();
    assertThat(forgotten).containsExactly(8L, 7L);
    context.begin(false);
    context.newObjects.add(type, 9);
    context.put(WORD, 1);
    engine.runner.commit(context);
    assertThat(forgotten).containsExactly(8L, 7L);
  }

  @Test
  void aHandleIsUsedAgainUnlessALimitMayTakeItAway() {
    Tx first = context.beginAgain(false);
    assertThat(context.isHandle(first)).isTrue();
    assertThat(context.beginAgain(true)).isSameAs(first);
    assertThat(context.isReadOnly()).isTrue();
    Tx alone = context.begin(false);
    assertThat(alone).isNotSameAs(first);
    assertThat(context.isHandle(first)).isFalse();
    assertThat(((TxHandle) first).isLive()).isFalse();
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    context.limit(limit);
    Tx limited = context.beginAgain(false);
    assertThat(limited).isSameAs(first);
    assertThat(context.beginAgain(false)).as("the limit has that one").isNotSameAs(limited);
    engine.limits.end(limit);
    assertThat(context.takeLimit()).isSameAs(limit);
    assertThat(context.takeLimit()).isNull();
  }

  @Test
  void aLimitIsTheDeadlineAndEndsTheTransaction() {
    assertThat(context.limit()).isNull();
    assertThat(context.deadline()).isSameAs(Deadline.NONE);
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    context.limit(limit);
    assertThat(context.limit()).isSameAs(limit);
    assertThat(context.deadline()).isSameAs(limit);
    Tx tx = context.begin(false);
    engine.clock.nanos += 4_999_999;
    context.failIfExpired();
    engine.clock.nanos++;
    assertThatThrownBy(context::failIfExpired).isInstanceOf(TransactionTimeoutException.class);
    assertThat(context.refusal()).isInstanceOf(TransactionTimeoutException.class);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .hasCauseInstanceOf(TransactionTimeoutException.class);
    engine.limits.end(limit);
    context.takeLimit();
    context.failIfExpired();
  }

  @Test
  void theHandleOfATransactionThatTakesTooLongIsTakenAway() {
    TimeLimits.Limit limit = engine.limits.begin(5_000_000);
    context.limit(limit);
    TxHandle tx = (TxHandle) context.begin(false);
    engine.clock.nanos += 5_000_000;
    engine.clock.onPark =
        () -> {
          throw new IllegalStateException("enough");
        };
    assertThat(tx.isLive()).isTrue();
    assertThatThrownBy(() -> engine.clock.bodies.values().forEach(Runnable::run))
        .hasMessage("enough");
    assertThat(tx.isLive()).isFalse();
    context.takeLimit();
  }

  @Test
  void actionsForAfterTheCommitAreRunOnceEachInTheirOrder() {
    AfterCommit first = (_, _, _) -> {};
    AfterCommit second = (_, _, _) -> {};
    context.begin(false);
    assertThat(context.hasAfterCommit()).isFalse();
    context.afterCommit(first);
    context.afterCommit(second);
    context.afterCommit(first);
    assertThat(context.hasAfterCommit()).isTrue();
    assertThat(context.takeAfterCommit()).containsExactly(first, second);
    assertThat(context.takeAfterCommit()).isEmpty();
    context.afterCommit(first);
    context.forgetAfterCommit();
    assertThat(context.hasAfterCommit()).isFalse();
  }

  @Test
  void whatACommitHasLeftIsKept() {
    context.begin(false);
    context.record(3, 4096, 17);
    context.lsn(18);
    context.explicit(true);
    assertThat(context.recordPartition()).isEqualTo(3);
    assertThat(context.recordEnd()).isEqualTo(4096);
    assertThat(context.recordDependency()).isEqualTo(17);
    assertThat(context.lsn()).isEqualTo(18);
    assertThat(context.isExplicit()).isTrue();
    context.explicit(false);
    assertThat(context.isExplicit()).isFalse();
    context.lsn(0);
    assertThat(context.isOf(engine.environment)).isTrue();
    try (SmallEngine other = new SmallEngine()) {
      assertThat(context.isOf(other.environment)).isFalse();
    }
  }

  @Test
  void hooksAreMadeOnceAndTakenOnce() {
    context.begin(false);
    Hooks hooks = context.hooks();
    assertThat(context.hooks()).isSameAs(hooks);
    assertThat(context.takeHooks()).isSameAs(hooks);
    assertThat(context.takeHooks()).isNull();
  }

  // ---- Savepoints.

  @Test
  void aRollBackUndoesWhatCameAfterItsSavepoint() {
    List<String> run = new ArrayList<>();
    engine.put(OTHER, 3);
    Tx tx = context.begin(false);
    tx.putLong(WORD, 1);
    context.guard(WORD + 64);
    tx.onCommit(() -> run.add("before"));
    context.newObjects.add(type, 7);
    Savepoints.Taken savepoint = context.savepoint(tx);
    tx.putLong(WORD, 2);
    tx.putLong(OTHER, 4);
    context.guard(WORD + 128);
    tx.onCommit(() -> run.add("after"));
    context.newObjects.add(type, 8);
    context.operations.begin();
    long changes = context.operations.changes();
    context.rollBack(savepoint);
    assertThat(context.operations.open()).isZero();
    assertThat(context.operations.changes()).isGreaterThan(changes);
    assertThat(context.guards.count()).isEqualTo(1);
    assertThat(context.guards.address(0)).isEqualTo(WORD + 64);
    assertThat(forgotten).containsExactly(8L);
    assertThat(tx.getLong(WORD)).isEqualTo(1);
    assertThat(tx.getLong(OTHER)).isEqualTo(3);
    engine.runner.commit(context);
    Objects.requireNonNull(context.takeHooks()).committed();
    assertThat(run).containsExactly("before");
    assertThat(engine.get(WORD)).isEqualTo(1);
    assertThat(engine.get(OTHER)).isEqualTo(3);
  }

  /** Blocks that the roll-back gives back are free again for the same transaction. */
  @Test
  void aRollBackGivesBlocksBack() {
    Tx tx = context.begin(false);
    Savepoints.Taken savepoint = context.savepoint(tx);
    long block = tx.allocate(100_000);
    context.rollBack(savepoint);
    assertThat(tx.allocate(100_000)).isEqualTo(block);
    context.rollBack(savepoint);
    assertThat(context.heap.isBlock(block)).isFalse();
  }

  /** A block that was freed before the savepoint, and taken again after it, is free again. */
  @Test
  void aBlockThatTheAttemptHasFreedIsFreeAfterTheRollBack() {
    Tx tx = context.begin(false);
    long block = tx.allocate(100_000);
    tx.allocate(100_000);
    engine.runner.commit(context);
    Tx next = context.begin(false);
    next.free(block);
    Savepoints.Taken savepoint = context.savepoint(next);
    assertThat(next.allocate(100_000)).isEqualTo(block);
    context.rollBack(savepoint);
    assertThat(next.allocate(100_000)).isEqualTo(block);
  }

  /** Else the space would be lost for other transactions until the next search of all pages. */
  @Test
  void whatAnAttemptHasTakenInVainIsFreeForTheNext() {
    Tx tx = context.begin(false);
    long block = tx.allocate(100_000);
    tx.allocate(100_000);
    engine.runner.commit(context);
    Tx next = context.begin(false);
    next.free(block);
    engine.runner.commit(context);
    for (int i = 0; i < 3; i++) {
      assertThat(context.begin(false).allocate(100_000)).isEqualTo(block);
    }
    context.reset();
    TxContext other = engine.contexts.take();
    assertThat(other.begin(false).allocate(100_000)).isEqualTo(block);
    engine.contexts.give(other);
  }

  @Test
  void hooksAddedAfterASavepointWithoutHooksAreForgotten() {
    Tx tx = context.begin(false);
    Savepoints.Taken savepoint = context.savepoint(tx);
    context.rollBack(savepoint); // there are none yet
    tx.onStable(() -> {});
    context.rollBack(savepoint);
    assertThat(context.hooks().awaitsStability()).isFalse();
  }

  @Test
  void savepointsBehindOneThatWasGoneBackToAreGone() {
    Tx tx = context.begin(false);
    Savepoints.Taken first = context.savepoint(tx);
    tx.putLong(WORD, 1);
    Savepoints.Taken second = context.savepoint(tx);
    assertThat(context.has(first)).isTrue();
    assertThat(context.has(second)).isTrue();
    context.rollBack(second);
    assertThat(context.has(second)).isTrue();
    context.rollBack(first);
    assertThat(context.has(first)).isTrue();
    assertThat(context.has(second)).isFalse();
    Savepoints.Taken third = context.savepoint(tx);
    assertThat(third.place()).isEqualTo(second.place());
    assertThat(context.has(second)).isFalse();
    assertThat(context.has(third)).isTrue();
    Tx next = context.beginAgain(false);
    assertThat(context.has(first)).as("of an attempt before").isFalse();
    assertThat(context.savepoint(next).place()).isZero();
    assertThat(context.has(first)).isFalse();
  }

  @Test
  void whatWasOpenAtASavepointIsOpenAgain() {
    Tx tx = context.begin(false);
    context.operations.begin();
    Savepoints.Taken savepoint = context.savepoint(tx);
    context.operations.begin();
    context.rollBack(savepoint);
    assertThat(context.operations.open()).isEqualTo(1);
    assertThatThrownBy(context::requireFinishedOperations)
        .isInstanceOf(UnfinishedOperationException.class);
    assertThat(((TxHandle) tx).isLive()).isFalse();
    context.begin(false);
    context.requireFinishedOperations();
  }

  /** An error that breaks a roll-back off leaves words of both states. */
  @Test
  void aRollBackThatIsBrokenOffKeepsTheAttemptFromItsCommit() {
    Tx tx = context.begin(false);
    Savepoints.Taken savepoint = context.savepoint(tx);
    tx.putLong(WORD, 1);
    context.newObjects.add(
        reference -> {
          forgotten.add(reference);
          if (forgotten.size() == 1) {
            throw new StackOverflowError("by the test");
          }
        },
        7);
    assertThatThrownBy(() -> context.rollBack(savepoint)).isInstanceOf(StackOverflowError.class);
    assertThatThrownBy(() -> engine.runner.commit(context))
        .isInstanceOf(UnfinishedOperationException.class);
  }

  // ---- Ends.

  @Test
  void aRefusalIsWhatLaterCallsSay() {
    Tx tx = context.begin(false);
    IllegalArgumentException reason = new IllegalArgumentException("by the test");
    assertThat(context.refuse(reason)).isSameAs(reason);
    assertThat(context.refusal()).isSameAs(reason);
    assertThatThrownBy(() -> tx.getLong(WORD))
        .isInstanceOf(TransactionStateException.class)
        .hasCause(reason);
    assertThatThrownBy(() -> engine.runner.commit(context)).isSameAs(reason);
  }

  @Test
  void aRefusalEndsTheAttemptAtOnce() {
    context.begin(true);
    for (int i = 0; i < 1100; i++) {
      context.get(WORD + 32L * i);
    }
    assertThat(context.isSnapshotOpen).isTrue();
    context.newObjects.add(type, 7);
    context.refuse(new IllegalArgumentException("by the test"));
    assertThat(context.isSnapshotOpen).isFalse();
    assertThat(forgotten).containsExactly(7L);
  }

  @Test
  void anExceptionOutOfAPartRefusesTheAttemptUnlessItRetries() {
    Tx tx = context.begin(false);
    context.retrying(true);
    context.refuseAfter(tx, new RetryException());
    assertThat(((TxHandle) tx).isLive()).isTrue();
    context.refuseAfter(tx, new IllegalStateException("by the test"));
    assertThat(((TxHandle) tx).isLive()).isFalse();
    Tx next = context.begin(false);
    context.refuseAfter(tx, new IllegalStateException("by the test"));
    assertThat(((TxHandle) next).isLive()).as("another one's part").isTrue();
    context.refuseAfter(next, new RetryException());
    assertThat(((TxHandle) next).isLive()).as("a retry that no call has thrown").isFalse();
  }
}
