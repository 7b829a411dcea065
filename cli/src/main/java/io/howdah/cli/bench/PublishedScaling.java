package io.howdah.cli.bench;

import io.howdah.jmh.study.ScalingStudy;
import io.howdah.jmh.study.ScalingStudy.Way;
import io.howdah.nvmsim.plot.BarChart;
import io.howdah.nvmsim.plot.BarChart.Bars;
import io.howdah.nvmsim.plot.BarChart.Mark;
import java.util.ArrayList;
import java.util.List;

/**
 * Figures that the text around Hathi's Figure 4(a) gives, beside ours: how long asynchronous
 * commits take until they are durable, and how busy the processors are (Saxena et al., DaMoN 2012,
 * section 5).
 */
final class PublishedScaling {

  /** Threads with which the paper measured the latency. */
  static final int LATENCY_THREADS = 4;

  /** Threads with which the paper measured the use of the processors. */
  static final int PROCESSOR_THREADS = 8;

  /** The ways that the paper has, too, in the order of its figures here. */
  static final List<Way> WAYS = List.of(Way.ASYNC, Way.SINGLE_LOG);

  static final List<Double> LATENCY_MILLIS = List.of(14.0, 25.0);

  /** Of the single log the paper says "less than". */
  static final List<Double> PROCESSOR_PERCENT = List.of(70.0, 20.0);

  private static final String COLOR = "#1f77b4";

  private PublishedScaling() {}

  /** Returns the chart of latencies. */
  static BarChart latencies(List<ScalingStudy.UntilDurable> found) {
    List<Double> own = found.stream().map(each -> BenchRun.median(each.meanMillis())).toList();
    double highest =
        Math.max(LATENCY_MILLIS.getLast(), own.stream().max(Double::compare).orElse(0.0));
    return chart(
        "From the return of an asynchronous commit until it is durable, %d threads"
            .formatted(LATENCY_THREADS),
        "milliseconds, mean",
        ScalingPlots.roundTop(highest * 1.05),
        own,
        LATENCY_MILLIS);
  }

  /** Returns the chart of the share of all processors, in percent by the order of {@link #WAYS}. */
  static BarChart processors(List<Double> percent) {
    return chart(
        "Processors in use with %d threads".formatted(PROCESSOR_THREADS),
        "percent of all processors",
        100,
        percent,
        PROCESSOR_PERCENT);
  }

  private static BarChart chart(
      String title, String axis, double top, List<Double> own, List<Double> published) {
    List<Mark> marks = new ArrayList<>();
    for (int i = 0; i < published.size(); i++) {
      marks.add(new Mark(i, 0, published.get(i)));
    }
    return new BarChart(
        title + "\nThe machines differ: the paper's has 4 cores, and its logs wait for 10 ms",
        axis,
        top,
        List.of("partitioned log", "single log"),
        List.of(new Bars("Howdah, here", COLOR, own)),
        "Hathi",
        marks);
  }
}
