package io.howdah.jmh.ycsb;

import io.howdah.jmh.workload.Latency;
import java.util.List;
import org.HdrHistogram.Histogram;

/** What one run of a load has counted. A run's threads have one each, added up at the end. */
public final class LoadResult implements Replies {

  private final Histogram latency = Latency.histogram();
  private long operations;
  private long hits;
  private long misses;
  private long stored;
  private long elapsedNanos;

  LoadResult() {}

  @Override
  public void hit(long number, long version, long nanos) {
    hits++;
    latency.recordValue(Math.max(nanos, 0));
  }

  @Override
  public void miss(long number, long nanos) {
    misses++;
    latency.recordValue(Math.max(nanos, 0));
  }

  @Override
  public void stored(long number, long version, long nanos) {
    stored++;
    latency.recordValue(Math.max(nanos, 0));
  }

  void operation() {
    operations++;
  }

  void lasted(long nanos) {
    elapsedNanos = nanos;
  }

  /** Returns what several runs, one after the other, have counted together. */
  public static LoadResult sum(List<LoadResult> runs) {
    LoadResult sum = new LoadResult();
    for (LoadResult run : runs) {
      sum.add(run);
      sum.elapsedNanos += run.elapsedNanos;
    }
    return sum;
  }

  void add(LoadResult other) {
    operations += other.operations;
    hits += other.hits;
    misses += other.misses;
    stored += other.stored;
    latency.add(other.latency);
  }

  /** Returns the completed operations of YCSB; one that reads and modifies counts once. */
  public long operations() {
    return operations;
  }

  /** Returns the requests that were answered. */
  public long requests() {
    return hits + misses + stored;
  }

  /** Returns the reads that found their record. */
  public long hits() {
    return hits;
  }

  /** Returns the reads that did not. */
  public long misses() {
    return misses;
  }

  /** Returns the share of reads that found their record; 1 without reads. */
  public double hitRatio() {
    return hits + misses == 0 ? 1 : (double) hits / (hits + misses);
  }

  /** Returns how long the run took, until the last reply. */
  public long elapsedNanos() {
    return elapsedNanos;
  }

  /** Returns the completed operations per second. */
  public double operationsPerSecond() {
    return operations * 1e9 / elapsedNanos;
  }

  /**
   * Returns the time in nanoseconds that at least this share of all requests did not exceed. It
   * counts from when the request was due: at a fixed rate a late request has waited already.
   */
  public long latencyNanos(double quantile) {
    return Latency.quantile(latency, quantile);
  }
}
