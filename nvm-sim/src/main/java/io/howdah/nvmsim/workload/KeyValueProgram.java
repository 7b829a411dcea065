package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;
import java.util.BitSet;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A key-value store under requests of one size: a random key is deleted, after its value was
 * compared, or inserted with a value if it is not there. Half of the keys are there at first.
 * Values lie apart from the structure's nodes, in places that are used again.
 */
public final class KeyValueProgram implements AutoCloseable {
  private static final int WORD = Long.BYTES;
  private static final int MALLOC_HEADER = 16;

  /**
   * Instructions of a request besides those of its accesses. This and the next number are chosen by
   * the published throughput of Ideal DRAM alone: 314,000 requests of 16 bytes and 22,000 of 4096.
   */
  public static final int REQUEST_INSTRUCTIONS = 1400;

  /** Instructions for a word of a value, which the authors compare and copy byte by byte. */
  public static final int WORD_INSTRUCTIONS = 46;

  /** Which structure finds the keys. */
  public enum Structure {
    HASH,
    RBTREE;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final TracedHeap heap;
  private final HashTable hash;
  private final RedBlackTree tree;
  private final Structure structure;
  private final AccessSink sink;
  private final AccessSink fresh;
  private final int valueBytes;
  private final int keys;
  private final long valueBase;
  private final BitSet present = new BitSet();
  private final @Nullable RecencyList recency;
  private final int[] slots;
  private final int[] freeSlots;
  private int free;

  /**
   * Builds the store; that is not part of the program.
   *
   * @param keys number of keys that may be there
   * @param fresh is told of the stores to a value that nothing refers to yet
   * @param keepsRecency whether it has memcached's list of items by their last use, through the
   *     items' headers
   */
  public KeyValueProgram(
      Structure structure,
      int keys,
      int valueBytes,
      AccessSink sink,
      AccessSink fresh,
      boolean keepsRecency) {
    if (keys < 2 || valueBytes < WORD || valueBytes % WORD != 0) {
      throw new IllegalArgumentException(
          "a store needs keys, and values of whole words: " + keys + ", " + valueBytes);
    }
    this.structure = structure;
    this.sink = sink;
    this.fresh = fresh;
    this.valueBytes = valueBytes;
    this.keys = keys;
    long nodes = 100L * keys + (1 << 16);
    heap = new TracedHeap(nodes);
    hash = new HashTable(heap, HashTable.footprint(structure == Structure.HASH ? keys : 2));
    tree = new RedBlackTree(heap, RedBlackTree.footprint(structure == Structure.RBTREE ? keys : 2));
    valueBase = (nodes + 4095) / 4096 * 4096;
    slots = new int[keys];
    freeSlots = new int[keys];
    for (int i = 0; i < keys; i++) {
      freeSlots[i] = keys - 1 - i;
    }
    free = keys;
    recency = keepsRecency ? new RecencyList(keys, this::valueAddress) : null;
    SplitMix order = new SplitMix(keys);
    for (int i = 0; i < keys / 2; i++) {
      int key = order.below(keys);
      if (!present.get(key)) {
        toggle(key);
        insertValue(key, false);
      }
    }
    heap.sendTo(sink);
  }

  /** One request. */
  public void request(SplitMix random) {
    int key = random.below(keys);
    sink.work(REQUEST_INSTRUCTIONS);
    if (present.get(key)) {
      long value = valueAddress(slots[key]);
      for (int offset = 0; offset < valueBytes; offset += WORD) {
        sink.load(value + offset);
        sink.work(WORD_INSTRUCTIONS);
      }
      toggle(key);
      present.clear(key);
      freeSlots[free++] = slots[key];
      if (recency != null) {
        recency.remove(slots[key], sink);
      }
      sink.store(value - WORD);
    } else {
      toggle(key);
      insertValue(key, true);
    }
  }

  private void insertValue(int key, boolean measured) {
    present.set(key);
    slots[key] = freeSlots[--free];
    if (recency != null) {
      recency.addFirst(slots[key], measured ? sink : null);
    }
    if (!measured) {
      return;
    }
    long value = valueAddress(slots[key]);
    sink.store(value - WORD);
    for (int offset = 0; offset < valueBytes; offset += WORD) {
      fresh.store(value + offset);
      sink.work(WORD_INSTRUCTIONS);
    }
  }

  private long valueAddress(int slot) {
    return valueBase + (long) slot * (valueBytes + MALLOC_HEADER) + MALLOC_HEADER;
  }

  private void toggle(int key) {
    if (structure == Structure.HASH) {
      hash.toggle(key, key);
    } else {
      tree.operateOn(key);
    }
  }

  /** Checks the structure, without telling the sink. */
  public void verify() {
    heap.sendTo(null);
    if (structure == Structure.HASH) {
      hash.check();
    } else {
      tree.check();
    }
  }

  @Override
  public void close() {
    heap.close();
  }
}
