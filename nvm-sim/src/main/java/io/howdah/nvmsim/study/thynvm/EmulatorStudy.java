package io.howdah.nvmsim.study.thynvm;

import io.howdah.nvmsim.schedule.SplitMix;
import io.howdah.nvmsim.study.StudyOutcome;
import io.howdah.nvmsim.study.StudyValue;
import io.howdah.nvmsim.study.report.StudyReport;
import io.howdah.nvmsim.thynvm.system.Core;
import io.howdah.nvmsim.thynvm.system.IdealMemory;
import io.howdah.nvmsim.thynvm.system.MemoryTiming;
import io.howdah.nvmsim.thynvm.workload.LoggedStores;
import io.howdah.nvmsim.thynvm.workload.LoggedStores.Log;
import io.howdah.nvmsim.workload.AccessSink;
import io.howdah.nvmsim.workload.KeyValueProgram;
import io.howdah.nvmsim.workload.KeyValueProgram.Structure;
import java.util.Map;

/**
 * Key-value stores on the emulated memory of pmemcached (loads of 300 ns, persist barriers of 100
 * ns) with software transactions, against DRAM without them. Published: 10 to 15 % of the
 * throughput lost by slow loads, 40 to 60 % with an undo log. As in memcached, every request also
 * changes the list of items by their last use.
 */
public final class EmulatorStudy {
  /** Bytes of a value, as in the published runs. */
  public static final int VALUE_BYTES = 1024;

  private static final int BARRIER_NS = 100;
  private static final int KEYS = 1 << 16;
  private static final int REQUESTS = 30_000;

  private static final boolean[] NO = {false};
  private static final boolean[] EITHER = {false, true};

  private EmulatorStudy() {}

  /** Throughput lost against DRAM without a log, for each structure and log. */
  public static StudyOutcome run(long seed) {
    StudyReport report = new StudyReport();
    report.line("Throughput lost against DRAM without a log, values of %d bytes", VALUE_BYTES);
    report.line("(published: 10 to 15 %% by slow loads, 40 to 60 %% with an undo log)");
    for (Structure structure : Structure.values()) {
      double dram = elapsed(structure, true, Log.NONE, false, seed);
      for (Log log : Log.values()) {
        for (boolean logsFresh : log == Log.NONE ? NO : EITHER) {
          double loss = 1 - dram / elapsed(structure, false, log, logsFresh, seed);
          report.line(
              "%-7s log %-10s %-22s %.1f %%",
              structure.text(),
              log.text(),
              log == Log.NONE ? "" : logsFresh ? "new values logged" : "new values not logged",
              100 * loss);
          report.add(
              StudyValue.single(
                  "thynvm.pmep.loss",
                  "ratio",
                  loss,
                  Map.of(
                      "structure",
                      structure.text(),
                      "log",
                      log.text(),
                      "newValues",
                      logsFresh ? "logged" : "not logged")));
        }
      }
    }
    return report.outcome();
  }

  private static double elapsed(
      Structure structure, boolean dram, Log log, boolean logsFresh, long seed) {
    Core core = new Core(new IdealMemory(MemoryTiming.PMEP, dram), false);
    LoggedStores stores = new LoggedStores(core, log, BARRIER_NS);
    SplitMix random = new SplitMix(seed);
    AccessSink fresh = logsFresh ? stores : stores.unlogged();
    try (KeyValueProgram store =
        new KeyValueProgram(structure, KEYS, VALUE_BYTES, stores, fresh, true)) {
      for (int i = 0; i < 2 * REQUESTS; i++) {
        if (i == REQUESTS) {
          core.beginMeasurement();
        }
        store.request(random);
        stores.commit();
      }
    }
    return core.result().elapsedPs();
  }
}
