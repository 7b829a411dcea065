package io.howdah.server.items;

import io.howdah.Store;
import io.howdah.txn.TxOptions;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Numbers that no item ever had: CAS values and births. A range of them is reserved in the store,
 * durably, before the first is given out, and a start begins behind the last range. So a number is
 * never given out twice, whatever a crash takes.
 *
 * <p>Each connection takes a {@link Block} of numbers at a time, so connections share no word that
 * every command writes. Numbers of different connections are therefore not given out in their
 * order; a caller that needs a number above another one says so. Thread-safe, except for the
 * blocks.
 */
final class Numbering {

  /** What {@link #draw} returns if it would have to wait. */
  static final long NONE = 0;

  /** How many numbers a connection takes at once. */
  static final int BLOCK = 1 << 8;

  /** How many numbers are reserved at once. */
  static final long RANGE = 1L << 32;

  private final Store store;
  private final ServerState state;
  private final long range;
  private final long first;
  private final ReentrantLock lock = new ReentrantLock();

  /** The first number that no block has. Guarded by the lock. */
  private long next;

  /** No number from here on was ever given out, nor will be before this is durably larger. */
  private volatile long limit;

  /** Some numbers of one connection. For one thread at a time. */
  static final class Block {
    private long next;
    private long end;
  }

  /**
   * Begins behind all numbers that were ever given out.
   *
   * @param range how many numbers are reserved at once, at least two blocks
   */
  Numbering(Store store, ServerState state, long range) {
    this.store = store;
    this.state = state;
    this.range = range;
    this.next = Math.max(1, state.get(ServerState.RESERVED));
    this.first = next;
    this.limit = next;
    reserve();
  }

  /**
   * Returns a new number, or {@link #NONE} if none can be had without a wait: then call {@link
   * #refill} outside of a transaction, and try again. Never waits, so a transaction may call it.
   *
   * @param min the number is not smaller
   * @param above the number is larger than this one, if this one was given out
   */
  long draw(Block block, long min, long above) {
    if (block.next == block.end
        || block.next < min
        || (block.next <= above && Long.compareUnsigned(above, limit) < 0)) {
      if (!lock.tryLock()) {
        return NONE;
      }
      try {
        if (next + BLOCK > limit) {
          return NONE;
        }
        fill(block);
      } finally {
        lock.unlock();
      }
    }
    return block.next++;
  }

  private void fill(Block block) {
    block.next = next;
    next += BLOCK;
    block.end = next;
  }

  /** Gives a connection new numbers. May wait: for a flush, or once in a long time for the disk. */
  void refill(Block block) {
    lock.lock();
    try {
      reserve();
      fill(block);
    } finally {
      lock.unlock();
    }
  }

  /** Reserves numbers if less than half of a range is left. May wait for the disk. */
  void reserve() {
    lock.lock();
    try {
      if (limit - next < range / 2) {
        long reserved = limit + range;
        store.run(TxOptions.sync(), tx -> state.put(tx, ServerState.RESERVED, reserved));
        limit = reserved;
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the first number that this start gives out. */
  long first() {
    return first;
  }

  /** What {@link #pause} does. */
  @FunctionalInterface
  interface Mark {
    /**
     * Runs while no block is given out.
     *
     * @param number larger than all numbers that were given out; later ones are not below it
     */
    void set(long number);
  }

  /** Sets a mark between the numbers given out until now and those given out from then on. */
  void pause(Mark mark) {
    lock.lock();
    try {
      mark.set(next);
    } finally {
      lock.unlock();
    }
  }
}
