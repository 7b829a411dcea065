/**
 * A simulator of non-volatile memory.
 *
 * <p>Trace a program of your own with {@code schedule}, or read a recorded one with {@code trace}.
 * Order its persists under a model of {@code persistency}, and look at their order in {@code dag}
 * and at what a power failure leaves in {@code crash}. Run a {@code workload} or a protocol of your
 * own under the protocols of {@code loc} and on the systems of ThyNVM. The studies that reproduce
 * the papers are not exported: {@code howdah sim} runs them.
 */
module io.howdah.nvmsim {
  requires io.howdah.plot;
  requires java.management;
  requires static org.jspecify;

  exports io.howdah.nvmsim.crash;
  exports io.howdah.nvmsim.dag;
  exports io.howdah.nvmsim.loc;
  exports io.howdah.nvmsim.mem;
  exports io.howdah.nvmsim.persistency;
  exports io.howdah.nvmsim.queue;
  exports io.howdah.nvmsim.schedule;
  exports io.howdah.nvmsim.timing;
  exports io.howdah.nvmsim.trace;
  exports io.howdah.nvmsim.workload;

  uses io.howdah.nvmsim.persistency.PersistencyModel;
}
