package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.PersistNode;
import io.howdah.nvmsim.study.persistency.ClassedOrder.Edge;
import io.howdah.nvmsim.study.persistency.ClassedOrder.EdgeClass;
import io.howdah.plot.Canvas;
import io.howdah.plot.Canvas.Anchor;
import io.howdah.plot.Canvas.Dash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Draws the persist order of a few queue inserts: a column per insert, its record's words in a row,
 * the head below.
 */
final class OrderDiagram {
  private static final int BOX_WIDTH = 40;
  private static final int BOX_HEIGHT = 26;
  private static final int BOX_GAP = 24;
  private static final int GROUP_GAP = 66;
  private static final int LEFT = 40;
  private static final int DATA_Y = 120;
  private static final int HEAD_Y = 290;
  private static final int HEIGHT = 410;
  private static final int MIN_WIDTH = 860;
  private static final String INK = "#222222";

  private record Spot(double x, double y) {}

  private final String title;
  private final ClassedOrder order;
  private final Map<String, List<PersistNode>> groups = new LinkedHashMap<>();
  private final Map<Integer, Spot> spots = new HashMap<>();

  /** Insert and word of its record: addresses repeat once the queue's ring has turned. */
  private final Map<Integer, String> labels = new HashMap<>();

  private final double[] groupMiddle;
  private final int width;

  OrderDiagram(String title, ClassedOrder order) {
    this.title = title;
    this.order = order;
    for (PersistNode node : order.nodes()) {
      groups
          .computeIfAbsent(
              "thread " + node.thread() + ", insert " + (node.operation() + 1),
              _ -> new ArrayList<>())
          .add(node);
    }
    groupMiddle = new double[groups.size()];
    int index = 0;
    double left = LEFT;
    for (List<PersistNode> group : groups.values()) {
      int words = (int) group.stream().filter(node -> !isHead(node)).count();
      double groupWidth = words * BOX_WIDTH + (words - 1) * BOX_GAP;
      groupMiddle[index++] = left + groupWidth / 2;
      int word = 0;
      for (PersistNode node : group) {
        double x =
            isHead(node)
                ? left + groupWidth / 2
                : left + BOX_WIDTH / 2.0 + word++ * (BOX_WIDTH + BOX_GAP);
        labels.put(node.id(), "d" + (node.operation() + 1) + "." + (word - 1));
        spots.put(node.id(), new Spot(x, isHead(node) ? HEAD_Y : DATA_Y));
      }
      left += groupWidth + GROUP_GAP;
    }
    width = Math.max(MIN_WIDTH, (int) left - GROUP_GAP + LEFT);
  }

  int width() {
    return width;
  }

  int height() {
    return HEIGHT;
  }

  private static boolean isHead(PersistNode node) {
    return node.site().what().contains("head");
  }

  void draw(Canvas canvas) {
    canvas.text(LEFT, 32, title, 16, Anchor.START, INK, false);
    int index = 0;
    for (String name : groups.keySet()) {
      canvas.text(groupMiddle[index++], 72, name, 13, Anchor.MIDDLE, INK, false);
    }
    for (EdgeClass edgeClass : List.of(EdgeClass.B, EdgeClass.A, EdgeClass.NECESSARY)) {
      for (Edge edge : order.edges()) {
        if (edge.edgeClass() == edgeClass) {
          arrow(canvas, edge);
        }
      }
    }
    for (PersistNode node : order.nodes()) {
      Spot at = spots.getOrDefault(node.id(), new Spot(0, 0));
      double boxWidth = isHead(node) ? BOX_WIDTH * 1.5 : BOX_WIDTH;
      canvas.rectangle(
          at.x - boxWidth / 2,
          at.y - BOX_HEIGHT / 2.0,
          boxWidth,
          BOX_HEIGHT,
          isHead(node) ? "#fdebd0" : "#eaf2f8",
          INK,
          1.2);
      String label = isHead(node) ? "head" : labels.getOrDefault(node.id(), "?");
      canvas.text(at.x, at.y + 4.5, label, 12, Anchor.MIDDLE, INK, false);
    }
    legend(canvas);
  }

  private static String color(EdgeClass edgeClass) {
    return switch (edgeClass) {
      case NECESSARY -> INK;
      case A -> "#ca6f1e";
      case B -> "#2471a3";
    };
  }

  private void arrow(Canvas canvas, Edge edge) {
    Spot from = spots.getOrDefault(edge.before(), new Spot(0, 0));
    Spot to = spots.getOrDefault(edge.after(), new Spot(0, 0));
    Spot start = border(from, to, edge.before());
    Spot end = border(to, from, edge.after());
    String color = color(edge.edgeClass());
    boolean solid = edge.edgeClass() == EdgeClass.NECESSARY;
    double length = Math.hypot(end.x - start.x, end.y - start.y);
    double dx = (end.x - start.x) / length;
    double dy = (end.y - start.y) / length;
    double headX = end.x - 8 * dx;
    double headY = end.y - 8 * dy;
    canvas.line(start.x, start.y, headX, headY, color, 1.4, solid ? Dash.SOLID : Dash.DASHED);
    canvas.polygon(
        new double[] {end.x, headX - 3.5 * dy, headX + 3.5 * dy},
        new double[] {end.y, headY + 3.5 * dx, headY - 3.5 * dx},
        color);
  }

  /** Where the straight line from a box's middle to a point leaves the box. */
  private Spot border(Spot box, Spot towards, int node) {
    double halfWidth = (isHead(order.nodes().get(node)) ? BOX_WIDTH * 1.5 : BOX_WIDTH) / 2.0;
    double dx = towards.x - box.x;
    double dy = towards.y - box.y;
    double scale =
        Math.min(
            dx == 0 ? Double.MAX_VALUE : halfWidth / Math.abs(dx),
            dy == 0 ? Double.MAX_VALUE : BOX_HEIGHT / 2.0 / Math.abs(dy));
    return new Spot(box.x + dx * scale, box.y + dy * scale);
  }

  private void legend(Canvas canvas) {
    double y = HEIGHT - 46;
    y = entry(canvas, y, EdgeClass.NECESSARY, "necessary for recovery");
    y = entry(canvas, y, EdgeClass.A, "A: strict only, removed by epoch persistency");
    entry(canvas, y, EdgeClass.B, "B: strict and epoch, removed by strand persistency");
  }

  private double entry(Canvas canvas, double y, EdgeClass edgeClass, String what) {
    boolean solid = edgeClass == EdgeClass.NECESSARY;
    canvas.line(
        LEFT, y - 4, LEFT + 34, y - 4, color(edgeClass), 1.6, solid ? Dash.SOLID : Dash.DASHED);
    String text = what + " (" + order.count(edgeClass) + ")";
    canvas.text(LEFT + 44, y, text, 12, Anchor.START, INK, false);
    return y + 18;
  }
}
