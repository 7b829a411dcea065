package io.howdah.springdata;

import io.howdah.NotYetDurableException;
import io.howdah.Session;
import io.howdah.Store;
import io.howdah.core.HowdahException;
import io.howdah.core.StoreFailedException;
import io.howdah.txn.Durability;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.SmartTransactionObject;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes {@code @Transactional} a transaction of a store. Repositories take part in it, and so does
 * code that works with collections by {@link #current}:
 *
 * <pre>{@code
 * @Transactional
 * public void pay(String from, String to, long cents) {
 *   Tx tx = HowdahTransactionManager.current(store);
 *   balances.merge(tx, from, -cents, Long::sum);
 *   balances.merge(tx, to, cents, Long::sum);
 *   payments.save(new Payment(UUID.randomUUID(), from, to, cents)); // a repository
 * }
 * }</pre>
 *
 * <p>The rule is that of a {@link Session}: <b>a method that loses a conflict is not run again</b>,
 * since only the caller knows what else it did. It ends with Spring's {@code
 * OptimisticLockingFailureException}, and nothing of it happened. Either the caller repeats it, as
 * by Spring's {@code @Retryable}, or the program uses {@link Store#run}, which repeats its body.
 *
 * <p>Isolation is always serializable, whatever level is asked for. {@code readOnly} refuses
 * writes. A {@code timeout} is a limit on the time until the commit. {@code REQUIRES_NEW} is a
 * transaction beside the outer one: what they both change is a conflict. {@code NESTED} is a
 * savepoint. The mode of the commit is the store's default, or one of the labels {@link #SYNC},
 * {@link #PARTITION} and {@link #ASYNC}; {@link #IRREVOCABLE} has no conflicts, while all other
 * commits wait.
 *
 * <p>If the commit has happened and is not durable in time, {@code TransactionSystemException} has
 * {@link NotYetDurableException} as its cause; do not run the method again. One with {@link
 * StoreFailedException} leaves open whether it happened; the next opening tells.
 *
 * <p>A transaction belongs to its thread, so {@code @Async} methods and other threads are not in
 * it. Thread-safe.
 */
public final class HowdahTransactionManager extends AbstractPlatformTransactionManager
    implements ResourceTransactionManager {

  private static final long serialVersionUID = 1L;

  /** The label of a transaction that commits in {@link Durability#SYNC}. */
  public static final String SYNC = "howdah:sync";

  /** The label of a transaction that commits in {@link Durability#PARTITION}. */
  public static final String PARTITION = "howdah:partition";

  /** The label of a transaction that commits in {@link Durability#ASYNC}. */
  public static final String ASYNC = "howdah:async";

  /** The label of a transaction beside which no other commits. */
  public static final String IRREVOCABLE = "howdah:irrevocable";

  private static final String PREFIX = "howdah:";

  @SuppressWarnings("serial") // nothing serializes a transaction manager
  private final Store store;

  @SuppressWarnings("serial") // as above
  private final HowdahExceptionTranslator translator = new HowdahExceptionTranslator();

  /** Creates the transaction manager of a store. */
  public HowdahTransactionManager(Store store) {
    this.store = store;
    setNestedTransactionAllowed(true);
  }

  /**
   * Returns the transaction of a store that runs in the calling thread.
   *
   * @throws IllegalTransactionStateException if there is none
   */
  public static Tx current(Store store) {
    StoreTransaction running = StoreTransaction.of(store);
    if (running == null) {
      throw new IllegalTransactionStateException(
          "no transaction of this store runs in "
              + Thread.currentThread()
              + "; call this in a method with @Transactional, through its bean, or use Store.run");
    }
    return running.tx();
  }

  @Override
  public Object getResourceFactory() {
    return store;
  }

  @Override
  protected Object doGetTransaction() {
    return new Joined(StoreTransaction.of(store));
  }

  @Override
  protected boolean isExistingTransaction(Object transaction) {
    return ((Joined) transaction).running != null;
  }

  @Override
  protected void doBegin(Object transaction, TransactionDefinition definition) {
    int seconds = determineTimeout(definition);
    TxOptions how = options(definition, seconds);
    StoreTransaction begun;
    try {
      Session session = store.session();
      begun = new StoreTransaction(session, session.begin(how));
    } catch (HowdahException e) {
      throw new CannotCreateTransactionException(String.valueOf(e.getMessage()), e);
    }
    begun.setSynchronizedWithTransaction(true);
    if (seconds != TransactionDefinition.TIMEOUT_DEFAULT) {
      begun.setTimeoutInSeconds(seconds);
    }
    TransactionSynchronizationManager.bindResource(store, begun);
    ((Joined) transaction).running = begun;
  }

  private static TxOptions options(TransactionDefinition definition, int seconds) {
    TxOptions how = TxOptions.defaults();
    Collection<String> labels =
        definition instanceof TransactionAttribute attribute ? attribute.getLabels() : Set.of();
    for (String label : labels) {
      how =
          switch (label) {
            case SYNC -> how.withDurability(Durability.SYNC);
            case PARTITION -> how.withDurability(Durability.PARTITION);
            case ASYNC -> how.withDurability(Durability.ASYNC);
            case IRREVOCABLE -> how.withIrrevocable();
            default -> requireForeign(label, how);
          };
    }
    if (seconds > 0) {
      how = how.withTimeLimit(Duration.ofSeconds(seconds));
    }
    return definition.isReadOnly() ? how.withReadOnly() : how;
  }

  private static TxOptions requireForeign(String label, TxOptions how) {
    if (label.startsWith(PREFIX)) {
      throw new IllegalTransactionStateException(
          "a transaction has no label "
              + label
              + "; there are "
              + String.join(", ", SYNC, PARTITION, ASYNC, IRREVOCABLE));
    }
    return how;
  }

  @Override
  protected Object doSuspend(Object transaction) {
    ((Joined) transaction).running = null;
    return TransactionSynchronizationManager.unbindResource(store);
  }

  @Override
  protected void doResume(@Nullable Object transaction, Object suspended) {
    TransactionSynchronizationManager.bindResource(store, suspended);
  }

  @Override
  protected void doCommit(DefaultTransactionStatus status) {
    try {
      long _ = session(status).commit();
    } catch (NotYetDurableException | StoreFailedException e) {
      throw new TransactionSystemException(String.valueOf(e.getMessage()), e);
    } catch (HowdahException e) {
      throw translated(e);
    }
  }

  private RuntimeException translated(HowdahException thrown) {
    RuntimeException translated = translator.translateExceptionIfPossible(thrown);
    return translated == null ? thrown : translated;
  }

  @Override
  protected void doRollback(DefaultTransactionStatus status) {
    session(status).abort();
  }

  private static Session session(DefaultTransactionStatus status) {
    StoreTransaction running = ((Joined) status.getTransaction()).running;
    Session session = running == null ? null : running.session();
    if (session == null) {
      throw new IllegalTransactionStateException("the transaction was not begun by this manager");
    }
    return session;
  }

  @Override
  protected void doSetRollbackOnly(DefaultTransactionStatus status) {
    StoreTransaction running = ((Joined) status.getTransaction()).running;
    if (running != null) {
      running.setRollbackOnly();
    }
  }

  @Override
  protected void doCleanupAfterCompletion(Object transaction) {
    StoreTransaction ended =
        (StoreTransaction) TransactionSynchronizationManager.unbindResource(store);
    Session session = ended.session();
    if (session != null) {
      session.close();
    }
    ended.clear();
    ((Joined) transaction).running = null;
  }

  /** What Spring keeps of one call of a transactional method: the transaction that it is in. */
  private static final class Joined implements SmartTransactionObject, SavepointManager {

    private @Nullable StoreTransaction running;

    Joined(@Nullable StoreTransaction running) {
      this.running = running;
    }

    private Tx tx() {
      if (running == null) {
        throw new IllegalTransactionStateException("no transaction runs");
      }
      return running.tx();
    }

    @Override
    public boolean isRollbackOnly() {
      return running != null && running.isRollbackOnly();
    }

    @Override
    public Object createSavepoint() {
      return tx().savepoint();
    }

    @Override
    public void rollbackToSavepoint(Object savepoint) {
      tx().rollBack((Savepoint) savepoint);
    }

    /** Does nothing: a savepoint ends with its transaction. */
    @Override
    public void releaseSavepoint(Object savepoint) {}
  }
}
