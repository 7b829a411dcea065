package io.howdah.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/**
 * Draws into a picture of twice the size, so that it is sharp on fine screens. Needs no display.
 */
final class PngCanvas implements Canvas {
  private static final int SCALE = 2;
  private static final String NOTHING = "none";

  private final BufferedImage image;
  private final Graphics2D graphics;

  public PngCanvas(int width, int height) {
    System.setProperty("java.awt.headless", "true");
    image = new BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
    graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.scale(SCALE, SCALE);
    rectangle(0, 0, width, height, "#ffffff", NOTHING, 0);
  }

  @Override
  public void line(
      double x1, double y1, double x2, double y2, String color, double width, Dash dash) {
    polyline(new double[] {x1, x2}, new double[] {y1, y2}, color, width, dash);
  }

  @Override
  public void polyline(double[] x, double[] y, String color, double width, Dash dash) {
    float[] pattern =
        switch (dash) {
          case SOLID -> null;
          case DASHED -> new float[] {6, 4};
          case DOTTED -> new float[] {1.5f, 3};
        };
    graphics.setColor(Color.decode(color));
    graphics.setStroke(
        new BasicStroke(
            (float) width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, pattern, 0));
    graphics.draw(path(x, y));
  }

  private static Path2D path(double[] x, double[] y) {
    Path2D path = new Path2D.Double();
    for (int i = 0; i < x.length; i++) {
      if (i == 0) {
        path.moveTo(x[i], y[i]);
      } else {
        path.lineTo(x[i], y[i]);
      }
    }
    return path;
  }

  @Override
  public void polygon(double[] x, double[] y, String fill) {
    graphics.setColor(Color.decode(fill));
    Path2D path = path(x, y);
    path.closePath();
    graphics.fill(path);
  }

  @Override
  public void circle(double x, double y, double radius, String fill, String stroke, double width) {
    paint(
        new Ellipse2D.Double(x - radius, y - radius, 2 * radius, 2 * radius), fill, stroke, width);
  }

  @Override
  public void rectangle(
      double x, double y, double width, double height, String fill, String stroke, double line) {
    paint(new Rectangle2D.Double(x, y, width, height), fill, stroke, line);
  }

  private void paint(Shape shape, String fill, String stroke, double width) {
    if (!fill.equals(NOTHING)) {
      graphics.setColor(Color.decode(fill));
      graphics.fill(shape);
    }
    if (!stroke.equals(NOTHING)) {
      graphics.setColor(Color.decode(stroke));
      graphics.setStroke(new BasicStroke((float) width));
      graphics.draw(shape);
    }
  }

  @Override
  public void text(
      double x, double y, String text, double size, Anchor anchor, String color, boolean upright) {
    graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 1).deriveFont((float) size));
    graphics.setColor(Color.decode(color));
    double width = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
    double shift =
        switch (anchor) {
          case START -> 0;
          case MIDDLE -> -width / 2;
          case END -> -width;
        };
    AffineTransform before = graphics.getTransform();
    graphics.translate(x, y);
    if (upright) {
      graphics.rotate(-Math.PI / 2);
    }
    graphics.drawString(text, (float) shift, 0f);
    graphics.setTransform(before);
  }

  @Override
  public Path write(Path withoutEnding) throws IOException {
    Path file = withoutEnding.resolveSibling(withoutEnding.getFileName() + ".png");
    graphics.dispose();
    if (!ImageIO.write(image, "png", file.toFile())) {
      throw new IOException("no PNG writer in this JVM: " + file);
    }
    return file;
  }
}
