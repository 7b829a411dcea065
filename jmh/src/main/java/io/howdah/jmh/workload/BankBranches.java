package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.codec.Decoder;
import io.howdah.codec.Encoder;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Durability;
import io.howdah.txn.Tx;
import io.howdah.txn.TxBody;
import io.howdah.txn.TxOptions;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A bank after TPC-B (Transaction Processing Performance Council, 1990): each transaction adds an
 * amount to an account, to a teller and to the teller's branch, and writes a line of history. Of
 * the accounts 85 % are of the teller's branch. Thread-safe.
 *
 * <p>Unlike TPC-B's, the history has a bound: a thread's line that would be one too many replaces
 * its oldest one, whose amount goes to a sum. So the data stays as large as it is for any duration.
 * Rows have no filling.
 *
 * <p>{@link #verify} proves that each branch has the same sum as its tellers and as its lines of
 * history, that all accounts have the sum of all branches, and that the history of each thread ends
 * with the last transaction that its worker saw committed.
 */
public final class BankBranches implements TransactionMix {

  private static final int TELLERS = 10;
  private static final int LOCAL_PERCENT = 85;
  private static final int MAX_AMOUNT = 99_999;
  private static final int LOAD_BATCH = 100;
  private static final int SEED_MASK = Integer.MAX_VALUE >> 1;

  /** Lines of history of each thread. */
  static final int LINES = 1024;

  private static final int MAX_THREADS = 1024;

  private final Store store;
  private final int branches;
  private final int accountsPerBranch;
  private final PersistentMap<Long, Long> accounts;
  private final PersistentMap<Long, Long> tellers;
  private final PersistentMap<Long, Long> balances;
  private final PersistentMap<Long, Line> history;
  private final PersistentMap<Long, Long> archive;

  /** The newest worker of each thread. */
  private final AtomicReferenceArray<@Nullable Teller> workers =
      new AtomicReferenceArray<>(MAX_THREADS);

  /** A line of history. */
  record Line(long number, long account, long teller, long amount) {}

  /** A line of history as it is stored. */
  static final Codec<Line> LINE = lineCodec();

  private static Codec<Line> lineCodec() {
    return new Codec<>() {
      @Override
      public String name() {
        return "bank.line";
      }

      @Override
      public void encode(Line line, Encoder to) {
        to.putLong(line.number);
        to.putLong(line.account);
        to.putLong(line.teller);
        to.putLong(line.amount);
      }

      @Override
      public Line decode(Decoder from) {
        return new Line(from.getLong(), from.getLong(), from.getLong(), from.getLong());
      }

      @Override
      public int fixedLength() {
        return 4 * Long.BYTES;
      }
    };
  }

  private BankBranches(Store store, int branches, int accountsPerBranch) {
    this.store = store;
    this.branches = branches;
    this.accountsPerBranch = accountsPerBranch;
    this.accounts = store.map("accounts", Codec.int64(), Codec.int64());
    this.tellers = store.map("tellers", Codec.int64(), Codec.int64());
    this.balances = store.map("branches", Codec.int64(), Codec.int64());
    this.history = store.map("history", Codec.int64(), LINE);
    this.archive = store.map("archive", Codec.int64(), Codec.int64());
  }

  /** Returns the {@code maxSize} that a store needs for so many accounts. */
  public static long maxSize(int branches, int accountsPerBranch) {
    return (long) branches * (accountsPerBranch + 100L) * 128 + (128L << 20);
  }

  /**
   * Fills a new store.
   *
   * @param branches from 1, each with ten tellers
   */
  public static BankBranches fill(Store store, int branches, int accountsPerBranch) {
    BankBranches bank = new BankBranches(store, branches, accountsPerBranch);
    zeros(store, bank.accounts, (long) branches * accountsPerBranch);
    zeros(store, bank.tellers, (long) branches * TELLERS);
    zeros(store, bank.balances, branches);
    return bank;
  }

  private static void zeros(Store store, PersistentMap<Long, Long> map, long count) {
    for (long from = 0; from < count; from += LOAD_BATCH) {
      long first = from;
      long end = Math.min(count, from + LOAD_BATCH);
      store.run(
          TxOptions.async(),
          tx -> {
            for (long id = first; id < end; id++) {
              map.put(tx, id, 0L);
            }
          });
    }
  }

  @Override
  public Worker worker(int thread) {
    if (thread < 0 || thread >= MAX_THREADS) {
      throw new IllegalArgumentException("thread must be from 0 to 1,023: " + thread);
    }
    long last = store.read(TxOptions.async(), tx -> lastNumber(tx, thread));
    Teller worker = new Teller(thread, last);
    workers.set(thread, worker);
    return worker;
  }

  private long lastNumber(Tx tx, int thread) {
    long last = -1;
    for (int slot = 0; slot < LINES; slot++) {
      Line line = history.get(tx, (long) thread * LINES + slot);
      last = line == null ? last : Math.max(last, line.number());
    }
    return last;
  }

  /** One thread's transactions. One that is repeated after a conflict makes the same choices. */
  private final class Teller implements Worker, TxBody<RuntimeException> {

    private final int thread;
    private final RandomWords random;
    private long number;
    private long committed;
    private long teller;
    private long account;
    private long amount;

    Teller(int thread, long last) {
      this.thread = thread;
      this.number = last;
      this.committed = last;
      this.random = new RandomWords((int) ((last + 1) * MAX_THREADS + thread) & SEED_MASK);
    }

    @Override
    public void next(Durability durability) {
      number++;
      teller = random.next((long) branches * TELLERS);
      long branch = teller / TELLERS;
      if (branches > 1 && random.next(100) >= LOCAL_PERCENT) {
        branch = (branch + 1 + random.next(branches - 1L)) % branches;
      }
      account = branch * accountsPerBranch + random.next(accountsPerBranch);
      amount = random.next(2 * MAX_AMOUNT + 1L) - MAX_AMOUNT;
      store.run(TxOptions.of(durability), this);
      committed = number;
    }

    @Override
    public void run(Tx tx) {
      add(tx, accounts, account, amount);
      add(tx, tellers, teller, amount);
      add(tx, balances, teller / TELLERS, amount);
      long slot = thread * (long) LINES + number % LINES;
      Line former = history.get(tx, slot);
      if (former != null) {
        add(tx, archive, (long) thread * branches + former.teller() / TELLERS, former.amount());
      }
      history.put(tx, slot, new Line(number, account, teller, amount));
    }
  }

  private static void add(Tx tx, PersistentMap<Long, Long> map, long key, long amount) {
    Long before = map.get(tx, key);
    map.put(tx, key, (before == null ? 0 : before) + amount);
  }

  @Override
  public long verify() {
    return store.read(TxOptions.async(), this::verify);
  }

  private long verify(Tx tx) {
    long[] ofTellers = new long[branches];
    tellers.forEach(tx, (id, sum) -> ofTellers[(int) (id / TELLERS)] += sum);
    long[] ofHistory = new long[branches];
    long[] numbers = new long[MAX_THREADS];
    Arrays.fill(numbers, -1);
    history.forEach(
        tx,
        (slot, line) -> {
          ofHistory[(int) (line.teller() / TELLERS)] += line.amount();
          int thread = (int) (slot / LINES);
          numbers[thread] = Math.max(numbers[thread], line.number());
        });
    archive.forEach(tx, (key, sum) -> ofHistory[(int) (key % branches)] += sum);
    long all = 0;
    for (int branch = 0; branch < branches; branch++) {
      Long balance = balances.get(tx, (long) branch);
      if (balance == null || balance != ofTellers[branch] || balance != ofHistory[branch]) {
        throw new IllegalStateException(
            "branch %d has %s, its tellers %d, its history %d"
                .formatted(branch, balance, ofTellers[branch], ofHistory[branch]));
      }
      all += balance;
    }
    long[] ofAccounts = {0};
    accounts.forEach(tx, (_, sum) -> ofAccounts[0] += sum);
    if (ofAccounts[0] != all) {
      throw new IllegalStateException(
          "all accounts have %d, all branches %d".formatted(ofAccounts[0], all));
    }
    long transactions = 0;
    for (int thread = 0; thread < numbers.length; thread++) {
      Teller worker = workers.get(thread);
      if (worker != null && numbers[thread] != worker.committed) {
        throw new IllegalStateException(
            "thread %d committed transaction %d, its history ends with %d"
                .formatted(thread, worker.committed, numbers[thread]));
      }
      transactions += numbers[thread] + 1;
    }
    return transactions;
  }
}
