package io.howdah.nvmsim.crash.loc;

import java.util.ArrayList;
import java.util.List;

/** The stores of every transaction: what home locations hold after any prefix of them. */
final class History {
  private record Store(int word, long value) {}

  private static final class Tx {
    final List<Store> stores = new ArrayList<>();
    boolean aborted;
  }

  private final long[] initial;
  private final long firstTxId;
  private final List<Tx> transactions = new ArrayList<>();

  /**
   * @param initial home locations before the first transaction
   * @param firstTxId its id
   */
  History(long[] initial, long firstTxId) {
    this.initial = initial.clone();
    this.firstTxId = firstTxId;
  }

  void begin() {
    transactions.add(new Tx());
  }

  void store(long txId, int word, long value) {
    transactions.get((int) (txId - firstTxId)).stores.add(new Store(word, value));
  }

  /** Undoes a transaction and all later ones. */
  void abort(long txId) {
    for (int i = (int) (txId - firstTxId); i < transactions.size(); i++) {
      transactions.get(i).aborted = true;
    }
  }

  /** Home locations after all transactions up to this one that were not aborted. */
  long[] after(long txId) {
    long[] state = initial.clone();
    for (int i = 0; i <= txId - firstTxId; i++) {
      apply(state, i);
    }
    return state;
  }

  /** Goes from the state after the transaction before to the one after it. */
  void advance(long[] state, long txId) {
    apply(state, (int) (txId - firstTxId));
  }

  private void apply(long[] state, int index) {
    Tx tx = transactions.get(index);
    if (!tx.aborted) {
      for (Store store : tx.stores) {
        state[store.word] = store.value;
      }
    }
  }

  /** What software reads now: the latest value in the order of transactions. */
  long current(int word) {
    for (int i = transactions.size() - 1; i >= 0; i--) {
      Tx tx = transactions.get(i);
      for (int s = tx.stores.size() - 1; !tx.aborted && s >= 0; s--) {
        if (tx.stores.get(s).word == word) {
          return tx.stores.get(s).value;
        }
      }
    }
    return initial[word];
  }
}
