package io.howdah.lab.bench;

import io.howdah.plot.Chart.Axis;
import io.howdah.plot.Chart.Tick;
import java.util.ArrayList;
import java.util.List;

/** Axes of the charts of {@code bench ycsb}. */
final class YcsbCharts {

  private static final int MAX_TICKS = 6;
  private static final double HEADROOM = 1.05;

  private YcsbCharts() {}

  /** Returns an axis with a tick for each number of threads. */
  static Axis threads(List<Integer> threads) {
    int first = threads.getFirst();
    int last = Math.max(threads.getLast(), first + 1);
    return new Axis(
        "server threads",
        first,
        last,
        false,
        threads.stream().map(each -> new Tick(each, Integer.toString(each))).toList());
  }

  /** Returns an axis from 0 to a little above the highest value, with round ticks. */
  static Axis fromZero(String label, double highest) {
    double top = Math.max(highest * HEADROOM, 1e-3);
    double step = step(top);
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i * step <= top; i++) {
      double value = i * step;
      ticks.add(
          new Tick(
              value,
              value == Math.rint(value) ? "%.0f".formatted(value) : "%.1f".formatted(value)));
    }
    return new Axis(label, 0, top, false, ticks);
  }

  /** Returns 1, 2 or 5 times a power of ten. */
  private static double step(double top) {
    double power = Math.pow(10, Math.floor(Math.log10(top / MAX_TICKS)));
    for (double factor : new double[] {1, 2, 5}) {
      if (top / (power * factor) <= MAX_TICKS) {
        return power * factor;
      }
    }
    return power * 10;
  }
}
