package io.howdah.collections;

import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.layout.CounterLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.stm.TxContext;
import io.howdah.txn.words.Transactions;

/**
 * A persistent number that many transactions add to at once, from {@code Store.counter}: it stands
 * in several words, so additions rarely conflict. Reading it reads them all.
 */
public final class PersistentCounter extends PersistentCollection {

  static final String KIND = "counter";

  PersistentCounter(Transactions transactions, FoundCollection found) {
    super(transactions, found);
  }

  static long create(TxContext context, long incarnation) {
    long address = context.heap.allocate(CounterLayout.LENGTH);
    CollectionHeader.write(context, address, CounterLayout.MAGIC, incarnation, 0, 0);
    return address;
  }

  private long word(int stripe) {
    return address() + CounterLayout.STRIPES_OFFSET + (long) stripe * CounterLayout.STRIPE_BYTES;
  }

  /** Adds a number, which may be negative. The sum wraps around like a {@code long}. */
  public void add(Tx tx, long number) {
    TxContext context = context(tx);
    long word = word(context.id % CounterLayout.STRIPES);
    context.putUnchecked(word, context.getUnchecked(word) + number);
  }

  /** Adds 1. */
  public void increment(Tx tx) {
    add(tx, 1);
  }

  /** Returns the number. */
  public long get(Tx tx) {
    TxContext context = context(tx);
    long sum = 0;
    for (int i = 0; i < CounterLayout.STRIPES; i++) {
      sum += context.getUnchecked(word(i));
    }
    return sum;
  }
}
