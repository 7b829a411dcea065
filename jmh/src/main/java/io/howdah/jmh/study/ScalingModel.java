package io.howdah.jmh.study;

/**
 * How many transactions a second a machine with more processors would run: a closed queueing
 * network, solved by mean value analysis (Reiser and Lavenberg, JACM 27(2), 1980). Each processor
 * runs one thread. A transaction takes time of its own, then passes the version clock, whose cache
 * line one processor has at a time, and holds one of several lanes. Lanes are a station with
 * several servers after Seidmann et al. (1987): one of 1/n of the time, and a delay of the rest.
 * The flusher is one thread beside them, so it is a bound and not a station.
 *
 * <p>The model leaves out conflicts, the bandwidth of memory and disk, and that cores together may
 * run at a lower frequency. Its results are upper estimates.
 *
 * @param ownNanos of a transaction on one processor, the window of the lane included
 * @param laneNanos how long a transaction holds its lane; at most {@code ownNanos}
 * @param flusherNanos of the flusher's processor time for a transaction; 0 without a log
 * @param handOverNanos from one processor's change of a cache line to another's
 */
public record ScalingModel(
    double ownNanos, double laneNanos, double flusherNanos, double handOverNanos) {

  /** What limits a rate. */
  public enum Limit {
    /** The processors themselves. */
    PROCESSORS("processors"),
    /** The version clock's cache line. */
    CLOCK("version clock"),
    /** The lanes: commits wait for a free one. */
    LANES("lanes"),
    /** The flusher, one thread for all partitions. */
    FLUSHER("flusher");

    private final String text;

    Limit(String text) {
      this.text = text;
    }

    /** Returns it in words. */
    public String text() {
      return text;
    }
  }

  /**
   * What the model says of a machine.
   *
   * @param perSecond transactions
   * @param limit what the rate is closest to
   * @param kneeProcessors where the rate of more and more processors, if they did not wait for each
   *     other, would meet the largest rate of that limit; infinity if there is none
   */
  public record Prediction(double perSecond, Limit limit, double kneeProcessors) {}

  /** Checks the times. */
  public ScalingModel {
    if (!(ownNanos > 0
        && laneNanos >= 0
        && laneNanos <= ownNanos
        && flusherNanos >= 0
        && handOverNanos >= 0)) {
      throw new IllegalArgumentException(
          "not possible: own %f, lane %f, flusher %f, hand-over %f ns"
              .formatted(ownNanos, laneNanos, flusherNanos, handOverNanos));
    }
  }

  /** Returns the same with another cost of handing a cache line over. */
  public ScalingModel withHandOverNanos(double nanos) {
    return new ScalingModel(ownNanos, laneNanos, flusherNanos, nanos);
  }

  /**
   * Predicts.
   *
   * @param processors at least 1
   * @param lanes at least 1
   */
  public Prediction predict(int processors, int lanes) {
    if (processors < 1 || lanes < 1) {
      throw new IllegalArgumentException("%d processors, %d lanes".formatted(processors, lanes));
    }
    // A single processor keeps the clock's line. Of several, always another one is next.
    double clock = processors == 1 ? 0 : handOverNanos;
    double lane = laneNanos / lanes;
    double think = ownNanos - lane;
    double queuedAtClock = 0;
    double queuedAtLanes = 0;
    double perNano = 0;
    for (int n = 1; n <= processors; n++) {
      double atClock = clock * (1 + queuedAtClock);
      double atLanes = lane * (1 + queuedAtLanes);
      perNano = n / (think + atClock + atLanes);
      queuedAtClock = perNano * atClock;
      queuedAtLanes = perNano * atLanes;
    }
    // The flusher needs a processor, too.
    double byProcessors = processors / (ownNanos + clock + flusherNanos);
    double limited = Math.min(perNano, byProcessors);
    if (flusherNanos > 0) {
      limited = Math.min(limited, 1 / flusherNanos);
    }
    return new Prediction(limited * 1e9, limit(limited, clock, lane), knee(clock, lane));
  }

  private Limit limit(double perNano, double clock, double lane) {
    // The one that is busiest; the processors, as long as each of the others idles half its time.
    Limit busiest = Limit.PROCESSORS;
    double most = 0.5;
    double[] shares = {perNano * clock, perNano * lane, perNano * flusherNanos};
    Limit[] limits = {Limit.CLOCK, Limit.LANES, Limit.FLUSHER};
    for (int i = 0; i < shares.length; i++) {
      if (shares[i] > most) {
        most = shares[i];
        busiest = limits[i];
      }
    }
    return busiest;
  }

  private double knee(double clock, double lane) {
    double longest = Math.max(Math.max(clock, lane), flusherNanos);
    return longest == 0 ? Double.POSITIVE_INFINITY : (ownNanos + clock) / longest;
  }
}
