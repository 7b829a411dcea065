package io.howdah.plot;

import io.howdah.plot.Canvas.Anchor;
import io.howdah.plot.Canvas.Dash;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Bars in groups over a linear axis from 0. Wide bars have their value written in them, or above
 * them where they are too low; the value 0 is always written. A bar whose value is {@link
 * Double#NaN} was not measured and is a cross.
 *
 * @param title above the chart; after line feeds, further lines in small letters
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
  private static final int SUBTITLE_HEIGHT = 15;
  private static final String NOT_MEASURED = "not measured";
  private static final double CROSS = 3;

  /** A bar of a value above 0 is at least this high, so that it can be told from none. */
  private static final double MIN_HEIGHT = 1.5;

  /** Bars of this width have room for their value. */
  private static final double VALUE_WIDTH = 37;

  private static final double VALUE_HEIGHT = 16;

  /** Above this luminance of a bar, its value is written in black. */
  private static final double BRIGHT = 0.45;

  private static final double LABEL_WIDTH = 20;
  private static final double OUTLINE = 1.2;
  private static final double GROUP_GAP = 0.18;
  private static final String INK = "#222222";
  private static final String GRID = "#e4e4e4";
  private static final String MARK = "#000000";
  private static final String HALO = "#ffffff";
  private static final int MARK_RADIUS = 5;
  private static final MathContext DIGITS = new MathContext(4);
  private static final MathContext VALUE_DIGITS = new MathContext(3);
  private static final List<String> GREYS = List.of("#b8b8b8", "#4d4d4d");

  /**
   * The bars of one series, one per group.
   *
   * @param name in the legend
   * @param color of the bars
   * @param values heights from 0; NaN for a bar that was not measured
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
    List<String> lines = title.lines().toList();
    canvas.text(LEFT, lines.size() > 1 ? 22 : 30, lines.getFirst(), 16, Anchor.START, INK, false);
    for (int i = 1; i < lines.size(); i++) {
      double y = 41 + SUBTITLE_HEIGHT * (i - 1);
      canvas.text(LEFT, y, lines.get(i), 12, Anchor.START, INK, false);
    }
    for (double value : Ticks.fromZero(top)) {
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
      canvas.circle(middle, atY(mark.value), MARK_RADIUS, "none", HALO, 4);
      canvas.circle(middle, atY(mark.value), MARK_RADIUS, "none", MARK, 1.8);
    }
    legend(canvas);
  }

  private void bar(Canvas canvas, int group, int one) {
    Bars bars = series.get(one);
    double value = bars.values.get(group);
    double x = left(group, one);
    double width = barWidth() * 0.92;
    if (Double.isNaN(value)) {
      cross(canvas, x + width / 2, atY(0) - 2 * CROSS, bars.color);
      return;
    }
    if (bars.outlined && value > 0) {
      double high = Math.min(atY(value), atY(0) - MIN_HEIGHT);
      canvas.rectangle(x, high, width, atY(0) - high, HALO, bars.color, OUTLINE);
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
    } else if (bars.upper.isEmpty()) {
      value(canvas, group, one);
    }
  }

  private static void cross(Canvas canvas, double x, double y, String color) {
    for (int way : new int[] {-1, 1}) {
      canvas.line(x - CROSS, y - way * CROSS, x + CROSS, y + way * CROSS, color, 1.6, Dash.SOLID);
    }
  }

  /** Writes the value at the foot of a bar, or above it if the bar is low or a mark is there. */
  private void value(Canvas canvas, int group, int one) {
    Bars bars = series.get(one);
    double value = bars.values.get(group);
    if (barWidth() < VALUE_WIDTH && value != 0) {
      return;
    }
    double highest = atY(value);
    boolean isInside = atY(0) - highest > VALUE_HEIGHT;
    for (Mark mark : marks) {
      if (mark.group == group && mark.series == one) {
        isInside &= atY(0) - atY(mark.value) > VALUE_HEIGHT + MARK_RADIUS;
        highest = Math.min(highest, atY(mark.value) - MARK_RADIUS);
      }
    }
    double middle = left(group, one) + barWidth() * 0.46;
    double y = isInside ? atY(0) - 5 : highest - 4;
    boolean isOnDark = isInside && !bars.outlined && luminance(bars.color) < BRIGHT;
    canvas.text(middle, y, shortNumber(value), 11, Anchor.MIDDLE, isOnDark ? HALO : INK, false);
  }

  /** Returns how bright a colour is, from 0 to 1. */
  private static double luminance(String color) {
    int rgb = Integer.parseInt(color, 1, color.length(), 16);
    return (0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 0xFF) + 0.114 * (rgb & 0xFF)) / 0xFF;
  }

  private void fill(Canvas canvas, double x, double width, double from, double to, String color) {
    double high = Math.min(top, to);
    if (high > from) {
      double y = from == 0 ? Math.min(atY(high), atY(0) - MIN_HEIGHT) : atY(high);
      canvas.rectangle(x, y, width, atY(from) - y, color, "none", 0);
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
      canvas.circle(left + 7, row - 5, MARK_RADIUS, "none", MARK, 1.8);
      canvas.text(left + 20, row, marksName, 12, Anchor.START, INK, false);
      left += entryWidth(marksName);
    }
    if (series.stream().anyMatch(one -> one.values.stream().anyMatch(value -> value.isNaN()))) {
      if (left + entryWidth(NOT_MEASURED) > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      cross(canvas, left + 7, row - 5, INK);
      canvas.text(left + 20, row, NOT_MEASURED, 12, Anchor.START, INK, false);
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
    double below = SUBTITLE_HEIGHT * Math.max(0, title.lines().count() - 2);
    return TOP + below + (areLabelsUpright() ? LABEL_WIDTH : 0);
  }

  private double atY(double value) {
    return HEIGHT - BOTTOM - Math.min(1, value / top) * (HEIGHT - plotTop() - BOTTOM);
  }

  /** Four digits at most, and no zeros at the end. */
  private static String number(double value) {
    return BigDecimal.valueOf(value).round(DIGITS).stripTrailingZeros().toPlainString();
  }

  /** Three digits at most, or the whole number if it has more. */
  private static String shortNumber(double value) {
    BigDecimal exact = BigDecimal.valueOf(Math.abs(value) < 1000 ? value : Math.rint(value));
    BigDecimal rounded = Math.abs(value) < 1000 ? exact.round(VALUE_DIGITS) : exact;
    return rounded.stripTrailingZeros().toPlainString();
  }
}
