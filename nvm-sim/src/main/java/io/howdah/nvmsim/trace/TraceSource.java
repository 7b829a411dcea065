package io.howdah.nvmsim.trace;

import java.io.IOException;

/** A trace that is read a batch at a time. */
public interface TraceSource extends AutoCloseable {
  /**
   * Fills the batch with the next events, at least one.
   *
   * @return false at the end of the trace, with the batch empty
   * @throws TraceFormatException if what is read is no trace, with the place
   */
  boolean next(EventBatch batch) throws IOException;

  @Override
  default void close() throws IOException {}

  /** Feeds the whole trace to the receivers in one pass and returns the number of events. */
  default long feed(TraceSink... sinks) throws IOException {
    EventBatch batch = new EventBatch();
    long events = 0;
    while (next(batch)) {
      for (TraceSink sink : sinks) {
        sink.accept(batch);
      }
      events += batch.count();
    }
    return events;
  }
}
