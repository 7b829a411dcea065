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
 *   <li>Nobody sees a flush that a crash may undo on its own: the mark is shown after its commit.
 * </ul>
 */
final class FlushMark {

  private static final TxOptions WRITES = TxOptions.async();

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

  /** Returns the mark: items of a lower birth are gone. */
  long mark() {
    return mark;
  }

  /** Flushes if there is a time for it and it has come. */
  void flushIfDue(long now) {
    long due = at;
    if (due != 0 && due <= now) {
      flushDue(due);
    }
  }

  private synchronized void flushDue(long due) {
    if (at == due) {
      flush(null);
    }
  }

  /**
   * Flushes at a time in seconds since 1970, in place of any other; returns the commit's LSN.
   *
   * @param scope notes the commit, if a reply rests on it and waits
   */
  synchronized long flushAt(long time, @Nullable DurableScope scope) {
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
                    state.remove(tx, ServerState.FLUSH_AT);
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
    long _ = state.get(tx, ServerState.FLUSHED);
  }
}
