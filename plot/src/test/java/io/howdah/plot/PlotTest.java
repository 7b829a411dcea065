package io.howdah.plot;

import static org.assertj.core.api.Assertions.assertThat;

import io.howdah.plot.BarChart.Bars;
import io.howdah.plot.BarChart.Mark;
import io.howdah.plot.Canvas.Dash;
import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Point;
import io.howdah.plot.Chart.Series;
import io.howdah.plot.Chart.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader of a chart can tell from it. */
final class PlotTest {

  @TempDir private Path folder;

  private String svg(BarChart chart) throws IOException {
    PlotFiles.write(folder, "bars", chart);
    return Files.readString(folder.resolve("bars.svg"));
  }

  private static BarChart bars(double top, int groups, Bars series, List<Mark> marks) {
    List<String> names = Collections.nCopies(groups, "group");
    return new BarChart("title", "axis", top, names, List.of(series), "paper", marks);
  }

  @Test
  void wideBarsHaveTheirValueAndAnEmptyOneHasAZero() throws IOException {
    String svg = svg(bars(30, 3, new Bars("a", "#1f77b4", List.of(1.5678, 0.0, 24.3)), List.of()));
    assertThat(svg).contains(">1.57</text>", ">0</text>", ">24.3</text>");
    assertThat(svg).doesNotContain("not measured");
  }

  @Test
  void aBarThatWasNotMeasuredIsACrossAndNoZero() throws IOException {
    String svg = svg(bars(1, 1, new Bars("a", "#1f77b4", List.of(Double.NaN)), List.of()));
    assertThat(svg).contains(">not measured</text>").doesNotContain("NaN");
    assertThat(svg.split("stroke=\"#1f77b4\"", -1)).as("two strokes").hasSize(3);
  }

  @Test
  void aBarThatIsAlmostEmptyIsSeen() throws IOException {
    List<Double> tiny = Collections.nCopies(60, 1e-4);
    String svg = svg(bars(5, 60, new Bars("a", "#1f77b4", tiny), List.of()));
    assertThat(svg).contains("height=\"1.50\" fill=\"#1f77b4\"").doesNotContain(">0.0001<");
  }

  @Test
  void aMarkDoesNotHideTheValueOfItsBar() throws IOException {
    Bars series = new Bars("a", "#1f77b4", List.of(0.5));
    String beside = svg(bars(1, 1, series, List.of(new Mark(0, 0, 0.8))));
    String over = svg(bars(1, 1, series, List.of(new Mark(0, 0, 0.03))));
    assertThat(y(beside, "0.5</text>")).isEqualTo(BarChart.HEIGHT - 105);
    assertThat(y(over, "0.5</text>")).isLessThan(BarChart.HEIGHT - 250);
  }

  private static double y(String svg, String end) {
    String text =
        svg.lines()
            .filter(line -> line.endsWith(end) && line.contains("font-size=\"11\""))
            .findFirst()
            .orElseThrow();
    return Double.parseDouble(text.replaceAll(".* y=\"([0-9.]+)\".*", "$1"));
  }

  @Test
  void anAxisHasRoundTicks() {
    assertThat(Ticks.fromZero(0.06)).hasSize(7).contains(0.01, 0.02);
    assertThat(Ticks.fromZero(30)).containsExactly(0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0);
    assertThat(Ticks.fromZero(1)).hasSize(6).contains(0.2);
    assertThat(Ticks.fromZero(1500)).hasSize(7).contains(250.0);
    assertThat(Ticks.fromZero(35)).containsExactly(0.0, 10.0, 20.0, 30.0);
  }

  @Test
  void aLogarithmicAxisSaysSoAndDashedLinesHaveSquares() throws IOException {
    List<Tick> ticks = List.of(new Tick(1, "1"), new Tick(10, "10"));
    List<Point> points = List.of(new Point(1, 1), new Point(10, 2));
    Chart chart =
        new Chart(
            "title\nsecond line",
            new Axis("threads", 1, 10, true, ticks),
            new Axis("rate", 0, 10, false, ticks),
            List.of(
                new Series("a", points, "#1f77b4", Dash.SOLID, true),
                new Series("b", points, "#d62728", Dash.DASHED, true)),
            List.of());
    PlotFiles.write(folder, "lines", chart);
    String svg = Files.readString(folder.resolve("lines.svg"));
    assertThat(svg).contains(">threads (logarithmic)<", ">rate<", ">title<", ">second line<");
    assertThat(svg.split("<circle", -1)).hasSize(4);
    assertThat(svg.split("fill=\"none\" stroke=\"#d62728\"", -1)).hasSize(4);
  }
}
