package io.howdah.crashtest.workload;

import io.howdah.Store;
import io.howdah.codec.Codec;
import io.howdah.collections.PersistentMap;
import io.howdah.collections.PersistentQueue;
import io.howdah.collections.PersistentSortedMap;
import io.howdah.collections.Range;
import io.howdah.core.layout.RegionHeaderLayout;
import io.howdah.core.storage.Storage;
import io.howdah.crashtest.oracle.Violation;
import io.howdah.txn.Tx;
import io.howdah.txn.alloc.HeapSession;
import io.howdah.txn.stm.TxHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** One opening of a store, with the structures that the steps work on. For one thread. */
final class Session {

  /** Words that are always written together, far more than fit on one page. */
  static final int WORDS = 700;

  /**
   * Blocks of these lengths: a small one, a page to its last byte, several pages and a bit, and one
   * that has pages of its own.
   */
  static final long[] BLOCK_BYTES = {40, 4096, 3 * 4096 + 8, 5 * 4096};

  private static final int ROOT_WORDS = 1;
  private static final int ROOT_BLOCKS = 2;

  final Store store;
  final PersistentMap<Long, String> map;
  final PersistentSortedMap<Long, String> sorted;
  final PersistentQueue<Long> queue;
  private final LongFunction<Storage> copies;

  /** Opens a store that makes no backups. */
  Session(Store store) {
    this(
        store,
        step -> {
          throw new IllegalStateException("no place for the backup of step " + step);
        });
  }

  /**
   * Opens the structures; makes them if they are not there.
   *
   * @param copies creates the place of the backup that a step makes
   */
  Session(Store store, LongFunction<Storage> copies) {
    this.store = store;
    this.copies = copies;
    this.map = store.map("map", Codec.int64(), Codec.utf8());
    this.sorted = store.sortedMap("sorted", Codec.int64(), Codec.utf8());
    this.queue = store.queue("queue", Codec.int64());
    store.run(
        tx -> {
          if (tx.root(ROOT_WORDS) == 0) {
            tx.root(ROOT_WORDS, tx.allocate(WORDS * 8L));
            tx.root(ROOT_BLOCKS, tx.allocate(BLOCK_BYTES.length * 8L));
          }
        });
  }

  void backUp(long step) {
    store.admin().backup(() -> copies.apply(step));
  }

  void count(Tx tx, long value) {
    long words = tx.root(ROOT_WORDS);
    for (int i = 0; i < WORDS; i++) {
      tx.putLong(words + 8L * i, value);
    }
  }

  void sortedPut(Tx tx, long from, int count, String value) {
    for (int i = 0; i < count; i++) {
      sorted.put(tx, from + i, value);
    }
  }

  /** Makes the allocator look for more room than there is, for which it frees all that it can. */
  void giveBackPagesOfNodes(Tx tx) {
    HeapSession heap = TxHandle.of(tx).words().heap;
    long all = SmallWorkload.MAX_SIZE - RegionHeaderLayout.BLOCKS_ADDRESS;
    if (heap.allocateUnclearedIfRoom(all) != 0) {
      throw new Violation("a region in use has room for a block as long as all its pages");
    }
  }

  /** Allocates a block in place of the one that is there, which is freed before. */
  void allocate(Tx tx, int slot, long tag) {
    free(tx, slot);
    tx.putLong(at(tx, slot), newBlock(tx, slot, tag));
  }

  /** Allocates a block beside the one that is there, which is freed afterwards. */
  void replace(Tx tx, int slot, long tag) {
    long block = newBlock(tx, slot, tag);
    free(tx, slot);
    tx.putLong(at(tx, slot), block);
  }

  private static long at(Tx tx, int slot) {
    return tx.root(ROOT_BLOCKS) + 8L * slot;
  }

  private static long newBlock(Tx tx, int slot, long tag) {
    long block = tx.allocate(BLOCK_BYTES[slot]);
    for (long offset = 0; offset < BLOCK_BYTES[slot]; offset += 8) {
      if (tx.getLong(block + offset) != 0) {
        throw new Violation("a new block has " + tx.getLong(block + offset) + " at " + offset);
      }
      tx.putLong(block + offset, tag);
    }
    return block;
  }

  void free(Tx tx, int slot) {
    long at = at(tx, slot);
    if (tx.getLong(at) != 0) {
      tx.free(tx.getLong(at));
      tx.putLong(at, 0);
    }
  }

  /** Returns everything in it. */
  Content content() {
    return store.read(
        tx -> {
          Map<Long, String> entries = new HashMap<>();
          map.forEach(tx, entries::put);
          requireSize("map", map.size(tx), entries.size());
          return new Content(entries, sorted(tx), queued(tx), blocks(tx), counter(tx));
        });
  }

  private Map<Long, String> sorted(Tx tx) {
    List<Long> up = new ArrayList<>();
    Map<Long, String> entries = new HashMap<>();
    sorted
        .entries(tx)
        .forEach(
            e -> {
              up.add(e.getKey());
              entries.put(e.getKey(), e.getValue());
            });
    List<Long> down =
        new ArrayList<>(
            sorted.range(tx, Range.reversed(Range.all())).map(Map.Entry::getKey).toList());
    if (!up.equals(down.reversed()) || !up.equals(up.stream().sorted().toList())) {
      throw new Violation("sorted map: " + up + " upwards, " + down + " downwards");
    }
    requireSize("sorted map", sorted.size(tx), entries.size());
    return entries;
  }

  private List<Long> queued(Tx tx) {
    List<Long> elements = queue.stream(tx).toList();
    requireSize("queue", queue.size(tx), elements.size());
    return elements;
  }

  private Map<Integer, Long> blocks(Tx tx) {
    Map<Integer, Long> found = new HashMap<>();
    for (int slot = 0; slot < BLOCK_BYTES.length; slot++) {
      long block = tx.getLong(at(tx, slot));
      if (block != 0) {
        found.put(slot, uniform(tx, "block " + slot, block, BLOCK_BYTES[slot] / 8));
      }
    }
    return found;
  }

  private long counter(Tx tx) {
    return uniform(tx, "counter", tx.root(ROOT_WORDS), WORDS);
  }

  private static long uniform(Tx tx, String what, long address, long words) {
    long first = tx.getLong(address);
    for (long i = 1; i < words; i++) {
      long word = tx.getLong(address + 8 * i);
      if (word != first) {
        throw new Violation(what + ": word 0 holds " + first + ", word " + i + " " + word);
      }
    }
    return first;
  }

  private static void requireSize(String what, long size, int found) {
    if (size != found) {
      throw new Violation(what + " says it has " + size + " entries, and shows " + found);
    }
  }
}
