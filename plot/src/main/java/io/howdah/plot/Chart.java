package io.howdah.plot;

import io.howdah.plot.Canvas.Anchor;
import io.howdah.plot.Canvas.Dash;
import java.util.ArrayList;
import java.util.List;

/**
 * A chart with one horizontal and one vertical axis.
 *
 * @param title above the chart; after line feeds, further lines in small letters
 * @param x horizontal axis
 * @param y vertical axis
 * @param series lines, in order of the legend
 * @param points single points from elsewhere, drawn over the lines as open rings
 * @param bands areas from elsewhere, drawn under the lines
 */
public record Chart(
    String title, Axis x, Axis y, List<Series> series, List<Points> points, List<Band> bands) {
  public static final int WIDTH = 760;
  public static final int HEIGHT = 500;
  private static final int LEFT = 78;
  private static final int RIGHT = 24;
  private static final int TOP = 56;
  private static final int BOTTOM = 110;
  private static final int SUBTITLE_HEIGHT = 15;
  private static final String INK = "#222222";
  private static final String GRID = "#e4e4e4";

  /**
   * An axis.
   *
   * @param label what it shows, with unit; the chart adds whether it is logarithmic
   * @param from lowest value shown
   * @param to highest value shown
   * @param logarithmic whether equal steps are equal factors
   * @param ticks labelled values
   */
  public record Axis(String label, double from, double to, boolean logarithmic, List<Tick> ticks) {
    public Axis {
      ticks = List.copyOf(ticks);
    }

    private String fullLabel() {
      return logarithmic ? label + " (logarithmic)" : label;
    }

    private double share(double value) {
      return logarithmic
          ? (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))
          : (value - from) / (to - from);
    }
  }

  /** A labelled value of an axis. */
  public record Tick(double value, String label) {}

  /** A place in the chart, in the axes' units. */
  public record Point(double x, double y) {}

  /**
   * A line through points; {@code marked} also shows each of them: by a disc, or by an open square
   * if the line is not solid, so that two points at one place are both seen.
   */
  public record Series(String name, List<Point> points, String color, Dash dash, boolean marked) {
    public Series {
      points = List.copyOf(points);
    }
  }

  /** Points that belong together. */
  public record Points(String name, List<Point> points, String color) {
    public Points {
      points = List.copyOf(points);
    }
  }

  /** The area between two lines, which have their points at the same places of the x axis. */
  public record Band(String name, List<Point> lower, List<Point> upper, String color) {
    public Band {
      lower = List.copyOf(lower);
      upper = List.copyOf(upper);
    }
  }

  public Chart {
    series = List.copyOf(series);
    points = List.copyOf(points);
    bands = List.copyOf(bands);
  }

  /** A chart without bands. */
  public Chart(String title, Axis x, Axis y, List<Series> series, List<Points> points) {
    this(title, x, y, series, points, List.of());
  }

  /** Draws the chart on a canvas of {@value #WIDTH} by {@value #HEIGHT}. */
  public void draw(Canvas canvas) {
    List<String> lines = title.lines().toList();
    canvas.text(LEFT, lines.size() > 1 ? 22 : 30, lines.getFirst(), 16, Anchor.START, INK, false);
    for (int i = 1; i < lines.size(); i++) {
      double y = 41 + SUBTITLE_HEIGHT * (i - 1);
      canvas.text(LEFT, y, lines.get(i), 12, Anchor.START, INK, false);
    }
    bands.forEach(band -> area(canvas, band));
    axes(canvas);
    for (Series one : series) {
      double[] px = one.points.stream().mapToDouble(point -> atX(point.x)).toArray();
      double[] py = one.points.stream().mapToDouble(point -> atY(point.y)).toArray();
      canvas.polyline(px, py, one.color, 2.2, one.dash);
      for (int i = 0; one.marked && i < px.length; i++) {
        marker(canvas, one, px[i], py[i]);
      }
    }
    for (Points group : points) {
      for (Point point : group.points) {
        canvas.circle(atX(point.x), atY(point.y), 7, "none", group.color, 1.8);
      }
    }
    legend(canvas);
  }

  private static void marker(Canvas canvas, Series one, double x, double y) {
    if (one.dash == Dash.SOLID) {
      canvas.circle(x, y, 3.6, one.color, "#ffffff", 1);
    } else {
      canvas.rectangle(x - 5, y - 5, 10, 10, "none", one.color, 1.6);
    }
  }

  private void area(Canvas canvas, Band band) {
    List<Point> outline = new ArrayList<>(band.lower);
    outline.addAll(band.upper.reversed());
    canvas.polygon(
        outline.stream().mapToDouble(point -> atX(point.x)).toArray(),
        outline.stream().mapToDouble(point -> atY(point.y)).toArray(),
        band.color);
  }

  private void axes(Canvas canvas) {
    double bottom = HEIGHT - BOTTOM;
    for (Tick tick : x.ticks) {
      double at = atX(tick.value);
      canvas.line(at, plotTop(), at, bottom, GRID, 1, Dash.SOLID);
      canvas.text(at, bottom + 18, tick.label, 12, Anchor.MIDDLE, INK, false);
    }
    for (Tick tick : y.ticks) {
      double at = atY(tick.value);
      canvas.line(LEFT, at, WIDTH - RIGHT, at, GRID, 1, Dash.SOLID);
      canvas.text(LEFT - 8, at + 4, tick.label, 12, Anchor.END, INK, false);
    }
    canvas.line(LEFT, plotTop(), LEFT, bottom, INK, 1.2, Dash.SOLID);
    canvas.line(LEFT, bottom, WIDTH - RIGHT, bottom, INK, 1.2, Dash.SOLID);
    double middle = (LEFT + WIDTH - RIGHT) / 2.0;
    canvas.text(middle, bottom + 40, x.fullLabel(), 13, Anchor.MIDDLE, INK, false);
    canvas.text(24, (plotTop() + bottom) / 2, y.fullLabel(), 13, Anchor.MIDDLE, INK, true);
  }

  /** Entries in a row below the chart, a second row where the first is full. */
  private void legend(Canvas canvas) {
    double left = LEFT;
    double row = HEIGHT - 42;
    for (Series one : series) {
      double width = entryWidth(one.name);
      if (left + width > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      canvas.line(left, row - 4, left + 24, row - 4, one.color, 2.2, one.dash);
      if (one.marked) {
        marker(canvas, one, left + 12, row - 4);
      }
      canvas.text(left + 30, row, one.name, 12, Anchor.START, INK, false);
      left += width;
    }
    for (Points group : points) {
      double width = entryWidth(group.name);
      if (left + width > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      canvas.circle(left + 12, row - 4, 6, "none", group.color, 1.8);
      canvas.text(left + 30, row, group.name, 12, Anchor.START, INK, false);
      left += width;
    }
    for (Band band : bands) {
      double width = entryWidth(band.name);
      if (left + width > WIDTH - RIGHT) {
        left = LEFT;
        row += 22;
      }
      canvas.rectangle(left, row - 10, 24, 12, band.color, "none", 0);
      canvas.text(left + 30, row, band.name, 12, Anchor.START, INK, false);
      left += width;
    }
  }

  private static double entryWidth(String name) {
    return 52 + 6.6 * name.length();
  }

  private double plotTop() {
    return TOP + SUBTITLE_HEIGHT * Math.max(0, title.lines().count() - 2);
  }

  private double atX(double value) {
    return LEFT + clamp(x.share(value)) * (WIDTH - LEFT - RIGHT);
  }

  private double atY(double value) {
    return HEIGHT - BOTTOM - clamp(y.share(value)) * (HEIGHT - plotTop() - BOTTOM);
  }

  private static double clamp(double share) {
    return Math.max(0, Math.min(1, share));
  }
}
