package io.howdah.nvmsim.record;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.queue.NativeRun;
import io.howdah.nvmsim.queue.PersistentQueue;
import io.howdah.nvmsim.queue.QueueMemory;
import io.howdah.nvmsim.queue.QueueSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Does tracing change how threads mix? Insert distances of native and of traced runs of one queue,
 * taken in turns and compared. Neighbouring distances depend on each other (a thread that lost its
 * processor leaves the other one a long run of its own), so each run gives only a few samples, far
 * apart; without that the test would take the host's load for a difference. It means something only
 * where the threads have a processor each.
 *
 * @param nativeDistances sampled distances of the native runs, sorted
 * @param tracedDistances sampled distances of the traced runs, sorted
 * @param test their comparison
 */
public record InterleavingCheck(
    List<Long> nativeDistances, List<Long> tracedDistances, KolmogorovSmirnov test) {
  private static final int SAMPLES_PER_RUN = 16;
  private static final int CAPACITY = 1 << 15;
  private static final int LOG2_STRIPES = 10;
  private static final int EVENTS_PER_INSERT_AT_MOST = 200;

  /** Native inserts are so much faster that it takes this many to run as long as one traced. */
  private static final int NATIVE_PER_TRACED = 20;

  public InterleavingCheck {
    nativeDistances = List.copyOf(nativeDistances);
    tracedDistances = List.copyOf(tracedDistances);
  }

  /** Runs both {@code rounds} times with {@code inserts} traced inserts per thread. */
  public static InterleavingCheck run(QueueSpec spec, int threads, int inserts, int rounds)
      throws InterruptedException {
    QueueSpec queue = spec.withCapacity(CAPACITY);
    List<Long> fromNative = new ArrayList<>();
    List<Long> fromTraced = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      NativeRun.Outcome outcome =
          NativeRun.run(queue, threads, (long) threads * inserts * NATIVE_PER_TRACED, true);
      sample(outcome.positions(), queue.slotLength(), fromNative);
      sample(traced(queue, threads, inserts), queue.slotLength(), fromTraced);
    }
    long[] first = fromNative.stream().mapToLong(Long::longValue).sorted().toArray();
    long[] second = fromTraced.stream().mapToLong(Long::longValue).sorted().toArray();
    return new InterleavingCheck(
        Arrays.stream(first).boxed().toList(),
        Arrays.stream(second).boxed().toList(),
        KolmogorovSmirnov.compare(first, second));
  }

  private static List<long[]> traced(QueueSpec queue, int threads, int inserts)
      throws InterruptedException {
    List<long[]> positions = new ArrayList<>();
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(queue, threads))) {
      RealThreadRecorder recorder =
          new RealThreadRecorder(memory, LOG2_STRIPES, inserts * EVENTS_PER_INSERT_AT_MOST);
      QueueMemory q = QueueMemory.allocate(queue, threads, memory, recorder.setUp());
      List<RealThreadRecorder.Body> bodies = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        PersistentQueue view = PersistentQueue.of(q);
        long[] kept = new long[inserts];
        positions.add(kept);
        bodies.add(
            port -> {
              for (int op = 0; op < kept.length; op++) {
                kept[op] = view.insert(port, op);
              }
            });
      }
      recorder.run(bodies);
    }
    return positions;
  }

  /** Takes distances from the middle half of the run, where all threads are at work. */
  private static void sample(List<long[]> positions, int slotLength, List<Long> into) {
    for (long[] thread : positions) {
      int from = thread.length / 4;
      int step = Math.max(1, thread.length / 2 * positions.size() / SAMPLES_PER_RUN);
      for (int i = Math.max(1, from); i < thread.length - from; i += step) {
        into.add((thread[i] - thread[i - 1]) / slotLength);
      }
    }
  }
}
