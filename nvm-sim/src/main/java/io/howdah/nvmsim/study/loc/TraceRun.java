package io.howdah.nvmsim.study.loc;

import io.howdah.nvmsim.loc.Traffic;
import io.howdah.nvmsim.loc.TransactionCore;
import io.howdah.nvmsim.workload.AccessTrace;

/**
 * What one trace took under one protocol, after its warm-up.
 *
 * @param timePs from the first measured transaction to the last one's durability
 * @param transactions committed
 * @param traffic of the core; final
 */
public record TraceRun(long timePs, long transactions, Traffic traffic) {

  /** Committed transactions per second of simulated time. */
  public double throughput() {
    return transactions * 1e12 / timePs;
  }

  /** Runs a trace to its end; what is committed is durable then. */
  public static TraceRun of(AccessTrace trace, TransactionCore core) {
    long startPs = 0;
    long txId = 0;
    int length = trace.length();
    for (int i = 0; i < length; i++) {
      long entry = trace.entry(i);
      core.compute(AccessTrace.workBefore(entry));
      switch (AccessTrace.kind(entry)) {
        case AccessTrace.LOAD -> core.load(AccessTrace.address(entry));
        case AccessTrace.STORE -> core.store(txId, AccessTrace.address(entry), i);
        case AccessTrace.BEGIN -> txId = core.begin();
        case AccessTrace.COMMIT -> core.commit(txId);
        case AccessTrace.BUILT -> core.built(AccessTrace.address(entry));
        case AccessTrace.MEASURE -> {
          core.flush();
          core.resetTraffic();
          startPs = core.nowPs();
        }
        default -> throw new IllegalArgumentException("no such trace entry: " + entry);
      }
    }
    core.flush();
    return new TraceRun(core.nowPs() - startPs, core.traffic().transactions(), core.traffic());
  }
}
