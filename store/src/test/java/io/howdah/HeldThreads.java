package io.howdah;

import io.howdah.testkit.schedule.SystemThreads;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The system's threads, of which those of the engine can be held where they next park. */
class HeldThreads extends SystemThreads {

  private static final long LOOK_NANOS = 1_000_000;

  private final Set<String> held = ConcurrentHashMap.newKeySet();
  private final Set<String> standing = ConcurrentHashMap.newKeySet();
  private final Map<String, AtomicLong> parks = new ConcurrentHashMap<>();

  /** Holds the thread of a name from its next park on. */
  void hold(String name) {
    held.add(name);
  }

  /** Lets it go. */
  void release(String name) {
    held.remove(name);
  }

  /** Lets all go. */
  void releaseAll() {
    held.clear();
  }

  /** Returns whether a thread that is held has come to a park. */
  boolean isStanding(String name) {
    return standing.contains(name);
  }

  /** Returns how often a thread has parked. */
  long parks(String name) {
    return parks.computeIfAbsent(name, _ -> new AtomicLong()).get();
  }

  @Override
  public Thread start(String name, Runnable body) {
    return system.start(name, body);
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    String name = Thread.currentThread().getName();
    parks.computeIfAbsent(name, _ -> new AtomicLong()).incrementAndGet();
    while (held.contains(name)) {
      standing.add(name);
      system.parkNanos(this, LOOK_NANOS);
    }
    standing.remove(name);
    super.parkNanos(blocker, Math.min(nanos, LOOK_NANOS)); // looks often, so that tests are short
  }
}
