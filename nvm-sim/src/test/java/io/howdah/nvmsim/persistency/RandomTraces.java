package io.howdah.nvmsim.persistency;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.trace.Event;
import io.howdah.nvmsim.trace.TraceBuffer;

/** Small random traces with everything the analysers must treat: see the switch. */
public final class RandomTraces {
  static final long VOLATILE = 0x1000;
  static final long PERSISTENT = 0x10000;
  private static final int RANGE = 160;

  private RandomTraces() {}

  /** A trace of 5 to 60 events, in one of twenty cases up to 300. */
  public static TraceBuffer of(long seed) {
    SplitMix random = new SplitMix(seed);
    int count = random.below(20) == 0 ? 60 + random.below(241) : 5 + random.below(56);
    return of(random, count, true);
  }

  /** As {@link #of(long)}, but only aligned 8-byte accesses. */
  public static TraceBuffer ofWords(long seed) {
    SplitMix random = new SplitMix(seed);
    return of(random, 5 + random.below(56), false);
  }

  private static TraceBuffer of(SplitMix random, int count, boolean wide) {
    TraceBuffer trace = new TraceBuffer(count);
    int threads = 1 + random.below(3);
    int range = 16 + random.below(RANGE - 15);
    for (int i = 0; i < count; i++) {
      int thread = random.below(threads);
      switch (random.below(10)) {
        case 0 -> trace.add(Event.marker(Event.PERSIST_BARRIER, thread, 0), 0, 0);
        case 1 -> {
          int kind = random.below(8) == 0 ? Event.PERSIST_SYNC : Event.NEW_STRAND;
          trace.add(Event.marker(kind, thread, 0), 0, 0);
        }
        case 2, 3, 4 -> access(trace, random, Event.LOAD, thread, range, wide);
        case 5 -> access(trace, random, Event.RMW, thread, range, false);
        default -> access(trace, random, Event.STORE, thread, range, wide);
      }
    }
    return trace;
  }

  private static void access(
      TraceBuffer trace, SplitMix random, int kind, int thread, int range, boolean wide) {
    boolean persistent = random.below(3) != 0;
    long address = (persistent ? PERSISTENT : VOLATILE) + random.below(range) / 8 * 8L;
    int size = 8;
    if (wide) {
      switch (random.below(4)) {
        case 0 -> {
          address += random.below(8);
          size = 1 + random.below(8);
        }
        case 1 -> {
          address += random.below(8);
          size = 1 + random.below(72);
        }
        default -> {}
      }
    }
    trace.add(Event.access(kind, thread, size, persistent, 0), address, 0);
  }
}
