package io.howdah.crashtest.history;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records what concurrent transactions and collections do in a store in memory, round by round, and
 * judges each round: {@link Opacity} for transactions over words, linearizability for maps and
 * queues. For one thread.
 */
public final class Histories {

  private static final int TRANSACTIONS_EACH = 400;
  private static final int OPERATIONS_EACH = 12;

  private final long seed;
  private long transactions;
  private long operations;

  /**
   * Prepares a run.
   *
   * @param seed of the choices; threads are real, so two runs differ
   */
  public Histories(long seed) {
    this.seed = seed;
  }

  private static Store store(long round) {
    StoreOptions options = StoreOptions.defaults().withMaxSize(1 << 22).withPartitions(3);
    return Store.inMemory(
        options
            .withOrecs(round % 2 == 0 ? 64 : 1 << 12)
            .withIrrevocableAfterAborts(round % 3 == 0 ? 4 : 64));
  }

  /**
   * Runs one round and judges it.
   *
   * @param number of the round; the settings of the store follow from it
   * @return what was violated, in words, or null
   */
  public @Nullable String round(int number, Threads threads) throws InterruptedException {
    try (Store store = store(number)) {
      List<Recorded> history =
          new WordHistory(store).run(threads, seed + number, TRANSACTIONS_EACH);
      transactions += history.size();
      String violation = Opacity.violation(history);
      if (violation != null) {
        return violation;
      }
      CollectionHistory collections = new CollectionHistory(store);
      for (int i = 0; i < 8 && violation == null; i++) {
        violation = collections.round(threads, seed + number * 8L + i, OPERATIONS_EACH, false);
      }
      operations += collections.operations();
      return violation;
    }
  }

  /**
   * Proves that the judges can fail: takes true histories, changes one result in each, and returns
   * the names of the changes that were not noticed.
   */
  public static List<String> unnoticed(long seed) throws InterruptedException {
    List<String> unnoticed = new ArrayList<>();
    Threads threads = new Threads(2, false);
    try (Store store = store(1)) {
      List<Recorded> history = new WordHistory(store).run(threads, seed, 50);
      for (Spoiled spoiled : Spoiled.values()) {
        if (Opacity.violation(spoiled.of(history)) == null) {
          unnoticed.add(spoiled.name());
        }
      }
      if (new CollectionHistory(store).round(threads, seed, 4, true) == null) {
        unnoticed.add("A_VALUE_NOBODY_WROTE");
      }
    }
    return unnoticed;
  }

  /** A change of a history that makes it wrong. */
  private enum Spoiled {
    /** A value that no commit has written. */
    DIRTY_READ {
      @Override
      void spoil(Recorded writer, long lastLsn, Recorded added) {
        added.read(writer.writes().keySet().iterator().next(), Long.MAX_VALUE);
      }
    },
    /** The initial value, after a commit that had returned. */
    STALE_READ {
      @Override
      void spoil(Recorded writer, long lastLsn, Recorded added) {
        added.read(writer.writes().keySet().iterator().next(), Opacity.INITIAL);
      }
    },
    /** A commit that has lost the write before it. */
    LOST_UPDATE {
      @Override
      void spoil(Recorded writer, long lastLsn, Recorded added) {
        int word = writer.writes().keySet().iterator().next();
        added.read(word, Opacity.INITIAL);
        added.wrote(word, Long.MAX_VALUE - 1);
        added.committed(lastLsn + 1);
      }
    };

    abstract void spoil(Recorded writer, long lastLsn, Recorded added);

    List<Recorded> of(List<Recorded> history) {
      long last = history.stream().mapToLong(Recorded::lsn).max().orElseThrow();
      Recorded writer = history.stream().filter(Recorded::isWriter).findFirst().orElseThrow();
      Recorded added = new Recorded(last);
      spoil(writer, last, added);
      List<Recorded> all = new ArrayList<>(history);
      all.add(added);
      return all;
    }
  }

  /** Returns how many attempts of transactions were judged. */
  public long transactions() {
    return transactions;
  }

  /** Returns how many operations of collections were judged. */
  public long operations() {
    return operations;
  }
}
