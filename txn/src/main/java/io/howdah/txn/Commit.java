package io.howdah.txn;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a transaction that has committed, and the way to learn when it is durable.
 * Thread-safe.
 *
 * @param <T> the result of its body
 */
public final class Commit<T extends @Nullable Object> {

  private final Store store;
  private final T value;
  private final long lsn;

  Commit(Store store, T value, long lsn) {
    this.store = store;
    this.value = value;
    this.lsn = lsn;
  }

  /** Returns the body's result. */
  public T value() {
    return value;
  }

  /**
   * Returns the commit's LSN. A transaction that wrote nothing has none of its own: then it is the
   * newest LSN whose data it read, 0 if that was all there from the start.
   */
  public long lsn() {
    return lsn;
  }

  /** Returns {@link Store#isStable} of this commit. */
  public boolean isStable() {
    return store.isStable(lsn);
  }

  /** Waits until this commit survives a power cut. */
  public void await() {
    store.awaitStable(lsn);
  }

  /**
   * Waits until this commit survives a power cut, for a limited time.
   *
   * @return whether it does
   */
  public boolean await(Duration timeout) {
    return store.awaitStable(lsn, timeout);
  }

  @Override
  public String toString() {
    return "Commit[lsn=" + lsn + ", value=" + value + "]";
  }
}
