package io.howdah.jmh.study;

import io.howdah.Store;
import io.howdah.StoreOptions;
import io.howdah.collections.ChangeJournal;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.changes.BatchListener;
import io.howdah.collections.changes.Change;
import io.howdah.collections.changes.Subscription;
import io.howdah.jmh.workload.Latency;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * How far an audit trail that a listener writes is behind the transfers that it tells of. Writers
 * transfer between accounts at a given rate, each transfer in a durable transaction. The listener
 * writes an entry for each change, and its position, in durable transactions.
 */
public final class FeedStudy {

  private static final int ACCOUNTS = 10_000;
  private static final long OPENING_CENTS = 1_000_000;
  private static final long KEPT = 10_000_000;
  private static final long MAX_DRAIN_NANOS = 600_000_000_000L;
  private static final long POLL_NANOS = 1_000_000;
  private static final double SECOND = 1e9;

  private final int transfersPerSecond;
  private final int seconds;
  private final int writers;

  /**
   * An account.
   *
   * @param movedNanos when its last transfer was begun, by {@link System#nanoTime}
   */
  public record Account(long cents, long movedNanos) {}

  /**
   * What one listener has done.
   *
   * @param transfersPerSecond that were committed
   * @param medianNanos from the beginning of a transfer to the return of the durable transaction
   *     with its entry
   * @param maxNanos the longest of these
   * @param maxChanges the most changes that were committed and not audited
   */
  public record Result(
      double transfersPerSecond, double medianNanos, double maxNanos, long maxChanges) {}

  /**
   * Prepares the study.
   *
   * @param transfersPerSecond of all writers together
   * @param seconds how long they transfer
   * @param writers number of threads
   */
  public FeedStudy(int transfersPerSecond, int seconds, int writers) {
    this.transfersPerSecond = transfersPerSecond;
    this.seconds = seconds;
    this.writers = writers;
  }

  /** Returns how much room on disk a run may take. */
  public static long neededBytes() {
    return 8L << 30;
  }

  /** What a store has, and what is noted of its run. */
  private record Bank(
      Store store,
      PersistentMap<Integer, Account> accounts,
      PersistentMap<Long, Long> trail,
      PersistentMap<String, Long> positions,
      Histogram times) {

    static Bank open(Store store) {
      return new Bank(
          store,
          store.map(
              "accounts",
              Integer.class,
              Account.class,
              ChangeJournal.keeping(KEPT).holdingWriters(Duration.ofSeconds(10))),
          store.map("trail", Long.class, Long.class),
          store.map("positions", String.class, Long.class),
          Latency.histogram());
    }

    void fill() {
      store.run(
          tx -> {
            for (int i = 0; i < ACCOUNTS; i++) {
              accounts.put(tx, i, new Account(OPENING_CENTS, System.nanoTime()));
            }
          });
    }

    /** Writes the entries of some changes. Called by the listener's thread alone. */
    void audit(List<Change<Integer, Account>> changes) {
      store.run(
          TxOptions.sync(),
          tx -> {
            for (Change<Integer, Account> change : changes) {
              trail.put(tx, change.position(), Long.valueOf(change.key()));
            }
            long last = changes.getLast().position();
            positions.put(tx, "audit", last);
            accounts.changes().release(tx, last);
          });
      long now = System.nanoTime();
      for (Change<Integer, Account> change : changes) {
        if (change instanceof Change.Put<Integer, Account> put) {
          times.recordValue(Math.max(0, now - put.value().movedNanos()));
        }
      }
    }

    void transfer(int from, int to) {
      long begun = System.nanoTime();
      store.run(
          TxOptions.sync(),
          tx -> {
            move(tx, from, -1, begun);
            move(tx, to, 1, begun);
          });
    }

    private void move(Tx tx, int account, long cents, long begun) {
      Account old = accounts.get(tx, account);
      if (old == null) {
        throw new IllegalStateException("there is no account " + account);
      }
      accounts.put(tx, account, new Account(old.cents() + cents, begun));
    }

    long newest() {
      return store.<Long, RuntimeException>read(tx -> accounts.changes().newest(tx));
    }

    void requireWhole(long changes) {
      long entries = store.<Long, RuntimeException>read(trail::size);
      long cents =
          store.<Long, RuntimeException>read(
              tx -> accounts.values(tx).mapToLong(Account::cents).sum());
      if (entries != changes || cents != ACCOUNTS * OPENING_CENTS) {
        throw new IllegalStateException(
            "%,d changes have %,d entries, and the accounts have %,d cents"
                .formatted(changes, entries, cents));
      }
    }
  }

  /**
   * Transfers in a new store while a listener audits, and verifies the trail.
   *
   * @param maxBatch the most changes of one call; 1 for a listener that takes one at a time
   */
  public Result run(Path folder, int maxBatch, StudyProgress progress)
      throws InterruptedException, ExecutionException {
    StoreOptions options = StoreOptions.defaults().withMaxSize(4L << 30);
    try (Store store = Store.open(folder, options)) {
      Bank bank = Bank.open(store);
      bank.fill();
      long start = bank.newest();
      long maxChanges = 0;
      BatchListener<Integer, Account> listener = bank::audit;
      try (Subscription audit =
              bank.accounts()
                  .changes()
                  .subscribeBatches(start, Durability.SYNC, maxBatch, listener);
          ExecutorService team = Executors.newFixedThreadPool(writers)) {
        long begun = System.nanoTime();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
          int number = writer;
          all.add(CompletableFuture.runAsync(() -> write(bank, number, begun), team));
        }
        CompletableFuture<Void> end =
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
        while (!end.isDone()) {
          maxChanges = Math.max(maxChanges, store.admin().stats().subscriptionLag());
          LockSupport.parkNanos(POLL_NANOS);
        }
        end.get();
        long elapsed = System.nanoTime() - begun;
        long newest = bank.newest();
        drain(audit, newest, progress);
        bank.requireWhole(newest - start);
        return new Result(
            (newest - start) / 2.0 / (elapsed / SECOND),
            Latency.quantile(bank.times(), 0.5),
            bank.times().getMaxValue(),
            maxChanges);
      }
    }
  }

  /** Each writer has a plan of moments; one that is late does not skip any. */
  private void write(Bank bank, int number, long begun) {
    SplittableRandom random = new SplittableRandom(number);
    long count = (long) transfersPerSecond * seconds / writers;
    double nanosPerTransfer = SECOND * writers / transfersPerSecond;
    for (long i = 0; i < count; i++) {
      long at = begun + (long) ((i + (double) number / writers) * nanosPerTransfer);
      long left = at - System.nanoTime();
      while (left > 0) {
        LockSupport.parkNanos(left);
        left = at - System.nanoTime();
      }
      int from = random.nextInt(ACCOUNTS);
      bank.transfer(from, (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS);
    }
  }

  private static void drain(Subscription audit, long newest, StudyProgress progress) {
    long started = System.nanoTime();
    while (audit.position() < newest) {
      if (!audit.isOpen() || System.nanoTime() - started > MAX_DRAIN_NANOS) {
        throw new IllegalStateException(
            "the listener is at %,d of %,d".formatted(audit.position(), newest),
            audit.failure().orElse(null));
      }
      progress.begins("audited %,d of %,d changes".formatted(audit.position(), newest));
      LockSupport.parkNanos(100 * POLL_NANOS);
    }
  }
}
