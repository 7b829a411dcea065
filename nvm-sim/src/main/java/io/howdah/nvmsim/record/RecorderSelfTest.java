package io.howdah.nvmsim.record;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.mem.SpaceLayout;
import io.howdah.nvmsim.trace.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Does the recorder record what happened? The published tracer's own test: threads increment one
 * counter and note how often they found it even; a walk over the trace must come to the same
 * numbers. Without the lock bank it does not, which shows that the test can fail.
 */
public final class RecorderSelfTest {
  /**
   * What the threads saw and what the trace says, per thread.
   *
   * @param seenEven increments that found the counter even, as the threads counted
   * @param tracedEven the same, worked out from the order of the trace
   * @param increments increments per thread, as the threads counted
   * @param tracedIncrements the same from the trace
   */
  public record Outcome(
      List<Long> seenEven,
      List<Long> tracedEven,
      List<Long> increments,
      List<Long> tracedIncrements) {
    public Outcome {
      seenEven = List.copyOf(seenEven);
      tracedEven = List.copyOf(tracedEven);
      increments = List.copyOf(increments);
      tracedIncrements = List.copyOf(tracedIncrements);
    }

    /** Whether the trace tells what happened. */
    public boolean faithful() {
      return seenEven.equals(tracedEven) && increments.equals(tracedIncrements);
    }
  }

  private RecorderSelfTest() {}

  /** Runs the test with or without the lock bank. */
  public static Outcome run(int threads, int incrementsPerThread, boolean locked)
      throws InterruptedException {
    try (SimMemory memory = new SimMemory(SpaceLayout.ofLengths(4096, 4096))) {
      RealThreadRecorder recorder =
          new RealThreadRecorder(memory, 6, incrementsPerThread + 4096, locked);
      long counter = memory.allocateVolatile(Long.BYTES, 64);
      long[] seenEven = new long[threads];
      List<RealThreadRecorder.Body> bodies = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        bodies.add(
            port -> {
              long even = 0;
              for (int n = 0; n < incrementsPerThread; n++) {
                even += (port.fetchAndAdd(counter, 1, 0) & 1) == 0 ? 1 : 0;
              }
              seenEven[thread] = even;
            });
      }
      recorder.run(bodies);
      long[] tracedEven = new long[threads];
      long[] traced = new long[threads];
      long[] value = new long[1];
      recorder.merge(
          batch -> {
            for (int i = 0; i < batch.count(); i++) {
              long event = batch.packed()[i];
              if (Event.kind(event) == Event.RMW) {
                tracedEven[Event.thread(event)] += (value[0]++ & 1) == 0 ? 1 : 0;
                traced[Event.thread(event)]++;
              }
            }
          });
      long[] increments = new long[threads];
      Arrays.fill(increments, incrementsPerThread);
      return new Outcome(list(seenEven), list(tracedEven), list(increments), list(traced));
    }
  }

  private static List<Long> list(long[] values) {
    return Arrays.stream(values).boxed().toList();
  }
}
