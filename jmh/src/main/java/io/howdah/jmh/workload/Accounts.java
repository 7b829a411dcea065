package io.howdah.jmh.workload;

import io.howdah.Store;
import io.howdah.objects.Persistent;
import io.howdah.objects.PersistentType;
import io.howdah.txn.TxOptions;
import java.lang.invoke.MethodHandles;

/**
 * The properties of a persistent object against words at the same addresses: three read and one
 * written, {@value #REPETITIONS} times in a transaction.
 */
public final class Accounts {

  private static final int REPETITIONS = 256;

  /** The object. */
  @Persistent
  public interface Account {
    /** Returns what is there. */
    long balance();

    /** Sets what is there. */
    void balance(long balance);

    /** Returns the most that may be owed. */
    long limit();

    /** Sets the most that may be owed. */
    void limit(long limit);

    /** Returns how many changes there were. */
    long changes();

    /** Sets how many changes there were. */
    void changes(long changes);
  }

  private final Store store;
  private final PersistentType<Account> type;
  private final long object;
  private final long words;

  @SuppressWarnings("UnusedVariable") // keeps results alive
  private long blackHole;

  private Accounts(Store store, PersistentType<Account> type, long object, long words) {
    this.store = store;
    this.type = type;
    this.object = object;
    this.words = words;
  }

  /** Creates an object, and a block for the words. */
  public static Accounts create(Store store) {
    PersistentType<Account> type = store.type(Account.class, MethodHandles.lookup());
    return store.call(
        tx -> new Accounts(store, type, type.address(type.create(tx)), tx.allocate(40)));
  }

  /** Returns nanoseconds for each repetition through the interface. */
  public double objectNanos(long nanos) {
    return nanosEach(nanos, this::throughObject);
  }

  /** Returns nanoseconds for each repetition by words. */
  public double wordNanos(long nanos) {
    return nanosEach(nanos, this::throughWords);
  }

  private interface Pass {
    long run();
  }

  private double nanosEach(long nanos, Pass pass) {
    long started = System.nanoTime();
    long passes = 0;
    long sum = 0;
    while (true) {
      for (int i = 0; i < 10; i++) {
        sum += pass.run();
      }
      passes += 10;
      long took = System.nanoTime() - started;
      if (took >= nanos) {
        blackHole = sum;
        return (double) took / (passes * REPETITIONS);
      }
    }
  }

  /** One transaction through the interface. */
  public long throughObject() {
    return store.call(
        TxOptions.async(),
        tx -> {
          Account account = type.at(tx, object);
          long sum = 0;
          for (int i = 0; i < REPETITIONS; i++) {
            sum += account.balance() + account.limit();
            account.changes(account.changes() + 1);
          }
          return sum;
        });
  }

  /** One transaction by words. */
  public long throughWords() {
    return store.call(
        TxOptions.async(),
        tx -> {
          long at = words;
          long sum = 0;
          for (int i = 0; i < REPETITIONS; i++) {
            sum += tx.getLong(at + 16) + tx.getLong(at + 32);
            tx.putLong(at + 24, tx.getLong(at + 24) + 1);
          }
          return sum;
        });
  }
}
