package io.howdah.nvmsim.queue;

import io.howdah.nvmsim.mem.SimMemory;
import io.howdah.nvmsim.schedule.DeterministicScheduler;
import io.howdah.nvmsim.schedule.SchedulePolicy;
import io.howdah.nvmsim.trace.TraceSink;

/** The paper's experiment: threads insert into one queue, and the trace goes to a sink. */
public final class QueueRun {
  private QueueRun() {}

  /**
   * Runs the inserts and streams their trace. The same arguments give the same trace.
   *
   * @param spec the queue
   * @param threads 1 to {@link DeterministicScheduler#MAX_THREADS}
   * @param inserts of all threads together; the first threads insert one more if it does not divide
   * @return events traced
   */
  public static long trace(
      QueueSpec spec, int threads, long inserts, SchedulePolicy policy, TraceSink sink) {
    if (threads < 1 || threads > DeterministicScheduler.MAX_THREADS || inserts < 0) {
      throw new IllegalArgumentException(
          "threads must be 1 to "
              + DeterministicScheduler.MAX_THREADS
              + " and inserts not negative: "
              + threads
              + ", "
              + inserts);
    }
    try (SimMemory memory = new SimMemory(QueueMemory.spaces(spec, threads))) {
      DeterministicScheduler scheduler = new DeterministicScheduler(memory, policy, sink);
      QueueMemory queue = QueueMemory.allocate(spec, threads, memory, scheduler.setUp());
      for (int i = 0; i < threads; i++) {
        scheduler.add(
            QueueInserter.of(queue, i, inserts / threads + (i < inserts % threads ? 1 : 0)));
      }
      return scheduler.run();
    }
  }
}
