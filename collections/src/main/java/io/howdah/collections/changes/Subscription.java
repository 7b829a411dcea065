package io.howdah.collections.changes;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Calls of one listener, from {@link Changes#subscribe}. Thread-safe. */
public interface Subscription extends AutoCloseable {

  /**
   * Returns the position of the last change that the listener has taken; at first, where it began.
   */
  long position();

  /**
   * Returns how many changes are committed that the listener has not taken. Reads the newest
   * position in a transaction of its own.
   *
   * @throws io.howdah.core.HowdahException if the journal cannot be read, as after the end of the
   *     store
   */
  long lag();

  /**
   * Returns what the listener threw, while the change is not taken; what keeps changes from being
   * read; or why the subscription has ended by itself. Empty if all is well, and after {@link
   * #close}.
   */
  Optional<Throwable> failure();

  /** Returns whether the listener is being called, or may be called again. */
  boolean isOpen();

  /**
   * Returns a stage that completes when the subscription has ended and its listener is not running:
   * normally after {@link #close}; exceptionally with the reason if it has ended by itself, and
   * with {@link io.howdah.core.StoreClosedException} if the store was closed. Actions that depend
   * on it run on the subscription's thread, its last ones, or on the thread that adds them.
   */
  CompletionStage<@Nullable Void> whenEnded();

  /**
   * Ends the subscription. A call of the listener that is under way goes on, and is waited for, ten
   * seconds at most, unless it has called this. No call begins afterwards. Closing the store closes
   * subscriptions, for which it waits ten seconds in all. An interrupt does not end the wait, and
   * stays set. Idempotent.
   */
  @Override
  void close();
}
