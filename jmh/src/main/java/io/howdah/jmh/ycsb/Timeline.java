package io.howdah.jmh.ycsb;

import java.util.ArrayList;
import java.util.List;

/** Reads that were answered, by the time since a server was started. For one thread. */
public final class Timeline {

  private final long originNanos;
  private final long stepNanos;
  private final long[] hits;
  private final long[] misses;

  /**
   * One step.
   *
   * @param seconds from the origin to the end of the step
   * @param hitRatio of the reads that were answered in it; 0 without reads
   * @param readsPerSecond that were answered in it
   */
  public record Step(double seconds, double hitRatio, double readsPerSecond) {}

  /**
   * Makes an empty one.
   *
   * @param originNanos by {@link System#nanoTime}
   * @param steps how many there are; what comes later does not count
   */
  public Timeline(long originNanos, long stepNanos, int steps) {
    this.originNanos = originNanos;
    this.stepNanos = stepNanos;
    this.hits = new long[steps];
    this.misses = new long[steps];
  }

  /** Returns when the last step ends, by {@link System#nanoTime}. */
  long endNanos() {
    return originNanos + stepNanos * hits.length;
  }

  void answered(boolean isHit, long nowNanos) {
    long step = (nowNanos - originNanos) / stepNanos;
    if (step >= 0 && step < hits.length) {
      (isHit ? hits : misses)[(int) step]++;
    }
  }

  /** Returns all steps, those without reads included. */
  public List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < hits.length; i++) {
      long reads = hits[i] + misses[i];
      steps.add(
          new Step(
              (i + 1) * stepNanos / 1e9,
              reads == 0 ? 0 : (double) hits[i] / reads,
              reads * 1e9 / stepNanos));
    }
    return steps;
  }
}
