package io.howdah.jmh.cache;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** How many requests of a trace policies from the books find. */
public final class ReferencePolicies {

  private static final long MIX = 0xD6E8_FEB8_6659_FD93L;

  private ReferencePolicies() {}

  /** The entry that was not used for the longest time goes. */
  public static long lru(long[] keys, int entries) {
    Map<Long, Boolean> cache =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > entries;
          }
        };
    long hits = 0;
    for (long key : keys) {
      if (cache.get(key) != null) {
        hits++;
      } else {
        cache.put(key, true);
      }
    }
    return hits;
  }

  /**
   * The policy of the server's items, in the order of their hashes: a hand goes round and evicts
   * the first entry that was not used since it last came by. New entries count as used.
   */
  public static long clock(long[] keys, int entries) {
    Map<Long, Long> places = new HashMap<>();
    NavigableMap<Long, Boolean> referenced = new TreeMap<>();
    long hand = Long.MIN_VALUE;
    long hits = 0;
    for (long key : keys) {
      Long place = places.get(key);
      if (place != null) {
        hits++;
        referenced.put(place, true);
        continue;
      }
      while (referenced.size() >= entries) {
        Map.Entry<Long, Boolean> at = referenced.ceilingEntry(hand);
        at = at == null ? referenced.firstEntry() : at;
        hand = at.getKey() + 1;
        if (at.getValue()) {
          referenced.put(at.getKey(), false);
        } else {
          referenced.remove(at.getKey());
          places.remove(unmixed(at.getKey()));
        }
      }
      long hash = key * MIX;
      places.put(key, hash);
      referenced.put(hash, true);
    }
    return hits;
  }

  private static long unmixed(long hash) {
    return hash * INVERSE;
  }

  private static final long INVERSE = inverse();

  /** The odd number whose product with the other one is 1, by Newton's method. */
  private static long inverse() {
    long inverse = MIX;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - MIX * inverse;
    }
    return inverse;
  }

  /** The entry whose next use is the furthest in the future goes: no policy finds more. */
  public static long best(long[] keys, int entries) {
    int[] next = new int[keys.length];
    Map<Long, Integer> later = new HashMap<>();
    for (int i = keys.length - 1; i >= 0; i--) {
      Integer use = later.put(keys[i], i);
      next[i] = use == null ? keys.length + i : use; // all of these differ
    }
    Map<Long, Integer> cache = new HashMap<>();
    NavigableMap<Integer, Long> byNextUse = new TreeMap<>();
    long hits = 0;
    for (int i = 0; i < keys.length; i++) {
      Integer expected = cache.remove(keys[i]);
      if (expected != null) {
        hits++;
        byNextUse.remove(expected);
      } else if (cache.size() >= entries) {
        Map.Entry<Integer, Long> furthest = byNextUse.lastEntry();
        if (furthest.getKey() < next[i]) {
          continue; // the new one is the one to go
        }
        byNextUse.pollLastEntry();
        cache.remove(furthest.getValue());
      }
      cache.put(keys[i], next[i]);
      byNextUse.put(next[i], keys[i]);
    }
    return hits;
  }
}
