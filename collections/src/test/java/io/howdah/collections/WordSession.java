package io.howdah.collections;

import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.stm.AttemptPool;
import io.howdah.txn.stm.IrrevocableGate;
import io.howdah.txn.stm.TimeLimits;
import io.howdah.txn.stm.TxRunner;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Transactions of one thread that a test begins and ends itself, one after the other. */
public final class WordSession implements AutoCloseable {

  private final AttemptPool attempts;
  private final TxRunner runner;
  private final TimeLimits limits;
  private final IrrevocableGate gate;
  private boolean hasEntered;
  private @Nullable Attempt attempt;

  WordSession(AttemptPool attempts, TxRunner runner, TimeLimits limits, IrrevocableGate gate) {
    this.attempts = attempts;
    this.runner = runner;
    this.limits = limits;
    this.gate = gate;
  }

  public Tx begin() {
    return begin(TxOptions.defaults());
  }

  public Tx begin(TxOptions how) {
    if (attempt != null) {
      throw new AssertionError("the last transaction has not ended");
    }
    Attempt taken = attempts.take();
    attempt = taken;
    taken.ofSession(true);
    Duration timeLimit = how.timeLimit();
    if (timeLimit != null) {
      taken.limit(limits.begin(TimeLimits.nanos(timeLimit)));
    }
    hasEntered = how.isIrrevocable() && gate.enter(taken.deadline());
    return taken.beginReusingHandle(how.isReadOnly());
  }

  /** Commits the transaction, which ends in any case, and returns its LSN. */
  public long commit() {
    Attempt begun = attempt;
    if (begun == null) {
      throw new AssertionError("there is no transaction to commit");
    }
    attempt = null;
    try {
      runner.commit(begun);
      return begun.lsn();
    } finally {
      give(begun);
    }
  }

  public void abort() {
    Attempt begun = attempt;
    if (begun != null) {
      runner.abort(begun);
      attempt = null;
      give(begun);
    }
  }

  private void give(Attempt ended) {
    ended.ofSession(false);
    TimeLimits.Limit limit = ended.takeLimit();
    if (limit != null) {
      limits.end(limit);
    }
    if (hasEntered) {
      gate.leave();
    }
    ended.words.forgetAfterCommit();
    attempts.give(ended);
  }

  @Override
  public void close() {
    abort();
  }
}
