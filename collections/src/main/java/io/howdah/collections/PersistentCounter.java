package io.howdah.collections;

import io.howdah.collections.structure.CollectionHeader;
import io.howdah.collections.structure.FoundCollection;
import io.howdah.core.layout.CounterLayout;
import io.howdah.txn.Tx;
import io.howdah.txn.words.Transactions;
import io.howdah.txn.words.Words;

/**
 * A persistent number that many transactions add to at once, from {@code Store.counter}: it stands
 * in several words, so additions rarely conflict. Reading it reads them all.
 */
public final class PersistentCounter extends PersistentCollection {

  static final String KIND = "counter";

  PersistentCounter(Transactions transactions, FoundCollection found) {
    super(transactions, found);
  }

  static long create(Words words, long incarnation) {
    long address = words.heap.allocate(CounterLayout.LENGTH);
    CollectionHeader.write(words, address, CounterLayout.MAGIC, incarnation, 0, 0);
    return address;
  }

  private long word(int stripe) {
    return address() + CounterLayout.STRIPES_OFFSET + (long) stripe * CounterLayout.STRIPE_BYTES;
  }

  /** Adds a number, which may be negative. The sum wraps around like a {@code long}. */
  public void add(Tx tx, long number) {
    Words words = words(tx);
    long word = word(words.id % CounterLayout.STRIPES);
    words.putUnchecked(word, words.getUnchecked(word) + number);
  }

  /** Adds 1. */
  public void increment(Tx tx) {
    add(tx, 1);
  }

  /** Returns the number. */
  public long get(Tx tx) {
    Words words = words(tx);
    long sum = 0;
    for (int i = 0; i < CounterLayout.STRIPES; i++) {
      sum += words.getUnchecked(word(i));
    }
    return sum;
  }
}
