package io.howdah.cli.imports;

import io.howdah.cli.catalogue.DataException;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The entries of a map of another store, with the sum of those up to any of the last ones: a load
 * reads ahead of what it has put. For one thread.
 */
final class CountedEntries<K, V> implements Iterator<Map.Entry<K, V>> {

  private final String map;
  private final Iterator<Map.Entry<K, V>> entries;
  private final EntrySum<K, V> sum;

  /** The sum behind entry n, the first being 1, at n modulo the length. */
  private final long[] sums;

  /**
   * Creates one.
   *
   * @param readAhead how many entries behind the last one the sum is still known
   */
  CountedEntries(ForeignMap<K, V> map, int readAhead) {
    this.map = map.name();
    this.sum = new EntrySum<>(map.keys(), map.values());
    this.sums = new long[readAhead + 1];
    try {
      this.entries = map.entries();
    } catch (DataException e) {
      throw e;
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean hasNext() {
    try {
      return entries.hasNext();
    } catch (DataException e) {
      throw e;
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  @Override
  public Map.Entry<K, V> next() {
    try {
      Map.Entry<K, V> entry = entries.next();
      sum.add(entry.getKey(), entry.getValue());
      sums[(int) (sum.entries() % sums.length)] = sum.sum();
      return entry;
    } catch (DataException | NoSuchElementException e) {
      throw e;
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  /** What a library throws for a damaged file may be of any class. */
  private DataException unreadable(RuntimeException e) {
    return new DataException(
        "entry %d of map \"%s\" cannot be read, so its file is damaged or not what it seems: %s"
            .formatted(sum.entries() + 1, map, e),
        e);
  }

  /** Passes entries that are in the store already. Returns whether there were as many. */
  boolean skip(long count) {
    while (sum.entries() < count && hasNext()) {
      next();
    }
    return sum.entries() == count;
  }

  /** Returns how many entries were shown. */
  long count() {
    return sum.entries();
  }

  /** Returns the sum of the first entries, of which at most as many as read ahead were more. */
  long sumOf(long count) {
    if (count == 0) {
      return 0;
    }
    if (count > sum.entries() || count <= sum.entries() - sums.length) {
      throw new IllegalArgumentException(
          "the sum of " + count + " of " + sum.entries() + " entries is not kept");
    }
    return sums[(int) (count % sums.length)];
  }
}
