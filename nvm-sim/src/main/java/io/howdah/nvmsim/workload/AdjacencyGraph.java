package io.howdah.nvmsim.workload;

import io.howdah.nvmsim.schedule.SplitMix;

/**
 * Adjacency lists of a graph with the skew of R-MAT (Chakrabarti et al., SDM 2004; quadrants 0.57,
 * 0.19, 0.19, 0.05). A vertex is the head of its list and its degree, an edge is next, target and
 * weight in 32 bytes. An operation inserts an edge, unless it is there, or as often deletes the
 * newest edge of a vertex.
 */
final class AdjacencyGraph implements TransactionalWorkload {
  private static final int VERTEX_BYTES = 16;
  private static final int EDGE_BYTES = 32;

  /** At most; the number of vertices is the power of two below. */
  private static final int BYTES_PER_VERTEX = 80;

  private static final int TARGET = 8;
  private static final int WEIGHT = 16;
  private static final int FIRST_QUADRANT = 57;
  private static final int SECOND_QUADRANT = 76;
  private static final int THIRD_QUADRANT = 95;

  private final TracedHeap heap;
  private final int scale;
  private final int edgesAtStart;
  private final long vertices;
  private final long edgeCount;
  private final NodePool pool;

  AdjacencyGraph(TracedHeap heap, int footprint) {
    this.heap = heap;
    scale = 31 - Integer.numberOfLeadingZeros(footprint / BYTES_PER_VERTEX);
    edgesAtStart = (footprint - (VERTEX_BYTES << scale)) / EDGE_BYTES;
    edgeCount = heap.reserve(64, 64);
    vertices = heap.reserve((long) VERTEX_BYTES << scale, 64);
    pool = new NodePool(heap, EDGE_BYTES);
  }

  @Override
  public void populate(SplitMix random) {
    while (heap.load(edgeCount) < edgesAtStart) {
      insert(random);
    }
  }

  @Override
  public void operate(SplitMix random) {
    if ((random.next() & 1) == 0) {
      insert(random);
    } else {
      delete(random);
    }
  }

  /** Two coordinates, one bit of each per quadrant drawn: source high, target low. */
  private long draw(SplitMix random) {
    heap.work(3 * scale);
    long source = 0;
    long target = 0;
    for (int bit = 0; bit < scale; bit++) {
      int quadrant = random.below(100);
      boolean right =
          (quadrant >= FIRST_QUADRANT && quadrant < SECOND_QUADRANT) || quadrant >= THIRD_QUADRANT;
      source = source << 1 | (quadrant >= SECOND_QUADRANT ? 1 : 0);
      target = target << 1 | (right ? 1 : 0);
    }
    return source << 32 | target;
  }

  private void insert(SplitMix random) {
    long drawn = draw(random);
    long target = drawn & 0xFFFF_FFFFL;
    long vertex = vertices + (drawn >>> 32) * VERTEX_BYTES;
    long first = heap.load(vertex);
    for (long edge = first; edge != NodePool.NULL; edge = heap.load(edge)) {
      if (heap.load(edge + TARGET) == target) {
        return;
      }
    }
    long added = pool.allocate();
    heap.store(added, first);
    heap.store(added + TARGET, target);
    heap.store(added + WEIGHT, drawn);
    heap.store(vertex, added);
    count(vertex, 1);
  }

  private void delete(SplitMix random) {
    long vertex = vertices + (draw(random) >>> 32) * VERTEX_BYTES;
    long edge = heap.load(vertex);
    if (edge != NodePool.NULL) {
      heap.store(vertex, heap.load(edge));
      pool.free(edge);
      count(vertex, -1);
    }
  }

  private void count(long vertex, int change) {
    heap.store(vertex + 8, heap.load(vertex + 8) + change);
    heap.store(edgeCount, heap.load(edgeCount) + change);
  }

  @Override
  public void check() {
    long edges = 0;
    for (int i = 0; i < 1 << scale; i++) {
      long vertex = vertices + (long) i * VERTEX_BYTES;
      long degree = 0;
      for (long edge = heap.load(vertex); edge != NodePool.NULL; edge = heap.load(edge)) {
        degree++;
      }
      if (degree != heap.load(vertex + 8)) {
        throw new IllegalStateException("vertex " + i + " has " + degree + " edges");
      }
      edges += degree;
    }
    if (edges != heap.load(edgeCount)) {
      throw new IllegalStateException(edges + " edges, counted " + heap.load(edgeCount));
    }
  }
}
