package io.howdah;

import io.howdah.log.commit.CommitPoint;
import io.howdah.txn.Durability;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a transaction that has committed: its result, its LSN, and the way to learn when
 * it is durable. Belongs to the opening of the store that made it: once the store is closed, the
 * methods that ask about durability throw {@link io.howdah.core.StoreClosedException}. Thread-safe.
 *
 * @param <T> the result of its body
 */
public final class Receipt<T extends @Nullable Object> {

  private final DurabilityWaits waits;
  private final T value;

  /** Set once, before the program has the object. */
  private final CommitPoint point = new CommitPoint();

  /**
   * Makes the outcome of a body, before it commits: behind the commit there might be no memory for
   * it.
   */
  Receipt(DurabilityWaits waits, T value) {
    this.waits = waits;
    this.value = value;
  }

  /** Notes where the transaction has committed. */
  void at(CommitPoint committed) {
    point.set(committed);
    VarHandle.releaseFence(); // as behind the store of a final field
  }

  private Milestone stable() {
    return waits.stable(point.lsn());
  }

  /** Returns the body's result. */
  public T value() {
    return value;
  }

  /**
   * Returns the commit's LSN. A transaction that wrote nothing has none of its own: then it is the
   * newest LSN whose data it read, 0 if that was all there from the start; its result rests on
   * that, and survives when that does.
   *
   * <p>Grows from commit to commit while the store is open. It does not outlive the opening: the
   * LSN of a commit that a power cut took may be given out again; see {@link StoreDurability}.
   */
  public long lsn() {
    return point.lsn();
  }

  /** Returns whether this commit and all before it survive a power cut by now. */
  public boolean isStable() {
    return stable().reached();
  }

  /**
   * Waits until this commit and all before it survive a power cut.
   *
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}
   */
  public void await() {
    stable().await();
  }

  /**
   * Waits until this commit and all before it survive a power cut, for a limited time.
   *
   * @return whether they do
   */
  public boolean await(Duration timeout) {
    return stable().await(timeout);
  }

  /**
   * Returns a stage that completes with the body's result when this commit and all before it
   * survive a power cut; see {@link StoreDurability#whenStable}.
   */
  public CompletionStage<T> whenStable() {
    return stable().whenReached().thenApply(_ -> value);
  }

  /**
   * Returns whether this commit has survived by now what a mode promises: always true for {@link
   * Durability#ASYNC}, {@link #isStable} for {@link Durability#SYNC}.
   */
  public boolean isDurable(Durability durability) {
    return waits.milestone(durability, point).reached();
  }

  /**
   * Waits for {@link #isDurable}. The wait makes the log force what is missing at once.
   *
   * @throws NotYetDurableException after {@link StoreOptions#durabilityTimeout}
   */
  public void await(Durability durability) {
    waits.milestone(durability, point).await();
  }

  /**
   * Waits for {@link #isDurable}, for a limited time.
   *
   * @param timeout 0 or less only looks
   * @return whether it came about
   */
  public boolean await(Durability durability, Duration timeout) {
    return waits.milestone(durability, point).await(timeout);
  }

  /**
   * Returns a stage that completes with the body's result when {@link #isDurable} is true; the log
   * forces what is missing at once. It completes, and fails, as {@link StoreDurability#whenStable}
   * says.
   */
  public CompletionStage<T> whenDurable(Durability durability) {
    return waits.milestone(durability, point).whenReached().thenApply(_ -> value);
  }

  @Override
  public String toString() {
    return "Receipt[lsn=" + lsn() + ", value=" + value + "]";
  }
}
