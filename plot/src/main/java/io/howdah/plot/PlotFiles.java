package io.howdah.plot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Writes a drawing as SVG and as PNG. */
public final class PlotFiles {
  private PlotFiles() {}

  /** Writes a bar chart; the name has no ending. */
  public static void write(Path folder, String name, BarChart chart) throws IOException {
    write(folder, name, BarChart.WIDTH, BarChart.HEIGHT, chart::draw);
  }

  /** Writes a chart; the name has no ending. */
  public static void write(Path folder, String name, Chart chart) throws IOException {
    write(folder, name, Chart.WIDTH, Chart.HEIGHT, chart::draw);
  }

  /** Writes a drawing of this size in pixels; the name has no ending. */
  public static void write(
      Path folder, String name, int width, int height, Consumer<Canvas> drawing)
      throws IOException {
    for (Canvas canvas : List.of(new SvgCanvas(width, height), new PngCanvas(width, height))) {
      drawing.accept(canvas);
      canvas.write(folder.resolve(name));
    }
  }
}
