package io.howdah.nvmsim.record;

import java.util.Arrays;

/** One thread's stamped events. Bounded; belongs to its thread until the run has ended. */
final class EventLog {
  private final int thread;
  private final int maxEvents;
  private long[] stamps = new long[4096];
  private long[] packed = new long[4096];
  private long[] addresses = new long[4096];
  private long[] values = new long[4096];
  private int count;

  EventLog(int thread, int maxEvents) {
    this.thread = thread;
    this.maxEvents = maxEvents;
  }

  void add(long stamp, long event, long address, long value) {
    if (count == stamps.length) {
      if (count >= maxEvents) {
        throw new IllegalStateException(
            "thread " + thread + " recorded more than " + maxEvents + " events");
      }
      int capacity = Math.min(maxEvents, count * 2);
      stamps = Arrays.copyOf(stamps, capacity);
      packed = Arrays.copyOf(packed, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      values = Arrays.copyOf(values, capacity);
    }
    stamps[count] = stamp;
    packed[count] = event;
    addresses[count] = address;
    values[count++] = value;
  }

  int count() {
    return count;
  }

  long stamp(int index) {
    return stamps[index];
  }

  long packed(int index) {
    return packed[index];
  }

  long address(int index) {
    return addresses[index];
  }

  long value(int index) {
    return values[index];
  }
}
