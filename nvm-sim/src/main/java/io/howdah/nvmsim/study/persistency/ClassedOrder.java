package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistNode;
import java.util.ArrayList;
import java.util.List;

/**
 * The persist order of one trace with each constraint classed by the weakest model that keeps it:
 * Figure 2 of <i>Memory Persistency</i> (ISCA 2014), computed.
 *
 * @param nodes the persists
 * @param edges the constraints, without those that follow from others of the same model
 */
public record ClassedOrder(List<PersistNode> nodes, List<Edge> edges) {
  /** Which models keep a constraint. */
  public enum EdgeClass {
    /** All of them: recovery needs it. */
    NECESSARY,
    /** Strict only; epoch persistency removes it: "A" in the figure. */
    A,
    /** Strict and epoch; strand persistency removes it: "B" in the figure. */
    B
  }

  /**
   * A constraint.
   *
   * @param before persist that must be durable first
   * @param after persist that must follow
   * @param edgeClass which models keep it
   */
  public record Edge(int before, int after, EdgeClass edgeClass) {}

  public ClassedOrder {
    nodes = List.copyOf(nodes);
    edges = List.copyOf(edges);
  }

  /** Classes the edges of three DAGs of the same trace, built without coalescing. */
  public static ClassedOrder of(PersistDag strict, PersistDag epoch, PersistDag strand) {
    int count = strict.nodes().size();
    if (epoch.nodes().size() != count || strand.nodes().size() != count) {
      throw new IllegalArgumentException(
          "the DAGs are of different traces, or coalesced: "
              + count
              + ", "
              + epoch.nodes().size()
              + " and "
              + strand.nodes().size()
              + " persists");
    }
    List<Edge> edges = new ArrayList<>();
    for (int after = 0; after < count; after++) {
      for (int before : strand.nodes().get(after).predecessors()) {
        edges.add(new Edge(before, after, EdgeClass.NECESSARY));
      }
      for (int before : epoch.nodes().get(after).predecessors()) {
        if (!strand.ordered(before, after)) {
          edges.add(new Edge(before, after, EdgeClass.B));
        }
      }
      for (int before : strict.nodes().get(after).predecessors()) {
        if (!epoch.ordered(before, after)) {
          edges.add(new Edge(before, after, EdgeClass.A));
        }
      }
    }
    return new ClassedOrder(strict.nodes(), edges);
  }

  /** Number of edges of a class. */
  public long count(EdgeClass edgeClass) {
    return edges.stream().filter(edge -> edge.edgeClass == edgeClass).count();
  }
}
