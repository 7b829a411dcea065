package io.howdah.collections;

import io.howdah.txn.Tx;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.stm.AttemptPool;
import io.howdah.txn.stm.TxRunner;
import org.jspecify.annotations.Nullable;

/** Transactions of one thread that a test begins and ends itself, one after the other. */
public final class WordSession implements AutoCloseable {

  private final AttemptPool attempts;
  private final TxRunner runner;
  private @Nullable Attempt attempt;

  WordSession(AttemptPool attempts, TxRunner runner) {
    this.attempts = attempts;
    this.runner = runner;
  }

  public Tx begin() {
    if (attempt != null) {
      throw new AssertionError("the last transaction has not ended");
    }
    Attempt taken = attempts.take();
    attempt = taken;
    taken.explicit(true);
    return taken.beginAgain(false);
  }

  public void commit() {
    Attempt begun = attempt;
    if (begun == null) {
      throw new AssertionError("there is no transaction to commit");
    }
    attempt = null;
    try {
      runner.commit(begun);
    } finally {
      give(begun);
    }
  }

  public void abort() {
    Attempt begun = attempt;
    if (begun != null) {
      attempt = null;
      runner.abort(begun);
      give(begun);
    }
  }

  private void give(Attempt ended) {
    ended.explicit(false);
    ended.words.forgetAfterCommit();
    attempts.give(ended);
  }

  @Override
  public void close() {
    abort();
  }
}
