package io.howdah.jmh.cache;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Ranks from 0, of which rank r comes with a probability in proportion to 1 / (r + 1)^exponent. */
final class Zipf {

  private final double[] sums;

  Zipf(int ranks, double exponent) {
    sums = new double[ranks];
    double sum = 0;
    for (int i = 0; i < ranks; i++) {
      sum += Math.pow(i + 1.0, -exponent);
      sums[i] = sum;
    }
  }

  /** Draws a rank. */
  int next(SplittableRandom random) {
    int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
    return Math.min(sums.length - 1, found < 0 ? -found - 1 : found + 1);
  }
}
