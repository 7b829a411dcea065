package io.howdah;

import io.howdah.core.TransactionStateException;
import io.howdah.txn.ConflictException;
import io.howdah.txn.Durability;
import io.howdah.txn.TransactionTimeoutException;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Attempt;
import io.howdah.txn.words.StackReserve;
import org.jspecify.annotations.Nullable;

/**
 * One thread's transactions, one after the other, that the program begins and ends itself: for
 * frameworks that cannot pass a body, and for code that must not allocate.
 *
 * <pre>{@code
 * try (Session session = store.session()) {
 *   while (true) {
 *     Tx tx = session.begin(async());
 *     try {
 *       tx.putLong(account, tx.getLong(account) + 1);
 *       long lsn = session.commit();
 *       break;
 *     } catch (ConflictException e) {
 *       session.abort(); // and again
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p>Every transaction has to be ended, after an exception, too: by {@link #commit}, {@link #abort}
 * or {@link #close}, in the thread that has begun it. Any read may throw {@link ConflictException}.
 * Then the transaction has to be aborted and everything repeated. {@link Tx#retry} is refused,
 * since there is no body to run again.
 *
 * <p>Where {@link Store#run} suffices it is the better choice: it repeats the body, and runs a body
 * that keeps losing alone.
 *
 * <p>If a page of the store is not available (docs/durability.md), a read may throw the JVM's
 * {@link InternalError}, since no code of the store is around the calls of a session: abort then. A
 * commit throws {@link io.howdah.core.UnavailablePageException}. Once the store is closed, a begin
 * and a commit throw {@link io.howdah.core.StoreClosedException}, and calls of a transaction that
 * had begun before may throw an {@link IllegalStateException} of the memory that is gone.
 *
 * <p>Beginning and committing allocate nothing, unless the options have a time limit or the commit
 * waits to be durable. The price is that handles are used again: a handle that was kept from an
 * earlier transaction may stand for a later one of the same thread, and this is not noticed. An
 * iterator or a savepoint of an earlier transaction is refused.
 *
 * <p>For one thread at a time. A program that needs several transactions at the same time takes a
 * session for each; sessions are cheap.
 */
public final class Session implements AutoCloseable {

  private final Transactor transactor;
  private @Nullable Attempt attempt;
  private @Nullable Thread owner;
  private Durability durability = Durability.SYNC;
  private boolean hasEnteredGate;
  private boolean isClosed;

  Session(Transactor transactor) {
    this.transactor = transactor;
  }

  /**
   * Begins a transaction with default options.
   *
   * @throws TransactionStateException if the one before has not ended, or the session is closed
   */
  public Tx begin() {
    return begin(TxOptions.defaults());
  }

  /**
   * Begins a transaction. Its time limit, if there is one, runs from now on.
   *
   * @throws TransactionStateException if the one before has not ended, or the session is closed
   * @throws TransactionTimeoutException if it is to be irrevocable, and other irrevocable
   *     transactions took all of its time
   */
  public Tx begin(TxOptions how) {
    if (isClosed) {
      throw new TransactionStateException("the session is closed; open a new one");
    }
    if (attempt != null) {
      throw new TransactionStateException("the session's last transaction has not ended");
    }
    Durability mode = transactor.durability(how);
    Attempt taken = transactor.take();
    boolean hasBegun = false;
    boolean entered = false;
    try {
      entered = transactor.prepare(taken, how);
      Tx tx = taken.beginReusingHandle(how.isReadOnly());
      attempt = taken;
      owner = Thread.currentThread();
      durability = mode;
      hasEnteredGate = entered;
      hasBegun = true;
      return tx;
    } finally {
      if (!hasBegun) {
        transactor.returnUnused(taken, entered);
      }
    }
  }

  /**
   * Commits, and waits for what the transaction's mode says. Whatever comes of it, the transaction
   * has ended.
   *
   * @return its LSN; see {@link Receipt#lsn}
   * @throws ConflictException if it lost against another one; nothing of it happened
   * @throws NotYetDurableException if it has committed and is not durable within {@link
   *     StoreOptions#durabilityTimeout}
   * @throws TransactionStateException if there is none, or another thread has begun it
   */
  public long commit() {
    Attempt begun = attempt;
    if (begun == null) {
      throw new TransactionStateException("the session has no transaction to commit");
    }
    requireOwner("commit");
    StackReserve.require(); // the caller may be deeper in its stack than it was at the begin
    attempt = null;
    return transactor.commit(begun, durability, hasEnteredGate);
  }

  /**
   * Ends the transaction without a trace. No effect if it has ended already, so the call may stand
   * in a {@code finally}. If an error is thrown, for want of stack, the transaction has not ended:
   * abort again where there is more.
   *
   * @throws TransactionStateException if another thread has begun it
   */
  public void abort() {
    Attempt begun = attempt;
    if (begun != null) {
      requireOwner("abort");
      StackReserve.require(); // as for a commit
      transactor.beginAbort(begun);
      // Now, since another thread may get the attempt next. Nothing behind this line fails for want
      // of stack, and nothing before it has given back anything.
      attempt = null;
      transactor.abort(begun, hasEnteredGate);
    }
  }

  /**
   * Aborts the transaction, if there is one, and refuses others. Idempotent; like {@link #abort} it
   * has to be called again after an error. A session without a transaction holds nothing, so it
   * need not be closed.
   *
   * @throws TransactionStateException if another thread has begun the transaction
   */
  @Override
  public void close() {
    abort();
    isClosed = true;
  }

  @SuppressWarnings("ReferenceEquality") // a subclass of Thread may define equals as it likes
  private void requireOwner(String what) {
    if (owner != Thread.currentThread()) {
      throw new TransactionStateException(
          "the session's transaction belongs to "
              + owner
              + ", so "
              + Thread.currentThread()
              + " cannot "
              + what
              + " it");
    }
  }
}
