package io.howdah.collections;

/**
 * What a cache has done since its store was opened, from {@link PersistentCache#statistics}. A
 * look-up in a transaction that is repeated counts each time.
 *
 * @param hits look-ups that found an entry
 * @param misses look-ups that found none; one that then waits for another thread's load included
 * @param loads values that loaders returned
 * @param failedLoads calls of loaders that threw
 * @param evictions entries that were removed to make room, by transactions that have committed
 * @param expiries entries that had expired and were removed, by transactions that have committed
 */
public record CacheStatistics(
    long hits, long misses, long loads, long failedLoads, long evictions, long expiries) {

  /** Returns the part of look-ups that found an entry, 0 to 1; 1 if there was none. */
  public double hitRatio() {
    double all = (double) hits + misses; // the sum of both may be no long
    return all == 0 ? 1 : hits / all;
  }
}
