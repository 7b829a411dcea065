package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.collections.PersistentMap;
import io.howdah.txn.Tx;
import io.howdah.txn.TxOptions;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers that no item ever had: CAS values and births. A block of them is reserved in the store,
 * durably, before the first is given out, and a start begins behind the last block. So a number is
 * never given out twice, whatever a crash takes.
 */
final class Numbering {

  private static final String RESERVED = "reserved";
  private static final long BLOCK = 1L << 24;

  private final Store store;
  private final PersistentMap<String, Long> state;
  private final AtomicLong next;
  private volatile long limit;

  @SuppressWarnings("NullAway") // it does not see that the result may be null
  Numbering(Store store, PersistentMap<String, Long> state) {
    this.store = store;
    this.state = state;
    Long reserved = store.read(tx -> state.get(tx, RESERVED));
    this.next = new AtomicLong(reserved == null ? 1 : reserved);
    this.limit = next.get();
    reserve();
  }

  /** Returns a new number. May wait for the disk, once in some million calls. */
  long draw() {
    long number = next.getAndIncrement();
    while (number >= limit) {
      reserve();
    }
    return number;
  }

  /** Reserves a block if less than half of one is left. */
  synchronized void reserve() {
    if (limit - next.get() < BLOCK / 2) {
      long reserved = Math.max(limit, next.get()) + BLOCK;
      store.run(TxOptions.sync(), tx -> state.put(tx, RESERVED, reserved));
      limit = reserved;
    }
  }

  /** Returns a number above all that were given out; a later draw gives none below it. */
  long ahead(long gap) {
    return next.get() + gap;
  }

  /** Lets all numbers from now on be at least this one, and reserves them. */
  synchronized void skipTo(Tx tx, long number) {
    state.put(tx, RESERVED, Math.max(limit, number + BLOCK));
  }

  /** Ends {@link #skipTo} when its transaction has committed. */
  synchronized void skipped(long number) {
    limit = Math.max(limit, number + BLOCK);
    next.accumulateAndGet(number, Math::max);
  }
}
