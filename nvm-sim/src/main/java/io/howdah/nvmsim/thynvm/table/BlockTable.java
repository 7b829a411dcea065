package io.howdah.nvmsim.thynvm.table;

import io.howdah.nvmsim.thynvm.table.BlockState.Version;
import java.util.Arrays;

/**
 * The Block Translation Table (BTT). Entries of one kind stand in a queue, the one used longest ago
 * in front: free, clean, loan, and those written in this epoch.
 */
public final class BlockTable {
  /** No entry. */
  public static final int NONE = LongIndex.NOT_FOUND;

  /** Bits of an entry: block index, version, visible region, checkpoint region, store counter. */
  public static final int ENTRY_BITS = 42 + 2 + 2 + 1 + 6;

  private static final int FREE_QUEUE = 0;
  private static final int CLEAN_QUEUE = 1;
  private static final int LOAN_QUEUE = 2;
  private static final int WRITTEN_QUEUE = 3;
  private static final int QUEUES = 4;

  private final BlockState[] states;
  private final long[] blocks;
  private final long[] places;
  private final long[] epochs;
  private final int[] stores;
  private final int[] next;
  private final int[] previous;
  private final int[] front = new int[QUEUES];
  private final int[] back = new int[QUEUES];
  private final int[] length = new int[QUEUES];
  private final LongIndex index;

  public BlockTable(int capacity) {
    states = new BlockState[capacity];
    Arrays.fill(states, BlockState.FREE);
    blocks = new long[capacity];
    places = new long[capacity];
    epochs = new long[capacity];
    stores = new int[capacity];
    next = new int[capacity];
    previous = new int[capacity];
    Arrays.fill(front, NONE);
    Arrays.fill(back, NONE);
    index = new LongIndex(capacity);
    for (int entry = 0; entry < capacity; entry++) {
      pushBack(entry, FREE_QUEUE);
    }
  }

  public int capacity() {
    return states.length;
  }

  /** The block's entry, which counts as used now, or {@link #NONE}. */
  public int lookUp(long block) {
    int entry = index.get(block);
    if (entry != NONE) {
      int queue = queueOf(states[entry]);
      if (back[queue] != entry) {
        remove(entry, queue);
        pushBack(entry, queue);
      }
    }
    return entry;
  }

  /** The block's entry or {@link #NONE}, without a trace of the question. */
  public int find(long block) {
    return index.get(block);
  }

  /** Takes the first free entry, which must exist, for a block that has none. */
  public int insert(long block, long place, BlockState state, long epoch) {
    int entry = front[FREE_QUEUE];
    remove(entry, FREE_QUEUE);
    pushBack(entry, queueOf(state));
    states[entry] = state;
    blocks[entry] = block;
    places[entry] = place;
    epochs[entry] = epoch;
    stores[entry] = 0;
    index.put(block, entry);
    return entry;
  }

  /** Changes an entry's state; to {@link BlockState#FREE} forgets the block. */
  public void move(int entry, BlockState state) {
    if (state == BlockState.FREE) {
      index.remove(blocks[entry]);
    }
    remove(entry, queueOf(states[entry]));
    pushBack(entry, queueOf(state));
    states[entry] = state;
  }

  /** Changes an entry's state and place, as of an epoch. */
  public void move(int entry, BlockState state, long place, long epoch) {
    places[entry] = place;
    epochs[entry] = epoch;
    move(entry, state);
  }

  public BlockState state(int entry) {
    return states[entry];
  }

  public long block(int entry) {
    return blocks[entry];
  }

  /** Where the visible version lies, as a block index of the hardware address space. */
  public long place(int entry) {
    return places[entry];
  }

  /** The epoch that wrote the visible version. */
  public long epoch(int entry) {
    return epochs[entry];
  }

  /** Stores to the block in this epoch. */
  public int stores(int entry) {
    return stores[entry];
  }

  public void countStore(int entry) {
    stores[entry]++;
  }

  public void clearCounters() {
    Arrays.fill(stores, 0);
  }

  public int free() {
    return length[FREE_QUEUE];
  }

  public int clean() {
    return length[CLEAN_QUEUE];
  }

  public int loans() {
    return length[LOAN_QUEUE];
  }

  /** Entries whose block was written in this epoch by the block scheme. */
  public int written() {
    return length[WRITTEN_QUEUE];
  }

  public int firstClean() {
    return front[CLEAN_QUEUE];
  }

  public int firstLoan() {
    return front[LOAN_QUEUE];
  }

  public int firstWritten() {
    return front[WRITTEN_QUEUE];
  }

  /** The entry behind this one in its queue, or {@link #NONE}. */
  public int after(int entry) {
    return next[entry];
  }

  private static int queueOf(BlockState state) {
    return switch (state) {
      case FREE -> FREE_QUEUE;
      case CLEAN -> CLEAN_QUEUE;
      case LOAN -> LOAN_QUEUE;
      case DIRTY, HIDDEN, PRE_DIRTY, PRE_HIDDEN -> WRITTEN_QUEUE;
    };
  }

  private void pushBack(int entry, int queue) {
    int last = back[queue];
    previous[entry] = last;
    next[entry] = NONE;
    if (last == NONE) {
      front[queue] = entry;
    } else {
      next[last] = entry;
    }
    back[queue] = entry;
    length[queue]++;
  }

  private void remove(int entry, int queue) {
    int before = previous[entry];
    int behind = next[entry];
    if (before == NONE) {
      front[queue] = behind;
    } else {
      next[before] = behind;
    }
    if (behind == NONE) {
      back[queue] = before;
    } else {
      previous[behind] = before;
    }
    length[queue]--;
  }

  /** Checks that every entry is in its queue and found under its block. */
  public void verify() {
    int seen = 0;
    for (int queue = 0; queue < QUEUES; queue++) {
      for (int entry = front[queue]; entry != NONE; entry = next[entry]) {
        if (queueOf(states[entry]) != queue) {
          throw new IllegalStateException("entry " + entry + " is in the wrong queue");
        }
        boolean named = states[entry].version() != Version.NONE;
        if (named && index.get(blocks[entry]) != entry) {
          throw new IllegalStateException("block " + blocks[entry] + " is not found");
        }
        seen++;
      }
    }
    if (seen != states.length) {
      throw new IllegalStateException(seen + " entries in queues, of " + states.length);
    }
  }
}
