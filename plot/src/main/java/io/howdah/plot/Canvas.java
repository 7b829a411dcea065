package io.howdah.plot;

import java.io.IOException;
import java.nio.file.Path;

/** A surface to draw on, in pixels from the upper left corner. Colours are {@code #rrggbb}. */
public interface Canvas {
  /** Where a text stands relative to its point. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** How a line is drawn. */
  enum Dash {
    SOLID,
    DASHED,
    DOTTED
  }

  void line(double x1, double y1, double x2, double y2, String color, double width, Dash dash);

  void polyline(double[] x, double[] y, String color, double width, Dash dash);

  /** A filled polygon. */
  void polygon(double[] x, double[] y, String fill);

  void circle(double x, double y, double radius, String fill, String stroke, double width);

  void rectangle(
      double x, double y, double width, double height, String fill, String stroke, double line);

  /** One line of text; {@code upright} turns it a quarter to the left. */
  void text(
      double x, double y, String text, double size, Anchor anchor, String color, boolean upright);

  /** Writes the drawing, without the file name's ending, which each kind of canvas knows. */
  Path write(Path withoutEnding) throws IOException;
}
