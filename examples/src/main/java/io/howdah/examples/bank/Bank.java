package io.howdah.examples.bank;

import io.howdah.examples.Check;
import io.howdah.txn.Commit;
import io.howdah.txn.Durability;
import io.howdah.txn.PersistentMap;
import io.howdah.txn.PersistentSortedMap;
import io.howdah.txn.Store;
import io.howdah.txn.Tx;
import io.howdah.txn.codec.Codec;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Transfers between accounts. The accounts are a map by name; a sorted map by balance and name is
 * its index, changed in the same transactions. Started again on the same folder, it goes on.
 */
public final class Bank {

  private static final int ACCOUNTS = 1000;
  private static final long OPENING_BALANCE = 100;

  private final Store store;
  private final PersistentMap<String, Long> accounts;
  private final PersistentSortedMap<String, Boolean> byBalance;

  private Bank(Store store) {
    this.store = store;
    this.accounts = store.map("accounts", Codec.utf8(), Codec.int64());
    this.byBalance = store.sortedMap("accounts by balance", Codec.utf8(), Codec.bool());
  }

  /** Runs it in a folder. */
  public static void main(String[] args) {
    try (Store store = Store.open(Path.of(args[0], "bank"))) {
      new Bank(store).run();
    }
  }

  private void run() {
    store.run(
        tx -> {
          for (int i = 0; i < ACCOUNTS; i++) {
            if (!accounts.containsKey(tx, name(i))) {
              set(tx, name(i), OPENING_BALANCE);
            }
          }
        });
    SplittableRandom random = new SplittableRandom(1);
    Commit<Long> last = store.submit(Durability.ASYNC, tx -> 0L);
    for (int i = 0; i < 10_000; i++) {
      String from = name(random.nextInt(ACCOUNTS));
      String to = name(random.nextInt(ACCOUNTS));
      long amount = 1L + random.nextInt(50);
      last = store.submit(Durability.ASYNC, tx -> transfer(tx, from, to, amount));
    }
    last.await(); // now all of them survive a power cut
    store.read(
        tx -> {
          long sum = accounts.values(tx).mapToLong(v -> v).sum();
          Check.that(sum == ACCOUNTS * OPENING_BALANCE, "the sum is " + sum);
          Check.that(byBalance.size(tx) == ACCOUNTS, "the index has other entries");
          System.out.println("ten thousand transfers; the sum is still " + sum);
          System.out.println("richest: ");
          byBalance.descending(tx).limit(3).forEach(e -> System.out.println("  " + e.getKey()));
          return sum;
        });
  }

  private long transfer(Tx tx, String from, String to, long amount) {
    long balance = accounts.getOrDefault(tx, from, 0L);
    if (balance < amount || from.equals(to)) {
      return 0;
    }
    set(tx, from, balance - amount);
    set(tx, to, accounts.getOrDefault(tx, to, 0L) + amount);
    return amount;
  }

  /** Changes an account and its index entry: both happen, or neither. */
  private void set(Tx tx, String name, long balance) {
    Long before = accounts.get(tx, name);
    if (before != null) {
      byBalance.remove(tx, indexKey(name, before));
    }
    accounts.put(tx, name, balance);
    byBalance.put(tx, indexKey(name, balance), true);
  }

  private static String indexKey(String name, long balance) {
    return "%012d %s".formatted(balance, name);
  }

  private static String name(int number) {
    return "account-" + number;
  }
}
