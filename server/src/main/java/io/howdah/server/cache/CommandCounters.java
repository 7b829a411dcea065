package io.howdah.server.cache;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/** Counts what commands did, for {@code stats}; one for all connections. Thread-safe. */
public final class CommandCounters {

  /** What is counted. The name in lower case is memcached's name of the row. */
  public enum Counter {
    /** Keys that were read. */
    CMD_GET,
    /** Items that a client sent to be stored. */
    CMD_SET,
    /** Flushes. */
    CMD_FLUSH,
    /** Items that a client touched, found or not. */
    CMD_TOUCH,
    /** Meta commands that only tell or test something. */
    CMD_META,
    /** Keys that were read and found. */
    GET_HITS,
    /** Keys that were read and not found. */
    GET_MISSES,
    /** Items that a client deleted. */
    DELETE_HITS,
    /** Deletions of what was not there. */
    DELETE_MISSES,
    /** Increments. */
    INCR_HITS,
    /** Increments of what was not there. */
    INCR_MISSES,
    /** Decrements. */
    DECR_HITS,
    /** Decrements of what was not there. */
    DECR_MISSES,
    /** Items stored because the CAS value was right. */
    CAS_HITS,
    /** Items to be stored by CAS value where none was. */
    CAS_MISSES,
    /** Items not stored because the CAS value was another. */
    CAS_BADVAL,
    /** Items touched. */
    TOUCH_HITS,
    /** Items to be touched that were not there. */
    TOUCH_MISSES,
    /** Items refused for their size. */
    STORE_TOO_LARGE,
    /** Items refused for want of memory. */
    STORE_NO_MEMORY;

    final String row = name().toLowerCase(Locale.ROOT);
  }

  private final Map<Counter, LongAdder> counts = new EnumMap<>(Counter.class);

  /** Makes counters at 0. */
  public CommandCounters() {
    for (Counter counter : Counter.values()) {
      counts.put(counter, new LongAdder());
    }
  }

  /** Counts one. */
  public void count(Counter counter) {
    adder(counter).increment();
  }

  /** Returns a count. */
  public long get(Counter counter) {
    return adder(counter).sum();
  }

  /** Sets all to 0. */
  public void reset() {
    counts.values().forEach(LongAdder::reset);
  }

  /** Calls a function with the name and value of every counter. */
  public void forEach(BiConsumer<String, String> row) {
    counts.forEach((counter, count) -> row.accept(counter.row, Long.toString(count.sum())));
  }

  private LongAdder adder(Counter counter) {
    return Objects.requireNonNull(counts.get(counter));
  }
}
