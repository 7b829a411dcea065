package io.howdah.nvmsim.workload;

/**
 * Fixed-size nodes with a free list through their first words. The list's head lies in a line of
 * its own and is part of every transaction that allocates, as an allocator's metadata is.
 */
final class NodePool {
  static final long NULL = 0;

  private final TracedHeap heap;
  private final int nodeBytes;
  private final long header;

  NodePool(TracedHeap heap, int nodeBytes) {
    this.heap = heap;
    this.nodeBytes = nodeBytes;
    header = heap.reserve(64, 64);
    if (header == NULL) {
      throw new IllegalStateException("address 0 means none; reserve something before the pool");
    }
  }

  long allocate() {
    long node = heap.load(header);
    if (node == NULL) {
      node = heap.reserve(nodeBytes, nodeBytes);
    } else {
      heap.store(header, heap.load(node));
    }
    heap.store(header + 8, heap.load(header + 8) + 1);
    return node;
  }

  void free(long node) {
    heap.store(node, heap.load(header));
    heap.store(header, node);
    heap.store(header + 8, heap.load(header + 8) - 1);
  }
}
