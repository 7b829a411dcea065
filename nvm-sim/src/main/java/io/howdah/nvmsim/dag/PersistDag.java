package io.howdah.nvmsim.dag;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;

/**
 * Every persist of a trace and the order a model puts on them. After a failure, memory holds a set
 * of persists that contains, with each, all it must follow; {@link #predecessorSet} gives those.
 * Immutable.
 */
public final class PersistDag {
  /**
   * A persist sync that returned.
   *
   * @param sequence its event in the trace
   * @param thread the thread that waited
   * @param durable every persist that was durable when it returned; ids
   */
  public record SyncPoint(long sequence, int thread, BitSet durable) {
    public SyncPoint {
      durable = (BitSet) durable.clone();
    }

    @Override
    public BitSet durable() {
      return (BitSet) durable.clone();
    }
  }

  private final String model;
  private final List<PersistNode> nodes;
  private final List<BitSet> ancestors;
  private final List<SyncPoint> syncs;

  PersistDag(String model, List<PersistNode> nodes, List<BitSet> ancestors, List<SyncPoint> syncs) {
    this.model = model;
    this.nodes = List.copyOf(nodes);
    this.ancestors = List.copyOf(ancestors);
    this.syncs = List.copyOf(syncs);
  }

  /** Name of the model that ordered the persists. */
  public String model() {
    return model;
  }

  /** The persists in trace order; a node's index is its id. */
  public List<PersistNode> nodes() {
    return nodes;
  }

  /** Persist syncs in trace order. */
  public List<SyncPoint> syncs() {
    return syncs;
  }

  /** Whether one persist must be durable before the other. */
  public boolean ordered(int before, int after) {
    return ancestors.get(after).get(before);
  }

  /** Every persist that must be durable before this one; ids, a copy. */
  public BitSet predecessorSet(int node) {
    return (BitSet) ancestors.get(node).clone();
  }

  /** Levels on the longest chain. */
  public int criticalPathLength() {
    int longest = 0;
    for (PersistNode node : nodes) {
      longest = Math.max(longest, node.level());
    }
    return longest;
  }

  /** One longest chain, first persist first; of several, the one that ends earliest. */
  public List<PersistNode> criticalPath() {
    int length = criticalPathLength();
    List<PersistNode> path = new ArrayList<>(length);
    PersistNode at = null;
    for (PersistNode node : nodes) {
      if (node.level() == length) {
        at = node;
        break;
      }
    }
    while (at != null) {
      path.add(at);
      PersistNode below = null;
      for (int predecessor : at.predecessors()) {
        if (nodes.get(predecessor).level() == at.level() - 1) {
          below = nodes.get(predecessor);
          break;
        }
      }
      at = below;
    }
    Collections.reverse(path);
    return path;
  }

  /** Whether two DAGs put the same order on the same number of persists. */
  public boolean sameOrder(PersistDag other) {
    return ancestors.equals(other.ancestors);
  }

  /** Whether the set holds, with each persist, all it must follow: a state a failure can leave. */
  public boolean isDownClosed(BitSet persists) {
    for (int i = persists.nextSetBit(0); i >= 0; i = persists.nextSetBit(i + 1)) {
      BitSet missing = predecessorSet(i);
      missing.andNot(persists);
      if (!missing.isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
