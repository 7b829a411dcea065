package io.howdah.nvmsim.plot;

import io.howdah.nvmsim.plot.Canvas.Anchor;
import io.howdah.nvmsim.plot.Canvas.Dash;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Bars in groups over a linear axis from 0.
 *
 * @param title above the chart; after a line feed, a second line in small letters
 * @param axis what the bars show, with unit
 * @param top highest value shown; higher bars are cut and labelled
 * @param groups names below the groups
 * @param series one bar per group each, in order of the legend
 * @param marksName legend of the marks
 * @param marks values from elsewhere, drawn over bars
 * @param layers legend of the grey parts of stacked bars, from below; empty if the title says it
 */
public record BarChart(
    String title,
    String axis,
    double top,
    List<String> groups,
    List<Bars> series,
    String marksName,
    List<Mark> marks,
    List<String> layers) {
  public static final int WIDTH = 980;
  public static final int HEIGHT = 500;
  private static final int LEFT = 78;
  private static final int RIGHT = 24;
  private static final int TOP = 56;
  private static final int BOTTOM = 100;
  private static final int TICKS = 5;
  private static final double LABEL_WIDTH = 20;
  private static final double OUTLINE = 1.2;
  private static final double GROUP_GAP = 0.18;
  private static final String INK = "#222222";
  private static final String GRID = "#e4e4e4";
  private static final String MARK = "#000000";
  private static final String HALO = "#ffffff";
  private static final MathContext DIGITS = new MathContext(4);
  private static final List<String> GREYS = List.of("#b8b8b8", "#4d4d4d");

  /**
   * The bars of one series, one per group.
   *
   * @param name in the legend
   * @param color of the bars
   * @param values heights from 0
   * @param upper heights above those in light grey, for stacked bars; empty if not stacked
   * @param uppermost heights above those in dark grey; empty if there are none
   * @param outlined whether only the outline of its bars is drawn, for what is not compared
   */
  public record Bars(
      String name,
      String color,
      List<Double> values,
      List<Double> upper,
      List<Double> uppermost,
      boolean outlined) {
    public Bars {
      values = List.copyOf(values);
      upper = List.copyOf(upper);
      uppermost = List.copyOf(uppermost);
    }

    public Bars(
        String name,
        String color,
        List<Double> values,
        List<Double> upper,
        List<Double> uppermost) {
      this(name, color, values, upper, uppermost, false);
    }

    public Bars(String name, String color, List<Double> values, List<Double> upper) {
      this(name, color, values, upper, List.of());
    }

    /** Returns bars without stacks of which only the outline is drawn. */
    public static Bars outlined(String name, String color, List<Double> values) {
      return new Bars(name, color, values, List.of(), List.of(), true);
    }

    public Bars(String name, String color, List<Double> values) {
      this(name, color, values, List.of());
    }

    private List<List<Double>> grey() {
      return List.of(upper, uppermost);
    }
  }

  /** A value for one bar, both counted from 0. */
  public record Mark(int group, int series, double value) {}

  public BarChart {
    groups = List.copyOf(groups);
    series = List.copyOf(series);
    marks = List.copyOf(marks);
    layers = List.copyOf(layers);
    if (layers.size() > GREYS.size()) {
      throw new IllegalArgumentException(
          "a bar has at most " + GREYS.size() + " grey layers: " + layers);
    }
    if (groups.isEmpty() || series.isEmpty() || !(top > 0)) {
      throw new IllegalArgumentException("a bar chart needs groups, series and a positive top");
    }
  }

  /** A chart without a legend of layers. */
  public BarChart(
      String title,
      String axis,
      double top,
      List<String> groups,
      List<Bars> series,
      String marksName,
      List<Mark> marks) {
    this(title, axis, top, groups, series, marksName, marks, List.of());
  }

  /** Draws the chart on a canvas of {@value #WIDTH} by {@value #HEIGHT}. */
  public void draw(Canvas canvas) {
    String[] lines = title.split("\n", 2);
    canvas.text(LEFT, lines.length > 1 ? 22 : 30, lines[0], 16, Anchor.START, INK, false);
    if (lines.length > 1) {
      canvas.text(LEFT, 41, lines[1], 12, Anchor.START, INK, false);
    }
    for (int i = 0; i <= TICKS; i++) {
      double value = top * i / TICKS;
      canvas.line(LEFT, atY(value), WIDTH - RIGHT, atY(value), GRID, 1, Dash.SOLID);
      canvas.text(LEFT - 8, atY(value) + 4, number(value), 12, Anchor.END, INK, false);
    }
    for (int group = 0; group < groups.size(); group++) {
      double middle = left(group, 0) + barWidth() * series.size() / 2;
      canvas.text(middle, HEIGHT - BOTTOM + 18, groups.get(group), 12, Anchor.MIDDLE, INK, false);
      for (int one = 0; one < series.size(); one++) {
        bar(canvas, group, one);
      }
    }
    canvas.line(LEFT, plotTop(), LEFT, HEIGHT - BOTTOM, INK, 1.2, Dash.SOLID);
    canvas.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, INK, 1.2, Dash.SOLID);
    canvas.text(24, (plotTop() + HEIGHT - BOTTOM) / 2.0, axis, 13, Anchor.MIDDLE, INK, true);
    for (Mark mark : marks) {
      double middle = left(mark.group, mark.series) + barWidth() / 2;
      canvas.circle(middle, atY(mark.value), 5, "none", HALO, 4);
      canvas.circle(middle, atY(mark.value), 5, "none", MARK, 1.8);
    }
    legend(canvas);
  }

  private void bar(Canvas canvas, int group, int one) {
    Bars bars = series.get(one);
    double value = bars.values.get(group);
    double x = left(group, one);
    double width = barWidth() * 0.92;
    if (bars.outlined && value > 0) {
      canvas.rectangle(x, atY(value), width, atY(0) - atY(value), HALO, bars.color, OUTLINE);
    } else {
      fill(canvas, x, width, 0, value, bars.color);
    }
    double end = value;
    for (int layer = 0; layer < GREYS.size(); layer++) {
      List<Double> heights = bars.grey().get(layer);
      if (!heights.isEmpty()) {
        double start = end;
        end += heights.get(group);
        fill(canvas, x, width, start, end, GREYS.get(layer));
      }
    }
    if (end > top && areLabelsUpright()) {
      canvas.text(x + width / 2 + 3, plotTop() - 4, number(end), 8, Anchor.START, INK, true);
    } else if (end > top) {
      canvas.text(x + width / 2, plotTop() - 6, number(end), 10, Anchor.MIDDLE, INK, false);
    }
  }

  private void fill(Canvas canvas, double x, double width, double from, double to, String color) {
    double high = Math.min(top, to);
    if (high > from) {
      canvas.rectangle(x, atY(high), width, atY(from) - atY(high), color, "none", 0);
    }
  }

  private void legend(Canvas canvas) {
    double left = LEFT;
    double row = HEIGHT - 42;
    List<String> names = new ArrayList<>();
    List<String> colors = new ArrayList<>();
    for (Bars one : series) {
      names.add(one.name);
      colors.add(one.color);
    }
    names.addAll(layers);
    colors.addAll(GREYS.subList(0, layers.size()));
    for (int i = 0; i < names.size(); i++) {
      double width = entryWidth(names.get(i));
      if (left + width > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      if (i < series.size() && series.get(i).outlined) {
        canvas.rectangle(left + 1, row - 10, 12, 10, HALO, colors.get(i), OUTLINE);
      } else {
        canvas.rectangle(left, row - 11, 14, 12, colors.get(i), "none", 0);
      }
      canvas.text(left + 20, row, names.get(i), 12, Anchor.START, INK, false);
      left += width;
    }
    if (!marks.isEmpty()) {
      if (left + entryWidth(marksName) > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      canvas.circle(left + 7, row - 5, 5, "none", MARK, 1.8);
      canvas.text(left + 20, row, marksName, 12, Anchor.START, INK, false);
    }
  }

  private static double entryWidth(String name) {
    return 44 + 6.8 * name.length();
  }

  private double groupWidth() {
    return (double) (WIDTH - LEFT - RIGHT) / groups.size();
  }

  private double barWidth() {
    return groupWidth() * (1 - GROUP_GAP) / series.size();
  }

  private double left(int group, int one) {
    return LEFT + groupWidth() * (group + GROUP_GAP / 2) + one * barWidth();
  }

  /** Returns whether labels of cut bars are wider than the bars and so would cover each other. */
  private boolean areLabelsUpright() {
    return barWidth() < LABEL_WIDTH;
  }

  private double plotTop() {
    return areLabelsUpright() ? TOP + LABEL_WIDTH : TOP;
  }

  private double atY(double value) {
    return HEIGHT - BOTTOM - Math.min(1, value / top) * (HEIGHT - plotTop() - BOTTOM);
  }

  /** Four digits at most, and no zeros at the end. */
  private static String number(double value) {
    return BigDecimal.valueOf(value).round(DIGITS).stripTrailingZeros().toPlainString();
  }
}
