package io.howdah.jcache;

import io.howdah.collections.CacheStatistics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.cache.management.CacheStatisticsMXBean;

/**
 * What a cache has done since statistics were enabled or cleared; nothing is counted while they are
 * disabled. Times are of calls, and include those of loaders and writers. Thread-safe.
 */
final class Statistics implements CacheStatisticsMXBean {

  private static final float PERCENT = 100;

  private final Supplier<CacheStatistics> ofStore;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder puts = new LongAdder();
  private final LongAdder removals = new LongAdder();
  private final LongAdder getNanos = new LongAdder();
  private final LongAdder putNanos = new LongAdder();
  private final LongAdder removeNanos = new LongAdder();
  private volatile long evictionsBefore;
  private volatile boolean isEnabled;

  /**
   * Creates disabled ones.
   *
   * @param ofStore what the store counts of this cache
   */
  Statistics(Supplier<CacheStatistics> ofStore) {
    this.ofStore = ofStore;
  }

  boolean isEnabled() {
    return isEnabled;
  }

  void enable(boolean wanted) {
    if (wanted && !isEnabled) {
      evictionsBefore = ofStore.get().evictions();
    }
    isEnabled = wanted;
  }

  /** Returns the time at which a call begins; 0 if nothing is counted. */
  long begin() {
    return isEnabled ? System.nanoTime() : 0;
  }

  /** Counts a look-up. */
  void looked(boolean isFound) {
    if (isEnabled) {
      (isFound ? hits : misses).increment();
    }
  }

  /** Counts entries that were put. */
  void put(long entries) {
    if (isEnabled) {
      puts.add(entries);
    }
  }

  /** Counts entries that were removed. */
  void removed(long entries) {
    if (isEnabled) {
      removals.add(entries);
    }
  }

  /** Counts the time of look-ups. */
  void timeOfGet(long begun) {
    add(getNanos, begun);
  }

  /** Counts the time of puts. */
  void timeOfPut(long begun) {
    add(putNanos, begun);
  }

  /** Counts the time of removals. */
  void timeOfRemoval(long begun) {
    add(removeNanos, begun);
  }

  private void add(LongAdder times, long begun) {
    if (begun != 0 && isEnabled) {
      times.add(System.nanoTime() - begun);
    }
  }

  @Override
  public void clear() {
    for (LongAdder each :
        new LongAdder[] {hits, misses, puts, removals, getNanos, putNanos, removeNanos}) {
      each.reset();
    }
    evictionsBefore = ofStore.get().evictions();
  }

  @Override
  public long getCacheHits() {
    return hits.sum();
  }

  @Override
  public float getCacheHitPercentage() {
    return percentage(hits.sum());
  }

  @Override
  public long getCacheMisses() {
    return misses.sum();
  }

  @Override
  public float getCacheMissPercentage() {
    return percentage(misses.sum());
  }

  private float percentage(long part) {
    long all = getCacheGets();
    return all == 0 ? 0 : PERCENT * part / all;
  }

  @Override
  public long getCacheGets() {
    return hits.sum() + misses.sum();
  }

  @Override
  public long getCachePuts() {
    return puts.sum();
  }

  @Override
  public long getCacheRemovals() {
    return removals.sum();
  }

  @Override
  public long getCacheEvictions() {
    return isEnabled ? ofStore.get().evictions() - evictionsBefore : 0;
  }

  @Override
  public float getAverageGetTime() {
    return micros(getNanos, getCacheGets());
  }

  @Override
  public float getAveragePutTime() {
    return micros(putNanos, puts.sum());
  }

  @Override
  public float getAverageRemoveTime() {
    return micros(removeNanos, removals.sum());
  }

  private static float micros(LongAdder nanos, long calls) {
    return calls == 0 ? 0 : (float) nanos.sum() / calls / TimeUnit.MICROSECONDS.toNanos(1);
  }
}
