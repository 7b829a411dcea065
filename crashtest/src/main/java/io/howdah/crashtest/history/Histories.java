package io.howdah.crashtest.history;

import io.howdah.Store;
import io.howdah.StoreOptions;
import java.io.IOException;
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
  private static final String A_VALUE_NOBODY_WROTE = "A_VALUE_NOBODY_WROTE";

  private static final int COLLECTION_ROUNDS = 8;

  private final long seed;
  private final @Nullable HistoryFiles files;
  private long transactions;
  private long operations;

  /**
   * Prepares a run.
   *
   * @param seed of the choices; threads are real, so two runs differ
   * @param files where to write what is judged, or null
   */
  public Histories(long seed, @Nullable HistoryFiles files) {
    this.seed = seed;
    this.files = files;
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
  public @Nullable String round(int number, Threads threads)
      throws InterruptedException, IOException {
    List<CollectionRound> rounds = new ArrayList<>();
    try (Store store = store(number)) {
      List<Recorded> history =
          new WordHistory(store).run(threads, seed + number, TRANSACTIONS_EACH);
      transactions += history.size();
      String violation = Opacity.violation(history);
      if (violation == null) {
        CollectionHistory collections = new CollectionHistory(store);
        for (int i = 0; i < COLLECTION_ROUNDS && violation == null; i++) {
          CollectionRound round =
              collections.run(
                  threads, seed + number * (long) COLLECTION_ROUNDS + i, OPERATIONS_EACH);
          rounds.add(round);
          operations += round.operations();
          violation = round.violation();
        }
      }
      if (files != null) {
        files.round(number, history, rounds);
      }
      return violation;
    }
  }

  /**
   * Proves that the judges can fail: takes true histories, changes one result in each, and returns
   * the names of the changes that were not noticed.
   *
   * @param files where to write the changed histories, or null
   */
  public static List<String> unnoticed(long seed, @Nullable HistoryFiles files)
      throws InterruptedException, IOException {
    List<String> unnoticed = new ArrayList<>();
    Threads threads = new Threads(2, false);
    try (Store store = store(1)) {
      List<Recorded> history = new WordHistory(store).run(threads, seed, 50);
      for (Spoiled spoiled : Spoiled.values()) {
        List<Recorded> wrong = spoiled.of(history);
        if (files != null) {
          files.control(spoiled.name(), wrong, List.of());
        }
        if (Opacity.violation(wrong) == null) {
          unnoticed.add(spoiled.name());
        }
      }
      CollectionRound round = new CollectionHistory(store).run(threads, seed, 4);
      round.spoil();
      if (files != null) {
        files.control(A_VALUE_NOBODY_WROTE, List.of(), List.of(round));
      }
      if (round.violation() == null) {
        unnoticed.add(A_VALUE_NOBODY_WROTE);
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
        added.returned(added.ended());
        added.committed(lastLsn + 1);
      }
    };

    abstract void spoil(Recorded writer, long lastLsn, Recorded added);

    List<Recorded> of(List<Recorded> history) {
      long last = history.stream().mapToLong(Recorded::lsn).max().orElseThrow();
      Recorded writer = history.stream().filter(Recorded::isWriter).findFirst().orElseThrow();
      long end = history.stream().mapToLong(Recorded::ended).max().orElseThrow() + 1;
      Recorded added = new Recorded(last, end);
      added.ended(end + 1);
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
