package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.BitSet;

/**
 * The key-value program of ThyNVM's evaluation: a store that is empty at first, and as many
 * requests as there are keys. A random key is deleted, after its value was compared, or inserted if
 * it is not there. The authors' hash table is C++'s {@code unordered_map}, which moves all its
 * nodes whenever it doubles; their tree is {@code map}, with values apart from the nodes.
 */
public final class GrowingStore implements AutoCloseable {
  private static final int WORD = Long.BYTES;
  private static final int CHUNK_ALIGNMENT = 16;

  /** What C++'s strings and the allocator add to a value: length, capacity, references, size. */
  private static final int STRING_HEADER = 32;

  private static final long TREE_NODE_BYTES = 70;

  private final AccessSink sink;
  private final Structure structure;
  private final int keys;
  private final int valueBytes;
  private final UnorderedMap hash;
  private final TracedHeap heap;
  private final RedBlackTree tree;
  private final BitSet present = new BitSet();
  private final int[] slots;
  private final int[] freeSlots;
  private final long valueBase;
  private int freed;
  private int fresh;

  /**
   * Creates an empty store.
   *
   * @param keys number of keys that may be there
   * @param valueBytes bytes of a value, whole words
   */
  public GrowingStore(Structure structure, int keys, int valueBytes, AccessSink sink) {
    if (keys < 2 || valueBytes < WORD || valueBytes % WORD != 0) {
      throw new IllegalArgumentException(
          "a store needs keys, and values of whole words: " + keys + ", " + valueBytes);
    }
    this.structure = structure;
    this.sink = sink;
    this.keys = keys;
    this.valueBytes = valueBytes;
    boolean isTree = structure == Structure.RBTREE;
    hash = new UnorderedMap(isTree ? 1 : keys, align(valueBytes + STRING_HEADER + 1), sink);
    long nodes = (isTree ? TREE_NODE_BYTES * keys : 0) + (1 << 16);
    heap = new TracedHeap(nodes);
    tree = new RedBlackTree(heap, RedBlackTree.footprint(isTree ? keys : 2));
    heap.sendTo(sink);
    slots = new int[isTree ? keys : 0];
    freeSlots = new int[isTree ? keys : 0];
    valueBase = (nodes + 4095) / 4096 * 4096;
  }

  private static int align(int bytes) {
    return (bytes + CHUNK_ALIGNMENT - 1) / CHUNK_ALIGNMENT * CHUNK_ALIGNMENT;
  }

  /** One request. */
  public void request(SplitMix random) {
    int key = random.below(keys);
    sink.work(KeyValueProgram.REQUEST_INSTRUCTIONS);
    if (structure == Structure.HASH) {
      hashRequest(key);
    } else {
      treeRequest(key);
    }
  }

  /** A found value is compared with a temporary one, which takes the place freed last. */
  private void hashRequest(int key) {
    int entry = hash.find(key);
    if (entry == UnorderedMap.NONE) {
      int added = hash.allocate();
      write(hash.chunk(added) + STRING_HEADER, KeyValueProgram.WORD_INSTRUCTIONS);
      hash.insert(added, key);
      return;
    }
    long temporary = hash.chunk(hash.allocatable()) + STRING_HEADER;
    long value = hash.chunk(entry) + STRING_HEADER;
    write(temporary, 0);
    for (int offset = 0; offset < valueBytes; offset += WORD) {
      sink.load(temporary + offset);
      sink.load(value + offset);
      sink.work(KeyValueProgram.WORD_INSTRUCTIONS);
    }
    hash.remove(key);
  }

  private void write(long value, int instructions) {
    for (int offset = 0; offset < valueBytes; offset += WORD) {
      sink.store(value + offset);
      sink.work(instructions);
    }
  }

  private long value(int slot) {
    return valueBase + (long) slot * align(valueBytes + WORD) + WORD;
  }

  private void treeRequest(int key) {
    if (present.get(key)) {
      long value = value(slots[key]);
      for (int offset = 0; offset < valueBytes; offset += WORD) {
        sink.load(value + offset);
        sink.work(KeyValueProgram.WORD_INSTRUCTIONS);
      }
      sink.load(value - WORD);
      sink.store(value);
      freeSlots[freed++] = slots[key];
      present.clear(key);
      tree.operateOn(key);
    } else {
      int slot = freed > 0 ? freeSlots[--freed] : fresh++;
      slots[key] = slot;
      present.set(key);
      sink.store(value(slot) - WORD);
      tree.operateOn(key);
      write(value(slot), KeyValueProgram.WORD_INSTRUCTIONS);
    }
  }

  @Override
  public void close() {
    heap.close();
  }
}
