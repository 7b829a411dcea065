package io.howdah.crashtest.scenario;

import io.howdah.Store;
import io.howdah.crashtest.oracle.Attempt;
import io.howdah.crashtest.oracle.History;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.txn.Tx;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The words that the workload of a scenario works on: one mark for each transaction, some cells,
 * and a wide cell of many words, too many for one redo record.
 */
final class CellStore {

  static final int CELLS = 5;
  static final int WIDE = CELLS;
  static final int WIDE_WORDS = 2600;
  static final int MARKS = 400;

  /** Marks lie in stripes of their own: transactions that share nothing else must not conflict. */
  private static final long MARK_BYTES = 32;

  private static final long CELLS_OFFSET = MARKS * MARK_BYTES;
  private static final long WIDE_OFFSET = CELLS_OFFSET + CELLS * 64L;
  private static final long PAIR_OFFSET = WIDE_OFFSET + WIDE_WORDS * 8L;
  private static final long PAIR_DISTANCE = 256;
  private static final long LENGTH_BYTES = PAIR_OFFSET + PAIR_DISTANCE + 8;

  private final long base;

  private CellStore(long base) {
    this.base = base;
  }

  /** Allocates the words in a store that has none yet. */
  static void create(Store store) {
    store.run(
        tx -> {
          if (tx.root(0) == 0) {
            tx.root(0, tx.allocate(LENGTH_BYTES));
          }
        });
  }

  /** Judges what an opening returned. */
  static void judge(Store store, History history, History.Ending ending) {
    Set<Long> marked = new HashSet<>();
    List<Long> cells = new ArrayList<>();
    store.read(
        tx -> {
          marked.clear();
          cells.clear();
          long base = tx.root(0);
          if (base != 0) {
            new CellStore(base).collect(tx, marked, cells);
          }
          return 0;
        });
    history.judge(ending, marked, cells);
  }

  /** Returns the words of a store that has them. */
  static CellStore of(Store store) {
    return new CellStore(store.<Long, RuntimeException>read(tx -> tx.root(0)));
  }

  private void collect(Tx tx, Set<Long> marked, List<Long> cells) {
    for (int id = 1; id < MARKS; id++) {
      long mark = tx.getLong(base + id * MARK_BYTES);
      if (mark == id) {
        marked.add(mark);
      } else if (mark != 0) {
        throw new Violation("the mark of T" + id + " holds " + mark);
      }
    }
    for (int cell = 0; cell <= CELLS; cell++) {
      cells.add(value(tx, cell));
    }
  }

  private long value(Tx tx, int cell) {
    if (cell < CELLS) {
      return tx.getLong(base + CELLS_OFFSET + cell * 64L);
    }
    long first = tx.getLong(base + WIDE_OFFSET);
    for (int word = 1; word < WIDE_WORDS; word++) {
      long value = tx.getLong(base + WIDE_OFFSET + word * 8L);
      if (value != first) {
        throw new Violation(
            "the wide cell is torn: T" + first + " wrote word 0, T" + value + " word " + word);
      }
    }
    return first;
  }

  void read(Tx tx, Attempt attempt, int cell) {
    long first = cell < CELLS ? value(tx, cell) : tx.getLong(base + WIDE_OFFSET);
    attempt.read(cell, first);
  }

  void write(Tx tx, Attempt attempt, int cell) {
    attempt.wrote(cell);
    if (cell < CELLS) {
      tx.putLong(base + CELLS_OFFSET + cell * 64L, attempt.id());
    } else {
      for (int word = 0; word < WIDE_WORDS; word++) {
        tx.putLong(base + WIDE_OFFSET + word * 8L, attempt.id());
      }
    }
  }

  void writePair(Tx tx, Attempt attempt) {
    tx.putLong(base + PAIR_OFFSET, attempt.id());
    tx.putLong(base + PAIR_OFFSET + PAIR_DISTANCE, attempt.id());
  }

  /**
   * Returns what is wrong with the pair, or null. The caller keeps it: an exception would not do,
   * since the store may run a body again that has thrown one.
   */
  @Nullable Violation seenPair(Tx tx, boolean reversed, int cellBetween) {
    long one = tx.getLong(base + PAIR_OFFSET + (reversed ? PAIR_DISTANCE : 0));
    tx.getLong(base + CELLS_OFFSET + cellBetween * 64L);
    long other = tx.getLong(base + PAIR_OFFSET + (reversed ? 0 : PAIR_DISTANCE));
    return one == other
        ? null
        : new Violation(
            "a running transaction saw the write of T"
                + one
                + " and of T"
                + other
                + " in a pair that is always written together");
  }

  void mark(Tx tx, Attempt attempt) {
    tx.putLong(base + attempt.id() * MARK_BYTES, attempt.id());
  }
}
