package io.howdah;

import io.howdah.core.TransactionStateException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.StackReserve;
import io.howdah.txn.stm.TxContext;
import org.jspecify.annotations.Nullable;

/**
 * One thread's transactions, one after the other, without a body and without allocating anything:
 *
 * <pre>{@code
 * Session session = store.session();
 * while (true) {
 *   Tx tx = session.begin();
 *   try {
 *     tx.putLong(account, tx.getLong(account) + 1);
 *     long lsn = session.commit(Durability.ASYNC);
 *     break;
 *   } catch (ConflictException e) {
 *     session.abort(); // and again
 *   }
 * }
 * }</pre>
 *
 * <p>Where {@link Store#run} is good enough it is the better choice: it repeats the body, and lets
 * one that keeps losing run alone.
 *
 * <p>If a page of the store cannot be had (docs/durability.md), a read may throw the JVM's {@link
 * InternalError}, since no code of the store is around the calls of a session: abort then. A commit
 * throws {@link io.howdah.core.UnavailablePageException}.
 *
 * <p>The handle is the same object each time, so one kept from an earlier transaction of this
 * session is not noticed; an iterator or a savepoint of one is. For one thread at a time. A session
 * needs no closing; a transaction that it has begun has to be ended.
 */
public final class Session {

  private final Transactor transactor;
  private @Nullable TxContext context;

  Session(Transactor transactor) {
    this.transactor = transactor;
  }

  /**
   * Begins a transaction; any read may throw {@link ConflictException}.
   *
   * @throws TransactionStateException if the one before has not ended
   */
  public Tx begin() {
    if (context != null) {
      throw new TransactionStateException("the session's last transaction has not ended");
    }
    TxContext taken = transactor.takeForSession();
    boolean hasBegun = false;
    try {
      Tx tx = taken.beginAgain();
      context = taken;
      hasBegun = true;
      return tx;
    } finally {
      if (!hasBegun) {
        transactor.give(taken);
      }
    }
  }

  /**
   * Commits. Whatever comes of it, the transaction has ended.
   *
   * @return its LSN; see {@link Commit#lsn}
   * @throws ConflictException if it lost against another one; nothing of it happened
   * @throws NotYetDurableException if it has committed and is not durable within {@link
   *     StoreOptions#durabilityTimeout}
   */
  public long commit(Durability durability) {
    TxContext begun = context;
    if (begun == null) {
      throw new TransactionStateException("the session has no transaction to commit");
    }
    StackReserve.require(); // the caller may be deeper in its stack than it was at the begin
    context = null;
    return transactor.commit(begun, durability);
  }

  /** Ends the transaction without a trace. No effect if it has ended already. */
  public void abort() {
    TxContext begun = context;
    if (begun != null) {
      context = null;
      transactor.abort(begun);
    }
  }
}
