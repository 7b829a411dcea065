package io.howdah.cli.terminal;

import java.util.Locale;

/** Figures as people read them; the same on every machine, whatever its language. */
public final class Figures {

  private Figures() {}

  /** Returns a count with thousands apart: {@code 1,234,567}. */
  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** Returns a rate in three or four digits: {@code 812 k}, {@code 1.25 M}. */
  public static String rate(double perSecond) {
    if (perSecond >= 1e9) {
      return String.format(Locale.ROOT, "%.2f G", perSecond / 1e9);
    }
    if (perSecond >= 1e6) {
      return String.format(Locale.ROOT, "%.2f M", perSecond / 1e6);
    }
    if (perSecond >= 1e4) {
      return String.format(Locale.ROOT, "%.0f k", perSecond / 1e3);
    }
    return count(Math.round(perSecond));
  }

  /** Returns a time: {@code 85 µs}, {@code 12.3 ms}, {@code 1.25 s}. */
  public static String nanos(long nanos) {
    return nanos((double) nanos);
  }

  /** Returns a time: {@code 85 µs}, {@code 12.3 ms}, {@code 1.25 s}. */
  public static String nanos(double nanos) {
    if (nanos >= 1e9) {
      return String.format(Locale.ROOT, "%.2f s", nanos / 1e9);
    }
    if (nanos >= 1e8) {
      return String.format(Locale.ROOT, "%.0f ms", nanos / 1e6);
    }
    if (nanos >= 1e6) {
      return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }
    return String.format(Locale.ROOT, "%.1f µs", nanos / 1e3);
  }

  /** Returns a ratio: {@code 0.93}. */
  public static String ratio(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  /** Returns an amount of bytes: {@code 512 B}, {@code 3.2 MB}, {@code 1.50 GB}; powers of ten. */
  public static String bytes(double value) {
    if (value >= 1e9) {
      return String.format(Locale.ROOT, "%.2f GB", value / 1e9);
    }
    if (value >= 1e6) {
      return String.format(Locale.ROOT, "%.1f MB", value / 1e6);
    }
    if (value >= 1e3) {
      return String.format(Locale.ROOT, "%.1f kB", value / 1e3);
    }
    return String.format(Locale.ROOT, "%.0f B", value);
  }
}
