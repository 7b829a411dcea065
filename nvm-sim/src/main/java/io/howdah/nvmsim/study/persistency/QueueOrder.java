package io.howdah.nvmsim.study.persistency;

import io.howdah.nvmsim.dag.PersistDagBuilder;
import io.howdah.nvmsim.persistency.Models;
import io.howdah.nvmsim.queue.QueueRun;
import io.howdah.nvmsim.queue.QueueSpec;
import io.howdah.nvmsim.schedule.Policies;
import io.howdah.nvmsim.trace.TraceBuffer;

/** Figure 2 of the paper: the persist order of a few inserts, each constraint classed. */
public final class QueueOrder {
  private static final int MAX_EVENTS = 1 << 16;

  private QueueOrder() {}

  /** The trace of a few inserts, for small analyses. */
  public static TraceBuffer trace(QueueSpec queue, int threads, int inserts) {
    TraceBuffer trace = new TraceBuffer(MAX_EVENTS);
    QueueRun.trace(queue, threads, inserts, Policies.roundRobin(1), trace);
    return trace;
  }

  /** The classed order of a trace. */
  public static ClassedOrder classify(TraceBuffer trace) {
    return ClassedOrder.of(
        PersistDagBuilder.of(trace, Models.STRICT),
        PersistDagBuilder.of(trace, Models.EPOCH),
        PersistDagBuilder.of(trace, Models.STRAND));
  }
}
