package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.PersistDag;
import io.howdah.nvmsim.dag.PersistNode;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Writes a persist DAG for graph tools, the critical path marked, each persist with its source. */
public final class DagExport {
  private DagExport() {}

  /** The DAG in the DOT language of Graphviz. */
  public static String toDot(PersistDag dag) {
    Set<Integer> critical = criticalIds(dag);
    StringBuilder dot = new StringBuilder(256 + 160 * dag.nodes().size());
    dot.append("digraph persists {\n  label=\"persist order under ")
        .append(escape(dag.model()))
        .append(", critical path ")
        .append(dag.criticalPathLength())
        .append("\";\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for (PersistNode node : dag.nodes()) {
      dot.append("  p").append(node.id()).append(" [label=\"");
      dot.append("#").append(node.id()).append(" thread ").append(node.thread());
      dot.append("\\n0x").append(Long.toHexString(node.address()));
      dot.append("\\n").append(escape(node.site().toString())).append('"');
      if (critical.contains(node.id())) {
        dot.append(", style=filled, fillcolor=\"#f4c7ab\", penwidth=2");
      }
      dot.append("];\n");
    }
    for (PersistNode node : dag.nodes()) {
      for (int before : node.predecessors()) {
        dot.append("  p").append(before).append(" -> p").append(node.id());
        if (isCritical(dag, critical, before, node)) {
          dot.append(" [penwidth=2, color=\"#c0392b\"]");
        }
        dot.append(";\n");
      }
    }
    return dot.append("}\n").toString();
  }

  /** The classed order in DOT: necessary edges solid, A and B dashed and labelled. */
  public static String toDot(ClassedOrder order) {
    StringBuilder dot =
        new StringBuilder("digraph persists {\n  rankdir=TB;\n  node [shape=box];\n");
    for (PersistNode node : order.nodes()) {
      dot.append("  p").append(node.id()).append(" [label=\"thread ").append(node.thread());
      dot.append(" insert ").append(node.operation()).append("\\n0x");
      dot.append(Long.toHexString(node.address())).append("\\n");
      dot.append(escape(node.site().toString())).append("\"];\n");
    }
    for (ClassedOrder.Edge edge : order.edges()) {
      dot.append("  p").append(edge.before()).append(" -> p").append(edge.after());
      if (edge.edgeClass() != ClassedOrder.EdgeClass.NECESSARY) {
        dot.append(" [style=dashed, label=\"").append(edge.edgeClass()).append("\"]");
      }
      dot.append(";\n");
    }
    return dot.append("}\n").toString();
  }

  /** The DAG in GraphML. */
  public static String toGraphMl(PersistDag dag) {
    Set<Integer> critical = criticalIds(dag);
    StringBuilder xml = new StringBuilder(1024 + 512 * dag.nodes().size());
    xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.append("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (String key :
        List.of("thread:int", "operation:long", "address:string", "level:int", "source:string")) {
      key(xml, "node", key.substring(0, key.indexOf(':')), key.substring(key.indexOf(':') + 1));
    }
    key(xml, "all", "critical", "boolean");
    xml.append("  <graph id=\"persists\" edgedefault=\"directed\">\n");
    for (PersistNode node : dag.nodes()) {
      xml.append("    <node id=\"p").append(node.id()).append("\">");
      data(xml, "thread", Integer.toString(node.thread()));
      data(xml, "operation", Long.toString(node.operation()));
      data(xml, "address", "0x" + Long.toHexString(node.address()));
      data(xml, "level", Integer.toString(node.level()));
      data(xml, "source", node.site().toString());
      data(xml, "critical", Boolean.toString(critical.contains(node.id())));
      xml.append("</node>\n");
    }
    for (PersistNode node : dag.nodes()) {
      for (int before : node.predecessors()) {
        xml.append("    <edge source=\"p").append(before).append("\" target=\"p");
        xml.append(node.id()).append("\">");
        data(xml, "critical", Boolean.toString(isCritical(dag, critical, before, node)));
        xml.append("</edge>\n");
      }
    }
    return xml.append("  </graph>\n</graphml>\n").toString();
  }

  private static Set<Integer> criticalIds(PersistDag dag) {
    Set<Integer> ids = new HashSet<>();
    dag.criticalPath().forEach(node -> ids.add(node.id()));
    return ids;
  }

  private static boolean isCritical(
      PersistDag dag, Set<Integer> critical, int before, PersistNode after) {
    return critical.contains(before)
        && critical.contains(after.id())
        && dag.nodes().get(before).level() == after.level() - 1;
  }

  private static void key(StringBuilder xml, String on, String name, String type) {
    xml.append("  <key id=\"").append(name).append("\" for=\"").append(on);
    xml.append("\" attr.name=\"").append(name).append("\" attr.type=\"").append(type);
    xml.append("\"/>\n");
  }

  private static void data(StringBuilder xml, String key, String value) {
    xml.append("<data key=\"").append(key).append("\">");
    xml.append(value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
    xml.append("</data>");
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }
}
