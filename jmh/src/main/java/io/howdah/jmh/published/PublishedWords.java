package io.howdah.jmh.published;

import io.howdah.Session;
import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.jmh.workload.SixWords;
import io.howdah.jmh.workload.ThreadTeam;
import io.howdah.txn.Durability;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Six random words as Hathi commits them as published: a volatile store, and a log for each thread
 * ({@link PublishedLog}). Waits for a partition are unchecked: a commit is taken for durable when
 * its own thread's log is forced. For one caller.
 */
public final class PublishedWords implements AutoCloseable {

  /** Transactions between two looks at the clock; together they take some ten microseconds. */
  private static final int BURST = 16;

  private final Store store;
  private final SixWords words;
  private final PublishedLog log;

  private PublishedWords(Store store, SixWords words, PublishedLog log) {
    this.store = store;
    this.words = words;
    this.log = log;
  }

  /**
   * Creates the store, fills it, and creates the logs.
   *
   * @param folder for the logs' files
   * @param threads how many may commit at once
   */
  public static PublishedWords fill(Path folder, StoreOptions options, long heapBytes, int threads)
      throws IOException {
    PublishedLog log = new PublishedLog(folder, threads);
    try {
      Store store = Store.inMemory(options);
      return new PublishedWords(store, SixWords.fill(store, heapBytes), log);
    } catch (RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  /** Returns the volatile store. */
  public Store store() {
    return store;
  }

  /** Returns how many logs there are. */
  public int logs() {
    return log.threads();
  }

  /** Returns how many forces there were. */
  public long forces() {
    return log.forces();
  }

  /** Forces all logs, while no thread commits. */
  void forceAll() throws IOException {
    log.forceAll();
  }

  /** Returns how much the logs hold that is not forced. */
  long unforcedBytes() {
    return log.unforcedBytes();
  }

  /** One thread's transactions and its log. */
  private final class Committing {
    private final SixWords.Transactions transactions = words.transactions();
    private final Session session = store.session();
    private final PublishedLog.ThreadLog own;

    Committing(int thread) {
      own = log.log(thread);
    }

    void next() throws IOException {
      own.announce();
      long lsn = transactions.next(session);
      long[] values = transactions.values();
      for (int i = 0; i < values.length; i++) {
        values[i]++; // as the transaction has written them
      }
      own.append(lsn, transactions.addresses(), values);
    }

    void await(Durability durability) throws IOException {
      switch (durability) {
        case ASYNC -> {}
        case PARTITION -> own.awaitOwn();
        case SYNC -> own.awaitStable();
      }
    }
  }

  /** Repeats the transaction; each commit is waited for as a mode says. */
  public ThreadTeam.Outcome run(Durability durability, int threads, long nanos) throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        thread ->
            stop -> {
              Committing committing = new Committing(thread);
              long done = 0;
              do {
                committing.next();
                committing.await(durability);
                done++;
              } while (!stop.isSet());
              return done;
            });
  }

  /** Repeats the transaction; each thread waits at intervals until all its commits are durable. */
  public ThreadTeam.Outcome splitPhase(
      Durability durability, int threads, long nanos, long intervalNanos) throws Exception {
    return ThreadTeam.run(
        threads,
        nanos,
        thread ->
            stop -> {
              Committing committing = new Committing(thread);
              long done = 0;
              long last = System.nanoTime();
              do {
                for (int i = 0; i < BURST; i++) {
                  committing.next();
                }
                done += BURST;
                if (System.nanoTime() - last >= intervalNanos) {
                  committing.await(durability);
                  last = System.nanoTime();
                }
              } while (!stop.isSet());
              committing.await(durability);
              return done;
            });
  }

  /**
   * Checks the store: no addition to a word was lost.
   *
   * @throws IllegalStateException if one was
   */
  public void verify() {
    words.verify();
  }

  @Override
  public void close() throws IOException {
    try {
      log.close();
    } finally {
      store.close();
    }
  }
}
