package io.howdah.server.cache;

import java.util.Arrays;
import java.util.Locale;
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
    /** Items that were stored since the start, as new items or in place of others. */
    TOTAL_ITEMS,
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
    /** Attempts to authenticate. */
    AUTH_CMDS,
    /** Attempts to authenticate that failed. */
    AUTH_ERRORS,
    /** Bytes that clients sent. */
    BYTES_READ,
    /** Bytes sent to clients. */
    BYTES_WRITTEN,
    /** How often a connection with more to do let others go first. */
    CONN_YIELDS,
    /** Items refused for their size. */
    STORE_TOO_LARGE,
    /** Items refused for want of memory. */
    STORE_NO_MEMORY;

    final String row = name().toLowerCase(Locale.ROOT);

    @SuppressWarnings("EnumOrdinal") // an index of this run only; nothing stores it
    private int index() {
      return ordinal();
    }
  }

  private static final Counter[] COUNTERS = Counter.values();

  private final PrefixCounters prefixes = new PrefixCounters();
  private final LongAdder[] counts = new LongAdder[COUNTERS.length];

  /** Makes counters at 0. */
  public CommandCounters() {
    Arrays.setAll(counts, _ -> new LongAdder());
  }

  /** Counts one. */
  public void count(Counter counter) {
    counts[counter.index()].increment();
  }

  /** Counts a number of them. */
  public void add(Counter counter, long number) {
    counts[counter.index()].add(number);
  }

  /** Returns the counts by prefixes of keys. */
  public PrefixCounters prefixes() {
    return prefixes;
  }

  /** Returns a count. */
  public long get(Counter counter) {
    return counts[counter.index()].sum();
  }

  /** Sets all to 0. */
  public void reset() {
    for (LongAdder count : counts) {
      count.reset();
    }
    prefixes.reset();
  }

  /** Calls a function with the name and value of every counter. */
  public void forEach(BiConsumer<String, String> row) {
    for (Counter counter : COUNTERS) {
      row.accept(counter.row, Long.toString(get(counter)));
    }
  }
}
