package io.howdah.lab.bench;

import io.howdah.cli.json.MetricsFile;
import io.howdah.jmh.study.ScalingStudy.Way;
import io.howdah.plot.BarChart;
import io.howdah.plot.BarChart.Bars;
import io.howdah.plot.BarChart.Mark;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
  static BarChart latencies(MetricsFile found) {
    List<Double> own = values(found, "scaling.untilDurable.meanMillis", LATENCY_THREADS);
    double highest =
        Math.max(LATENCY_MILLIS.getLast(), own.stream().max(Double::compare).orElse(0.0));
    return chart(
        found,
        "From the return of an asynchronous commit until it is durable, %d threads"
            .formatted(LATENCY_THREADS),
        "milliseconds, mean",
        ScalingPlots.roundTop(highest * 1.05),
        own,
        LATENCY_MILLIS);
  }

  /** Returns whether the use of the processors was measured with as many threads as the paper's. */
  static boolean hasProcessors(MetricsFile found) {
    return !found.find("scaling.cpuShare", Map.of("threads", PROCESSOR_THREADS)).isEmpty();
  }

  /** Returns the chart of the share of all processors, in percent by the order of {@link #WAYS}. */
  static BarChart processors(MetricsFile found) {
    return chart(
        found,
        "Processors in use with %d threads".formatted(PROCESSOR_THREADS),
        "percent of all processors",
        100,
        values(found, "scaling.cpuShare", PROCESSOR_THREADS).stream()
            .map(share -> 100 * share)
            .toList(),
        PROCESSOR_PERCENT);
  }

  /** Returns a figure of each way; NaN for one that was not measured. */
  private static List<Double> values(MetricsFile found, String metric, int threads) {
    return WAYS.stream()
        .map(way -> found.find(metric, Map.of("threads", threads, "subject", way.text())))
        .map(metrics -> metrics.isEmpty() ? Double.NaN : metrics.getFirst().value())
        .toList();
  }

  private static BarChart chart(
      MetricsFile found,
      String title,
      String axis,
      double top,
      List<Double> own,
      List<Double> published) {
    List<Mark> marks = new ArrayList<>();
    for (int i = 0; i < published.size(); i++) {
      marks.add(new Mark(i, 0, published.get(i)));
    }
    return new BarChart(
        title
            + "\nThe machines differ: the paper's has 4 cores, and its logs wait for 10 ms\n"
            + found.origin(),
        axis,
        top,
        List.of("partitioned log", "single log"),
        List.of(new Bars("Howdah, here", COLOR, own)),
        "Hathi",
        marks);
  }
}
