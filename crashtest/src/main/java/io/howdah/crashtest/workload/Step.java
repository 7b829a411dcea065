package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.txn.Durability;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** A kind of operation that a workload is made of. */
enum Step {
  /** One entry of a hash map, asynchronously. */
  PUT(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.map.put(tx, n % 4, value(n));
    }

    @Override
    Content apply(Content content, long n) {
      return content.put(n % 4, 1, value(n));
    }
  },
  /** The same, and waits for the disk. */
  PUT_SYNC(Durability.SYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.map.put(tx, 100 + n % 4, value(n));
    }

    @Override
    Content apply(Content content, long n) {
      return content.put(100 + n % 4, 1, value(n));
    }
  },
  /** Removes an entry that the preparation has made. */
  REMOVE(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.map.remove(tx, 1000 + n % 3);
    }

    @Override
    Content apply(Content content, long n) {
      return content.remove(1000 + n % 3);
    }
  },
  /** Enough entries in one transaction that the table grows. */
  GROW(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      for (int i = 0; i < GROWTH; i++) {
        session.map.put(tx, 2000L + i, value(n));
      }
    }

    @Override
    Content apply(Content content, long n) {
      return content.put(2000, GROWTH, value(n));
    }
  },
  /** Removes all entries. */
  CLEAR(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.map.clear(tx);
    }

    @Override
    Content apply(Content content, long n) {
      return content.cleared();
    }
  },
  /** Entries in a sorted map, enough to split leaves, with the commit forced alone. */
  SORTED_PUT(Durability.PARTITION) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.sortedPut(tx, n * SORTED, SORTED, inNode(n));
    }

    @Override
    Content apply(Content content, long n) {
      return content.sortedPut(n * SORTED, SORTED, inNode(n));
    }
  },
  /** Removes so many entries of a sorted map that leaves merge, and their nodes become free. */
  SORTED_REMOVE(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      for (int i = 0; i < SORTED; i++) {
        session.sorted.remove(tx, (long) i - SORTED);
      }
    }

    @Override
    Content apply(Content content, long n) {
      return content.sortedRemove(-SORTED, SORTED);
    }
  },
  /** Splits leaves, and their new nodes are in pages that a block has left in this transaction. */
  PAGES_TO_NODES(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.giveBackPagesOfNodes(tx);
      session.free(tx, 3);
      session.sortedPut(tx, n * SORTED, 2 * SORTED, inNode(n));
    }

    @Override
    Content apply(Content content, long n) {
      return content.block(3, 0).sortedPut(n * SORTED, 2 * SORTED, inNode(n));
    }
  },
  /** Allocates a block in pages that nodes have left, if there are enough side by side. */
  PAGES_TO_BLOCKS(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.giveBackPagesOfNodes(tx);
      session.replace(tx, 3, n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.block(3, n);
    }
  },
  /** Adds to a queue. */
  ADD(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.queue.add(tx, n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.added(n);
    }
  },
  /** Takes from a queue. */
  POLL(Durability.SYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.queue.poll(tx);
    }

    @Override
    Content apply(Content content, long n) {
      return content.polled();
    }

    // A poll that finds nothing writes nothing, and waits only for what it has read.
    @Override
    boolean isDurable(Content before) {
      return !before.queue().isEmpty();
    }
  },
  /** Allocates a small block and one of several pages, in place of those there. */
  ALLOCATE(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.allocate(tx, 0, n);
      session.allocate(tx, 2, n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.block(0, n).block(2, n);
    }
  },
  /** Frees blocks, and allocates another in the same transaction. */
  FREE(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.free(tx, 0);
      session.free(tx, 2);
      session.allocate(tx, 1, n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.block(0, 0).block(2, 0).block(1, n);
    }
  },
  /** Many words, all alike. */
  MULTI_WORD(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.count(tx, n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.counted(n);
    }
  },
  /** The same in a partition commit. */
  PARTITION(Durability.PARTITION) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.count(tx, -n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.counted(-n);
    }
  },
  /** Writes, goes back to a savepoint, and writes something else. */
  SAVEPOINT(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.map.put(tx, 5L, value(n));
      Savepoint before = tx.savepoint();
      session.count(tx, n);
      session.map.put(tx, 5L, "undone");
      session.allocate(tx, 1, n);
      session.queue.poll(tx);
      tx.rollBack(before);
      session.queue.add(tx, -n);
    }

    @Override
    Content apply(Content content, long n) {
      return content.put(5, 1, value(n)).added(-n);
    }
  },
  /** A transaction that does not commit. */
  ABORT(Durability.ASYNC) {
    @Override
    void change(Session session, Tx tx, long n) {
      session.count(tx, n);
      session.queue.poll(tx);
      session.allocate(tx, 0, n);
      throw new Stopped();
    }

    @Override
    Content apply(Content content, long n) {
      return content;
    }
  },
  /** A checkpoint; it folds the one before, and trims the log. */
  CHECKPOINT(Durability.ASYNC) {
    @Override
    void run(Session session, long n) {
      session.store.admin().checkpoint();
    }

    @Override
    void change(Session session, Tx tx, long n) {}

    @Override
    Content apply(Content content, long n) {
      return content;
    }
  },
  /** Closes the store and opens it again. */
  REOPEN(Durability.SYNC) {
    @Override
    void change(Session session, Tx tx, long n) {}

    @Override
    Content apply(Content content, long n) {
      return content;
    }
  },
  /** Copies the store to a directory of its own. */
  BACKUP(Durability.ASYNC) {
    @Override
    void run(Session session, long n) {
      session.backUp(n);
    }

    @Override
    void change(Session session, Tx tx, long n) {}

    @Override
    Content apply(Content content, long n) {
      return content;
    }
  };

  private static final int GROWTH = 24;
  static final int SORTED = 12;

  private final Durability durability;

  Step(Durability durability) {
    this.durability = durability;
  }

  /** Ends a body without a commit. */
  private static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Makes the change in a transaction. */
  abstract void change(Session session, Tx tx, long n);

  /** Returns what is there afterwards. */
  abstract Content apply(Content content, long n);

  /**
   * Does the step.
   *
   * @param n number of the step in its workload, at least 1; every value it writes tells it
   */
  void run(Session session, long n) {
    Store store = session.store;
    try {
      store.run(TxOptions.of(durability), tx -> change(session, tx, n));
    } catch (Stopped e) {
      // It was to be so.
    }
  }

  /**
   * Returns whether everything until now is on the disk when the step has returned.
   *
   * @param before what the step found
   */
  boolean isDurable(Content before) {
    return durability != Durability.ASYNC;
  }

  /** Returns the name as it is written on a command line. */
  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Step named(String text) {
    for (Step step : values()) {
      if (step.text().equals(text)) {
        return step;
      }
    }
    throw new IllegalArgumentException(
        "no operation is called \""
            + text
            + "\"; there are "
            + Arrays.stream(values()).map(Step::text).collect(Collectors.joining(", ")));
  }

  /** Returns a value that is in a node, and takes much of it. */
  static String inNode(long n) {
    return "x".repeat(200) + n;
  }

  private static String value(long n) {
    return n % 2 == 0 ? "v" + n : "w".repeat(300) + n;
  }
}
