package io.howdah.collections;

/**
 * What a {@linkplain KeyedCollection#load load} has put.
 *
 * @param entries how many entries
 * @param added how many of them had keys that were not there; the others have replaced values. An
 *     entry that has expired and was not reclaimed counts as there
 */
public record LoadResult(long entries, long added) {

  /** What a load has put before its first transaction. */
  static final LoadResult NONE = new LoadResult(0, 0);
}
