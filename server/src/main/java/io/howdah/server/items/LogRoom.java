package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.core.LogFullException;
import io.howdah.server.cache.CacheFullException;
import java.util.function.LongSupplier;

/**
 * Whether the log can grow. A commit that finds no room in the log waits for seconds before it is
 * refused, and keeps its event loop meanwhile, with all clients of that. So after the first refusal
 * others are refused at once, until the log can grow again. Thread-safe.
 */
final class LogRoom {

  private final FailureLog notStored =
      new FailureLog("an item was not stored, and its client got \"out of memory\"");

  private final Store store;
  private final LongSupplier clock;

  /** The last second in which a commit was refused because the log cannot grow; 0 for none. */
  private volatile long fullSecond;

  /**
   * Makes one.
   *
   * @param clock seconds
   */
  LogRoom(Store store, LongSupplier clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Returns whether the log could not grow a moment ago, and nothing says that it can now. A commit
   * now would probably wait for seconds.
   */
  boolean isFull() {
    long full = fullSecond;
    if (full == 0) {
      return false;
    }
    if (full == clock.getAsLong() || store.admin().stats().stall().isPresent()) {
      return true;
    }
    fullSecond = 0;
    return false;
  }

  /**
   * Refuses a command that would commit.
   *
   * @throws CacheFullException if the log is full
   */
  void require() {
    if (isFull()) {
      throw new CacheFullException("the log cannot grow");
    }
  }

  /** Notes that a commit waited for seconds and did not happen; returns what a client is told. */
  CacheFullException refused(LogFullException e) {
    fullSecond = clock.getAsLong();
    return notStored(e);
  }

  /** Logs what keeps an item from being stored; returns what a client is told. */
  CacheFullException notStored(RuntimeException e) {
    notStored.failed(e);
    return new CacheFullException(String.valueOf(e.getMessage()));
  }
}
