/** A simulator of non-volatile memory. */
module io.howdah.nvmsim {
  requires java.desktop;
  requires java.management;
  requires static org.jspecify;

  exports io.howdah.nvmsim.crash;
  exports io.howdah.nvmsim.crash.loc;
  exports io.howdah.nvmsim.crash.queue;
  exports io.howdah.nvmsim.crash.thynvm;
  exports io.howdah.nvmsim.dag;
  exports io.howdah.nvmsim.litmus;
  exports io.howdah.nvmsim.loc;
  exports io.howdah.nvmsim.mem;
  exports io.howdah.nvmsim.persistency;
  exports io.howdah.nvmsim.plot;
  exports io.howdah.nvmsim.program;
  exports io.howdah.nvmsim.px86;
  exports io.howdah.nvmsim.queue;
  exports io.howdah.nvmsim.record;
  exports io.howdah.nvmsim.schedule;
  exports io.howdah.nvmsim.study;
  exports io.howdah.nvmsim.study.loc;
  exports io.howdah.nvmsim.study.persistency;
  exports io.howdah.nvmsim.study.thynvm;
  exports io.howdah.nvmsim.thynvm.control;
  exports io.howdah.nvmsim.thynvm.system;
  exports io.howdah.nvmsim.thynvm.table;
  exports io.howdah.nvmsim.thynvm.workload;
  exports io.howdah.nvmsim.timing;
  exports io.howdah.nvmsim.trace;
  exports io.howdah.nvmsim.workload;
}
