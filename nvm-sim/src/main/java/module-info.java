/**
 * A simulator of non-volatile memory.
 *
 * <p>Trace a program of your own with {@code schedule}, or read a recorded one with {@code trace}.
 * Order its persists under a model of {@code persistency}, and look at their order in {@code dag}
 * and at what a power failure leaves in {@code crash}. Run a {@code workload} or a protocol of your
 * own under the protocols of {@code loc} and on the systems of ThyNVM. Reproduce the papers with
 * {@code study} and the packages below it.
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
  exports io.howdah.nvmsim.study;
  exports io.howdah.nvmsim.study.loc;
  exports io.howdah.nvmsim.study.persistency;
  exports io.howdah.nvmsim.study.thynvm;
  exports io.howdah.nvmsim.timing;
  exports io.howdah.nvmsim.trace;
  exports io.howdah.nvmsim.workload;

  uses io.howdah.nvmsim.persistency.PersistencyModel;
}
