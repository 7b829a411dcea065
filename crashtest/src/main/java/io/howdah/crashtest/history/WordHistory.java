package io.howdah.crashtest.history;

import io.howdah.Store;
import io.howdah.txn.Savepoint;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Transactions over some words, recorded. Bodies read, write, go back to savepoints, take the
 * second branch of {@code orElse}, give up, or only read. For one run.
 */
final class WordHistory {

  static final int WORDS = 24;

  /** Words lie in stripes of their own, some of them. */
  private static final long DISTANCE = 24;

  private static final int MAX_ACCESSES = 7;

  private final Store store;
  private final long base;
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong returned = new AtomicLong();

  /** Ends an attempt from within; nothing of it stays. */
  private static final class GivenUp extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  WordHistory(Store store) {
    this.store = store;
    this.base = store.call(tx -> tx.allocate(WORDS * DISTANCE));
  }

  /** Runs transactions in threads, and returns every attempt. */
  List<Recorded> run(Threads threads, long seed, int each) throws InterruptedException {
    List<List<Recorded>> all = new ArrayList<>();
    List<Runnable> works = new ArrayList<>();
    for (int t = 0; t < threads.count(); t++) {
      List<Recorded> own = new ArrayList<>();
      all.add(own);
      SplittableRandom random = new SplittableRandom(seed * 31 + t);
      works.add(
          () -> {
            for (int i = 0; i < each; i++) {
              transaction(random.nextLong(), own);
            }
          });
    }
    threads.run(works);
    return all.stream().flatMap(List::stream).toList();
  }

  private void transaction(long choices, List<Recorded> own) {
    boolean readOnly = Math.floorMod(choices, 5) == 0;
    TxOptions how = readOnly ? TxOptions.async().withReadOnly() : TxOptions.async();
    int begun = own.size();
    // Before the transaction begins: its first attempt sees all that had returned by now.
    long before = returned.get();
    long called = System.nanoTime();
    try {
      long lsn =
          store
              .callWithReceipt(
                  how,
                  tx -> {
                    // An attempt has its snapshot before its body runs, and after the last attempt.
                    Recorded recorded =
                        new Recorded(before, own.size() == begun ? called : own.getLast().ended());
                    own.add(recorded);
                    try {
                      body(tx, recorded, new SplittableRandom(choices), readOnly);
                    } finally {
                      recorded.ended(System.nanoTime());
                    }
                    return 0;
                  })
              .lsn();
      own.getLast().returned(System.nanoTime());
      if (!readOnly) {
        own.getLast().committed(lsn);
      }
      returned.accumulateAndGet(own.getLast().isWriter() ? lsn : 0, Math::max);
    } catch (GivenUp e) {
      // It was to be so.
    }
  }

  private void body(Tx tx, Recorded recorded, SplittableRandom random, boolean readOnly) {
    int accesses = 1 + random.nextInt(MAX_ACCESSES);
    for (int i = 0; i < accesses; i++) {
      switch (readOnly ? 0 : random.nextInt(8)) {
        case 0, 1, 2, 3 -> read(tx, recorded, random.nextInt(WORDS));
        case 4, 5 -> write(tx, recorded, random.nextInt(WORDS));
        case 6 -> {
          Map<Integer, Long> mark = recorded.mark();
          Savepoint savepoint = tx.savepoint();
          write(tx, recorded, random.nextInt(WORDS));
          read(tx, recorded, random.nextInt(WORDS));
          tx.rollBack(savepoint);
          recorded.rolledBack(mark);
        }
        default -> orElse(tx, recorded, random.nextInt(WORDS), random.nextInt(WORDS));
      }
    }
    if (random.nextInt(20) == 0) {
      throw new GivenUp();
    }
  }

  private void orElse(Tx tx, Recorded recorded, int first, int second) {
    Map<Integer, Long> mark = recorded.mark();
    tx.<Integer, RuntimeException>orElse(
        inner -> {
          write(inner, recorded, first);
          throw inner.retry();
        },
        inner -> {
          recorded.rolledBack(mark);
          read(inner, recorded, second);
          return 0;
        });
  }

  private void read(Tx tx, Recorded recorded, int word) {
    recorded.read(word, tx.getLong(base + word * DISTANCE));
  }

  private void write(Tx tx, Recorded recorded, int word) {
    long value = values.incrementAndGet();
    tx.putLong(base + word * DISTANCE, value);
    recorded.wrote(word, value);
  }
}
