package io.howdah.nvmsim.record;

/**
 * Two-sample Kolmogorov-Smirnov test.
 *
 * @param statistic largest distance between the two empirical distributions, 0 to 1
 * @param probability chance of at least that distance if both samples are of one distribution, by
 *     the asymptotic formula; with ties, as here, the true chance is higher
 */
public record KolmogorovSmirnov(double statistic, double probability) {
  private static final int MAX_TERMS = 100;

  /** Compares two sorted, non-empty samples. */
  public static KolmogorovSmirnov compare(long[] first, long[] second) {
    if (first.length == 0 || second.length == 0) {
      throw new IllegalArgumentException(
          "both samples must have values: " + first.length + ", " + second.length);
    }
    int i = 0;
    int j = 0;
    double largest = 0;
    while (i < first.length && j < second.length) {
      long value = Math.min(first[i], second[j]);
      while (i < first.length && first[i] == value) {
        i++;
      }
      while (j < second.length && second[j] == value) {
        j++;
      }
      double distance = Math.abs((double) i / first.length - (double) j / second.length);
      largest = Math.max(largest, distance);
    }
    double effective = (double) first.length * second.length / (first.length + second.length);
    double root = Math.sqrt(effective);
    return new KolmogorovSmirnov(largest, tail((root + 0.12 + 0.11 / root) * largest));
  }

  /** Kolmogorov's distribution: the chance of a scaled distance above the argument. */
  static double tail(double lambda) {
    if (lambda < 0.2) {
      return 1;
    }
    double sum = 0;
    double sign = 1;
    for (int k = 1; k <= MAX_TERMS; k++) {
      double term = Math.exp(-2.0 * k * k * lambda * lambda);
      sum += sign * term;
      if (term < 1e-12) {
        break;
      }
      sign = -sign;
    }
    return Math.max(0, Math.min(1, 2 * sum));
  }
}
