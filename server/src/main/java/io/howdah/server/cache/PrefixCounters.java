package io.howdah.server.cache;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts reads, writes and deletions by the part of the key before the first colon, for {@code
 * stats detail}. Off until a client asks for it. Thread-safe.
 */
public final class PrefixCounters {

  /** Further prefixes are not counted, so that keys cannot fill the memory. */
  private static final int MAX_PREFIXES = 10_000;

  private static final byte DELIMITER = ':';

  private static final class Counts {
    final LongAdder gets = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder sets = new LongAdder();
    final LongAdder deletes = new LongAdder();
  }

  private final Map<String, Counts> counts = new ConcurrentHashMap<>();
  private final Counts overflow = new Counts();
  private volatile boolean isEnabled;

  PrefixCounters() {}

  /** Begins or ends to count. What was counted stays. */
  public void enable(boolean enabled) {
    isEnabled = enabled;
  }

  /** Returns whether it counts. */
  public boolean isEnabled() {
    return isEnabled;
  }

  /** Counts a key that was read. */
  public void countGet(byte[] key, boolean isHit) {
    if (isEnabled) {
      Counts found = of(key);
      found.gets.increment();
      if (isHit) {
        found.hits.increment();
      }
    }
  }

  /** Counts a key that was stored. */
  public void countSet(byte[] key) {
    if (isEnabled) {
      of(key).sets.increment();
    }
  }

  /** Counts a key that was deleted. */
  public void countDelete(byte[] key) {
    if (isEnabled) {
      of(key).deletes.increment();
    }
  }

  private Counts of(byte[] key) {
    int end = 0;
    while (end < key.length && key[end] != DELIMITER) {
      end++;
    }
    if (end == key.length) {
      return overflow; // no prefix
    }
    String prefix = new String(key, 0, end, StandardCharsets.ISO_8859_1);
    Counts known = counts.get(prefix);
    if (known != null || counts.size() >= MAX_PREFIXES) {
      return known == null ? overflow : known;
    }
    return counts.computeIfAbsent(prefix, _ -> new Counts());
  }

  /** Returns a line for each prefix, with line ends. */
  public String dump() {
    StringBuilder lines = new StringBuilder();
    counts.forEach(
        (prefix, count) ->
            lines
                .append("PREFIX ")
                .append(prefix)
                .append(" get ")
                .append(count.gets)
                .append(" hit ")
                .append(count.hits)
                .append(" set ")
                .append(count.sets)
                .append(" del ")
                .append(count.deletes)
                .append("\r\n"));
    return lines.toString();
  }

  /** Forgets all prefixes. */
  void reset() {
    counts.clear();
  }
}
