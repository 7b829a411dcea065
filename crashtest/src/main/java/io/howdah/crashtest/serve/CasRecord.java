package io.howdah.crashtest.serve;

import java.util.HashMap;
import java.util.Map;

/** Every CAS value that a server showed, with the value that had it. Thread-safe. */
final class CasRecord {

  /** One write: the version counts the writes of the connection that owns the key. */
  private record Write(String key, long version) {}

  private final Map<Long, Write> writes = new HashMap<>();

  /** Notes a CAS value; fails if another write had it. */
  synchronized void seen(long cas, String key, long version) {
    Write write = new Write(key, version);
    Write before = writes.putIfAbsent(cas, write);
    if (before != null && !before.equals(write)) {
      throw new BrokenPromise("CAS value " + cas + " of " + write + " was that of " + before);
    }
  }
}
