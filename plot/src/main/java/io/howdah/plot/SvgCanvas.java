package io.howdah.plot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Draws into an SVG document. */
final class SvgCanvas implements Canvas {
  private final StringBuilder svg = new StringBuilder(1 << 14);

  public SvgCanvas(int width, int height) {
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
            .formatted(width, height, width, height));
    svg.append(" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n");
    rectangle(0, 0, width, height, "#ffffff", "none", 0);
  }

  @Override
  public void line(
      double x1, double y1, double x2, double y2, String color, double width, Dash dash) {
    polyline(new double[] {x1, x2}, new double[] {y1, y2}, color, width, dash);
  }

  @Override
  public void polyline(double[] x, double[] y, String color, double width, Dash dash) {
    svg.append("<polyline fill=\"none\" stroke-linejoin=\"round\" points=\"");
    points(x, y);
    svg.append("\" stroke=\"").append(color).append("\" stroke-width=\"").append(number(width));
    String pattern =
        switch (dash) {
          case SOLID -> "";
          case DASHED -> "\" stroke-dasharray=\"6 4";
          case DOTTED -> "\" stroke-dasharray=\"1.5 3";
        };
    svg.append(pattern).append("\"/>\n");
  }

  @Override
  public void polygon(double[] x, double[] y, String fill) {
    svg.append("<polygon points=\"");
    points(x, y);
    svg.append("\" fill=\"").append(fill).append("\"/>\n");
  }

  @Override
  public void circle(double x, double y, double radius, String fill, String stroke, double width) {
    svg.append("<circle cx=\"").append(number(x)).append("\" cy=\"").append(number(y));
    svg.append("\" r=\"").append(number(radius));
    paint(fill, stroke, width);
  }

  @Override
  public void rectangle(
      double x, double y, double width, double height, String fill, String stroke, double line) {
    svg.append("<rect x=\"").append(number(x)).append("\" y=\"").append(number(y));
    svg.append("\" width=\"").append(number(width)).append("\" height=\"").append(number(height));
    paint(fill, stroke, line);
  }

  private void paint(String fill, String stroke, double width) {
    svg.append("\" fill=\"").append(fill).append("\" stroke=\"").append(stroke);
    svg.append("\" stroke-width=\"").append(number(width)).append("\"/>\n");
  }

  @Override
  public void text(
      double x, double y, String text, double size, Anchor anchor, String color, boolean upright) {
    svg.append("<text x=\"").append(number(x)).append("\" y=\"").append(number(y));
    svg.append("\" font-size=\"").append(number(size)).append("\" fill=\"").append(color);
    svg.append("\" text-anchor=\"").append(anchor.name().toLowerCase(Locale.ROOT));
    if (upright) {
      svg.append("\" transform=\"rotate(-90 ").append(number(x)).append(' ').append(number(y));
      svg.append(')');
    }
    svg.append("\">");
    svg.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
    svg.append("</text>\n");
  }

  private void points(double[] x, double[] y) {
    for (int i = 0; i < x.length; i++) {
      svg.append(i == 0 ? "" : " ").append(number(x[i])).append(',').append(number(y[i]));
    }
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  @Override
  public Path write(Path withoutEnding) throws IOException {
    Path file = withoutEnding.resolveSibling(withoutEnding.getFileName() + ".svg");
    return Files.writeString(file, svg + "</svg>\n");
  }
}
