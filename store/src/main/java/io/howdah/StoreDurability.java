package io.howdah;

import io.howdah.txn.Durability;
import io.howdah.txn.TxOptions;
import io.howdah.txn.stm.Lifecycle;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells which LSNs survive a power cut, and waits for them; from {@link Store#durability}. Every
 * commit has an LSN: {@link Store#run} returns it, and {@link Receipt#lsn}. {@link Receipt} and
 * {@link DurableScope} answer the same questions for one commit, and for several.
 *
 * <p>LSNs do not outlive an opening. A commit that a power cut took before it was stable may have
 * left no trace, and then the next opening gives out its LSN again. So after opening the store
 * again do not ask about LSNs from before: read the data instead.
 *
 * <p>Thread-safe.
 */
public final class StoreDurability {

  private final Lifecycle lifecycle;
  private final Transactor transactor;
  private final DurabilityWaits waits;
  private final int partitions;

  StoreDurability(
      Lifecycle lifecycle, Transactor transactor, DurabilityWaits waits, int partitions) {
    this.lifecycle = lifecycle;
    this.transactor = transactor;
    this.waits = waits;
    this.partitions = partitions;
  }

  /**
   * Returns the newest LSN that survives a power cut by now, with all before it. One read of
   * memory. In memory, where nothing survives, the newest LSN.
   */
  public long stableLsn() {
    return waits.currentStableLsn();
  }

  /**
   * Returns whether a commit, and all before it, survive a power cut by now. One read of memory.
   *
   * @param lsn of this opening
   * @throws IllegalArgumentException if the store has not given out that LSN, or if it is known to
   *     be from before a power cut that took commits up to it
   */
  public boolean isStable(long lsn) {
    return waits.stable(lsn).reached();
  }

  /**
   * Waits until a commit, and all before it, survive a power cut. The wait makes the log force them
   * at once. An interrupt does not end it, and stays set.
   *
   * @param lsn of this opening, as for {@link #isStable}
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}
   */
  public void awaitStable(long lsn) {
    waits.stable(lsn).await();
  }

  /**
   * Waits until a commit, and all before it, survive a power cut, for a limited time.
   *
   * @param lsn of this opening, as for {@link #isStable}
   * @param timeout 0 or less only looks
   * @return whether they do
   */
  public boolean awaitStable(long lsn, Duration timeout) {
    return waits.stable(lsn).await(timeout);
  }

  /**
   * Returns a stage that completes when a commit, and all before it, survive a power cut; the log
   * forces them at once. It completes on {@link StoreOptions#completionExecutor}, never in the
   * threads that write the log. So actions that depend on it may block or throw: they delay only
   * their own executor. If the store stops before, the stage completes with {@link
   * io.howdah.core.StoreFailedException} or {@link io.howdah.core.StoreClosedException}.
   *
   * <p>A stage waits without a time limit. At most {@value StableStages#MAX_PENDING} wait at once;
   * with more of them, the call itself waits.
   *
   * @param lsn of this opening, as for {@link #isStable}
   * @throws NotYetDurableException if the call itself has waited for {@link
   *     StoreOptions#durabilityTimeout}
   */
  public CompletionStage<@Nullable Void> whenStable(long lsn) {
    return waits.stable(lsn).whenReached();
  }

  /**
   * Opens a scope whose transactions become durable together, in the store's default mode; see
   * {@link DurableScope}.
   */
  public DurableScope scope() {
    return scope(transactor.durability(TxOptions.defaults()));
  }

  /**
   * Opens a scope whose transactions become durable together.
   *
   * @param durability what the end of the scope waits for
   */
  public DurableScope scope(Durability durability) {
    lifecycle.requireOpen();
    return new DurableScope(transactor, waits, durability, partitions);
  }
}
