package io.howdah.examples.bank;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentCounter;
import io.howdah.collections.PersistentMap;
import io.howdah.examples.Check;
import io.howdah.examples.ChildProcess;
import io.howdah.txn.TxOptions;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A bank with a thousand accounts. Threads move money between them in a process of its own, which
 * is killed in the middle of it; then the books are opened again, and every cent is there.
 */
public final class Bank {

  private static final int ACCOUNTS = 1000;
  private static final long OPENING_BALANCE = 100_00;
  private static final int TELLERS = 4;

  private final Store store;
  private final PersistentMap<Integer, Long> balances;
  private final PersistentCounter transfers;

  private Bank(Path folder) {
    store = Store.open(folder);
    balances = store.map("balances", Codec.int32(), Codec.int64());
    transfers = store.counter("transfers");
  }

  /** Opens the accounts, then has a process move money and kills it, five times. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Bank bank = new Bank(folder);
    bank.openAccounts();
    bank.store.close();
    long moved = 0;
    int kills = 0;
    for (int life = 1; kills < 5; life++) {
      Check.that(life < 50, "the tellers never get to their work");
      try (ChildProcess tellers = ChildProcess.start(Tellers.class, args[0])) {
        Check.that(tellers.runsFor(600 + 100L * life), "the tellers went home early");
        tellers.kill();
      }
      bank = new Bank(folder);
      try (Store _ = bank.store) {
        long now = bank.transfers();
        Check.that(bank.total() == ACCOUNTS * OPENING_BALANCE, "money was lost or made");
        Check.that(now >= moved, "transfers were forgotten");
        if (now > moved) { // else it was killed before it had begun
          kills++;
          System.out.printf(
              "kill %d: %,9d transfers in the books, %,.2f in all accounts%n",
              kills, now, bank.total() / 100.0);
        }
        moved = now;
      }
    }
  }

  private void openAccounts() {
    store.run(
        tx -> {
          for (int account = 0; account < ACCOUNTS; account++) {
            balances.putIfAbsent(tx, account, OPENING_BALANCE);
          }
        });
  }

  /** Moves money if there is enough; all of it, or nothing. */
  boolean transfer(int from, int to, long cents) {
    return store.call(
        TxOptions.async(),
        tx -> {
          long balance = balances.getOrDefault(tx, from, 0L);
          if (from == to || balance < cents) {
            return false;
          }
          balances.put(tx, from, balance - cents);
          balances.merge(tx, to, cents, Long::sum);
          transfers.increment(tx);
          return true;
        });
  }

  private long total() {
    return store.read(tx -> balances.values(tx).mapToLong(Long::longValue).sum());
  }

  private long transfers() {
    return store.read(transfers::get);
  }

  /** The process that is killed. */
  static final class Tellers {

    private Tellers() {}

    public static void main(String[] args) {
      Bank bank = new Bank(Path.of(args[0]));
      for (int teller = 0; teller < TELLERS; teller++) {
        Thread.ofPlatform().start(() -> work(bank));
      }
    }

    private static void work(Bank bank) {
      SplittableRandom random = new SplittableRandom();
      while (true) {
        bank.transfer(random.nextInt(ACCOUNTS), random.nextInt(ACCOUNTS), random.nextInt(1, 5000));
      }
    }
  }
}
