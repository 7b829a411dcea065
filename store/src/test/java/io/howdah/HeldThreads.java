package io.howdah;

import io.howdah.testkit.schedule.SimulatedCrash;
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
  private final Set<Thread> started = ConcurrentHashMap.newKeySet();
  private final Map<String, AtomicLong> parks = new ConcurrentHashMap<>();

  private volatile boolean ended;

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

  /**
   * Ends each thread that was started by this and is still there, at its next park: those of a
   * store whose disk was cut off, which cannot close. A thousand wakes a second of each would slow
   * the tests that follow.
   */
  void end() {
    ended = true;
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
    Thread thread = system.start(name, body);
    started.add(thread);
    return thread;
  }

  @Override
  public void parkNanos(Object blocker, long nanos) {
    if (ended && started.contains(Thread.currentThread())) {
      throw new SimulatedCrash("the test has ended");
    }
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
