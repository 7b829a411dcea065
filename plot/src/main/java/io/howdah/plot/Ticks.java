package io.howdah.plot;

import java.util.ArrayList;
import java.util.List;

/** The values at which an axis is labelled. */
final class Ticks {
  private static final int MAX_STEPS = 6;

  /** So that the last tick is there, although it was added up. */
  private static final double ROUNDING = 1e-9;

  private Ticks() {}

  /**
   * Returns values from 0 up to the top, at most seven: whole multiples of 1, 2, 2.5 or 5 times a
   * power of ten.
   */
  static List<Double> fromZero(double top) {
    double step = step(top);
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i * step <= top * (1 + ROUNDING); i++) {
      ticks.add(i * step);
    }
    return ticks;
  }

  private static double step(double top) {
    double power = Math.pow(10, Math.floor(Math.log10(top / MAX_STEPS)));
    for (double factor : new double[] {1, 2, 2.5, 5}) {
      if (top / (power * factor) <= MAX_STEPS * (1 + ROUNDING)) {
        return power * factor;
      }
    }
    return 10 * power;
  }
}
