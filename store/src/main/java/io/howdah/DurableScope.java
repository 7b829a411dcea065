package io.howdah;

import io.howdah.txn.Durability;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxFunction;
import io.howdah.txn.TxOptions;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Several transactions of one thread that become durable together: each commits at once, and one
 * wait at the end covers them all. Hathi's split-phase commit with the wait at the closing brace:
 *
 * <pre>{@code
 * try (DurableScope scope = store.durability().scope(Durability.PARTITION)) {
 *   for (Order order : orders) {
 *     scope.run(tx -> book(tx, order));
 *   }
 * } // here all of them survive a power cut
 * }</pre>
 *
 * <p>The transactions are not one unit: a crash inside the scope may leave only some of them. An
 * exception from a body comes out of {@link #run} and leaves the scope open. For one thread at a
 * time.
 */
public final class DurableScope implements AutoCloseable {

  private static final TxOptions WRITES = TxOptions.async();
  private static final TxOptions READS = WRITES.withReadOnly();

  private final Transactor transactor;
  private final DurabilityWaits waits;
  private final Durability durability;
  private final CommitSet commits;

  DurableScope(
      Transactor transactor, DurabilityWaits waits, Durability durability, int partitions) {
    this.transactor = transactor;
    this.waits = waits;
    this.durability = durability;
    this.commits = new CommitSet(partitions);
  }

  private Milestone milestone() {
    return waits.milestone(durability, commits);
  }

  /**
   * Runs a transaction; it is not durable yet on return.
   *
   * @return its LSN; see {@link Receipt#lsn}
   */
  public <E extends Exception> long run(TxBody<E> body) throws E {
    return transactor.run(WRITES, commits, body);
  }

  /** Runs a transaction and returns its body's result; it is not durable yet on return. */
  public <T extends @Nullable Object, E extends Exception> T call(TxFunction<T, E> body) throws E {
    return transactor.call(WRITES, commits, body);
  }

  /**
   * Runs a transaction that does not write, and returns its body's result; what it has read may not
   * be durable yet.
   */
  public <T extends @Nullable Object, E extends Exception> T read(TxFunction<T, E> body) throws E {
    return transactor.read(READS, commits, body);
  }

  /**
   * Returns whether all transactions so far, and what they have read, are durable by now. Some
   * reads of memory, one for each partition at most.
   */
  public boolean isDurable() {
    return milestone().reached();
  }

  /**
   * Returns a stage that completes when all transactions so far, and what they have read, are
   * durable; the log forces what is missing at once. The scope can be used at once: later
   * transactions are not waited for. The stage completes, and fails, as {@link
   * StoreDurability#whenStable} says.
   */
  public CompletionStage<@Nullable Void> whenDurable() {
    return milestone().whenReached();
  }

  /**
   * Waits until all transactions so far, and what they have read, are durable.
   *
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}; they have
   *     committed all the same, and the scope may be awaited again
   */
  public void await() {
    milestone().await();
    commits.forget();
  }

  /**
   * Waits until all transactions so far, and what they have read, are durable, for a limited time.
   *
   * @param timeout 0 or less only looks
   * @return whether they are
   */
  public boolean await(Duration timeout) {
    boolean reached = milestone().await(timeout);
    if (reached) {
      commits.forget();
    }
    return reached;
  }

  /**
   * Waits like {@link #await()}: at most for {@link StoreOptions#durabilityTimeout}, however many
   * transactions there were.
   *
   * @throws NotYetDurableException if they are not durable by then; they have committed all the
   *     same
   */
  @Override
  public void close() {
    await();
  }
}
