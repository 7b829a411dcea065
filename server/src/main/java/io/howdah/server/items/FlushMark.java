package io.howdah.server.items;

import io.howdah.DurableScope;
import io.howdah.Store;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import org.jspecify.annotations.Nullable;

/**
 * Which items {@code flush_all} has taken: those whose birth is below a mark. A flush is one small
 * transaction, however many items there are. Thread-safe.
 *
 * <p>A flush holds back new blocks of numbers while it takes the mark, commits it, and shows it to
 * others, in this order. Three things follow:
 *
 * <ul>
 *   <li>Every number drawn before the flush is below the mark, so an item that was stored before it
 *       is gone, also if its transaction is still running.
 *   <li>A writer whose number is not below the mark has taken its block after the flush, so it sees
 *       the mark if it looks after it has drawn. It therefore does not build on an item that the
 *       flush took. {@link ItemChange} looks then. A writer that sees the mark draws no number
 *       below it: the rest of an older block is given up.
 *   <li>No client sees a flush that a crash may undo on its own: the mark is shown after its
 *       commit.
 * </ul>
 *
 * <p>A delayed flush is committed with its time. When the time comes, readers take all items for
 * gone and commit nothing. The first writer, or the background, takes the mark before it does
 * anything else. So until then no item is stored that the flush must not take. If the process dies
 * before, the next one finds the time in the store, and the flush is due there.
 */
final class FlushMark {

  private static final TxOptions WRITES = TxOptions.async();

  /** The mark while a flush is due that has not taken its own: above all births. */
  private static final long ALL = Long.MAX_VALUE;

  private final Store store;
  private final ServerState state;
  private final Numbering numbers;

  /** Items of a lower birth are gone. */
  private volatile long mark;

  /** When all items then present go; 0 for no such time. */
  private volatile long at;

  FlushMark(Store store, ServerState state, Numbering numbers) {
    this.store = store;
    this.state = state;
    this.numbers = numbers;
    this.mark = state.get(ServerState.FLUSHED);
    this.at = state.get(ServerState.FLUSH_AT);
  }

  /** Returns the mark of the last flush that was committed: items of a lower birth are gone. */
  long mark() {
    return mark;
  }

  /**
   * Returns the mark for a command that only reads. While a delayed flush is due, all items are
   * gone: only writers add items, and the first of them commits the flush before.
   *
   * @param now seconds since 1970
   */
  long markAt(long now) {
    // First the time, then the mark: a flush shows its mark before it clears the time.
    return isDue(now) ? ALL : mark;
  }

  /** Returns whether a delayed flush has to be committed before anything is changed. */
  boolean isDue(long now) {
    long due = at;
    return due != 0 && due <= now;
  }

  /**
   * Commits a delayed flush if its time has come. For writers and the background: it may wait for
   * room in the log.
   *
   * @param room is asked again once the commits of other threads have ended
   */
  void flushIfDue(long now, LogRoom room) {
    if (isDue(now)) {
      flushDue(now, room);
    }
  }

  private synchronized void flushDue(long now, LogRoom room) {
    if (isDue(now)) {
      room.require();
      flush(null);
    }
  }

  /**
   * Flushes at a time in seconds since 1970, in place of any other; returns the commit's LSN.
   *
   * @param scope notes the commit, if a reply rests on it and waits
   */
  synchronized long flushAt(long time, long now, @Nullable DurableScope scope) {
    if (isDue(now)) {
      flush(null); // reads have shown it, and the time that is set now would take its place
    }
    long lsn = commit(scope, tx -> state.put(tx, ServerState.FLUSH_AT, time));
    at = time;
    return lsn;
  }

  /**
   * Flushes now; returns the commit's LSN.
   *
   * @param scope notes the commit, if a reply rests on it and waits
   */
  synchronized long flush(@Nullable DurableScope scope) {
    long[] lsn = {0};
    numbers.pause(
        number -> {
          lsn[0] =
              commit(
                  scope,
                  tx -> {
                    state.put(tx, ServerState.FLUSHED, number);
                    state.put(tx, ServerState.FLUSH_AT, 0);
                  });
          mark = number;
        });
    at = 0;
    return lsn[0];
  }

  private long commit(@Nullable DurableScope scope, TxBody<RuntimeException> body) {
    return scope == null ? store.run(WRITES, body) : scope.run(body);
  }

  /** Reads what the last flush has written, so that the transaction rests on it. */
  void restOn(Tx tx) {
    if (at != 0) { // it may be due, and not committed yet
      long _ = state.get(tx, ServerState.FLUSH_AT);
    }
    long _ = state.get(tx, ServerState.FLUSHED);
  }
}
