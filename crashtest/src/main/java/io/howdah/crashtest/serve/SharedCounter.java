package io.howdah.crashtest.serve;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The record of the key that all connections increment by 1. Thread-safe. */
final class SharedCounter {

  private final Set<Long> results = new HashSet<>();
  private long base;
  private long sent;

  /** Begins with a value that the server was just told. */
  synchronized void begin(long value) {
    base = value;
    sent = 0;
    results.clear();
  }

  /** An increment is on its way. */
  synchronized void sent() {
    sent++;
  }

  /** An increment replied; no two reply the same. */
  synchronized void acknowledged(String reply) {
    long result = Long.parseLong(reply);
    if (result <= base || result > base + sent || !results.add(result)) {
      throw new BrokenPromise(
          "increment of the shared counter replied "
              + reply
              + " after "
              + base
              + " and "
              + sent
              + " increments"
              + (results.contains(result) ? ", for the second time" : ""));
    }
  }

  /** Judges the value that a restarted server shows: all acknowledged, at most those sent. */
  synchronized @Nullable String judge(long value) {
    return value >= base + results.size() && value <= base + sent
        ? null
        : "the shared counter is "
            + value
            + " after "
            + base
            + ", "
            + results.size()
            + " acknowledged and "
            + sent
            + " sent increments";
  }
}
