package io.howdah.nvmsim.trace;

import java.util.List;

/** Receives a trace, batch by batch, in order. */
public interface TraceSink {
  /**
   * Takes the next events. The batch is reused once this returns.
   *
   * @throws java.io.UncheckedIOException if the receiver writes and cannot
   */
  void accept(EventBatch batch);

  /** A receiver that hands every batch to each of these in turn: one pass feeds many analysers. */
  static TraceSink all(List<? extends TraceSink> sinks) {
    TraceSink[] each = sinks.toArray(TraceSink[]::new);
    return batch -> {
      for (TraceSink sink : each) {
        sink.accept(batch);
      }
    };
  }
}
